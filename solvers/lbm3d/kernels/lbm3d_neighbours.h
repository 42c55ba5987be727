/* lbm3d_neighbours.h - a cell of a box of rows and its neighbours (lbm3d.k, lbm3d_stored.k);
 * periodic. Before it links_params, the type of a launch's parameters. */

/* As numbers of columns, rows and planes; of a row, x, west and east are not used. */
typedef struct lbm3d_neighbours {
  trm_index y, south, north, z, below, above, ny;
  int x, west, east;
} lbm3d_neighbours;

TRM_INLINE trm_index lbm3d_row(const lbm3d_neighbours b, const links_params p, const int dy,
                               const int dz)
{
  const trm_index y = dy < 0 ? b.south : dy > 0 ? b.north : b.y;
  const trm_index z = dz < 0 ? b.below : dz > 0 ? b.above : b.z;
  return p.first + (z * b.ny + y) * p.row;
}

TRM_INLINE int lbm3d_column(const lbm3d_neighbours b, const int dx)
{
  return dx < 0 ? b.west : dx > 0 ? b.east : b.x;
}

/* The neighbours of a cell (z ny + y) nx + x. */
TRM_INLINE lbm3d_neighbours lbm3d_neighbours_of(const links_params p, const int cell)
{
  const int row = cell / p.nx, x = cell - row * p.nx, z = row / p.ny, y = row - z * p.ny;
  const lbm3d_neighbours b = { y, y == 0 ? p.ny - 1 : y - 1, y == p.ny - 1 ? 0 : y + 1,
                           z, z == 0 ? p.nz - 1 : z - 1, z == p.nz - 1 ? 0 : z + 1, p.ny,
                           x, x == 0 ? p.nx - 1 : x - 1, x == p.nx - 1 ? 0 : x + 1 };
  return b;
}
