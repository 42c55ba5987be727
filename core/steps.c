/* steps.c - finds runs of launches that a GPU may carry out several at a time (kernel_temporal.h).
 *
 * A run is a number of launches of one kernel that steps a field, over the same cells. Each reads
 * the field that its predecessor wrote, and writes over the field that its predecessor read. Their
 * other buffers and the field's layout are the same. Parameters may differ. Core has checked that
 * no launch names a buffer twice where it writes it.
 *
 * T steps at once read the `from` of the first launch and write the `to` of the last, which must
 * be another buffer: T is odd. The buffer that was read then keeps its old values; single launches
 * would have left the last state but one in it. So the last launch of a run stays single, unless
 * that buffer is overwritten before it is read. That is certain if the next command that names the
 * buffer is a step of the same kernel over the same cells, which writes it. It is also certain if
 * no command follows and the kernel's table says that the older state is scratch.
 *
 * On a part of a run each launch covers rows, and fewer from launch to launch. T steps at once
 * write the rows of the last launch. A group computes what it needs beside its own rows, so no row
 * is missing if each launch has the rows that the next one reads. */
#include "core/steps.h"

#include <stdio.h>
#include <string.h>

static int64_t number_at(const trm_command *launch, int offset)
{
  int32_t small;
  int64_t large;
  memcpy(&small, launch->params + offset, sizeof small);
  if (launch->declaration->steps->index_bytes == (int)sizeof small) return small;
  memcpy(&large, launch->params + offset, sizeof large);
  return large;
}

trm_steps_layout trm_steps_layout_of(const trm_command *launch)
{
  const trm_stepping *s = launch->declaration->steps;
  return (trm_steps_layout){ number_at(launch, s->first), number_at(launch, s->row),
                             number_at(launch, s->component) };
}

static int is_step(const trm_command *command)
{
  return command->kind == TRM_COMMAND_LAUNCH && command->declaration->steps &&
         command->extent.nz == 1;
}

static int is_alike(const trm_command *one, const trm_command *other)
{
  return is_step(other) && other->kernel == one->kernel &&
         memcmp(&other->extent, &one->extent, sizeof one->extent) == 0;
}

/* Whether the rows that `later` reads are among those of `earlier`, or beyond an end of the grid,
 * where the kernel does not use them. */
static int has_rows_for(const trm_command *earlier, const trm_command *later)
{
  const int64_t total = earlier->extent.ny, halo = earlier->declaration->halo;
  if (earlier->rows == 0 || later->rows == 0) return earlier->rows == later->rows;
  if (earlier->rows == total) return 1;
  const int64_t low = ((later->first_row - earlier->first_row) % total + total) % total;
  const int64_t high = earlier->rows - low - later->rows;
  const int begins = earlier->first_row % total == 0 && low == 0;
  const int ends = (earlier->first_row + earlier->rows) % total == 0 && high == 0;
  return (low >= halo || begins) && (high >= halo || ends);
}

/* Whether `later` takes the step after `earlier`. */
static int follows(const trm_command *earlier, const trm_command *later)
{
  const trm_stepping *s = earlier->declaration->steps;
  if (!is_alike(earlier, later) || !has_rows_for(earlier, later)) return 0;
  for (int i = 0; i < (int)earlier->buffer_count; i++) {
    const int was = i == s->from ? s->to : i == s->to ? s->from : i;
    if (later->buffers[i] != earlier->buffers[was]) return 0;
  }
  const trm_steps_layout a = trm_steps_layout_of(earlier), b = trm_steps_layout_of(later);
  return a.first == b.first && a.row == b.row && a.component == b.component;
}

static int names(const trm_command *command, const void *buffer)
{
  const uint32_t count = command->kind == TRM_COMMAND_LAUNCH ? command->buffer_count
                         : command->kind == TRM_COMMAND_COPY ? 2 : 1;
  for (uint32_t i = 0; i < count; i++)
    if (command->buffers[i] == buffer) return 1;
  return 0;
}

/* Whether the run that ends before `next` may leave what its last launch read as it was. */
static int is_overwritten(const trm_command *commands, size_t count, size_t next)
{
  const trm_command *last = &commands[next - 1];
  const trm_stepping *s = last->declaration->steps;
  while (next < count && !names(&commands[next], last->buffers[s->from])) next++;
  if (next == count) return s->is_scratch;
  return is_alike(last, &commands[next]) &&
         commands[next].buffers[s->to] == last->buffers[s->from];
}

static size_t run_length(const trm_command *commands, size_t count)
{
  size_t length = 1;
  if (!is_step(commands)) return 1;
  while (length < count && follows(&commands[length - 1], &commands[length])) length++;
  return length;
}

/* The greatest odd number that is no more than either. */
static size_t odd_up_to(size_t one, size_t other)
{
  const size_t least = one < other ? one : other;
  return least % 2 ? least : least - 1;
}

size_t trm_steps_plan(const trm_command *commands, size_t count, trm_steps_at_once *at_once,
                      const void *user, trm_part *parts)
{
  size_t made = 0;
  for (size_t i = 0; i < count;) {
    const size_t end = i + run_length(commands + i, count - i);
    size_t fused = end - i;
    if (fused > 1 && !is_overwritten(commands, count, end)) fused--;
    int times = 1;
    const size_t most = fused > 1 ? (size_t)at_once(user, &commands[i], &times) : 1;
    while (most > 1 && fused >= most) {
      const size_t rounds = odd_up_to(fused / most, (size_t)times), launches = rounds * most;
      parts[made++] = (trm_part){ i, launches };
      fused -= launches;
      i += launches;
    }
    for (; i < end; i++) parts[made++] = (trm_part){ i, 1 };
  }
  return made;
}

const trm_part *trm_steps_part(const trm_part *parts, size_t count, size_t command)
{
  while (count-- > 1 && parts->first + parts->launches <= command) parts++;
  return parts;
}

int trm_steps_single(const trm_command *command, trm_command out[2])
{
  out[0] = *command;
  if (command->rows == 0) return 1;
  const int64_t plane = command->extent.nz > 1 ? command->extent.ny : 1;
  const int64_t total = command->extent.nz > 1 ? plane * command->extent.nz : command->extent.ny;
  const int64_t first = command->first_row % total, rest = first + command->rows - total;
  out[0].first_row = first;
  out[0].extent.unused = (int32_t)(first / plane);
  if (rest <= 0) return 1;
  out[1] = out[0];
  out[0].rows -= rest;
  out[1].rows = rest;
  out[1].first_row = out[1].extent.unused = 0;
  return 2;
}

const char *trm_steps_alone(const trm_command *launch)
{
  if (launch->declaration->kind != TRM_KERNEL_ROW) return "it is no row kernel";
  if (!launch->declaration->steps) return "its kernel steps no field (TRM_FROM, TRM_TO)";
  return launch->extent.nz > 1 ? "a grid in three dimensions takes one" : NULL;
}

/* ---- shapes ------------------------------------------------------------------------------ */

/* Of D2Q9 on an H200: tiles pay up to about 100 000 cells (of 8 bytes: up to 32 768; at 65 536 they
 * take 3.23 us a step, one step a launch 2.56), strips from 200 000. */
int trm_steps_choose(int wanted, const trm_extent *extent, int real_bytes)
{
  enum { SMALL_CELLS = 32768, MIDDLE_CELLS = 100000, LARGE_CELLS = 200000, HUGE_CELLS = 3000000 };
  const int64_t cells = (int64_t)extent->nx * extent->ny;
  const int tile = cells <= SMALL_CELLS ? TRM_STEPS_SMALL : TRM_STEPS_MIDDLE;
  const int strip = cells < HUGE_CELLS ? TRM_STEPS_LARGE : TRM_STEPS_HUGE;
  if (wanted > 0) return wanted < 5 ? strip : tile;
  if (cells > SMALL_CELLS && cells <= MIDDLE_CELLS && real_bytes > 4) return -1;
  return cells <= MIDDLE_CELLS ? tile : cells < LARGE_CELLS ? -1 : strip;
}

trm_steps_shape trm_steps_wanted(const trm_device_options *options)
{
  if (!options || options->shape_columns == 0) return (trm_steps_shape){ .steps = 0 };
  return (trm_steps_shape){ options->steps_per_launch, options->shape_columns, options->shape_rows,
                            options->shape_is_tile != 0, 0 };
}

static int count_in(const char *text, const char *kernel, const char *word)
{
  char heading[96];
  snprintf(heading, sizeof heading, "(%s,", kernel);
  const char *at = strstr(text, heading), *end = at ? strstr(at, "\n}") : NULL;
  int count = 0;
  while (end && (at = strstr(at + 1, word)) != NULL && at < end) count++;
  return count;
}

int trm_steps_folds(const char *text, const char *kernel)
{
  return count_in(text, kernel, "TRM_FOLD");
}

enum { LARGEST_CELL = 16, /* bytes of one that is held in registers */
       MARGIN = 4,        /* columns of a warp at either side that are its neighbours' */
       STILLS = 4 };
int trm_steps_by_warps(const trm_steps_shape *shape)
{
  return shape->width % 32 != 0;
}

/* Shared values of neighbours are worth holding if a cell is small enough for the registers. A cell
 * of 36 bytes (D2Q9) is read once. */
void trm_steps_block(const trm_steps_shape *shape, int components, int real_bytes, int *wide,
                     int *tall)
{
  enum { TALLEST = 4 };
  const int is_block = !shape->is_tile && components * real_bytes <= LARGEST_CELL;
  if (trm_steps_by_warps(shape)) {
    *wide = (shape->width + 2 * MARGIN) / 32;
    *tall = 1;
    return;
  }
  *wide = is_block && shape->width % 64 == 0 ? 2 : 1;
  *tall = is_block ? TALLEST : 1;
  while (shape->rows % *tall) --*tall;
}

/* kernel_steps.h has the same formulas, and compares. */
void trm_steps_needs(const trm_steps_shape *shape, int components, int real_bytes, int folds,
                     int *items, int *bytes)
{
  const int edge = shape->steps - 1, vector = 16 / real_bytes;
  const int margin = (shape->steps + vector - 1) / vector * vector;
  const int line = components * (shape->width + 2 * margin) * real_bytes, depth = shape->rows + 2;
  const int lines = shape->is_tile ? 2 * depth : 2 * shape->rows + 2 + edge * depth;
  const int chunks = shape->width / 32;
  int wide, tall;
  trm_steps_block(shape, components, real_bytes, &wide, &tall);
  if (trm_steps_by_warps(shape)) {
    *items = 32;
    *bytes = 3 * (components + STILLS) * 32 * wide * real_bytes;
    return;
  }
  const int inner = shape->rows * chunks / (wide * tall);
  const int warps = inner + (shape->rows * 2 * edge + 31) / 32;
  const int leaves = (shape->is_tile ? shape->rows - 2 * edge : shape->rows) * chunks;
  *items = 32 * (warps + (folds > 0 && !shape->is_tile && wide * tall == 1));
  *bytes = lines * line + shape->steps * folds * leaves * 33 * real_bytes;
}

int trm_steps_serves_warps(const trm_host_kernel *kernel, const char *text, int real_bytes)
{
  return kernel->steps->components * real_bytes <= LARGEST_CELL &&
         count_in(text, kernel->name, "TRM_FOLD") == count_in(text, kernel->name, "TRM_FOLD_MAX");
}

int trm_steps_is_refused(const trm_steps_shape *shape, const trm_host_kernel *kernel,
                         const char *text, int real_bytes, char *why, size_t why_bytes)
{
  enum { MOST_ITEMS = 1024 };
  int items, bytes;
  if (trm_steps_by_warps(shape)) {
    if (trm_steps_serves_warps(kernel, text, real_bytes)) return 0;
    snprintf(why, why_bytes, "kernel %s in a shape of %d columns: there a warp goes alone, which "
             "is for fields of up to %d bytes a cell without sums (TRM_FOLD); give columns in "
             "multiples of 32", kernel->name, shape->width, LARGEST_CELL);
    return 1;
  }
  trm_steps_needs(shape, kernel->steps->components, real_bytes, 1, &items, &bytes);
  if (items <= MOST_ITEMS) return 0;
  snprintf(why, why_bytes, "kernel %s in a shape of %d steps, %d columns and %d rows needs groups "
           "of %d items, and %d are the most; give fewer columns or rows", kernel->name,
           shape->steps, shape->width, shape->rows, items, MOST_ITEMS);
  return 1;
}

static void list_arrays(const trm_host_kernel *kernel, int is_heading, char *text, size_t bytes)
{
  size_t used = 0;
  for (int i = 0; i < kernel->buffer_count && used < bytes; i++) {
    const int is_field = i == kernel->steps->from || i == kernel->steps->to;
    used += (size_t)snprintf(text + used, bytes - used, "%s", i ? ", " : "");
    if (used >= bytes) return;
    if (is_heading || !is_field)
      used += (size_t)snprintf(text + used, bytes - used, "%sb%d", is_heading ? "TRM_ANY " : "",
                               i);
    else used += (size_t)snprintf(text + used, bytes - used, "%s",
                                  i == kernel->steps->from ? "trm_from" : "trm_to");
  }
}

int trm_steps_defines(const trm_steps_shape *shape, const trm_host_kernel *kernel,
                      const char *text, int real_bytes, int folds, char *before,
                      size_t before_bytes, char *after, size_t after_bytes)
{
  char heading[256], pass[256];
  int items, bytes, wide, tall;
  trm_steps_needs(shape, kernel->steps->components, real_bytes, folds, &items, &bytes);
  trm_steps_block(shape, kernel->steps->components, real_bytes, &wide, &tall);
  list_arrays(kernel, 1, heading, sizeof heading);
  list_arrays(kernel, 0, pass, sizeof pass);
  const int first = snprintf(before, before_bytes,
    "#define TRM_STEPS %d\n#define TRM_STEPS_WIDTH %d\n#define TRM_STEPS_ROWS %d\n"
    "#define TRM_STEPS_TILE %d\n#define TRM_STEPS_WARPS %d\n#define TRM_STEPS_WIDE %d\n"
    "#define TRM_STEPS_TALL %d\n#define TRM_STEPS_RESIDENT %d\n#define TRM_STEPS_COMPONENTS %d\n"
    "#define TRM_STEPS_FOLDS %d\n#define TRM_STEPS_INVARIANTS %d\n#define TRM_STEPS_ITEMS %d\n"
    "#define TRM_STEPS_BYTES %d\n",
    shape->steps, shape->width, shape->rows, shape->is_tile, trm_steps_by_warps(shape), wide, tall,
    shape->resident, kernel->steps->components, folds,
    count_in(text, kernel->name, "TRM_INVARIANT"), items, bytes);
  const int second = snprintf(after, after_bytes,
    "\n#define TRM_STEPS_NAME trm_steps_%s\n#define TRM_STEPS_ROW trm_%s_row\n"
    "#define TRM_STEPS_PARAMS trm_%s_params\n#define TRM_STEPS_ARRAYS %s\n"
    "#define TRM_STEPS_PASS %s\n#define TRM_STEPS_READS b%d\n#define TRM_STEPS_WRITES b%d\n"
    "#line 1 \"core/kernel_temporal.h\"\n", kernel->name, kernel->name, kernel->name, heading, pass,
    kernel->steps->from, kernel->steps->to);
  return first < 0 || (size_t)first >= before_bytes || second < 0 || (size_t)second >= after_bytes
           ? -1 : 0;
}

int trm_steps_own_rows(const trm_steps_shape *shape, const trm_extent *covered, int groups)
{
  if (shape->is_tile) return shape->rows - 2 * (shape->steps - 1);
  return (covered->ny + groups - 1) / groups;
}

static int parts(int whole, int part) { return (whole + part - 1) / part; }

trm_steps_share trm_steps_share_of(const trm_steps_shape *shape, const trm_command *last,
                                   int rows)
{
  enum { LEAST_ROWS = 12 }; /* a group does two more of them for each step */
  const int edges = last->declaration->steps->edges;
  const int edge_rows = edges > 1 && rows / edges > LEAST_ROWS ? rows / edges : LEAST_ROWS;
  const int count = trm_command_covers(last).ny;
  trm_steps_share share = { rows, rows, 0, (int32_t)(last->first_row % last->extent.ny), count };
  if (shape->is_tile || edges <= 1 || parts(last->extent.nx, shape->width) < 3 ||
      edge_rows >= rows)
    return share;
  share.edge_rows = edge_rows;
  share.edge_groups = parts(count, edge_rows);
  return share;
}

void trm_steps_groups(const trm_steps_shape *shape, const trm_extent *covered,
                      const trm_steps_share *share, int groups[2])
{
  const int strips = parts(covered->nx, shape->width), along = parts(covered->ny, share->rows);
  groups[0] = share->edge_groups ? 2 * share->edge_groups + (strips - 2) * along : strips;
  groups[1] = share->edge_groups ? 1 : along;
}

const char *trm_steps_obstacle(const trm_steps_shape *shape, const trm_command *launch,
                               int real_bytes)
{
  const trm_steps_layout at = trm_steps_layout_of(launch);
  const int vector = 16 / real_bytes;
  if (launch->extent.nx % vector || at.first % vector || at.row % vector || at.component % vector)
    return "rows are no multiple of 16 bytes";
  const int least = trm_steps_by_warps(shape) ? 2 * shape->steps : shape->rows;
  if (launch->rows && shape->rows + shape->steps > TRM_STEPS_BEYOND)
    return "a group of this shape reads rows for which a part of the run has no memory";
  return launch->extent.ny < least ? "the grid has too few rows" : NULL;
}
