/* Parameters of the N-body kernels, in the kernels' own precision (`real`). */
typedef struct nbody_params {
  real eps2;            /* softening length squared */
  real kick, kick_again; /* times that the stored and the new acceleration act on the velocity */
  real dt;              /* the time of the drift */
  real half_dt2;        /* dt * dt / 2 */
  real total_mass;
  real middle_x, middle_y, middle_z; /* from which places are counted */
  int bodies;           /* N */
  int stride;           /* elements between components; there are that many targets */
  int length;           /* sources in a segment of the sum, a multiple of 256 */
  int segments;         /* of the whole sum */
  int segments_each;    /* summed by one group, one after the other */
  int rows;             /* partial sums that wait for each target */
  int slot;             /* the step's place among those whose measures wait to be folded */
  int slots;            /* how many of them are folded by nbody_deposit */
  int limit;            /* elements of each series */
  int packed;           /* nbody_force: the four numbers of a body lie side by side in `bodies` */
} nbody_params;
