/* lbm3d_rows.h - what lbm3d_links.h asks for, of a box in rows; before it the parameters. */

typedef lbm3d_params links_params;
/* never of ghost columns, which have only what streams from there */
#define LBM3D_OF(dx, dy, dz, k) \
  D3_AT(f, k)[lbm3d_row(b, p, dy, dz) + lbm3d_column(b, dx)]
#define LBM3D_KEPT(got, k) (got)
#if TRM_BY_SPAN
#define LBM3D_PUT(i, k, kept) D3_AT(to, k)[b.x] = kept /* to the cell's row */
#else
#define LBM3D_PUT(i, k, kept) to[i] = kept             /* to a list of links */
#endif
#define LBM3D_BEGINS 1
#define LBM3D_SHARE R(1.0)
