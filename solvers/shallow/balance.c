/* balance.c - the balance of the water's volume: volume at the start, flow through each edge,
 * present volume, and the missing volume. The kernels book each face of the edges
 * (shallow_passage.h); here these are added up, in doubles. hllc alone. */
#include "solvers/shallow/shallow.h"

#include <math.h>
#include <stdlib.h>

/* ---- the book ---------------------------------------------------------------- */

/* Each face has a sum and its rounding error. The first element of place i along a side. */
enum { FACE = 2 };

static size_t row_begin(const shallow_solver *swe, size_t y)
{
  return 2 * FACE * y + (y > 0 ? FACE * (size_t)swe->p.nx : 0);
}

static size_t face_begin(const shallow_solver *swe, int side, size_t i)
{
  if (side < 2) return row_begin(swe, i) + (side == 1 ? FACE : 0);
  return row_begin(swe, side == 2 ? 0 : (size_t)swe->p.ny - 1) + (2 + i) * FACE;
}

size_t shallow_book_reals(const shallow_solver *swe)
{
  return 2 * FACE * ((size_t)swe->p.nx + (size_t)swe->p.ny);
}

trm_status shallow_share_book(const shallow_solver *swe)
{
  const size_t ny = (size_t)swe->p.ny;
  size_t *starts = calloc(ny + 1, sizeof *starts);
  if (!starts) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of a book");
  for (size_t y = 0; y < ny; y++) starts[y] = row_begin(swe, y);
  starts[ny] = shallow_book_reals(swe);
  const trm_by_rows rows = { .type = swe->real_type, .nx = 1, .ny = ny, .nz = 1, .components = 1,
                             .is_output = 1, .lists = 1, .starts = starts,
                             .block = (size_t)swe->p.rows, .reach = 2, .is_bounded = 1 };
  const trm_status status = trm_buffer_rows(swe->book, &rows);
  free(starts);
  return status;
}

/* ---- volumes ------------------------------------------------------------------- */

trm_status shallow_measure_volume(const shallow_solver *swe, double *out)
{
  double depths, rests = 0;
  TRM_TRY(trm_field_sum(&swe->fields[0], NULL, &depths));
  if (swe->p.exact)
    TRM_TRY(trm_field_sum(&swe->fields[swe->base.field_count - 1], NULL, &rests));
  *out = (depths + rests) * swe->base.spacing[0] * swe->base.spacing[1];
  return TRM_OK;
}

/* The volume that came in by a side. */
static double came_in(const shallow_solver *swe, const double *book, int side)
{
  const size_t faces = (size_t)(side < 2 ? swe->p.ny : swe->p.nx);
  double sum = 0, lost = 0; /* compensated */
  for (size_t i = 0; i < faces; i++) {
    const double *face = book + face_begin(swe, side, i);
    const double add = face[0] + face[1] - lost, next = sum + add;
    lost = next - sum - add;
    sum = next;
  }
  return (side & 1 ? 0.0 - sum : sum) * swe->base.spacing[0] * swe->base.spacing[1];
}

trm_status shallow_balance(shallow_solver *swe)
{
  const size_t count = shallow_book_reals(swe);
  trm_result *results = swe->results;
  double *book = malloc(count * sizeof *book), end, missing, passed = swe->volume;
  if (!book) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a book of %zu numbers", count);
  trm_status status = trm_framework_read_reals(swe->book, swe->real_type, 0, book, count);
  if (status == TRM_OK) status = shallow_measure_volume(swe, &end);
  if (status == TRM_OK) {
    missing = end - swe->volume;
    for (int side = 0; side < SHALLOW_SIDES; side++) {
      const double in = came_in(swe, book, side);
      results[SHALLOW_WEST + side].value = in;
      missing -= in;
      passed += fabs(in);
    }
    results[SHALLOW_AT_START].value = swe->volume;
    results[SHALLOW_AT_END].value = end;
    results[SHALLOW_REMAINDER].value = missing;
    results[SHALLOW_RELATIVE].value = passed > 0 ? missing / passed : 0.0;
  }
  free(book);
  return status;
}
