/* volumes_launch.c - the maps of a step over cells that facets cut, in their order. */
#include "solvers/compressible/cutcells/volumes_launch.h"

#include "core/modules.h"
#include "core/sharing.h"

#include <string.h>

TRM_DECLARE_MODULES(fv_volumes);
TRM_DECLARE_MODULES(fv_volumes_trees);
extern const char trm_text_fv_volumes[], trm_text_fv_volumes_trees[];
static const trm_program_source maps = { "fv_volumes", "solvers/compressible/kernels/fv_volumes.k",
                                         trm_text_fv_volumes, TRM_MODULES(fv_volumes) };
static const trm_program_source maps_of_trees = {
  "fv_volumes_trees", "solvers/compressible/kernels/fv_volumes_trees.k", trm_text_fv_volumes_trees,
  TRM_MODULES(fv_volumes_trees)
};

/* ---- buffers ------------------------------------------------------------------------------- */

trm_status fv_volumes_reserve(fv_volumes *v, trm_buffer **buffer, int count, size_t each)
{
  const size_t bytes = ((size_t)count + 1) * each;
  if (*buffer && trm_buffer_bytes(*buffer) >= bytes) return TRM_OK;
  trm_buffer_destroy(buffer);
  return trm_buffer_create(v->device, bytes + (bytes / 8 + 63) / 64 * 64, "control volumes",
                           buffer);
}

static trm_status reals(fv_volumes *v, trm_buffer **buffer, int count, int each)
{
  return fv_volumes_reserve(v, buffer, count, (size_t)each * sizeof(double));
}

static trm_status ints(fv_volumes *v, trm_buffer **buffer, int count, int each)
{
  return fv_volumes_reserve(v, buffer, count, (size_t)each * sizeof(int32_t));
}

static trm_status put(fv_volumes *v, trm_buffer **buffer, const void *from, size_t bytes)
{
  TRM_TRY(fv_volumes_reserve(v, buffer, (int)bytes, 1));
  return trm_buffer_write(*buffer, 0, bytes, from);
}

trm_status fv_volumes_list_flags(fv_volumes *v, fv_volumes_listing *listing, trm_buffer *flags,
                                 trm_buffer **list, int *count)
{
  const size_t room = trm_buffer_bytes(flags) / sizeof(int32_t);
  if (listing->room != room) {
    trm_compact_destroy(&listing->compact);
    listing->room = 0;
    TRM_TRY(trm_compact_create(v->device, room, &listing->compact));
    listing->room = room;
  }
  TRM_TRY(fv_volumes_reserve(v, list, (int)room - 1, sizeof(int32_t)));
  TRM_TRY(ints(v, &v->number, 1, 1));
  trm_device_replicate(v->device, 1);
  const trm_status status = trm_compact_run(listing->compact, flags, 0, *list, 0, v->number, 0);
  trm_device_replicate(v->device, 0);
  TRM_TRY(status);
  return trm_buffer_read(v->number, 0, sizeof *count, count);
}

static trm_status clear(trm_buffer *flags)
{
  const int32_t none = 0;
  return trm_buffer_fill(flags, 0, trm_buffer_bytes(flags), &none, sizeof none);
}

/* ---- maps ---------------------------------------------------------------------------------- */

static trm_status launch(const fv_volumes *v, trm_program *program, const char *name, int items,
                         int group, const void *params, size_t bytes, trm_buffer *const *buffers,
                         size_t count)
{
  trm_kernel *kernel = NULL;
  const int each = group > 0 ? group : trm_program_describe(program)->group;
  const trm_extent groups = { (items + each - 1) / each, 1, 1, 0 };
  TRM_TRY(trm_program_kernel(program, name, &kernel));
  trm_device_replicate(v->device, 1);
  const trm_status status = trm_kernel_launch(kernel, &groups, params, bytes, buffers, count);
  trm_device_replicate(v->device, 0);
  return status;
}

trm_status fv_volumes_launch(const fv_volumes *v, const char *name, int items, int group,
                             const void *params, size_t bytes, trm_buffer *const *buffers,
                             size_t count)
{
  if (items == 0) return TRM_OK;
  return launch(v, v->program, name, items, group, params, bytes, buffers, count);
}

trm_status fv_volumes_open_trees(fv_volumes *v)
{
  return v->of_trees ? TRM_OK
                     : trm_program_create(v->device, &maps_of_trees, &v->how, &v->of_trees);
}

/* Each part of a run has the same trees. */
static trm_status launch_trees(fv_volumes *v, const char *name, int items,
                               trm_buffer *const *buffers, size_t count)
{
  if (items == 0) return TRM_OK;
  TRM_TRY(fv_volumes_open_trees(v));
  return launch(v, v->of_trees, name, items, 0, &v->p, sizeof v->p, buffers, count);
}

trm_status fv_volumes_launch_own(const fv_volumes *v, const char *name, int items, int group,
                                 uint32_t adjacent, const void *params, size_t bytes,
                                 trm_buffer *const *buffers, size_t count)
{
  const trm_sharing own = { .each = TRM_EACH_ITS_OWN, .adjacent = adjacent };
  const int each = group > 0 ? group : trm_program_describe(v->program)->group;
  const trm_extent groups = { items > 0 ? (items + each - 1) / each : 1, 1, 1, 0 };
  trm_kernel *kernel = NULL;
  TRM_TRY(trm_program_kernel(v->program, name, &kernel));
  return trm_kernel_launch_shared(kernel, &groups, &own, params, bytes, buffers, count);
}

#define LAUNCH(name, items, ...) \
  TRM_TRY(fv_volumes_launch(v, "fv_volumes_" #name, items, 0, &v->p, sizeof v->p, \
                            (trm_buffer *[]){ __VA_ARGS__ }, \
                            sizeof(trm_buffer *[]){ __VA_ARGS__ } / sizeof(trm_buffer *)))
#define LAUNCH_TREES(name, items, ...) \
  TRM_TRY(launch_trees(v, "fv_volumes_" #name, items, (trm_buffer *[]){ __VA_ARGS__ }, \
                       sizeof(trm_buffer *[]){ __VA_ARGS__ } / sizeof(trm_buffer *)))

static trm_status list_cells(fv_volumes *v)
{
  const int *side = v->p.side, rows = v->p.leaves * side[1] * side[2], cells = rows * side[0];
  TRM_TRY(ints(v, &v->flags, cells, 1));
  TRM_TRY(ints(v, &v->listed, cells, 1));
  TRM_TRY(ints(v, &v->now.kinds, cells, 1));
  TRM_TRY(clear(v->listed));
  LAUNCH(mark, rows, v->shapes, v->tables, v->leaves, v->flags, v->now.kinds);
  LAUNCH(ring, rows, v->beside, v->flags, v->now.kinds, v->listed);
  TRM_TRY(fv_volumes_list_flags(v, &v->cells, v->listed, &v->list, &v->p.listed));
  const int32_t none = -1; /* a list without cells has no first one, which whole cells ask for */
  return v->p.listed > 0 ? TRM_OK : trm_buffer_fill(v->list, 0, sizeof none, &none, sizeof none);
}

/* Cells beyond the list that it looks at, unless all gas is listed. */
static trm_status list_outer(fv_volumes *v)
{
  const int *side = v->p.side, rows = v->p.leaves * side[1] * side[2], cells = rows * side[0];
  v->p.outer = 0;
  TRM_TRY(ints(v, &v->outer_of, cells, 1));
  TRM_TRY(ints(v, &v->outer, 0, 1));
  if (v->p.is_whole) return TRM_OK;
  TRM_TRY(clear(v->outer_of));
  LAUNCH(outer, rows, v->beside, v->now.kinds, v->listed, v->outer_of);
  TRM_TRY(fv_volumes_list_flags(v, &v->outers, v->outer_of, &v->outer, &v->p.outer));
  TRM_TRY(ints(v, &v->outer_sides, v->p.outer, FV_CELL_SIDES));
  LAUNCH(outer_number, v->p.outer, v->outer, v->outer_of, v->outer_sides);
  return TRM_OK;
}

static trm_status cut_cells(fv_volumes *v)
{
  const int cells = v->p.listed;
  trm_buffer *kinds = v->now.kinds;
  TRM_TRY(ints(v, &v->found, cells, FV_FOUND_INTS));
  TRM_TRY(reals(v, &v->now.gas, cells, FV_GAS_REALS));
  LAUNCH(find, cells, v->shapes, v->tables, v->leaves, v->list, v->flags, kinds, v->found);
  LAUNCH(cut, FV_CUT_ITEMS * cells, v->shapes, v->tables, v->leaves, v->list, kinds, v->found,
         v->p.follows ? v->before.kinds : v->flags, v->p.follows ? v->before.gas : v->shapes,
         v->now.gas);
  return TRM_OK;
}

/* Cells of mixed shape and of several bodies. */
static trm_status make_trees(fv_volumes *v)
{
  TRM_TRY(ints(v, &v->are_trees, v->p.listed, 1));
  TRM_TRY(clear(v->are_trees));
  LAUNCH(trees, v->p.listed, v->list, v->now.kinds, v->are_trees);
  TRM_TRY(fv_volumes_list_flags(v, &v->trees, v->are_trees, &v->which, &v->p.trees));
  v->now.tree_cells = v->p.trees;
  TRM_TRY(ints(v, &v->now.trees, v->p.trees, FV_TREE_INTS));
  LAUNCH_TREES(tree, v->p.trees, v->shapes, v->tables, v->leaves, v->list, v->which, v->found,
         v->now.trees);
  LAUNCH_TREES(tree_link, v->p.trees, v->shapes, v->tables, v->list, v->which,
         v->p.follows ? v->before.kinds : v->flags, v->p.follows ? v->before.gas : v->shapes,
         v->found, v->parts, v->there, v->now.gas, v->now.trees);
  return TRM_OK;
}

static trm_status make_volumes(fv_volumes *v)
{
  const int cells = v->p.listed;
  TRM_TRY(ints(v, &v->parts, cells, FV_FOUND_PLANES));
  TRM_TRY(ints(v, &v->there, cells, FV_CELL_PARTS));
  TRM_TRY(ints(v, &v->numbers, cells, FV_CELL_PARTS));
  TRM_TRY(ints(v, &v->now.kept, cells, FV_KEPT_INTS));
  TRM_TRY(clear(v->there));
  LAUNCH(link, cells, v->shapes, v->tables, v->leaves, v->list, v->now.kinds, v->found, v->parts,
         v->there);
  TRM_TRY(make_trees(v));
  TRM_TRY(fv_volumes_list_flags(v, &v->parts_there, v->there, &v->places, &v->p.volumes));
  TRM_TRY(reals(v, &v->now.volumes, v->p.volumes, FV_VOLUME_REALS));
  LAUNCH(number, v->p.volumes, v->shapes, v->tables, v->leaves, v->list, v->now.kinds, v->found,
         v->parts, v->now.gas, v->places, v->numbers, v->now.volumes);
  LAUNCH_TREES(tree_number, v->p.trees, v->shapes, v->tables, v->which, v->found, v->now.trees,
         v->now.gas, v->numbers, v->now.volumes);
  LAUNCH(keep, cells, v->list, v->found, v->parts, v->there, v->numbers, v->now.kept);
  TRM_TRY(ints(v, &v->olds, v->p.volumes, FV_OLD_INTS));
  TRM_TRY(reals(v, &v->taken, v->p.volumes, FV_CELL_PARTS));
  if (!v->p.follows) return TRM_OK;
  LAUNCH(begin, v->p.volumes, v->shapes, v->tables, v->leaves, v->now.kept, v->places,
         v->before.kinds, v->before.kept, v->before.volumes, v->now.volumes, v->olds, v->taken);
  const int has_trees = v->now.tree_cells > 0 || v->before.tree_cells > 0;
  LAUNCH_TREES(tree_begin, has_trees ? v->p.volumes : 0, v->shapes, v->tables, v->now.kept,
               v->places, v->before.kinds, v->before.kept, v->before.volumes, v->now.trees,
               v->before.trees, v->now.volumes, v->olds, v->taken);
  if (!v->before.has_lacks) return TRM_OK;
  TRM_TRY(reals(v, &v->now.lacks, v->p.volumes, FV_LACK_REALS));
  LAUNCH(lack, v->p.volumes, v->olds, v->before.volumes, v->before.lacks, v->taken,
         v->now.volumes, v->now.lacks);
  return TRM_OK;
}

static trm_status make_faces(fv_volumes *v)
{
  const int cells = v->p.listed;
  TRM_TRY(ints(v, &v->open, cells, FV_CELL_FACES));
  TRM_TRY(ints(v, &v->sides, cells, FV_CELL_SIDES));
  TRM_TRY(clear(v->open));
  LAUNCH(faces, cells, v->shapes, v->tables, v->leaves, v->beside, v->list, v->now.kinds, v->found,
         v->now.gas, v->open);
  LAUNCH_TREES(tree_faces, v->p.trees, v->shapes, v->tables, v->leaves, v->beside, v->list,
               v->now.kinds, v->which, v->found, v->parts, v->now.gas, v->now.trees, v->open);
  TRM_TRY(fv_volumes_list_flags(v, &v->faces_open, v->open, &v->sided, &v->p.faces));
  TRM_TRY(ints(v, &v->joins, v->p.faces, FV_JOIN_INTS));
  TRM_TRY(reals(v, &v->openings, v->p.faces, FV_OPENING_REALS));
  LAUNCH(join, v->p.faces, v->shapes, v->tables, v->leaves, v->beside, v->list, v->now.kinds,
         v->found, v->parts, v->numbers, v->sided, v->joins);
  LAUNCH(open, v->p.faces, v->shapes, v->tables, v->leaves, v->list, v->now.kinds, v->found,
         v->now.gas, v->sided, v->openings);
  const int tree_faces = v->p.trees > 0 ? v->p.faces : 0; /* each may be a tree's */
  LAUNCH_TREES(tree_join, tree_faces, v->shapes, v->tables, v->leaves, v->beside, v->list,
               v->now.kinds, v->found, v->parts, v->now.trees, v->numbers, v->sided, v->joins);
  LAUNCH_TREES(tree_open, tree_faces, v->shapes, v->tables, v->leaves, v->beside, v->list,
               v->now.kinds, v->found, v->parts, v->now.trees, v->sided, v->openings);
  if (v->p.outer > 0) LAUNCH(outer_join, v->p.faces, v->outer_of, v->joins, v->outer_sides);
  LAUNCH(no_sides, cells, v->sides);
  LAUNCH(sides, v->p.faces, v->beside, v->list, v->now.kinds, v->sided, v->sides);
  return TRM_OK;
}

static trm_status close_walls(fv_volumes *v)
{
  LAUNCH(walls, v->p.volumes, v->shapes, v->leaves, v->list, v->places, v->now.volumes, v->sides,
         v->joins, v->openings, v->bodies, v->owners, v->walls);
  return TRM_OK;
}

static trm_status make_walls(fv_volumes *v)
{
  const int volumes = v->p.volumes;
  TRM_TRY(ints(v, &v->bodies, volumes, 1));
  TRM_TRY(reals(v, &v->walls, volumes + FV_TREE_WALLS * v->p.trees, FV_WALL_REALS));
  TRM_TRY(ints(v, &v->owners, v->p.trees, FV_TREE_WALLS * FV_OWNER_INTS));
  LAUNCH(owners, volumes, v->beside, v->list, v->now.kinds, v->found, v->places, v->bodies);
  LAUNCH_TREES(tree_walls, v->p.trees, v->shapes, v->tables, v->which, v->found, v->numbers,
         v->now.trees, v->walls, v->owners);
  return close_walls(v);
}

/* Neighbourhoods and neighbours of volumes, by their face parts. */
static trm_status make_hoods(fv_volumes *v)
{
  const int volumes = v->p.volumes;
  trm_buffer *gas = v->now.volumes;
  TRM_TRY(reals(v, &v->asks, volumes, FV_ASK_REALS));
  TRM_TRY(reals(v, &v->gives, volumes, FV_GIVE_REALS));
  TRM_TRY(reals(v, &v->hoods, volumes, FV_HOOD_REALS));
  TRM_TRY(ints(v, &v->near, volumes, FV_NEAR_LIST_INTS));
  TRM_TRY(reals(v, &v->shares, v->p.faces, FV_SHARE_REALS));
  LAUNCH(need, volumes, v->places, gas, v->sides, v->joins, v->openings, v->asks);
  LAUNCH(give, volumes, v->places, gas, v->sides, v->joins, v->openings, v->asks, v->gives);
  LAUNCH(hood, volumes, v->places, gas, v->sides, v->joins, v->openings, v->bodies, v->walls,
         v->asks, v->gives, v->shares, v->hoods);
  LAUNCH(neighbours, volumes, v->places, v->sides, v->joins, v->beside, v->now.kinds, v->numbers,
         v->outer, v->outer_of, v->near);
  return TRM_OK;
}

/* ---- refusals ------------------------------------------------------------------------------ */

/* The place of a cell in the grid; cell: a number in leaves. */
static trm_status find_place(fv_volumes *v, int cell, int place[3])
{
  int32_t leaf[3];
  const int *side = v->p.side, within = cell % (side[0] * side[1] * side[2]);
  const size_t at = (size_t)(cell / (side[0] * side[1] * side[2])) * sizeof leaf;
  TRM_TRY(trm_buffer_read(v->leaves, at, sizeof leaf, leaf));
  place[0] = leaf[0] * side[0] + within % side[0];
  place[1] = leaf[1] * side[1] + within / side[0] % side[1];
  place[2] = leaf[2] * side[2] + within / side[0] / side[1];
  return TRM_OK;
}

static trm_status refuse_cell(fv_volumes *v, int cell, const char *text)
{
  int at[3];
  TRM_TRY(find_place(v, cell, at));
  return TRM_FAIL(INPUT, "cell %d %d %d of the finest level: %s", at[0], at[1], at[2], text);
}

static const char *const refusals[] = {
  [FV_NO_ROOM] = "facets of bodies part its gas into more pieces than have room (40 planes and 62 "
                 "facets of a body, 128 pieces); use finer cells, or bodies of fewer facets",
  [FV_NO_ROOM_FACES] = "bodies part one of its faces into more than 8 openings; use finer cells, "
                       "or bodies of fewer facets",
  [FV_NO_ROOM_WALLS] = "its gas has more than 16 walls, of each part and body; use finer cells, or "
                       "fewer bodies that nearly touch",
  [FV_NOT_CLOSED] = "its walls do not close: planes of two bodies agree but for rounding; move one "
                    "of them by a millionth of a cell",
};

/* Refuses the least code and cell of the trees. */
static trm_status refuse_trees(fv_volumes *v)
{
  double word = 0;
  if (v->p.trees == 0) return TRM_OK;
  TRM_TRY(reals(v, &v->word, 1, 1));
  LAUNCH_TREES(refuse, 1, v->list, v->which, v->found, v->numbers, v->bodies, v->walls,
               v->now.trees, v->word);
  TRM_TRY(trm_buffer_read(v->word, 0, sizeof word, &word));
  if (word == 0) return TRM_OK;
  const int code = (int)(word / 4294967296.0);
  return refuse_cell(v, (int)(word - code * 4294967296.0), refusals[code]);
}

/* ---- gaps ---------------------------------------------------------------------------------- */

/* Whether any two bodies move apart from each other. */
static int have_paths(const fv_volumes_bodies *bodies)
{
  int differ = 0;
  for (int i = 1; i < bodies->count; i++) {
    const double *own = bodies->reals + i * FV_SHAPE_REALS + FV_SHAPE_REST;
    for (int a = 0; a < 3; a++)
      differ |= own[3 + a] - own[a] != bodies->reals[FV_SHAPE_REST + 3 + a] -
                                       bodies->reals[FV_SHAPE_REST + a];
  }
  return differ;
}

/* Openings become the part that is open, and walls take the rest. */
static trm_status narrow(fv_volumes *v)
{
  LAUNCH(narrow, v->p.faces, v->joins, v->gaps, v->wide, v->openings);
  return close_walls(v);
}

/* Shuts and opens the gas of gaps. */
static trm_status shut_gaps(fv_volumes *v, const fv_volumes_bodies *bodies)
{
  const int volumes = v->p.volumes, had_lacks = v->p.follows && v->before.has_lacks;
  const int may_shut = v->p.follows && bodies->count > 1 && (v->p.turns || have_paths(bodies));
  const double none = 0;
  v->p.gaps = v->now.has_lacks = 0;
  v->passes = v->openings;
  if (!had_lacks && !may_shut) return TRM_OK;
  TRM_TRY(reals(v, &v->now.lacks, volumes, FV_LACK_REALS));
  TRM_TRY(reals(v, &v->gaps, volumes, FV_GAP_REALS));
  TRM_TRY(ints(v, &v->are_gaps, volumes, 1));
  if (!had_lacks)
    TRM_TRY(trm_buffer_fill(v->now.lacks, 0, trm_buffer_bytes(v->now.lacks), &none, sizeof none));
  TRM_TRY(clear(v->are_gaps));
  TRM_TRY(reals(v, &v->sights, volumes, FV_SIGHT_REALS));
  LAUNCH(look, volumes, v->shapes, v->tables, v->leaves, v->list, v->places, v->bodies, v->owners,
         v->walls, v->now.volumes, v->now.lacks, v->sights);
  LAUNCH(shut, volumes, v->places, v->sides, v->joins, v->openings, v->sights, v->now.volumes,
         v->now.lacks, v->gaps, v->are_gaps);
  TRM_TRY(fv_volumes_list_flags(v, &v->shut, v->are_gaps, &v->gap_list, &v->p.gaps));
  v->now.has_lacks = v->p.gaps > 0;
  if (v->p.gaps == 0) return TRM_OK;
  TRM_TRY(reals(v, &v->wide, v->p.faces, FV_OPENING_REALS));
  trm_buffer *openings = v->wide;
  v->wide = v->passes = v->openings;
  v->openings = openings;
  TRM_TRY(reals(v, &v->openings, v->p.faces, FV_OPENING_REALS));
  return narrow(v);
}

/* The numbers for a log's line on gaps. */
static trm_status count_gaps(fv_volumes *v)
{
  memset(v->counts, 0, sizeof v->counts);
  if (v->p.gaps == 0) return TRM_OK;
  TRM_TRY(reals(v, &v->counted, FV_GAP_COUNTS, 1));
  LAUNCH(gap_counts, 1, v->gap_list, v->list, v->places, v->now.volumes, v->now.lacks, v->gaps,
         v->counted);
  TRM_TRY(trm_buffer_read(v->counted, 0, sizeof v->counts, v->counts));
  if (v->counts[FV_GAP_CLOSED] + v->counts[FV_GAP_OPENED] == 0) return TRM_OK;
  return find_place(v, (int)v->counts[FV_GAP_AT], v->gap_place);
}

/* ---- sheets -------------------------------------------------------------------------------- */

/* Finds layers from 1 on, until no more volumes have one. */
static trm_status make_layers(fv_volumes *v)
{
  int count = 0, before = -1;
  for (v->p.layer = 1; count < v->p.sheet && count > before; v->p.layer++) {
    before = v->p.layer > v->most_layers ? count : -1;
    LAUNCH(layer, v->p.sheet, v->sheet, v->places, v->sides, v->joins, v->passes, v->layers,
           v->ways, v->have_layers);
    TRM_TRY(fv_volumes_list_flags(v, &v->layered, v->have_layers, &v->with_layer, &count));
    if (count > before && v->p.layer > v->most_layers) v->most_layers = v->p.layer;
  }
  return TRM_OK;
}

/* Layers of gas that is covered at once, from the sheet's rim. pocket: a volume whose gas has no
 * way out, or -1. */
static trm_status make_sheets(fv_volumes *v, int32_t *pocket)
{
  const int volumes = v->p.volumes;
  int pockets = 1;
  *pocket = -1;
  v->most_layers = 0;
  TRM_TRY(ints(v, &v->layers, volumes, 1));
  TRM_TRY(ints(v, &v->are_sheet, volumes, 1));
  TRM_TRY(clear(v->are_sheet));
  LAUNCH(sheets, volumes, v->places, v->now.volumes, v->sides, v->joins, v->openings, v->hoods,
         v->layers, v->are_sheet);
  TRM_TRY(fv_volumes_list_flags(v, &v->covered, v->are_sheet, &v->sheet, &v->p.sheet));
  if (v->p.sheet == 0) return TRM_OK;
  LAUNCH(passages, volumes, v->layers, v->p.gaps > 0 ? v->now.lacks : v->hoods, v->are_sheet);
  TRM_TRY(fv_volumes_list_flags(v, &v->covered, v->are_sheet, &v->sheet, &v->p.sheet));
  TRM_TRY(reals(v, &v->ways, volumes, 1));
  TRM_TRY(ints(v, &v->have_layers, v->p.sheet, 1));
  TRM_TRY(ints(v, &v->are_pockets, volumes, 1));
  TRM_TRY(clear(v->have_layers));
  TRM_TRY(clear(v->are_pockets));
  for (int any_room = 0; any_room < 2 && pockets > 0; any_room++) {
    if (any_room) LAUNCH(any_room, volumes, v->layers);
    TRM_TRY(make_layers(v));
    LAUNCH(pockets, volumes, v->layers, v->are_sheet, v->are_pockets);
    TRM_TRY(fv_volumes_list_flags(v, &v->unlayered, v->are_pockets, &v->pockets, &pockets));
  }
  return pockets > 0 ? trm_buffer_read(v->pockets, 0, sizeof *pocket, pocket) : TRM_OK;
}

static trm_status refuse_pocket(fv_volumes *v, int32_t volume)
{
  int32_t place, cell;
  TRM_TRY(trm_buffer_read(v->places, (size_t)volume * sizeof place, sizeof place, &place));
  place /= FV_CELL_PARTS;
  TRM_TRY(trm_buffer_read(v->list, (size_t)place * sizeof cell, sizeof cell, &cell));
  return refuse_cell(v, cell, "bodies that meet leave its gas no room and no way out; let them "
                              "meet so that gas can leave");
}

/* Gas of a gap without a way out stays, until the bodies leave it no room. */
static trm_status make_ways_out(fv_volumes *v)
{
  int32_t pocket;
  int opened = 0;
  TRM_TRY(make_sheets(v, &pocket));
  if (pocket >= 0 && v->p.gaps > 0) {
    LAUNCH(unshut, v->p.volumes, v->layers, v->now.volumes, v->now.lacks, v->gaps,
           v->are_pockets);
    TRM_TRY(fv_volumes_list_flags(v, &v->unlayered, v->are_pockets, &v->pockets, &opened));
    if (opened > 0) {
      TRM_TRY(narrow(v));
      TRM_TRY(make_hoods(v));
      TRM_TRY(make_sheets(v, &pocket));
    }
  }
  return pocket >= 0 ? refuse_pocket(v, pocket) : TRM_OK;
}

/* ---- the step ------------------------------------------------------------------------------ */

trm_status fv_volumes_open(trm_device *device, const char *variant, int group, const int side[3],
                           fv_volumes *out)
{
  memset(out, 0, sizeof *out);
  out->device = device;
  out->how = (trm_program_options){ .precision = TRM_F64, .math = TRM_STRICT, .variant = variant,
                                    .group = group };
  memcpy(out->p.side, side, sizeof out->p.side);
  return trm_program_create(device, &maps, &out->how, &out->program);
}

void fv_volumes_close(fv_volumes *v)
{
  trm_buffer **all[] = {
    &v->now.kinds, &v->now.gas, &v->now.kept, &v->now.volumes, &v->before.kinds, &v->before.gas,
    &v->before.kept, &v->before.volumes, &v->shapes, &v->tables, &v->number, &v->leaves,
    &v->beside, &v->flags, &v->listed, &v->list, &v->found, &v->parts, &v->there, &v->places,
    &v->numbers, &v->open, &v->sided, &v->sides, &v->bodies, &v->walls, &v->asks, &v->gives,
    &v->hoods, &v->near, &v->olds, &v->taken, &v->joins, &v->openings, &v->shares,
    &v->now.trees, &v->before.trees, &v->are_trees, &v->which, &v->owners, &v->word,
    &v->are_sheet, &v->sheet, &v->layers, &v->ways, &v->have_layers, &v->with_layer,
    &v->are_pockets, &v->pockets, &v->sights, &v->gaps, &v->are_gaps, &v->gap_list, &v->wide,
    &v->counted, &v->outer, &v->outer_of, &v->outer_sides };
  fv_volumes_listing *listings[] = { &v->cells, &v->parts_there, &v->faces_open, &v->trees,
                                     &v->covered, &v->layered, &v->unlayered, &v->shut,
                                     &v->outers };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) trm_buffer_destroy(all[i]);
  for (size_t i = 0; i < sizeof listings / sizeof *listings; i++)
    trm_compact_destroy(&listings[i]->compact);
  trm_program_destroy(&v->program);
  trm_program_destroy(&v->of_trees);
  memset(v, 0, sizeof *v);
}

trm_status fv_volumes_set_leaves(fv_volumes *v, int count, const int32_t *places,
                                 const int32_t *beside)
{
  v->p.leaves = count;
  v->p.listed = 0;
  TRM_TRY(put(v, &v->leaves, places, 3 * (size_t)count * sizeof *places));
  return put(v, &v->beside, beside, 6 * (size_t)count * sizeof *beside);
}

trm_status fv_volumes_step(fv_volumes *v, const fv_volumes_bodies *bodies, int is_whole)
{
  const fv_volumes_kept spare = v->before;
  v->before = v->now;
  v->now = spare;
  v->p.follows = v->p.listed > 0;
  v->p.is_whole = is_whole;
  v->p.bodies = bodies->count;
  v->p.turns = v->p.gaps = 0;
  for (int i = 0; i < bodies->count; i++) {
    const double *turn = bodies->reals + i * FV_SHAPE_REALS + FV_SHAPE_TURN;
    for (int k = 0; k < 9; k++) v->p.turns |= turn[k] != turn[9 + k];
  }
  TRM_TRY(put(v, &v->shapes, bodies->reals, bodies->real_count * sizeof *bodies->reals));
  TRM_TRY(put(v, &v->tables, bodies->ints, bodies->int_count * sizeof *bodies->ints));
  TRM_TRY(list_cells(v));
  TRM_TRY(list_outer(v));
  TRM_TRY(cut_cells(v));
  TRM_TRY(make_volumes(v));
  TRM_TRY(make_faces(v));
  v->p.gaps = v->p.follows && v->before.has_lacks;
  TRM_TRY(make_walls(v));
  TRM_TRY(shut_gaps(v, bodies));
  TRM_TRY(make_hoods(v));
  TRM_TRY(refuse_trees(v));
  TRM_TRY(make_ways_out(v));
  return count_gaps(v);
}
