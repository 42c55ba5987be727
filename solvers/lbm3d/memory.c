/* memory.c - buffers of a flow in three dimensions, and the tables made from the marks. */
#include "solvers/lbm3d/lbm3d.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sizes ------------------------------------------------------------------- */

static trm_status lay_out_rows(lbm3d_solver *flow)
{
  const trm_device *device = flow->base.device;
  const size_t nx = (size_t)flow->scene.n[0], ny = (size_t)flow->scene.n[1],
               nz = (size_t)flow->scene.n[2];
  if (flow->is_moments) return lbm3d_moments_lay_out(flow);
  TRM_TRY(flow->is_stored ? lbm3d_lay_out_stored(flow)
                          : trm_layout_rows(device, flow->real_type, nx, ny, nz,
                                            (size_t)flow->scene.velocities, &flow->layout));
  TRM_TRY(trm_layout_rows(device, TRM_TYPE_U8, nx, ny, nz, 1, &flow->solid_layout));
  return trm_layout_rows(device, TRM_TYPE_I32, (nx + 31) / 32, ny, nz, 3, &flow->marks_layout);
}

/* Leaves of many steps are folded at once. Their memory is at most half of the lattices' memory. On
 * a device with memory of its own it is at most 16 MiB, or an eighth of the lattices' memory if
 * that is more. Where populations are stored to save memory, it is at most a byte a cell. On parts
 * of a run, all leaves of a list go to the part that folds them. There they are at most an eighth
 * of a part's lattices. */
static size_t choose_slots(const lbm3d_solver *flow)
{
  const uint64_t real_bytes = trm_type_size(flow->real_type);
  const uint64_t listed_bytes = (flow->marks.values * flow->marks.place_count +
                                 LBM3D_PROBED * flow->probes.cells) * real_bytes;
  const uint64_t step_bytes = 2 * flow->leaves * real_bytes + listed_bytes;
  const size_t parts = trm_device_is_part(flow->base.device)
                       ? trm_device_parts(flow->base.device, 0, NULL) : 0;
  const uint64_t half = flow->layout.elements * real_bytes, least = (uint64_t)16 << 20;
  const uint64_t most = half / 4 > least ? half / 4 : least;
  const int is_host = trm_device_describe(flow->base.device)->is_host;
  const uint64_t cells = (uint64_t)flow->scene.n[0] * (uint64_t)flow->scene.n[1] *
                         (uint64_t)flow->scene.n[2];
  const uint64_t plenty = is_host || half < most ? half : most;
  const uint64_t room = flow->is_stored && cells < plenty ? cells : plenty;
  size_t slots = LBM3D_SLOTS;
  while (slots > 2 && (slots * step_bytes > room || 4 * parts * slots * listed_bytes > half))
    slots /= 2;
  return slots;
}

static void list_buffers(lbm3d_solver *flow)
{
  const lbm3d_marks *marks = &flow->marks;
  const trm_type real_type = flow->real_type;
  const size_t lattice = flow->layout.elements * (flow->is_16 ? 2 : 1), slots = flow->slots;
  const size_t series = lbm3d_series_count(flow);
  const size_t listed = lbm3d_is_listed(flow) ? marks->link_count : 0;
  const lbm3d_spans *spans = flow->spans;
  const trm_type type = flow->is_16 ? TRM_TYPE_U8 : real_type;
  const trm_framework_buffer list[] = {
    { &flow->lattice[0], "lattice 0", lattice, type, 1, NULL },
    { &flow->lattice[1], "lattice 1", flow->in_place ? 0 : lattice, type, 1, NULL },
    { &flow->shown, "what is shown", flow->is_stored ? flow->shown_layout.elements : 0, real_type,
      1, NULL },
    { &flow->marked, "marks", flow->marks_layout.elements, TRM_TYPE_I32, 0, NULL },
    { &flow->given, "what walls give", flow->is_moments || marks->side_links ?
      8 * (size_t)flow->scene.velocities : 0, real_type, 0, flow->walls },
    { &flow->mark_entries, "entries of marks", 2 * marks->count + 1, TRM_TYPE_I32, 0,
     marks->mark_entries },
    { &flow->ways, "ways of links", 2 * marks->link_count + 1, TRM_TYPE_I32, 0, marks->ways },
    { &flow->links, "links", 4 * marks->link_count + 1, real_type, 0, marks->links },
    { &flow->got, "what came through links", listed, real_type, 0, NULL },
    { &flow->sites, "sites of links", listed ? marks->count + listed : 0, TRM_TYPE_I32, 0,
      marks->sites },
    { &flow->parts[LBM3D_MARKS], "parts of marks", 2 * spans[LBM3D_MARKS].count, TRM_TYPE_I32, 0,
      spans[LBM3D_MARKS].words },
    { &flow->parts[LBM3D_LINKS], "parts of links", 2 * spans[LBM3D_LINKS].count, TRM_TYPE_I32, 0,
      spans[LBM3D_LINKS].words },
    { &flow->parts[LBM3D_WALL_CELLS], "parts of cells beside walls",
      2 * spans[LBM3D_WALL_CELLS].count, TRM_TYPE_I32, 0, spans[LBM3D_WALL_CELLS].words },
    { &flow->parts[LBM3D_PROBED_CELLS], "parts of cells of probes",
      2 * spans[LBM3D_PROBED_CELLS].count, TRM_TYPE_I32, 0, spans[LBM3D_PROBED_CELLS].words },
    { &flow->part, "forces and fluxes", slots * marks->values * marks->place_count + 1, real_type,
      1, NULL },
    { &flow->probe_cells, "cells of probes", 2 * flow->probes.cells, TRM_TYPE_I32, 0,
      flow->probes.list },
    { &flow->probed, "what probes found", slots * LBM3D_PROBED * flow->probes.cells, real_type, 0,
      NULL },
    { &flow->shear_sites, "cells beside walls", 3 * flow->shear.count, TRM_TYPE_I32, 0,
      flow->shear.sites },
    { &flow->shear_parts, "slopes beside walls", 5 * flow->shear.count, real_type, 0,
      flow->shear.parts },
    { &flow->energies, "partial sums of the energy", slots * flow->leaves, real_type, 0, NULL },
    { &flow->changes, "partial sums of the density", slots * flow->leaves, real_type, 0, NULL },
    { &flow->window, "series of a sequence", series * TRM_FRAMEWORK_LONGEST, real_type, 1, NULL },
    { &flow->sums, "series", series * LBM3D_BATCH, real_type, 1, NULL },
    { &flow->solid, "solid", flow->scene.solid ? flow->solid_layout.elements : 0, TRM_TYPE_U8, 1,
      NULL },
  };
  memcpy(flow->memory, list, sizeof list);
  flow->memory_count = sizeof list / sizeof list[0];
  flow->memory_count += lbm3d_means_list(flow, flow->memory + flow->memory_count);
}

static void fill_params(lbm3d_solver *flow)
{
  lbm3d_params *p = &flow->p;
  p->first = (trm_index)flow->layout.first;
  p->row = (trm_index)flow->layout.row;
  p->component = (trm_index)flow->layout.component;
  p->marks_first = (trm_index)flow->marks_layout.first;
  p->marks_row = (trm_index)flow->marks_layout.row;
  p->ranks = (trm_index)flow->marks_layout.component;
  p->solids = 2 * p->ranks;
  p->places = (trm_index)flow->marks.place_count;
  p->probes = (trm_index)flow->probes.cells;
  p->marked = (int)flow->marks.count;
  p->nx = flow->scene.n[0];
  p->ny = flow->scene.n[1];
  p->nz = flow->scene.n[2];
  flow->stored.shown_row = (int)flow->shown_layout.row;
  flow->stored.is_16 = flow->is_16;
  flow->stored.in_place = flow->in_place;
}

trm_status lbm3d_lay_out(lbm3d_solver *flow, const trm_config *config)
{
  const int *n = flow->scene.n;
  if (lay_out_rows(flow) == TRM_OK) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: a grid of %d x %d x %d cells is too large: its populations do not "
                  "fit a size; make it smaller", trm_config_origin(config, "grid.nx"), n[0], n[1],
                  n[2]);
}

uint64_t lbm3d_lattice_bytes(const lbm3d_solver *flow)
{
  return (uint64_t)(flow->in_place ? 1 : 2) * (uint64_t)flow->layout.elements *
         (flow->is_16 ? 2 : trm_type_size(flow->real_type));
}

void lbm3d_size_up(lbm3d_solver *flow)
{
  const int *n = flow->scene.n;
  flow->leaves = flow->is_moments ? lbm3d_moments_leaves(flow)
                 : ((size_t)n[0] + 31) / 32 * (size_t)n[1] * (size_t)n[2];
  flow->slots = choose_slots(flow);
  fill_params(flow);
  list_buffers(flow);
}

/* ---- buffers ------------------------------------------------------------------- */

/* Rows of a plane, `bytes` of each, dense in the host's memory. */
static trm_status upload_plane(trm_buffer *to, size_t value_bytes, const trm_layout *layout,
                               size_t component, size_t row, size_t rows, size_t bytes,
                               const void *from)
{
  const size_t stride = layout->row * value_bytes, all = (rows - 1) * stride + bytes;
  const size_t first = layout->first + component * layout->component + row * layout->row;
  unsigned char *plane = calloc(all, 1);
  if (!plane) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a plane of marks");
  for (size_t y = 0; y < rows; y++)
    memcpy(plane + y * stride, (const unsigned char *)from + y * bytes, bytes);
  const trm_status status = trm_buffer_write(to, first * value_bytes, all, plane);
  free(plane);
  return status;
}

static trm_status upload_marks(lbm3d_solver *flow)
{
  const size_t nx = (size_t)flow->scene.n[0], ny = (size_t)flow->scene.n[1];
  const size_t words = (nx + 31) / 32, rows = ny * (size_t)flow->scene.own[1];
  const uint32_t *const parts[] = { flow->marks.bits, flow->marks.ranks, flow->marks.solids };
  for (size_t row = ny * (size_t)flow->scene.own[0]; row < rows; row += ny) {
    for (size_t part = 0; part < 3 && flow->marked; part++)
      TRM_TRY(upload_plane(flow->marked, sizeof(uint32_t), &flow->marks_layout, part, row, ny,
                           words * sizeof(uint32_t), parts[part] + row * words));
    if (flow->scene.solid)
      TRM_TRY(upload_plane(flow->solid, 1, &flow->solid_layout, 0, row, ny, nx,
                           flow->scene.solid + row * nx));
  }
  return TRM_OK;
}

trm_status lbm3d_create_folds(lbm3d_solver *flow)
{
  const trm_precision precision = flow->real_type == TRM_TYPE_F64 ? TRM_F64 : TRM_F32;
  trm_device *device = flow->base.device;
  TRM_TRY(trm_reduction_create(device, TRM_SUM, precision, flow->leaves, flow->slots,
                               &flow->fold));
  for (size_t i = 0; i < flow->marks.patch_count; i++)
    TRM_TRY(trm_reduction_create(device, TRM_SUM, precision, flow->marks.patches[i].count,
                                 flow->slots, &flow->folds[i]));
  for (size_t i = 0; i < flow->probes.count; i++)
    TRM_TRY(trm_reduction_create(device, TRM_SUM, precision, flow->probes.all[i].count,
                                 flow->slots, &flow->probe_folds[i]));
  return TRM_OK;
}

trm_status lbm3d_allocate(lbm3d_solver *flow)
{
  const int *n = flow->scene.n;
  trm_device *device = flow->base.device;
  char what[64];
  snprintf(what, sizeof what, "a grid of %d x %d x %d cells", n[0], n[1], n[2]);
  TRM_TRY(trm_framework_create_buffers(device, flow->memory, flow->memory_count, what));
  TRM_TRY(lbm3d_share_out(flow));
  TRM_TRY(trm_framework_write_first(flow->memory, flow->memory_count));
  TRM_TRY(upload_marks(flow));
  lbm3d_marks_leave(&flow->marks);
  return lbm3d_create_folds(flow);
}
