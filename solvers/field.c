/* field.c - the interior of a declared field, between a device buffer and dense host memory.
 *
 * Rows of a component lie `row` elements apart, planes follow without a gap, so the component is
 * ny * nz rows; a chunk of them is moved at once. Reading drops ghosts and padding here; writing
 * fetches the chunk first, so that they stay what they were. */
#include <config.h>

#include "solvers/field.h"

#include "core/host_work.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 20 };

static size_t rows_of(const trm_field *field)
{
  return field->rows.total ? field->rows.count : field->ny * field->nz;
}

trm_status trm_field_require_whole(const trm_field *field, const char *what)
{
  if (!field->rows.total || rows_of(field) == field->rows.total) return TRM_OK;
  return TRM_FAIL(UNSUPPORTED, "the field '%s' holds %zu of its %zu rows, and %s needs all of "
                  "them; declare the whole field", field->name, field->rows.count,
                  field->rows.total, what);
}

/* The part of its rows that a field says it holds. */
static trm_status check_rows(const trm_field *field, size_t all)
{
  const trm_rows *rows = &field->rows;
  if (!rows->total && !rows->first && !rows->count && !rows->ghosts) return TRM_OK;
  if (rows->total == all && rows->count > 0 && rows->first < all &&
      rows->count <= all - rows->first)
    return TRM_OK;
  return TRM_FAIL(INVALID, "the field '%s' holds rows %zu to %zu of %zu, and has ny * nz = %zu of "
                  "them; declare a part of its own rows", field->name, rows->first,
                  rows->first + rows->count, rows->total, all);
}

trm_status trm_field_elements(const trm_field *field, size_t *out)
{
  size_t rows, count;
  if (field->components < 1)
    return TRM_FAIL(INVALID, "the field '%s' has %d components; it needs at least one", field->name,
                    field->components);
  if (field->blocks) TRM_TRY(trmi_blocks_check(field));
  TRM_TRY(trm_size_mul(field->ny, field->nz, field->name, &rows));
  TRM_TRY(check_rows(field, rows));
  TRM_TRY(trm_size_mul(rows_of(field), field->nx, field->name, &count));
  TRM_TRY(trm_size_mul(count, (size_t)field->components, field->name, &count));
  *out = count;
  return TRM_OK;
}

/* The elements from the first of the field to its last, and `beyond` more. */
static trm_status extent_of(const trm_field *field, size_t beyond, size_t *out)
{
  const trm_layout *l = &field->layout;
  size_t last, part;
  TRM_TRY(trm_size_mul((size_t)field->components - 1, l->component, field->name, &last));
  TRM_TRY(trm_size_mul(rows_of(field) - 1, l->row, field->name, &part));
  TRM_TRY(trm_size_add(last, part, field->name, &last));
  TRM_TRY(trm_size_add(last, l->first, field->name, &last));
  TRM_TRY(trm_size_add(last, field->nx, field->name, &last));
  return trm_size_add(last, beyond, field->name, out);
}

/* A declaration that does not fit its buffer is the solver's mistake: say so before the buffer is
 * touched. `ghosts`: columns on either side of each row that are touched as well. */
static trm_status check_field(const trm_field *field, size_t ghosts)
{
  size_t count, last, bytes;
  TRM_TRY(trm_field_elements(field, &count));
  TRM_TRY(trm_size_mul(count, trm_type_size(field->type), field->name, &bytes));
  if (!count)
    return TRM_FAIL(INVALID, "the field '%s' has no cell; give it at least one along each axis",
                    field->name);
  if (!field->buffer) return TRM_FAIL(INVALID, "the field '%s' has no buffer", field->name);
  if (field->blocks) return TRM_OK;
  TRM_TRY(extent_of(field, ghosts, &last));
  TRM_TRY(trm_size_mul(last, trm_type_size(field->type), field->name, &bytes));
  const size_t row = field->layout.row;
  if ((rows_of(field) > 1 && (row < field->nx || row - field->nx < ghosts)) ||
      field->layout.first < ghosts || bytes > trm_buffer_bytes(field->buffer))
    return TRM_FAIL(INVALID,
                    "the layout of the field '%s' does not fit its shape or its buffer: rows %zu "
                    "elements apart for %zu cells with %zu ghosts on each side, %zu bytes needed "
                    "of %zu", field->name, row, field->nx, ghosts, bytes,
                    trm_buffer_bytes(field->buffer));
  return TRM_OK;
}

/* Moves the interiors of `rows` rows, `stride` bytes apart, together at the front. */
static void squeeze(unsigned char *bytes, size_t rows, size_t stride, size_t row_bytes)
{
  for (size_t r = 1; r < rows && stride != row_bytes; r++)
    memmove(bytes + r * row_bytes, bytes + r * stride, row_bytes);
}

/* How a field goes through host memory: `ghosts` columns on either side, some rows at once. */
typedef struct passage {
  const trm_field *field;
  size_t size, ghosts, rows, chunk_rows, row_bytes, stride;
  unsigned char *staging;
} passage;

static trm_status passage_open(const trm_field *field, size_t ghosts, passage *out)
{
  TRM_TRY(check_field(field, ghosts));
  const size_t row = field->layout.row > field->nx ? field->layout.row : field->nx;
  passage p = {.field = field, .size = trm_type_size(field->type), .ghosts = ghosts,
               .rows = rows_of(field)};
  p.row_bytes = field->nx * p.size;
  p.stride = row * p.size;
  p.chunk_rows = CHUNK_BYTES / p.stride;
  if (p.chunk_rows < 1) p.chunk_rows = 1;
  if (p.chunk_rows > p.rows) p.chunk_rows = p.rows;
  p.staging = malloc(p.chunk_rows * p.stride + 2 * ghosts * p.size);
  if (!p.staging)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory to move the field '%s' in parts of %zu bytes",
                    field->name, p.chunk_rows * p.stride);
  *out = p;
  return TRM_OK;
}

/* Rows from `row` on, at most a chunk. The last one ends with its last ghost: what follows may not
 * be there. */
typedef struct chunk { size_t rows, offset, bytes; } chunk;

static chunk chunk_at(const passage *p, size_t component, size_t row)
{
  const trm_layout *l = &p->field->layout;
  const size_t first = l->first + component * l->component - p->ghosts;
  const size_t rows = p->rows - row < p->chunk_rows ? p->rows - row : p->chunk_rows;
  return (chunk){rows, first * p->size + row * p->stride,
                 (rows - 1) * p->stride + p->row_bytes + 2 * p->ghosts * p->size};
}

static trm_status bring(const trm_field *field, size_t component)
{
  return field->bring ? field->bring(field, component) : TRM_OK;
}

static trm_status walk_component(const passage *p, size_t component, trmi_field_visitor *visit,
                                 void *user)
{
  TRM_TRY(bring(p->field, component));
  for (size_t row = 0; row < p->rows; row += p->chunk_rows) {
    const chunk now = chunk_at(p, component, row);
    TRM_TRY(trm_buffer_read(p->field->buffer, now.offset, now.bytes, p->staging));
    squeeze(p->staging, now.rows, p->stride, p->row_bytes);
    TRM_TRY(visit(user, p->staging, now.rows * p->field->nx));
  }
  return TRM_OK;
}

trm_status trmi_field_walk(const trm_field *field, trmi_field_visitor *visit, void *user)
{
  passage p;
  if (field->blocks) {
    TRM_TRY(check_field(field, 0));
    return trmi_blocks_walk(field, visit, user);
  }
  TRM_TRY(passage_open(field, 0, &p));
  trm_status status = TRM_OK;
  for (size_t c = 0; c < (size_t)field->components && status == TRM_OK; c++)
    status = walk_component(&p, c, visit, user);
  free(p.staging);
  return status;
}

trm_status trmi_field_walk_stored(const trm_field *field, trmi_field_visitor *visit, void *user)
{
  if (!field->blocks) return trmi_field_walk(field, visit, user);
  TRM_TRY(check_field(field, 0));
  return trmi_blocks_walk_stored(field, visit, user);
}

/* ---- chunks, shared by threads ------------------------------------------------------ */

/* Elements from `first` on that lie in the host's memory, in rows of nx. */
typedef struct piece {
  size_t first, count, nx, stride; /* stride: bytes from row to row */
  const unsigned char *bytes;
} piece;

/* A round is some chunks for each thread. They are brought to the host, then visited. */
typedef struct chunking {
  const trm_field *field;
  trmi_field_chunk *visit;
  void *user;
  size_t each, size, all;      /* elements of a chunk, bytes of one, elements of the field */
  size_t first, round;         /* of this round; elements of a round, at most */
  unsigned char *staging, *dense; /* of a round; a chunk of each thread */
  piece *pieces;
  size_t piece_count, brought; /* brought: the component in the buffer, plus 1 */
} chunking;

static unsigned char *copy_rows(const chunking *c, const piece *p, size_t first, size_t count,
                                unsigned char *to)
{
  for (size_t done = 0, some; done < count; done += some) {
    const size_t at = first + done - p->first, x = at % p->nx;
    some = p->nx - x < count - done ? p->nx - x : count - done;
    memcpy(to, p->bytes + at / p->nx * p->stride + x * c->size, some * c->size);
    to += some * c->size;
  }
  return to;
}

static trm_status visit_chunk(void *user, size_t i, int thread)
{
  const chunking *c = user;
  const size_t first = c->first + i * c->each, left = c->all - first;
  const size_t end = first + (left < c->each ? left : c->each);
  unsigned char *dense = c->dense + (size_t)thread * c->each * c->size, *to = dense;
  for (const piece *p = c->pieces; p < c->pieces + c->piece_count; p++) {
    const size_t begin = first > p->first ? first : p->first;
    const size_t stop = end < p->first + p->count ? end : p->first + p->count;
    const size_t x = (begin - p->first) % p->nx;
    const int is_dense = p->stride == p->nx * c->size || x + (end - begin) <= p->nx;
    if (begin >= stop) continue;
    if (begin == first && stop == end && is_dense)
      return c->visit(c->user, first, p->bytes + (begin - p->first) / p->nx * p->stride +
                                        x * c->size, end - first);
    to = copy_rows(c, p, begin, stop - begin, to);
  }
  return c->visit(c->user, first, dense, end - first);
}

static trm_status visit_round(chunking *c, size_t count)
{
  TRM_TRY(trm_device_host_each(trm_buffer_device(c->field->buffer), (count + c->each - 1) / c->each,
                               visit_chunk, c));
  c->first += count;
  return TRM_OK;
}

/* Rows of one component; *used: bytes of the staging. */
static trm_status bring_rows(chunking *c, size_t component, size_t cell, size_t end, size_t *used)
{
  const trm_field *field = c->field;
  const trm_layout *l = &field->layout;
  const size_t nx = field->nx, row = cell / nx, rows = (end - 1) / nx + 1 - row;
  const size_t stride = (l->row > nx ? l->row : nx) * c->size;
  if (c->brought != component + 1) TRM_TRY(bring(field, component));
  c->brought = component + 1;
  c->pieces[c->piece_count++] = (piece){component * rows_of(field) * nx + row * nx, rows * nx, nx,
                                        stride, c->staging + *used};
  TRM_TRY(trm_buffer_read(field->buffer,
                          (l->first + component * l->component) * c->size + row * stride,
                          (rows - 1) * stride + nx * c->size, c->staging + *used));
  *used += rows * stride;
  return TRM_OK;
}

static trm_status chunk_rows(chunking *c)
{
  const size_t cells = rows_of(c->field) * c->field->nx;
  while (c->first < c->all) {
    const size_t end = c->all - c->first < c->round ? c->all : c->first + c->round;
    size_t used = 0;
    c->piece_count = 0;
    for (size_t at = c->first, some; at < end; at += some) {
      const size_t cell = at % cells;
      some = cells - cell < end - at ? cells - cell : end - at;
      TRM_TRY(bring_rows(c, at / cells, cell, cell + some, &used));
    }
    TRM_TRY(visit_round(c, end - c->first));
  }
  return TRM_OK;
}

/* Gets elements of a walk. They are visited when the round is full. */
static trm_status collect(void *user, const void *elements, size_t count)
{
  chunking *c = user;
  piece *p = c->pieces;
  const unsigned char *from = elements;
  for (size_t some; count > 0; count -= some, from += some * c->size) {
    some = c->round - p->count < count ? c->round - p->count : count;
    memcpy(c->staging + p->count * c->size, from, some * c->size);
    p->count += some;
    if (p->count < c->round && c->first + p->count < c->all) continue;
    const size_t full = p->count;
    p->nx = full;
    TRM_TRY(visit_round(c, full));
    *p = (piece){.first = c->first, .nx = 1, .bytes = c->staging};
  }
  return TRM_OK;
}

static trm_status chunk_walk(chunking *c)
{
  c->pieces[0] = (piece){.nx = 1, .bytes = c->staging};
  c->piece_count = 1;
  return trmi_field_walk(c->field, collect, c);
}

trm_status trmi_field_each_chunk(const trm_field *field, size_t each, trmi_field_chunk *visit,
                                 void *user)
{
  enum { FOR_A_THREAD = 2 };
  chunking c = {.field = field, .visit = visit, .user = user, .each = each,
                .size = trm_type_size(field->type)};
  TRM_TRY(check_field(field, 0));
  TRM_TRY(trm_field_elements(field, &c.all));
  const size_t threads = (size_t)trm_device_host_threads(trm_buffer_device(field->buffer));
  const size_t nx = field->nx, cells = c.all / (size_t)field->components;
  c.round = FOR_A_THREAD * threads * each < c.all ? FOR_A_THREAD * threads * each : c.all;
  const size_t most = c.round / cells + 2; /* components that a round lies in */
  const size_t row = field->layout.row > nx ? field->layout.row : nx;
  const int is_walked = field->blocks || row > 2 * nx; /* gaps would take most of the memory */
  const size_t room = is_walked ? c.round : (c.round / nx + 2 * most) * row;
  c.staging = malloc(room * c.size);
  c.dense = malloc(threads * each * c.size);
  c.pieces = calloc(most, sizeof *c.pieces);
  trm_status status = TRM_OK;
  if (!c.staging || !c.dense || !c.pieces)
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory to move the field '%s' in parts of %zu bytes",
                      field->name, room * c.size);
  else
    status = is_walked ? chunk_walk(&c) : chunk_rows(&c);
  free(c.staging);
  free(c.dense);
  free(c.pieces);
  return status;
}

/* Components [first, end), which are in the buffer. */
static trm_status visit_runs(const trm_field *field, size_t first, size_t end,
                             trmi_field_runs *visit, void *user)
{
  const trm_layout *l = &field->layout;
  const size_t size = trm_type_size(field->type), rows = rows_of(field);
  trmi_run *runs = calloc(end - first, sizeof *runs);
  if (!runs) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of '%s'", field->name);
  for (size_t c = first; c < end; c++)
    runs[c - first] = (trmi_run){ (l->first + c * l->component) * size, l->row * size,
                                  field->nx * size, rows, c * rows * field->nx * size };
  const trm_status status = visit(user, runs, end - first);
  free(runs);
  return status;
}

trm_status trmi_field_walk_runs(const trm_field *field, trmi_field_runs *visit, void *user)
{
  const size_t components = (size_t)field->components;
  TRM_TRY(check_field(field, 0));
  if (field->blocks) return trmi_blocks_walk_runs(field, visit, user);
  if (!field->bring) return visit_runs(field, 0, components, visit, user);
  for (size_t c = 0; c < components; c++) {
    TRM_TRY(bring(field, c));
    TRM_TRY(visit_runs(field, c, c + 1, visit, user));
  }
  return TRM_OK;
}

void trmi_field_stored(const trm_field *field, size_t *rows, size_t *nx)
{
  const trm_blocks *b = field->blocks;
  *rows = b ? b->count * (size_t)b->side[1] * (size_t)b->side[2] : rows_of(field);
  *nx = b ? (size_t)b->side[0] : field->nx;
}

typedef struct target {
  unsigned char *next;
  size_t size;
} target;

static trm_status append(void *user, const void *elements, size_t count)
{
  target *t = user;
  memcpy(t->next, elements, count * t->size);
  t->next += count * t->size;
  return TRM_OK;
}

static void multiply(const trm_field *field, void *values, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (field->type == TRM_TYPE_F64) ((double *)values)[i] *= field->scale;
    else ((float *)values)[i] *= (float)field->scale;
}

static void add(const trm_field *field, void *values, size_t count)
{
  double *wide = values;
  float *narrow = values;
  for (size_t i = 0; i < count; i++)
    if (field->type == TRM_TYPE_F64) wide[i] += field->offset;
    else narrow[i] = (float)((double)narrow[i] + field->offset);
}

/* Converts stored values to declared ones. */
static void convert(const trm_field *field, void *values, size_t count)
{
  if (field->scale != 0) multiply(field, values, count);
  if (field->offset != 0) add(field, values, count);
}

trm_status trm_field_read(const trm_field *field, void *destination)
{
  size_t count;
  target t = {destination, trm_type_size(field->type)};
  TRM_TRY(trm_field_elements(field, &count));
  TRM_TRY(trmi_field_walk(field, append, &t));
  convert(field, destination, count);
  return TRM_OK;
}

/* Reads the rows of the part, from their first cell on, and returns the cells of the part. */
static trm_status read_rows(const trm_field *field, size_t component, size_t first, size_t count,
                            unsigned char *destination)
{
  const trm_layout *l = &field->layout;
  const size_t nx = field->nx, size = trm_type_size(field->type), row = first / nx;
  const size_t rows = (first + count - 1) / nx + 1 - row;
  const size_t bytes = ((rows - 1) * l->row + nx) * size;
  TRM_TRY(bring(field, component));
  unsigned char *staging = malloc(bytes);
  if (!staging)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory to move the field '%s' in parts of %zu bytes",
                    field->name, bytes);
  const trm_status status = trm_buffer_read(
    field->buffer, (l->first + component * l->component + row * l->row) * size, bytes, staging);
  if (status == TRM_OK) {
    squeeze(staging, rows, l->row * size, nx * size);
    memcpy(destination, staging + first % nx * size, count * size);
  }
  free(staging);
  return status;
}

trm_status trm_field_read_part(const trm_field *field, size_t component, size_t first,
                               size_t count, void *destination)
{
  TRM_TRY(check_field(field, 0));
  const size_t cells = rows_of(field) * field->nx;
  if (component >= (size_t)field->components || first > cells || count > cells - first)
    return TRM_FAIL(INVALID, "the field '%s' has no cells %zu to %zu in component %zu",
                    field->name, first, first + count, component);
  if (count == 0) return TRM_OK;
  TRM_TRY(field->blocks ? trmi_blocks_read_part(field, component, first, count, destination)
                        : read_rows(field, component, first, count, destination));
  convert(field, destination, count);
  return TRM_OK;
}

/* A compensated sum over the cells as they are stored, in their order. */
typedef struct total {
  const trm_field *field;
  const uint8_t *left_out;     /* of the next cells; NULL: none is */
  double sum, rest;
} total;

static trm_status add_up(void *user, const void *elements, size_t count)
{
  total *t = user;
  for (size_t i = 0; i < count; i++) {
    const double value = t->field->type == TRM_TYPE_F64 ? ((const double *)elements)[i]
                                                        : (double)((const float *)elements)[i];
    const double small = t->left_out && t->left_out[i] ? -t->rest : value - t->rest;
    const double next = t->sum + small;
    t->rest = (next - t->sum) - small;
    t->sum = next;
  }
  if (t->left_out) t->left_out += count;
  return TRM_OK;
}

trm_status trm_field_sum(const trm_field *field, const trm_field *left_out, double *sum)
{
  total t = { .field = field };
  uint8_t *flags = NULL;
  size_t rows, nx;
  trmi_field_stored(field, &rows, &nx);
  if (left_out && left_out->blocks != field->blocks)
    return TRM_FAIL(UNSUPPORTED, "the flags '%s' are not on the blocks of '%s'", left_out->name,
                    field->name);
  if (left_out && !(flags = malloc(rows * nx)))
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the flags of %zu cells", rows * nx);
  trm_status status = left_out ? trmi_field_walk_stored(left_out, append, &(target){flags, 1})
                               : TRM_OK;
  t.left_out = flags;
  if (field->blocks) {
    if (status == TRM_OK) status = trmi_blocks_sum(field, flags, &t.sum);
  } else if (status == TRM_OK) {
    status = trmi_field_walk_stored(field, add_up, &t);
  }
  free(flags);
  *sum = t.sum;
  return status;
}

/* A row's cells between its ghosts, which repeat its other end. */
static void place_row(const passage *p, unsigned char *at, const unsigned char *row)
{
  const size_t nx = p->field->nx;
  memcpy(at + p->ghosts * p->size, row, p->row_bytes);
  for (size_t g = 0; g < p->ghosts; g++) {
    const size_t west = nx - 1 - (p->ghosts - 1 - g) % nx, east = g % nx;
    memcpy(at + g * p->size, row + west * p->size, p->size);
    memcpy(at + (p->ghosts + nx + g) * p->size, row + east * p->size, p->size);
  }
}

/* Each chunk comes dense from the source and goes in its place between ghosts and padding. */
typedef struct filling {
  const passage *to;
  trmi_field_source *source;
  void *user;
  unsigned char *dense;
} filling;

static trm_status fill_component(const filling *f, size_t component)
{
  const passage *p = f->to;
  const int has_gaps = p->stride != p->row_bytes + 2 * p->ghosts * p->size;
  for (size_t row = 0; row < p->rows; row += p->chunk_rows) {
    const chunk now = chunk_at(p, component, row);
    TRM_TRY(f->source(f->user, f->dense, now.rows * p->field->nx));
    if (has_gaps && now.rows > 1)
      TRM_TRY(trm_buffer_read(p->field->buffer, now.offset, now.bytes, p->staging));
    for (size_t r = 0; r < now.rows; r++)
      place_row(p, p->staging + r * p->stride, f->dense + r * p->row_bytes);
    TRM_TRY(trm_buffer_write(p->field->buffer, now.offset, now.bytes, p->staging));
  }
  return p->field->put ? p->field->put(p->field, component) : TRM_OK;
}

/* As trm_field_write, from a source that gives a few megabytes at a time. */
static trm_status fill(const trm_field *field, trmi_field_source *source, void *user)
{
  const int is_periodic = (field->flags & TRM_FIELD_PERIODIC_X) != 0;
  passage p;
  if (field->blocks) {
    TRM_TRY(check_field(field, 0));
    return trmi_blocks_fill(field, source, user);
  }
  TRM_TRY(passage_open(field, is_periodic ? field->layout.ghosts : 0, &p));
  const filling f = {&p, source, user, malloc(p.chunk_rows * p.row_bytes)};
  trm_status status = f.dense ? TRM_OK
                      : TRM_FAIL(NO_HOST_MEMORY, "no memory to move the field '%s' in parts of "
                                 "%zu bytes", field->name, p.chunk_rows * p.row_bytes);
  for (size_t c = 0; c < (size_t)field->components && status == TRM_OK; c++)
    status = fill_component(&f, c);
  free(f.dense);
  free(p.staging);
  return status;
}

trm_status trmi_field_fill_stored(const trm_field *field, trmi_field_source *source, void *user)
{
  if (!field->blocks) return fill(field, source, user);
  TRM_TRY(check_field(field, 0));
  return trmi_blocks_fill_stored(field, source, user);
}

typedef struct origin {
  const unsigned char *next;
  size_t size;
} origin;

static trm_status take(void *user, void *elements, size_t count)
{
  origin *from = user;
  memcpy(elements, from->next, count * from->size);
  from->next += count * from->size;
  return TRM_OK;
}

trm_status trm_field_write(const trm_field *field, const void *source)
{
  origin from = {source, trm_type_size(field->type)};
  return fill(field, take, &from);
}
