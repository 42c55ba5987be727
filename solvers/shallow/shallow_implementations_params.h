/* Parameters of Lax-Friedrichs in three kernels (shallow_implementations.k), in the kernels' own
 * precision (`real`); the case's units. */
typedef struct shallow_implementation_params {
  real g, root_g;        /* gravity and its root */
  real dry, film;        /* no deeper: no motion; the depth that a cell without water is given */
  real inv_dx;
  real still;            /* a smaller momentum counts as 0 */
  int nx, ny;            /* cells of the grid */
  int first, row, component; /* layout of the state, in elements */
  int bed_first, bed_row, bed_component;
  int west, east, south, north; /* SHALLOW_OPEN or SHALLOW_WALL */
  int values;            /* speeds to fold */
  int table;             /* where the table of constants begins: 0 */
  /* The form, for hosts; the compiler of a GPU has it as constants (IMPL_ONE). */
  int is_padded, constants, tile_x, tile_y, pitch, has_slopes, has_results;
  int unused;            /* an even number of integers: no padding */
} shallow_implementation_params;
