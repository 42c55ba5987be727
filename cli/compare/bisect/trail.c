/* trail.c - the hooks of a traced device: keep what a command is about to read, if that is wanted,
 * and hash what it wrote. */
#include "cli/compare/bisect/trail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static trm_status no_memory(void)
{
  return TRM_FAIL(NO_HOST_MEMORY, "no memory to follow a run command by command");
}

/* The array with room for one more entry of `size` bytes; NULL: no memory, and the array stands. */
static void *room(void *array, size_t count, size_t *capacity, size_t size)
{
  if (count < *capacity) return array;
  const size_t more = *capacity ? 2 * *capacity : 32;
  void *grown = realloc(array, more * size);
  if (grown) *capacity = more;
  return grown;
}

/* ---- cells -------------------------------------------------------------------- */

trm_status trail_cells(trm_type type, const size_t shape[4], const trm_layout *layout,
                       const unsigned char *bytes, void **out)
{
  const size_t size = trm_type_size(type), row_bytes = shape[0] * size;
  const size_t rows = shape[1] * shape[2];
  unsigned char *cells = malloc(row_bytes * rows * shape[3] + 1), *to = cells;
  if (!cells) return no_memory();
  for (size_t c = 0; c < shape[3]; c++)
    for (size_t r = 0; r < rows; r++, to += row_bytes)
      memcpy(to, bytes + (layout->first + c * layout->component + r * layout->row) * size,
             row_bytes);
  *out = cells;
  return TRM_OK;
}

int trail_layouts_match(const trail_layout *a, const trail_layout *b)
{
  return a->field == b->field && a->type == b->type &&
         memcmp(a->shape, b->shape, sizeof a->shape) == 0;
}

int trail_layout_fits(const trail *t, const trail_layout *l, size_t buffer)
{
  const size_t bytes = t->buffers[buffer].bytes;
  if (l->field == TRAIL_NONE) return bytes >= l->bytes && bytes - l->bytes < 8;
  return l->buffer == buffer ||
         (l->shape[1] * l->shape[2] > 1 && t->buffers[l->buffer].bytes == bytes);
}

/* before NULL: everything changed. Neighbouring changes enter as one. */
static trm_status hash_values(const unsigned char *before, const unsigned char *after, size_t count,
                              size_t size, trail_hash *out)
{
  XXH3_state_t *state = XXH3_createState();
  if (!state) return no_memory();
  XXH3_128bits_reset(state);
  for (size_t i = 0; i < count;) {
    const size_t begin = i;
    while (i < count && (!before || memcmp(before + i * size, after + i * size, size) != 0)) i++;
    if (i > begin) {
      XXH3_128bits_update(state, &begin, sizeof begin);
      XXH3_128bits_update(state, after + begin * size, (i - begin) * size);
    } else {
      i++;
    }
  }
  out->changed = XXH3_128bits_digest(state);
  out->all = XXH3_128bits(after, count * size);
  XXH3_freeState(state);
  return TRM_OK;
}

static trm_status add_view(trail *t, size_t layout, const unsigned char *before,
                           const unsigned char *after, trail_write *write)
{
  const trail_layout *l = &t->layouts[layout];
  void *old = NULL, *fresh = NULL;
  if (write->view_count == TRAIL_VIEWS) return TRM_OK;
  trm_status status = trail_cells(l->type, l->shape, &l->layout, after, &fresh);
  if (status == TRM_OK && before)
    status = trail_cells(l->type, l->shape, &l->layout, before, &old);
  write->views[write->view_count].layout = layout;
  if (status == TRM_OK)
    status = hash_values(old, fresh, l->shape[0] * l->shape[1] * l->shape[2] * l->shape[3],
                         trm_type_size(l->type), &write->views[write->view_count].hash);
  if (status == TRM_OK) write->view_count++;
  free(old);
  free(fresh);
  return status;
}

static trm_status add_layout(trail *t, const trail_layout *added)
{
  for (size_t i = 0; i < t->layout_count; i++)
    if (trail_layouts_match(&t->layouts[i], added) && t->layouts[i].bytes == added->bytes &&
        t->layouts[i].buffer == added->buffer)
      return TRM_OK;
  trail_layout *grown = room(t->layouts, t->layout_count, &t->layout_capacity, sizeof *grown);
  if (!grown) return no_memory();
  t->layouts = grown;
  t->layouts[t->layout_count++] = *added;
  return TRM_OK;
}

/* By the layouts asked of the device, then by those of fields: another device may be asked for
 * another shape. */
static trm_status add_views(trail *t, const unsigned char *before, const unsigned char *after,
                            trail_write *write)
{
  for (int of_fields = 0; of_fields <= 1; of_fields++)
    for (size_t i = 0; i < t->layout_count; i++)
      if ((t->layouts[i].field != TRAIL_NONE) == of_fields &&
          trail_layout_fits(t, &t->layouts[i], write->buffer))
        TRM_TRY(add_view(t, i, before, after, write));
  return TRM_OK;
}

/* ---- what is met --------------------------------------------------------------- */

static trm_status on_layout(void *user, trm_type type, const size_t shape[4],
                            const trm_layout *layout)
{
  const trail_layout added = {.field = TRAIL_NONE, .type = type, .layout = *layout,
                              .shape = {shape[0], shape[1], shape[2], shape[3]},
                              .bytes = layout->elements * trm_type_size(type)};
  return add_layout(user, &added);
}

static trm_status add_buffer(trail *t, const trm_buffer *buffer)
{
  trail_buffer *grown = room(t->buffers, t->buffer_count, &t->buffer_capacity, sizeof *grown);
  if (!grown) return no_memory();
  t->buffers = grown;
  trail_buffer *added = &t->buffers[t->buffer_count];
  *added = (trail_buffer){.handle = buffer, .bytes = trm_buffer_bytes(buffer)};
  snprintf(added->name, sizeof added->name, "%s", trmi_buffer_name(buffer));
  for (size_t i = 0; i < t->buffer_count; i++)
    added->ordinal += strcmp(t->buffers[i].name, added->name) == 0;
  t->buffer_count++;
  return TRM_OK;
}

static trm_status on_buffer(void *user, trm_buffer *created)
{
  const uint32_t nothing = 0;
  const size_t bytes = trm_buffer_bytes(created);
  TRM_TRY(trm_buffer_fill(created, 0, bytes, &nothing, bytes % 4 == 0 ? 4 : 1));
  return add_buffer(user, created);
}

/* A handle may have been used before: the newest buffer is meant. */
static trm_status find_buffer(trail *t, const trm_buffer *buffer, size_t *out)
{
  for (size_t i = t->buffer_count; i-- > 0;)
    if (t->buffers[i].handle == buffer) {
      *out = i;
      return TRM_OK;
    }
  TRM_TRY(add_buffer(t, buffer)); /* made while a sequence was recorded */
  *out = t->buffer_count - 1;
  return TRM_OK;
}

static trm_status read_whole(trm_buffer *buffer, unsigned char **out)
{
  const size_t bytes = trm_buffer_bytes(buffer);
  unsigned char *data = malloc(bytes);
  if (!data) return no_memory();
  const trm_status status = trm_buffer_read(buffer, 0, bytes, data);
  if (status == TRM_OK) *out = data;
  else free(data);
  return status;
}

/* keep NULL, or where the bytes go. */
static trm_status record_write(trail *t, size_t launch, trm_buffer *buffer,
                               const unsigned char *before, unsigned char **keep)
{
  size_t index;
  unsigned char *after = NULL;
  TRM_TRY(find_buffer(t, buffer, &index));
  trail_write *grown = room(t->writes, t->write_count, &t->write_capacity, sizeof *grown);
  if (!grown) return no_memory();
  t->writes = grown;
  TRM_TRY(read_whole(buffer, &after));
  trail_write *write = &t->writes[t->write_count];
  const size_t bytes = t->buffers[index].bytes, word = bytes % 4 == 0 ? 4 : 1;
  *write = (trail_write){.launch = launch, .buffer = index, .version = t->buffers[index].versions};
  trm_status status = hash_values(before, after, bytes / word, word, &write->whole);
  if (status == TRM_OK) status = add_views(t, before, after, write);
  if (status == TRM_OK) {
    t->write_count++;
    t->buffers[index].versions++;
  }
  if (keep && status == TRM_OK) *keep = after;
  else free(after);
  return status;
}

static trm_status record_launch(trail *t, const trail_launch *launch)
{
  trail_launch *grown = room(t->launches, t->launch_count, &t->launch_capacity, sizeof *grown);
  if (!grown) return no_memory();
  t->launches = grown;
  t->launches[t->launch_count++] = *launch;
  return TRM_OK;
}

static char access_of(const trm_command *command, size_t i)
{
  if (command->kind == TRM_COMMAND_LAUNCH) return command->declaration->access[i];
  return i == 0 ? 'w' : 'r';
}

/* ---- hooks of commands ---------------------------------------------------------- */

static trm_status keep_inputs(trail *t, const trmi_seen *seen)
{
  kept_command *kept = &t->kept;
  for (uint32_t i = 0; i < seen->command->buffer_count; i++) {
    kept_buffer *buffer = &kept->buffers[kept->buffer_count++];
    buffer->access = access_of(seen->command, i);
    TRM_TRY(find_buffer(t, seen->buffers[i], &buffer->buffer));
    TRM_TRY(read_whole(seen->buffers[i], &buffer->before));
  }
  return TRM_OK;
}

static void forget_before(trail *t)
{
  for (size_t i = 0; i < TRM_MAX_BUFFERS; i++) {
    free(t->before[i]);
    t->before[i] = NULL;
  }
}

static trm_status on_before(void *user, const trmi_seen *seen)
{
  trail *t = user;
  if (!t->is_on) return TRM_OK;
  forget_before(t);
  for (uint32_t i = 0; i < seen->command->buffer_count; i++)
    if (access_of(seen->command, i) == 'w') TRM_TRY(read_whole(seen->buffers[i], &t->before[i]));
  return t->launch_count == t->wanted ? keep_inputs(t, seen) : TRM_OK;
}

static trm_status on_after(void *user, const trmi_seen *seen)
{
  trail *t = user;
  const trm_command *command = seen->command;
  if (!t->is_on) return TRM_OK;
  const size_t launch = t->launch_count;
  trail_launch recorded = {.kind = command->kind, .extent = command->extent};
  if (seen->program) {
    snprintf(recorded.program, sizeof recorded.program, "%s", trmi_program_name(seen->program));
    snprintf(recorded.kernel, sizeof recorded.kernel, "%s", command->declaration->name);
  }
  TRM_TRY(record_launch(t, &recorded));
  for (uint32_t i = 0; i < command->buffer_count; i++)
    if (access_of(command, i) == 'w')
      TRM_TRY(record_write(t, launch, seen->buffers[i], t->before[i],
                           launch == t->wanted ? &t->kept.buffers[i].after : NULL));
  return TRM_OK;
}

static trm_status on_written(void *user, trm_buffer *buffer)
{
  trail *t = user;
  if (!t->is_on) return TRM_OK;
  TRM_TRY(record_launch(t, &(trail_launch){.is_upload = 1}));
  return record_write(t, t->launch_count - 1, buffer, NULL, NULL);
}

/* ---- life ----------------------------------------------------------------------- */

void trail_begin(trail *out, trm_device *device, size_t wanted)
{
  *out = (trail){.device = device, .wanted = wanted};
  out->trace = (trmi_trace_hooks){.user = out, .layout = on_layout, .buffer = on_buffer,
                                  .before = on_before, .after = on_after, .written = on_written};
  trmi_device_trace(device, &out->trace);
}

trm_status trail_learn(trail *t, const trm_solver *solver)
{
  for (size_t i = 0; i < solver->field_count; i++) {
    const trm_field *f = &solver->fields[i];
    if (!f->buffer) continue;
    trail_layout added = {.field = (int)i, .type = f->type, .layout = f->layout,
                          .shape = {f->nx, f->ny, f->nz, (size_t)f->components}};
    TRM_TRY(find_buffer(t, f->buffer, &added.buffer));
    TRM_TRY(add_layout(t, &added));
  }
  return TRM_OK;
}

void trail_enable(trail *t)
{
  t->is_on = 1;
}

void trail_start_over(trail *t)
{
  t->buffer_count = 0;
}

static trm_status record_fields(trail *t, const trm_solver *solver)
{
  t->fields = calloc(solver->field_count + 1, sizeof *t->fields);
  if (!t->fields) return no_memory();
  for (size_t i = 0; i < solver->field_count; i++) {
    const trm_field *f = &solver->fields[i];
    if (!f->buffer) continue;
    trail_field *recorded = &t->fields[t->field_count];
    *recorded = (trail_field){.is_hashed = (f->flags & TRM_FIELD_HASHED) != 0,
                              .type = f->type, .layout = f->layout,
                              .shape = {f->nx, f->ny, f->nz, (size_t)f->components}};
    snprintf(recorded->name, sizeof recorded->name, "%s", f->name);
    TRM_TRY(find_buffer(t, f->buffer, &recorded->buffer));
    t->field_count++;
  }
  for (size_t i = 0; i < solver->series_count; i++) {
    size_t buffer;
    TRM_TRY(find_buffer(t, solver->series[i].buffer, &buffer));
    t->buffers[buffer].is_series = 1;
  }
  return TRM_OK;
}

trm_status trail_leave(trail *t, const trm_solver *solver)
{
  t->is_on = 0;
  trmi_device_trace(t->device, NULL);
  return solver ? record_fields(t, solver) : TRM_OK;
}

void trail_clear(trail *t)
{
  if (t->device) trmi_device_trace(t->device, NULL);
  forget_before(t);
  for (size_t i = 0; i < t->kept.buffer_count; i++) {
    free(t->kept.buffers[i].before);
    free(t->kept.buffers[i].after);
  }
  free(t->layouts);
  free(t->buffers);
  free(t->launches);
  free(t->writes);
  free(t->fields);
  *t = (trail){0};
}
