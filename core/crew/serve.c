/* serve.c - what a rank other than 0 does: it obeys, until it is told to quit.
 *
 * The first error, but of what rank 0 may do without, is kept and told with the next answer; until
 * its devices are closed, the rank then only takes part in transfers, so that nobody waits for
 * it. */
#include "core/crew/driver.h"
#include "core/crew/pack.h"
#include "core/crew/saver.h"
#include "core/domain/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct server {
  trm_context *context;
  void **objects;               /* by number */
  uint64_t room;
  size_t open_devices;
  trm_status failed;
  char words[2044];
  uint64_t number;              /* of the order at hand */
  saver files;
  int is_over;
} server;

/* ---- objects and errors ---------------------------------------------------------- */

static trm_status keep(server *s, uint64_t number, void *object)
{
  if (number >= s->room) {
    const uint64_t room = 2 * number + 64;
    void **grown = realloc(s->objects, room * sizeof *grown);
    if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the objects of a rank");
    memset(grown + s->room, 0, (room - s->room) * sizeof *grown);
    s->objects = grown;
    s->room = room;
  }
  s->objects[number] = object;
  return TRM_OK;
}

static void *object(const server *s, uint64_t number)
{
  return number < s->room ? s->objects[number] : NULL;
}

static void forget(server *s, uint64_t number)
{
  if (number < s->room) s->objects[number] = NULL;
}

static void note(server *s, trm_status status)
{
  if (status == TRM_OK || s->failed != TRM_OK) return;
  s->failed = status;
  snprintf(s->words, sizeof s->words, "%s", trm_error_last()->text);
}

static trm_status answer(const server *s, uint64_t value, double seconds)
{
  ranks_answer out = { .status = (int32_t)s->failed, .number = s->number, .value = value,
                       .seconds = seconds };
  snprintf(out.text, sizeof out.text, "%s", s->words);
  return ranks_send(0, &out, sizeof out);
}

/* Of an order that failed and changed nothing here: told once, since rank 0 may do without it. */
static trm_status answer_failed(const server *s, trm_status status)
{
  server once = *s;
  note(&once, status);
  return answer(&once, 0, 0);
}

/* ---- devices --------------------------------------------------------------------- */

static trm_status open_device(server *s, const ranks_message *m, const char *name,
                              trm_device **out)
{
  char local[512];
  trm_device_options options = m->is.options;
  if (!s->context) TRM_TRY(trm_context_create(NULL, &s->context));
  TRM_TRY(ranks_local(s->context, name, &options, local, sizeof local));
  TRM_TRY(trmi_device_open_one(s->context, local, &options, out));
  (*out)->is_member = 1;
  const trm_status status = keep(s, m->object, *out);
  if (status != TRM_OK) trm_device_close(out);
  return status;
}

static trm_status serve_open(server *s, const ranks_message *m, const void *name)
{
  trm_device *device = NULL;
  if (s->open_devices == 0) {
    s->failed = TRM_OK;
    s->words[0] = 0;
  }
  if (s->failed == TRM_OK) note(s, open_device(s, m, name, &device));
  TRM_TRY(answer(s, device ? ranks_file_of(device->table) : 0, 0));
  if (!device) return TRM_OK;
  s->open_devices++;
  return ranks_send(0, &device->info, sizeof device->info);
}

static void serve_close(server *s, const ranks_message *m)
{
  trm_device *device = object(s, m->of);
  forget(s, m->of);
  if (device) s->open_devices--;
  pack_free(device);
  trm_device_close(&device);
}

static trm_status serve_devices(server *s)
{
  const trm_device_info *list = NULL;
  size_t count = 0;
  if (!s->context) note(s, trm_context_create(NULL, &s->context));
  if (s->context) note(s, trm_device_list(s->context, &list, &count));
  TRM_TRY(answer(s, count, 0));
  return s->failed == TRM_OK ? ranks_send(0, list, count * sizeof *list) : TRM_OK;
}

/* ---- buffers ---------------------------------------------------------------------- */

static trm_status make_buffer(server *s, const ranks_message *m)
{
  trm_buffer *buffer = NULL;
  TRM_TRY(trmi_buffer_reserve(object(s, m->of), m->bytes, "part", &buffer));
  const trm_status status = keep(s, m->object, buffer);
  if (status != TRM_OK) trm_buffer_destroy(&buffer);
  return status;
}

static trm_status serve_read(server *s, const ranks_message *m)
{
  void *room = malloc(m->bytes);
  if (!room)
    return answer_failed(s, TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes of a buffer",
                                     m->bytes));
  if (s->failed == TRM_OK)
    note(s, trm_buffer_read(object(s, m->object), m->offset, m->bytes, room));
  trm_status status = answer(s, 0, 0);
  if (status == TRM_OK && s->failed == TRM_OK) status = ranks_send(0, room, m->bytes);
  free(room);
  return status;
}

static void serve_rows(server *s, const ranks_message *m)
{
  trm_buffer *buffer = s->failed == TRM_OK ? object(s, m->object) : NULL;
  const trm_status status = m->order == RANKS_PUT ? ranks_put(buffer, m->peer, &m->is.rows)
                                                  : ranks_get(buffer, m->peer, &m->is.rows);
  note(s, status);
}

/* ---- programs ---------------------------------------------------------------------- */

/* A program and what it is made of. */
typedef struct served_program {
  trm_program *program;
  ranks_source source;
} served_program;

static void drop_program(served_program *served)
{
  if (!served) return;
  trm_program_destroy(&served->program);
  ranks_source_free(&served->source);
  free(served);
}

static trm_status build(server *s, const ranks_message *m, const unsigned char *packed,
                        served_program *out)
{
  trm_program_options options = m->is.program;
  TRM_TRY(ranks_unpack(packed, &out->source));
  options.variant = out->source.variant;
  TRM_TRY(trm_program_create(object(s, m->of), &out->source.source, &options, &out->program));
  return keep(s, m->object, out);
}

/* Takes over what it is built from. */
static trm_status serve_program(server *s, const ranks_message *m, void *packed)
{
  served_program *made = calloc(1, sizeof *made);
  if (!made) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a program");
  made->source.packed = packed;
  if (s->failed == TRM_OK) note(s, build(s, m, packed, made));
  const trm_program_info *info = s->failed == TRM_OK ? trm_program_describe(made->program) : NULL;
  const trm_status status = answer(s, info ? (uint64_t)info->from_cache : 0,
                                   info ? info->build_seconds : 0);
  if (!info) drop_program(made);
  return status;
}

static trm_status find_kernel(server *s, const ranks_message *m, const char *name)
{
  const served_program *served = object(s, m->of);
  trm_kernel *kernel = NULL;
  TRM_TRY(trm_program_kernel(served ? served->program : NULL, name, &kernel));
  return keep(s, m->object, kernel);
}

/* Rank 0 has checked it. */
static trm_status carry_out(server *s, const ranks_message *m)
{
  trm_device *device = object(s, m->of);
  trm_command command = m->is.command;
  for (uint32_t i = 0; i < command.buffer_count; i++) {
    const trm_buffer *buffer = object(s, (uint64_t)(uintptr_t)command.buffers[i]);
    if (!buffer) return TRM_FAIL(INVALID, "a command names a buffer that this rank does not have");
    command.buffers[i] = buffer->handle;
  }
  if (command.kind == TRM_COMMAND_LAUNCH) {
    const trm_kernel *kernel = object(s, (uint64_t)(uintptr_t)command.kernel);
    if (!kernel) return TRM_FAIL(INVALID, "a command names a kernel that this rank does not have");
    command.kernel = kernel->handle;
    command.declaration = kernel->declaration;
  }
  return driver_carry_out(device, &command, m->peer);
}

static trm_status serve_spent(server *s, const ranks_message *m)
{
  trm_device *device = object(s, m->of);
  if (device) device->is_exact = m->peer;
  TRM_TRY(answer(s, 0, 0));
  return s->failed == TRM_OK ? ranks_send(0, &device->spent, sizeof device->spent) : TRM_OK;
}

/* ---- a run of parts ------------------------------------------------------------------- */

static trm_status find_function(server *s, const ranks_called *called, domain_rank_fn **out)
{
  uintptr_t base;
  if (!s->context) TRM_TRY(trm_context_create(NULL, &s->context));
  TRM_TRY(ranks_object_at(called->path, &base));
  const uintptr_t at = base + (uintptr_t)called->offset;
  memcpy(out, &at, sizeof at);
  return TRM_OK;
}

/* All agree first on whether each can call the function. */
static trm_status serve_call(server *s, const ranks_message *m, const unsigned char *bytes)
{
  const domain_comm comm = ranks_comm();
  ranks_called called;
  domain_rank_fn *run = NULL;
  if (m->bytes < sizeof called) return TRM_FAIL(INVALID, "a function that is not named in whole");
  memcpy(&called, bytes, sizeof called);
  called.path[sizeof called.path - 1] = 0;
  const trm_status found = find_function(s, &called, &run);
  if (found == TRM_OK) run(s->context, bytes + sizeof called, m->bytes - sizeof called, &comm);
  else (void)ranks_agree(found);
  return TRM_OK;
}

/* ---- files that all ranks write ------------------------------------------------------- */

/* Records the first error again, for ranks_agree. */
static trm_status repeat(const server *s)
{
  if (s->failed == TRM_OK) return TRM_OK;
  return trm_error_record(s->failed, __FILE__, __LINE__, "%s", s->words);
}

static trm_status serve_meet(server *s, const ranks_message *m)
{
  const trm_comm_place *place = ranks_place();
  int32_t *errors = calloc((size_t)place->size, sizeof *errors);
  unsigned char *told = malloc(m->bytes + 1);
  saver_token token;
  trm_status status = errors && told ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory to save files");
  if (status == TRM_OK) status = ranks_broadcast(told, m->bytes);
  if (status == TRM_OK) {
    memcpy(&token, told, sizeof token);
    token.name[sizeof token.name - 1] = 0;
    errors[place->rank] = saver_meet(&s->files, &token, (const char *)told + sizeof token);
    status = ranks_gather(errors, sizeof *errors);
  }
  free(told);
  free(errors);
  if (status == TRM_OK) (void)ranks_agree(repeat(s));
  return status;
}

/* The runs that follow `before` bytes; the caller's to free. */
static trm_status take_runs(const ranks_message *m, const unsigned char *told, size_t before,
                            trmi_run **runs)
{
  const size_t bytes = m->offset * sizeof **runs;
  if (m->bytes != before + bytes) return TRM_FAIL(INVALID, "runs of a buffer that are not whole");
  *runs = malloc(bytes ? bytes : 1);
  if (!*runs) return TRM_FAIL(NO_HOST_MEMORY, "no memory to save a buffer");
  memcpy(*runs, told + before, bytes);
  return TRM_OK;
}

static trm_status save(server *s, const ranks_message *m, const unsigned char *told)
{
  trmi_run *runs;
  TRM_TRY(take_runs(m, told, 0, &runs));
  const trm_status status = saver_write(&s->files, object(s, m->object), (trm_type)m->peer, runs,
                                        m->offset);
  free(runs);
  return status;
}

/* Where there is no memory the file is not whole, and the run goes on. */
static void serve_save(server *s, const ranks_message *m, const unsigned char *told)
{
  const trm_status status = save(s, m, told);
  if (status != TRM_ERROR_NO_HOST_MEMORY) note(s, status);
  else if (!s->files.error) s->files.error = ENOMEM;
}

static trm_status sum(const server *s, const ranks_message *m, const unsigned char *told,
                      XXH3_state_t *state)
{
  trmi_run *runs;
  TRM_TRY(take_runs(m, told, sizeof *state, &runs));
  memcpy(state, told, sizeof *state);
  saver_adopt(state);
  const trm_status status = saver_sum(state, object(s, m->object), runs, m->offset);
  free(runs);
  return status;
}

static trm_status serve_sum(server *s, const ranks_message *m, const unsigned char *told)
{
  XXH3_state_t state;
  const trm_status status = s->failed == TRM_OK ? sum(s, m, told, &state) : TRM_OK;
  if (status == TRM_ERROR_NO_HOST_MEMORY) return answer_failed(s, status);
  note(s, status);
  TRM_TRY(answer(s, 0, 0));
  return s->failed == TRM_OK ? ranks_send(0, &state, sizeof state) : TRM_OK;
}

/* Where a rank failed, rank 0 says so. */
static trm_status serve_saved(server *s, const ranks_message *m)
{
  int is_finite, rank, error;
  (void)saver_close(&s->files, m->peer, repeat(s), &is_finite, &rank, &error);
  return TRM_OK;
}

/* ---- the loop ----------------------------------------------------------------------- */

static trm_status free_memory(server *s, const ranks_message *m)
{
  uint64_t there = 0;
  if (s->failed == TRM_OK) note(s, trm_device_free_memory(object(s, m->of), &there));
  return answer(s, there, 0);
}

static trm_status obey(server *s, const ranks_message *m, void *bytes)
{
  const int is_good = s->failed == TRM_OK;
  trm_buffer *buffer;
  switch ((ranks_order)m->order) {
  case RANKS_DEVICES: return serve_devices(s);
  case RANKS_OPEN: return serve_open(s, m, bytes);
  case RANKS_FREE_MEMORY: return free_memory(s, m);
  case RANKS_READ: return serve_read(s, m);
  case RANKS_PROGRAM: return serve_program(s, m, bytes);
  case RANKS_SPENT: return serve_spent(s, m);
  case RANKS_CALL: return serve_call(s, m, bytes);
  case RANKS_MEET: return serve_meet(s, m);
  case RANKS_SUM: return serve_sum(s, m, bytes);
  case RANKS_SAVED: return serve_saved(s, m);
  case RANKS_FILE: saver_open(&s->files, bytes); return TRM_OK;
  case RANKS_SAVE:
    if (is_good) serve_save(s, m, bytes);
    return TRM_OK;
  case RANKS_SAVING_GONE: saver_end(&s->files); return TRM_OK;
  case RANKS_FINISH:
    if (is_good) note(s, trm_device_finish(object(s, m->of)));
    return answer(s, 0, 0);
  case RANKS_BUFFER:
    if (is_good) note(s, make_buffer(s, m));
    return answer(s, 0, 0);
  case RANKS_HOLD:
    if (is_good) note(s, trmi_buffer_hold(object(s, m->object), m->offset, m->bytes));
    return answer(s, 0, 0);
  case RANKS_DROP:
    if (is_good) note(s, trmi_buffer_drop(object(s, m->object), m->offset, m->bytes));
    return TRM_OK;
  case RANKS_WRITE:
    if (is_good) note(s, trm_buffer_write(object(s, m->object), m->offset, m->bytes, bytes));
    return TRM_OK;
  case RANKS_COMMAND:
    if (is_good) note(s, carry_out(s, m));
    return TRM_OK;
  case RANKS_KERNEL:
    if (is_good) note(s, find_kernel(s, m, bytes));
    return TRM_OK;
  case RANKS_PUT:
  case RANKS_GET: serve_rows(s, m); return TRM_OK;
  case RANKS_BUFFER_GONE:
    buffer = object(s, m->object);
    forget(s, m->object);
    trm_buffer_destroy(&buffer);
    return TRM_OK;
  case RANKS_PROGRAM_GONE:
    drop_program(object(s, m->object));
    forget(s, m->object);
    return TRM_OK;
  case RANKS_CLOSE: serve_close(s, m); return TRM_OK;
  case RANKS_QUIT: s->is_over = 1; return TRM_OK;
  }
  return TRM_FAIL(INVALID, "a message of an unknown kind");
}

static int has_bytes(const ranks_message *m)
{
  return m->order == RANKS_OPEN || m->order == RANKS_WRITE || m->order == RANKS_PROGRAM ||
         m->order == RANKS_KERNEL || m->order == RANKS_FILE || m->order == RANKS_SAVE ||
         m->order == RANKS_SUM || m->order == RANKS_CALL;
}

static trm_status serve_one(server *s)
{
  ranks_message message;
  TRM_TRY(ranks_hear(&message));
  s->number = message.number;
  void *bytes = has_bytes(&message) ? malloc(message.bytes) : NULL;
  if (has_bytes(&message) && !bytes)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes of rank 0", message.bytes);
  trm_status status = bytes ? ranks_receive(0, bytes, message.bytes) : TRM_OK;
  if (status == TRM_OK) status = obey(s, &message, bytes);
  if (message.order != RANKS_PROGRAM) free(bytes);
  return status;
}

trm_status trm_ranks_run_worker(void)
{
  server s = { .context = NULL };
  trm_status status = TRM_OK;
  if (ranks_place()->rank == 0)
    return TRM_FAIL(INVALID, "trm_ranks_run_worker: rank 0 carries out the command itself");
  while (!s.is_over && status == TRM_OK && !ranks_are_apart()) status = ranks_part(serve_one(&s));
  if (ranks_are_apart()) return trm_ranks_end(); /* fails with the first cause */
  saver_end(&s.files);
  trm_context_destroy(&s.context);
  free(s.objects);
  return TRM_OK;
}
