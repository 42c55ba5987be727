/* stored.c - populations in 16 bits, or in one lattice, or both. It has the keys, the program's
 * kernels, and fields shown a component at a time, as reals in one more array. */
#include "solvers/lbm3d/lbm3d.h"

#include "solvers/implementations.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/host_work.h"

extern const char trm_text_lbm3d_stored[];
TRM_DECLARE_MODULES(lbm3d_stored);
const trm_program_source lbm3d_stored_source = {
  "lbm3d_stored", "solvers/lbm3d/kernels/lbm3d_stored.k", trm_text_lbm3d_stored,
  TRM_MODULES(lbm3d_stored) };

enum { FIELD_SPEED = 3, FIELD_VORTICITY, FIELD_PRESSURE, FIELD_SHEAR }; /* as they are declared */

/* ---- keys and sizes ---------------------------------------------------------------- */

/* Folded rows of reals in two lattices are stored as well: what is derived is brought. */
static trm_status read_rows(lbm3d_solver *flow, const trm_config *config)
{
  const int *n = flow->scene.n, nx = n[0];
  const int is_near = (int64_t)nx * n[1] * n[2] < INT_MAX - 8192; /* 4 components, in 32 bits */
  if (strcmp(trm_config_string(config, "lbm.rows"), "plain") == 0) return TRM_OK;
  if (flow->real_type != TRM_TYPE_F32 || nx % 64 != 0 || !is_near)
    return TRM_FAIL(INPUT, "%s: lbm.rows = \"folded\" is of f32 or 16 bits, in rows of a multiple "
                    "of 64 cells (grid.nx is %d, run.precision %s), of less than 2^31 cells; leave "
                    "it out", trm_config_origin(config, "lbm.rows"), nx,
                    flow->real_type == TRM_TYPE_F32 ? "f32" : "f64");
  flow->stored.fold = nx / 2;
  flow->is_stored = 1;
  return TRM_OK;
}

trm_status lbm3d_read_storage(lbm3d_solver *flow, const trm_config *config)
{
  flow->is_16 = strcmp(trm_config_string(config, "lbm.storage"), "half") == 0;
  flow->in_place = strcmp(trm_config_string(config, "lbm.streaming"), "in-place") == 0;
  flow->is_stored = flow->is_16 || flow->in_place;
  flow->shows = -1;
  if (flow->is_16 && flow->real_type != TRM_TYPE_F32)
    return TRM_FAIL(INPUT, "%s: lbm.storage = \"half\" keeps 16 bits of numbers that have 32; set "
                    "run.precision = \"f32\", or leave it out",
                    trm_config_origin(config, "lbm.storage"));
  return read_rows(flow, config);
}

trm_status lbm3d_check_stored_collision(const lbm3d_solver *flow, const trm_config *config)
{
  static const struct { const char *collision; int velocities; } has[] = {
    { "bgk", D3Q19 }, { "trt", D3Q19 }, { "cumulant", D3Q27 } };
  for (size_t i = 0; i < sizeof has / sizeof has[0]; i++)
    if (!flow->is_stored || (strcmp(flow->collision, has[i].collision) == 0 &&
                             flow->scene.velocities == has[i].velocities)) return TRM_OK;
  return TRM_FAIL(INPUT,
                  "%s: lbm.collision = \"%s\" on %d velocities keeps two lattices of reals; leave "
                  "out lbm.storage, lbm.streaming and lbm.rows, or take \"bgk\" or \"trt\" on "
                  "d3q19, or \"cumulant\" on d3q27",
                  trm_config_origin(config, "lbm.collision"), flow->collision,
                  flow->scene.velocities);
}

trm_status lbm3d_lay_out_stored(lbm3d_solver *flow)
{
  const trm_device *device = flow->base.device;
  const size_t nx = (size_t)flow->scene.n[0], ny = (size_t)flow->scene.n[1],
               nz = (size_t)flow->scene.n[2], velocities = (size_t)flow->scene.velocities;
  trm_layout *layout = &flow->layout;
  TRM_TRY(trm_layout_ghosts(device, flow->is_16 ? TRM_TYPE_U8 : flow->real_type,
                            flow->is_16 ? 2 * nx : nx, ny, nz, velocities, 0, layout));
  if (flow->is_16) { /* from bytes to pairs of them; rows begin at multiples of many */
    layout->first /= 2;
    layout->row /= 2;
    layout->component /= 2;
    layout->elements /= 2;
  }
  return trm_layout_ghosts(device, flow->real_type, nx, ny, nz, 1, 0, &flow->shown_layout);
}

trm_status lbm3d_check_stored(const lbm3d_solver *flow)
{
  const trm_device *device = flow->base.device;
  if (!flow->in_place || trm_device_is_part(device) || trm_device_parts(device, 0, NULL) == 0)
    return TRM_OK;
  trm_framework_several several;
  trm_framework_name_several(device, &several);
  return TRM_FAIL(UNSUPPORTED, "solver 'lbm3d': lbm.streaming = \"in-place\" is of one device, or "
                  "of hosts of one process, and %s; %s, or leave it out", several.named,
                  several.cure);
}

const char *lbm3d_stored_step_name(const lbm3d_solver *flow)
{
  static const char *const names[7][3] = {
    { "stored_step", "stored_forced", "stored_eddies" },
    { "stored_step_two_16", "stored_forced_two_16", "stored_eddies_two_16" },
    { "stored_step_16", "stored_forced_16", "stored_eddies_16" },
    { "folded_step_two", "folded_forced_two", "folded_eddies_two" },
    { "folded_step", "folded_forced", "folded_eddies" },
    { "folded_reals_step_two", "folded_reals_forced_two", "folded_reals_eddies_two" },
    { "folded_reals_step", "folded_reals_forced", "folded_reals_eddies" } };
  const int how = flow->p.eddy > 0.0 ? 2 : flow->scene.is_forced;
  const int folded = (flow->is_16 ? 3 : 5) + flow->in_place;
  return names[flow->stored.fold ? folded : !flow->is_16 ? 0 : 1 + flow->in_place][how];
}

/* ---- the ladder --------------------------------------------------------------------- */

static const trm_implementation list[] = {
  { "two-lattices", "lbm.blocks=false lbm.storage=full lbm.streaming=two-lattices",
    "from one lattice into the other, populations as reals", 0 },
  { "blocks", "lbm.blocks=true lbm.storage=full lbm.streaming=two-lattices lbm.rows=plain",
    "cells in blocks of 8^3, of which those without fluid are not stepped; levels need them",
    TRM_OTHER_SUMS },
  { "in-place", "lbm.blocks=false lbm.storage=full lbm.streaming=in-place",
    "one lattice: of a pair of populations each goes where the other was; half the memory", 0 },
  { "16-bit", "lbm.blocks=false lbm.storage=half lbm.streaming=two-lattices",
    "populations of 16 bits: half the bytes a step", TRM_SAVES_BYTES | TRM_FEWER_BITS },
  { "16-bit-in-place", "lbm.blocks=false lbm.storage=half lbm.streaming=in-place",
    "one lattice of them: a quarter of the memory", TRM_FEWER_BITS },
  { "moments",
    "lbm.blocks=false lbm.storage=moments lbm.streaming=two-lattices lbm.collision=regularised "
    "lbm.lattice=d3q19",
    "ten moments of a cell, all that the regularised collision leaves, as reals: half the bytes "
    "of 19 populations; in boxes without bodies and openings", TRM_OTHER_METHOD },
};
const trm_implementations lbm3d_implementations = { list, sizeof list / sizeof list[0], NULL };

/* ---- what is shown ----------------------------------------------------------------- */

static trm_buffer *lattice_of(const lbm3d_solver *flow)
{
  return flow->lattice[flow->in_place ? 0 : flow->current];
}

static trm_extent box_of(const lbm3d_solver *flow)
{
  return (trm_extent){ flow->scene.n[0], flow->scene.n[1], flow->scene.n[2], 0 };
}

static trm_status show_shear(lbm3d_solver *flow)
{
  const uint64_t nothing = 0;
  trm_buffer *const buffers[] = { lattice_of(flow), flow->shown, flow->shear_sites,
                                  flow->shear_parts, flow->parts[LBM3D_WALL_CELLS] };
  const size_t bytes = flow->shown_layout.elements * trm_type_size(flow->real_type);
  TRM_TRY(trm_buffer_fill(flow->shown, 0, bytes, &nothing, trm_type_size(flow->real_type)));
  const trm_sharing how = { .halo = LBM3D_SHEARING + flow->in_place };
  return lbm3d_launch_list(flow, SHEAR, LBM3D_WALL_CELLS, how, buffers, 5);
}

/* OBSERVE and VORTICITY are stored_bring and stored_derive here. */
static trm_status bring(const trm_field *field, size_t component)
{
  static const int derived[] = { 0, 0, 3, 4, 5, 6 };
  const lbm3d_showing *owner = field->owner;
  lbm3d_solver *flow = owner->flow;
  const int index = owner->index;
  const int wanted = 64 * index + (int)component;
  const trm_sharing showing = { .halo = 1 + flow->in_place, .write_only = 1 << 1 };
  trm_buffer *const buffers[] = { lattice_of(flow), flow->shown, flow->marked };
  if (flow->shows == wanted) return TRM_OK;
  flow->shows = -1;
  flow->stored.what = index == 0 ? (int)component : index < FIELD_SHEAR
                 ? derived[index] + (int)component : 0;
  if (index == FIELD_SHEAR) TRM_TRY(show_shear(flow));
  else TRM_TRY(lbm3d_launch_shared(flow, index == 0 ? OBSERVE : VORTICITY, box_of(flow), &showing,
                                   buffers, 3));
  flow->shows = wanted;
  return TRM_OK;
}

/* With two lattices the populations of a row lie in that row. */
static trm_status put(const trm_field *field, size_t component)
{
  lbm3d_solver *flow = ((const lbm3d_showing *)field->owner)->flow;
  const trm_sharing by_rows = { .halo = 1, .in_place = flow->in_place };
  trm_buffer *const buffers[] = { lattice_of(flow), flow->shown };
  flow->stored.what = (int)component;
  flow->shows = -1;
  return lbm3d_launch_shared(flow, PUT, box_of(flow), &by_rows, buffers, 2);
}

void lbm3d_show(lbm3d_solver *flow, trm_field *field)
{
  const ptrdiff_t index = field - flow->fields;
  field->buffer = flow->shown;
  field->layout = flow->shown_layout;
  field->layout.component = 0;
  field->bring = bring;
  field->put = field == flow->fields ? put : NULL;
  flow->showing[index] = (lbm3d_showing){ flow, (int)index };
  field->owner = &flow->showing[index];
}

/* ---- the first state ---------------------------------------------------------------- */

/* To 16 bits as trm_store_half rounds. Below 2^-14 the sum with 1/2 rounds at 2^-24. Above it, the
 * bit cut off and the parity of the rest carry into the exponent. A first state is far below
 * 65504 / 2^15. */
static uint16_t half_of(float value)
{
  const float size = fabsf(value), shifted = size + 0.5f;
  uint32_t bits, all, small;
  memcpy(&all, &value, sizeof all);
  memcpy(&bits, &size, sizeof bits);
  memcpy(&small, &shifted, sizeof small);
  const uint32_t normal = (bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13;
  return (uint16_t)((all >> 16 & 0x8000) | (bits < 0x38800000 ? small - 0x3f000000 : normal));
}

/* A plane of all populations, as reals and as it is stored. */
typedef struct storing {
  const lbm3d_solver *flow;
  const double *values;        /* in rows as the shown fields' */
  unsigned char *stored;       /* in rows as the lattice's, a plane of each population */
  size_t bytes;                /* of an element */
} storing;

static void store(const storing *all, size_t at, double value)
{
  unsigned char *to = all->stored + at * all->bytes;
  const float single = (float)value;
  const uint16_t half = all->flow->is_16 ? half_of(single * 32768.0f) : 0;
  if (all->flow->is_16) memcpy(to, &half, sizeof half);
  else if (all->flow->real_type == TRM_TYPE_F64) memcpy(to, &value, sizeof value);
  else memcpy(to, &single, sizeof single);
}

static int wrapped(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }

/* Where a population goes from a cell: in place to the next one, as stored_place of
 * lbm3d_stored_place.h has it before the first step. */
static int goes(const lbm3d_solver *flow, int k) { return flow->in_place && k % 2 == 1; }

static trm_status store_population(void *user, size_t i, int thread)
{
  const storing *all = user;
  const lbm3d_solver *flow = all->flow;
  const int *n = flow->scene.n, k = (int)i, fold = flow->stored.fold;
  const int ex = goes(flow, k) ? lbm3d_ex[k] : 0, ey = goes(flow, k) ? lbm3d_ey[k] : 0;
  const size_t from = i * (size_t)n[1] * flow->shown_layout.row;
  const size_t to = i * (size_t)n[1] * flow->layout.row;
  (void)thread;
  for (int y = 0; y < n[1]; y++) {
    const double *row = all->values + from + (size_t)y * flow->shown_layout.row;
    const size_t begin = to + (size_t)wrapped(y + ey, n[1]) * flow->layout.row;
    for (int x = 0; x < n[0]; x++) {
      const int at = wrapped(x + ex, n[0]);
      const int column = !fold ? at : at < fold ? 2 * at : 2 * (at - fold) + 1;
      store(all, begin + (size_t)column, row[x]);
    }
  }
  return TRM_OK;
}

static trm_status write_stored(const storing *all, int z)
{
  const lbm3d_solver *flow = all->flow;
  const trm_layout *layout = &flow->layout;
  const size_t ny = (size_t)flow->scene.n[1], plane = ny * layout->row;
  const size_t used = (ny - 1) * layout->row + (size_t)flow->scene.n[0];
  for (int k = 0; k < flow->scene.velocities; k++) {
    const int slot = !flow->in_place || k == 0 ? k : k % 2 == 1 ? k + 1 : k - 1;
    const int at = goes(flow, k) ? wrapped(z + lbm3d_ez[k], flow->scene.n[2]) : z;
    const size_t first = layout->first + (size_t)slot * layout->component + (size_t)at * plane;
    TRM_TRY(trm_buffer_write(flow->lattice[0], first * all->bytes, used * all->bytes,
                             all->stored + (size_t)k * plane * all->bytes));
  }
  return TRM_OK;
}

trm_status lbm3d_store_plane(lbm3d_solver *flow, int z, const double *values)
{
  const size_t velocities = (size_t)flow->scene.velocities;
  storing all = { .flow = flow, .values = values,
                  .bytes = flow->is_16 ? sizeof(uint16_t) : trm_type_size(flow->real_type) };
  all.stored = calloc(velocities * (size_t)flow->scene.n[1] * flow->layout.row, all.bytes);
  if (!all.stored) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the first state");
  trm_status status = trm_device_host_each(flow->base.device, velocities, store_population, &all);
  if (status == TRM_OK) status = write_stored(&all, z);
  free(all.stored);
  return status;
}
