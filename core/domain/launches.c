/* launches.c - commands of a part's device: planned, compiled into an exchange and carried out. */
#include "core/domain/parts.h"
#include "core/steps.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- own hands ------------------------------------------------------------------- */

static trm_buffer *buffer_of(void *user, size_t number)
{
  return ((domain_device *)((trm_device *)user)->domain)->buffers[number];
}

static int has_ghosts(void *user, size_t part)
{
  return ((domain_device *)((trm_device *)user)->domain)->peers[part].info.is_host;
}

static trm_status enqueue(trm_device *device, const trm_command *command)
{
  trmi_log_to(device->context);
  TRM_TRY(device->table->enqueue(device->handle, command));
  return device->is_exact ? device->table->finish(device->handle) : TRM_OK;
}

/* A command over bytes of its first buffer, piece by piece. */
typedef struct piecewise {
  trm_device *device;
  const trm_command *command;
} piecewise;

static trm_status enqueue_piece(void *user, size_t offset, size_t bytes)
{
  const piecewise *p = user;
  trm_command part = *p->command;
  part.source_offset += offset - part.offset;
  part.offset = offset;
  part.bytes = bytes;
  return enqueue(p->device, &part);
}

static trm_status enqueue_pieces(trm_device *device, const trm_command *command,
                                 const trm_buffer *buffer, domain_span rows)
{
  piecewise all = { device, command };
  return domain_each_piece(domain_rows_of(buffer), rows,
                           (domain_span){ command->offset, command->bytes }, enqueue_piece, &all);
}

/* As short as it can be, so that it repeats in each value. */
static trm_command shorten_pattern(const trm_command *command)
{
  trm_command fill = *command;
  for (uint32_t half = fill.pattern_bytes / 2;
       half > 0 && memcmp(fill.pattern, fill.pattern + half, half) == 0; half /= 2)
    fill.pattern_bytes = half;
  return fill;
}

/* Wherever there is memory. Memory that nobody has used yet will be zeros. */
static trm_status fill(trm_device *device, const trm_command *command, trm_buffer *buffer)
{
  const domain_rows *rows = domain_rows_of(buffer);
  const trm_command shorter = shorten_pattern(command);
  const int is_zero = shorter.pattern_bytes == 1 && shorter.pattern[0] == 0;
  if (buffer->part->held.count == 0 && is_zero) return TRM_OK;
  if (buffer->part->held.count == 0 || rows->value_bytes % shorter.pattern_bytes)
    TRM_TRY(domain_buffer_hold(buffer, (domain_span){ 0, rows->total }));
  return enqueue_pieces(device, &shorter, buffer, buffer->part->held);
}

/* A host does the work of such a launch by other means. */
static int is_left_out(const trm_device *device, const trm_command *command)
{
  return command->kind == TRM_COMMAND_LAUNCH && command->sharing->how.is_of_gpus &&
         device->info.is_host;
}

/* span: rows, groups of a group kernel, or parts of a list; NULL: all of the command. */
static trm_status carry(void *user, const trm_command *command, trm_buffer *const *buffers,
                        const domain_share *share, const domain_span *span)
{
  trm_device *device = user;
  trm_command part = *command;
  if (is_left_out(device, command)) return TRM_OK;
  if (command->kind == TRM_COMMAND_FILL) return fill(device, command, buffers[0]);
  if (share->copied.count) return enqueue_pieces(device, command, buffers[0], share->copied);
  part.sharing = NULL;
  if (!span) return enqueue(device, &part);
  if (part.declaration->kind == TRM_KERNEL_GROUP) {
    part.extent.unused = (int32_t)span->first;
    part.extent.nx = (int32_t)span->count;
  } else {
    part.extent.unused = (int32_t)(part.extent.nz > 1 ? span->first / (size_t)part.extent.ny
                                                      : span->first);
    part.first_row = (int64_t)span->first;
    part.rows = (int64_t)span->count;
  }
  return enqueue(device, &part);
}

static domain_hands hands_of(trm_device *device)
{
  const domain_device *domain = device->domain;
  return (domain_hands){ device, domain->part, domain->parts, buffer_of, domain->direct, has_ghosts,
                         carry };
}

/* ---- planning ---------------------------------------------------------------------- */

/* The derived rows that a launch computes are of the buffers with room for them. */
static trm_status hold_derived(const domain_device *domain, size_t count, const size_t *numbers)
{
  domain_share share;
  domain_plan_share(domain->plan, domain->part, &share);
  for (size_t k = 0; k < share.derived.count; k++) {
    const domain_span run = domain_derived_run(&share.derived, k);
    for (size_t i = 0; i < count && run.count; i++) {
      const domain_rows *b = domain_plan_rows(domain->plan, numbers[i]);
      if (b->derived)
        TRM_TRY(domain_buffer_hold_apart(domain->buffers[numbers[i]],
                                         (domain_span){ b->total + run.first, run.count }));
    }
  }
  return TRM_OK;
}

/* Rows to come. They lie apart if the buffer does not hold them, where it has a table of neighbours
 * or is only copied. */
static trm_status hold_pieces(const domain_device *domain, int is_copy, int are_apart)
{
  size_t count;
  const domain_piece *pieces = domain_plan_pieces(domain->plan, &count);
  for (size_t i = 0; i < count; i++) {
    trm_buffer *buffer = domain->buffers[pieces[i].buffer];
    const domain_span rows = { pieces[i].row, pieces[i].count };
    if (pieces[i].to != domain->part || (is_copy || buffer->part->apart) != are_apart) continue;
    TRM_TRY(are_apart ? domain_buffer_hold_apart(buffer, rows) : domain_buffer_hold(buffer, rows));
  }
  return TRM_OK;
}

/* Memory for rows: those to come, to be written, and to be valid then. */
static trm_status hold(const trm_device *device, int is_copy, size_t count, const size_t *numbers)
{
  const domain_device *domain = device->domain;
  const size_t beyond = device->info.is_host ? 0 : TRM_STEPS_BEYOND;
  TRM_TRY(hold_pieces(domain, is_copy, 0));
  for (size_t i = 0; i < count; i++) {
    trm_buffer *buffer = domain->buffers[numbers[i]];
    TRM_TRY(domain_buffer_hold(buffer, domain_plan_written(domain->plan, i, domain->part)));
    if (domain->holds_unused)
      TRM_TRY(domain_buffer_hold(buffer, domain_plan_unused(domain->plan, i, domain->part,
                                                            beyond)));
    TRM_TRY(domain_buffer_hold(buffer,
                               domain_plan_valid(domain->plan, numbers[i])[domain->part]));
  }
  TRM_TRY(hold_pieces(domain, is_copy, 1));
  return hold_derived(domain, count, numbers);
}

static void number_buffers(trm_buffer *const *buffers, size_t count, size_t *numbers)
{
  for (size_t i = 0; i < count; i++) numbers[i] = buffers[i]->part->number;
}

/* A failure of the part itself, such as too little memory, comes out when all agree. */
static void note(domain_device *domain, trm_status status)
{
  trmi_error_first(&domain->failed, status);
}

/* The launch may be a copy between rows that are cut otherwise. */
static void count_other_bytes(domain_device *domain)
{
  size_t count;
  domain_share share;
  const domain_piece *pieces = domain_plan_pieces(domain->plan, &count);
  domain_plan_share(domain->plan, domain->part, &share);
  for (size_t i = 0; i < count && share.copied.count; i++)
    if (pieces[i].from == domain->part)
      domain->moved.other_bytes += domain_bytes(domain_plan_rows(domain->plan, pieces[i].buffer), 0,
                                                pieces[i].list, pieces[i].row,
                                                pieces[i].count).count;
}

static trm_status plan(trm_device *device, const trm_command *command, trm_buffer *const *buffers,
                       domain_exchange *into)
{
  domain_device *domain = device->domain;
  const domain_hands hands = hands_of(device);
  const uint32_t count = command->kind == TRM_COMMAND_FILL ? 1 : command->buffer_count;
  size_t numbers[TRM_MAX_BUFFERS];
  number_buffers(buffers, count, numbers);
  TRM_TRY(domain_plan_launch(domain->plan, command, numbers));
  if (command->kind == TRM_COMMAND_COPY) count_other_bytes(domain);
  if (command->kind != TRM_COMMAND_FILL)
    note(domain, hold(device, command->kind == TRM_COMMAND_COPY, count, numbers));
  return domain_exchange_add(into, domain->plan, &hands);
}

static trm_status refuse_alone(const domain_device *domain)
{
  return domain->is_alone ? TRM_FAIL(INVALID, "part 0 launches, and the other parts do not")
                          : TRM_OK;
}

/* ---- a launch ---------------------------------------------------------------------- */

static double now_s(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Work around an exchange: launch i, or a pass that begins with launch i. */
typedef struct around {
  trm_device *device;
  const domain_exchange *exchange;
  size_t i;
  domain_hands hands;
  const domain_pass *pass;      /* NULL: the launch */
  const trm_command *command;
  trm_buffer *const *buffers;
} around;

static void replay(trm_device *device, void *handle)
{
  domain_device *domain = device->domain;
  trmi_log_to(device->context);
  if (handle && domain->failed.status == TRM_OK)
    note(domain, device->table->sequence_replay(device->handle, handle, 1));
}

static void carry_out_inner(const around *a)
{
  if (a->pass) replay(a->device, a->pass->inner);
  else
    domain_exchange_inner(a->exchange, a->i, &a->hands, a->command, a->buffers,
                          &a->device->domain->failed);
}

static void carry_out_rest(const around *a)
{
  const domain_pass *pass = a->pass;
  if (!pass) {
    domain_exchange_rest(a->exchange, a->i, &a->hands, a->command, a->buffers,
                         &a->device->domain->failed);
    return;
  }
  for (int k = 0; k < 3; k++) replay(a->device, pass->rest[k]);
}

/* Between two looks at the rows that it may touch, once all rows have come. */
static void carry_out_checked(const around *a)
{
  domain_device *domain = a->device->domain;
  domain_hashes before = { { NULL } };
  if (domain->failed.status == TRM_OK)
    note(domain, domain_check_before(a->device, a->command, a->buffers, &before));
  carry_out_inner(a);
  carry_out_rest(a);
  if (domain->failed.status == TRM_OK)
    note(domain, domain_check_after(a->device, a->command, a->buffers, &before));
  for (size_t k = 0; k < TRM_MAX_BUFFERS; k++) free(before.of[k]);
}

static void carry_out_around(const around *a)
{
  trm_device *device = a->device;
  domain_device *domain = device->domain;
  const int is_checked = domain->is_checked && domain_plan_is_by_rows(domain->plan);
  const domain_visit visit = domain_enter(device);
  const double begun = now_s();
  domain_exchange_send(a->exchange, a->i, domain->post, &a->hands, &domain->failed, &domain->moved);
  const double sent = now_s();
  if (!is_checked) carry_out_inner(a);
  const double inner = now_s();
  domain_exchange_take(a->exchange, a->i, domain->post, &a->hands, &domain->failed, &domain->moved);
  const double taken = now_s();
  if (is_checked) carry_out_checked(a);
  else carry_out_rest(a);
  const double rows = (sent - begun) + (taken - inner);
  device->spent.rows += rows;
  device->spent.launches += now_s() - begun - rows;
  domain_leave(device, &visit);
}

static trm_status carry_out(trm_device *device, const domain_exchange *exchange, size_t i,
                            const trm_command *command, trm_buffer *const *buffers,
                            trm_program *program)
{
  const trmi_seen seen = { command, program, buffers };
  TRM_TRY(trmi_trace_before(device, &seen));
  carry_out_around(&(around){ device, exchange, i, hands_of(device), NULL, command, buffers });
  return trmi_trace_after(device, &seen);
}

trm_status domain_submit(trm_device *device, const trm_command *command,
                         trm_buffer *const *buffers, trm_program *program)
{
  domain_device *domain = device->domain;
  TRM_TRY(refuse_alone(domain));
  domain->launched++;
  domain_exchange_clear(domain->plain);
  TRM_TRY(plan(device, command, buffers, domain->plain));
  return carry_out(device, domain->plain, 0, command, buffers, program);
}

/* ---- sequences ---------------------------------------------------------------------- */

enum { KEPT = 4 };              /* exchanges of a sequence, for the rows that were valid before */

typedef struct one_kept {
  domain_exchange *exchange;    /* NULL: none */
  domain_passes *passes;
  uint64_t cut;
  domain_span *before, *then;   /* valid rows of the sequence's buffers, of each part */
} one_kept;

struct domain_kept {
  size_t count, *numbers;       /* the buffers of its commands, each once */
  size_t next;                  /* the one that is replaced next */
  one_kept list[KEPT];
};

static void free_one(trm_device *device, one_kept *one)
{
  domain_passes_destroy(device, &one->passes);
  domain_exchange_destroy(&one->exchange);
  free(one->before);
  free(one->then);
  *one = (one_kept){ .exchange = NULL };
}

void domain_kept_free(trm_device *device, domain_kept **kept)
{
  if (!*kept) return;
  for (size_t i = 0; i < KEPT; i++) free_one(device, &(*kept)->list[i]);
  free((*kept)->numbers);
  free(*kept);
  *kept = NULL;
}

static void add_number(domain_kept *kept, size_t number)
{
  for (size_t i = 0; i < kept->count; i++)
    if (kept->numbers[i] == number) return;
  kept->numbers[kept->count++] = number;
}

static trm_status find_buffers(const domain_device *domain, trm_sequence *sequence)
{
  domain_kept *kept = calloc(1, sizeof *kept);
  if (kept) kept->numbers = calloc(domain->buffer_count + 1, sizeof *kept->numbers);
  if (!kept || !kept->numbers) {
    free(kept);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of a sequence");
  }
  for (size_t i = 0; i < sequence->count; i++)
    for (size_t b = 0; b < sequence->kept[i].buffer_count; b++)
      add_number(kept, sequence->kept[i].buffers[b]->part->number);
  sequence->exchanges = kept;
  return TRM_OK;
}

static void read_valid(const domain_device *domain, const domain_kept *kept, domain_span *out)
{
  for (size_t i = 0; i < kept->count; i++)
    memcpy(out + i * domain_plan_spans(domain->plan),
           domain_plan_valid(domain->plan, kept->numbers[i]),
           domain_plan_spans(domain->plan) * sizeof *out);
}

static int is_valid_as(const domain_device *domain, const domain_kept *kept,
                       const domain_span *before)
{
  for (size_t i = 0; i < kept->count; i++)
    if (memcmp(before + i * domain_plan_spans(domain->plan),
               domain_plan_valid(domain->plan, kept->numbers[i]),
               domain_plan_spans(domain->plan) * sizeof *before) != 0)
      return 0;
  return 1;
}

static trm_status compile(trm_device *device, const trm_sequence *sequence, one_kept *out)
{
  const domain_device *domain = device->domain;
  const domain_kept *kept = sequence->exchanges;
  const size_t spans = kept->count * domain_plan_spans(domain->plan);
  free_one(device, out);
  out->cut = domain->cut;
  out->before = calloc(spans, sizeof *out->before);
  out->then = calloc(spans, sizeof *out->then);
  if (!out->before || !out->then)
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the rows of a sequence");
  TRM_TRY(domain_exchange_create(&out->exchange));
  read_valid(domain, kept, out->before);
  for (size_t i = 0; i < sequence->count; i++)
    TRM_TRY(plan(device, &sequence->commands[i], sequence->kept[i].buffers, out->exchange));
  read_valid(domain, kept, out->then);
  note(device->domain, domain_passes_create(device, sequence, out->exchange, &out->passes));
  return TRM_OK;
}

/* The exchange for the rows that are valid now; then those are valid that are so after it. */
static trm_status find_exchange(trm_device *device, const trm_sequence *sequence,
                                const one_kept **out)
{
  const domain_device *domain = device->domain;
  domain_kept *kept = sequence->exchanges;
  for (size_t k = 0; k < KEPT; k++) {
    const one_kept *one = &kept->list[k];
    if (!one->exchange || one->cut != domain->cut) continue;
    if (!is_valid_as(domain, kept, one->before)) continue;
    for (size_t i = 0; i < kept->count; i++)
      memcpy(domain_plan_valid(domain->plan, kept->numbers[i]),
             one->then + i * domain_plan_spans(domain->plan),
             domain_plan_spans(domain->plan) * sizeof *one->then);
    *out = one;
    return TRM_OK;
  }
  one_kept *made = &kept->list[kept->next++ % KEPT];
  const trm_status status = compile(device, sequence, made);
  if (status == TRM_OK) *out = made;
  else free_one(device, made);
  return status;
}

/* Each launch is planned when its turn comes, since a check asks the plan. */
static trm_status replay_checked(const trm_sequence *sequence)
{
  for (size_t i = 0; i < sequence->count; i++)
    TRM_TRY(domain_submit(sequence->device, &sequence->commands[i], sequence->kept[i].buffers,
                          sequence->kept[i].program));
  return TRM_OK;
}

trm_status domain_replay(trm_sequence *sequence)
{
  trm_device *device = sequence->device;
  const one_kept *kept = NULL;
  domain_pass pass;
  TRM_TRY(refuse_alone(device->domain));
  if (device->domain->is_checked) return replay_checked(sequence);
  device->domain->launched += sequence->count;
  if (!sequence->exchanges) TRM_TRY(find_buffers(device->domain, sequence));
  TRM_TRY(find_exchange(device, sequence, &kept));
  for (size_t i = 0, count; i < sequence->count; i += count) {
    /* a trace sees each launch */
    count = device->trace ? 0 : domain_passes_at(kept->passes, i, &pass);
    if (count > 0) {
      carry_out_around(&(around){ device, kept->exchange, i, hands_of(device), &pass, NULL, NULL });
    } else {
      TRM_TRY(carry_out(device, kept->exchange, i, &sequence->commands[i],
                        sequence->kept[i].buffers, sequence->kept[i].program));
      count = 1;
    }
  }
  return TRM_OK;
}
