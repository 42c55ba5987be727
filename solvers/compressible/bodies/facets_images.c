/* facets_images.c - images of a body beyond periodic sides (facets.h). The kernels take each image
 * for a body of its own, a whole grid away, with the same lists. */
#include "solvers/compressible/bodies/facets.h"

#include <math.h>

/* The box of a body's corners at both ends of a step. */
static void find_box(const fv_facets *f, const fv_facets_place ends[2], double box[2][3])
{
  for (int a = 0; a < 3; a++) {
    box[0][a] = INFINITY;
    box[1][a] = -INFINITY;
    for (size_t i = 0; i < 2 * f->corner_count; i++) {
      const fv_facets_place *end = &ends[i % 2];
      const double *corner = f->corner[i / 2];
      double at = end->at[a];
      for (int b = 0; b < 3; b++) at += end->turn[3 * b + a] * corner[b];
      box[0][a] = fmin(box[0][a], at);
      box[1][a] = fmax(box[1][a], at);
    }
  }
}

int fv_facets_images(const fv_facets *f, const fv_facets_place ends[2], const double sides[3],
                     double margin, int32_t images[FV_IMAGES][3])
{
  double box[2][3];
  int count = 0;
  find_box(f, ends, box);
  for (int i = 0; i < FV_IMAGES; i++) {
    const int32_t by[] = { i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1 };
    int is_near = 1;
    for (int a = 0; a < 3; a++)
      is_near &= sides[a] > 0 ? box[1][a] + by[a] * sides[a] >= -margin &&
                                    box[0][a] + by[a] * sides[a] <= sides[a] + margin
                              : by[a] == 0;
    for (int a = 0; a < 3 && is_near; a++) images[count][a] = by[a];
    count += is_near;
  }
  return count;
}
