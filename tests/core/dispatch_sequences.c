/* dispatch_sequences.c - a recorded sequence gives what plain launches give, outlives the handles
 * of what it uses, and lets nothing through that cannot be recorded. */
#include "tests/core/dispatch.h"

#include <string.h>

#include "core/counters.h"
#include "core/trace.h"

/* g = 3 f, f = 2 g: each replay multiplies f by 6. */
static void record_two(dispatch_field *field, trm_sequence **sequence)
{
  TEST_OK(trm_sequence_begin(field->device));
  TEST_OK(dispatch_scale(field, field->f, field->g, 3.0f));
  TEST_OK(dispatch_scale(field, field->g, field->f, 2.0f));
  TEST_OK(trm_sequence_end(field->device, sequence));
  assert_int_equal(trm_sequence_length(*sequence), 2);
}

static void recording_executes_nothing(trm_device *device)
{
  dispatch_field field;
  trm_sequence *sequence = NULL;
  dispatch_open(device, &field);
  record_two(&field, &sequence);
  dispatch_expect(&field, field.f, 1.0f);
  dispatch_expect(&field, field.g, 0.0f);
  trm_sequence_destroy(&sequence);
  assert_null(sequence);
  dispatch_close(&field);
}

static void a_replay_is_the_launches_in_their_order(trm_device *device)
{
  dispatch_field field;
  trm_sequence *sequence = NULL;
  dispatch_open(device, &field);
  record_two(&field, &sequence);
  TEST_OK(trm_sequence_replay(sequence, 0));
  dispatch_expect(&field, field.f, 1.0f);
  TEST_OK(trm_sequence_replay(sequence, 1));
  dispatch_expect(&field, field.f, 6.0f);
  TEST_OK(trm_sequence_replay(sequence, 3));
  dispatch_expect(&field, field.f, 1296.0f);
  dispatch_expect(&field, field.g, 648.0f);
  trm_sequence_destroy(&sequence);
  dispatch_close(&field);
}

static void a_plain_replay_gives_the_same(trm_device *device)
{
  const trm_device_options options = { .plain_replay = 1 };
  trm_device *plain = test_open(test_backend(device), &options);
  dispatch_field field;
  trm_sequence *sequence = NULL;
  dispatch_open(plain, &field);
  record_two(&field, &sequence);
  TEST_OK(trm_sequence_replay(sequence, 4));
  dispatch_expect(&field, field.f, 1296.0f);
  dispatch_expect(&field, field.g, 648.0f);
  trm_sequence_destroy(&sequence);
  dispatch_close(&field);
  trm_device_close(&plain);
}

typedef struct seen_commands { size_t wanted, replays, before, after; float last; } seen_commands;

static trm_status see_replay(void *user, const trm_sequence *sequence, size_t times, size_t *seen)
{
  seen_commands *found = user;
  assert_int_equal(trmi_sequence_command(sequence, 1).command->kind, TRM_COMMAND_LAUNCH);
  found->replays += times;
  *seen = found->wanted < times ? found->wanted : times;
  return TRM_OK;
}

static trm_status see_before(void *user, const trmi_seen *seen)
{
  (void)seen;
  ((seen_commands *)user)->before++;
  return TRM_OK;
}

static trm_status see_after(void *user, const trmi_seen *seen)
{
  seen_commands *found = user;
  found->after++;
  return trm_buffer_read(seen->buffers[1], 0, sizeof found->last, &found->last);
}

/* Whatever the backend does with a sequence: of three replays a trace gets the last one to see. */
static void a_trace_may_choose_replays_and_sees_the_last(trm_device *device)
{
  seen_commands found = { .wanted = 1 };
  const trmi_trace_hooks trace = { .user = &found, .replay = see_replay, .before = see_before,
                                   .after = see_after };
  const trm_device_options options = { .plain_replay = 1 };
  for (int plain = 0; plain < 2; plain++) {
    trm_device *opened = test_open(test_backend(device), plain ? &options : NULL);
    dispatch_field field;
    trm_sequence *first = NULL, *second = NULL;
    dispatch_open(opened, &field);
    trmi_device_trace(opened, &trace);
    record_two(&field, &first);
    record_two(&field, &second);
    assert_true(trmi_sequence_number(first) != trmi_sequence_number(second));
    const trm_counters before = trm_device_counters(opened);
    found = (seen_commands){ .wanted = 1 };
    TEST_OK(trm_sequence_replay(first, 3));
    assert_int_equal(found.before, found.after);
    if (found.replays == 0) assert_int_equal(found.after, 6); /* no replays of the backend's own */
    else assert_int_equal(found.after, 2);
    assert_int_equal(trm_device_counters(opened).launches - before.launches, 6);
    assert_int_equal(trm_device_counters(opened).replayed - before.replayed, found.replays ? 4 : 0);
    trmi_device_trace(opened, NULL);
    TEST_OK(trm_sequence_replay(second, 1));
    assert_int_equal(found.before, found.after);
    dispatch_expect(&field, field.f, 1296.0f);
    dispatch_expect(&field, field.g, 648.0f);
    trm_sequence_destroy(&first);
    trm_sequence_destroy(&second);
    dispatch_close(&field);
    trm_device_close(&opened);
  }
}

/* Launches, fills and copies, more of them than the first allocation holds. */
static void a_long_sequence_of_every_kind_is_replayed(trm_device *device)
{
  dispatch_field field;
  trm_sequence *sequence = NULL;
  trm_buffer *h = NULL;
  const float zero = 0.0f;
  dispatch_open(device, &field);
  const size_t bytes = trm_buffer_bytes(field.f);
  TEST_OK(trm_buffer_create(device, bytes, "h", &h));
  TEST_OK(trm_buffer_fill(h, 0, bytes, &zero, sizeof zero));
  TEST_OK(trm_sequence_begin(device));
  for (int i = 0; i < 100; i++) {
    trm_buffer *const buffers[] = { field.f, h, field.g };
    TEST_OK(trm_buffer_fill(field.g, 0, bytes, &zero, sizeof zero));
    TEST_OK(trm_kernel_launch(field.add, &field.extent, &field.params, sizeof field.params, buffers,
                              3));
    TEST_OK(trm_buffer_copy(h, 0, field.g, 0, bytes));
  }
  TEST_OK(trm_sequence_end(device, &sequence));
  assert_int_equal(trm_sequence_length(sequence), 300);
  TEST_OK(trm_sequence_replay(sequence, 2));
  dispatch_expect(&field, h, 200.0f);
  trm_sequence_destroy(&sequence);
  trm_buffer_destroy(&h);
  dispatch_close(&field);
}

static void parameters_are_frozen_when_recorded(trm_device *device)
{
  dispatch_field field;
  trm_sequence *sequence = NULL;
  trm_buffer *buffers[2];
  dispatch_open(device, &field);
  buffers[0] = field.f;
  buffers[1] = field.g;
  TEST_OK(trm_sequence_begin(device));
  TEST_OK(trm_kernel_launch(field.scale, &field.extent, &field.params, sizeof field.params, buffers,
                            2));
  TEST_OK(trm_sequence_end(device, &sequence));
  const float factor = field.params.factor;
  memset(&field.params, 0xff, sizeof field.params);
  memset(buffers, 0, sizeof buffers);
  TEST_OK(trm_sequence_replay(sequence, 1));
  dispatch_expect(&field, field.g, factor);
  trm_sequence_destroy(&sequence);
  dispatch_close(&field);
}

static void a_sequence_keeps_what_it_uses_alive(trm_device *device)
{
  dispatch_field field;
  trm_sequence *sequence = NULL;
  trm_buffer *h = NULL;
  dispatch_open(device, &field);
  TEST_OK(trm_buffer_create(device, trm_buffer_bytes(field.f), "h", &h));
  TEST_OK(trm_sequence_begin(device));
  TEST_OK(dispatch_scale(&field, field.f, h, 3.0f));
  TEST_OK(dispatch_scale(&field, h, field.g, 2.0f));
  trm_buffer_destroy(&h);
  TEST_OK(trm_sequence_end(device, &sequence));
  trm_program_destroy(&field.program);
  TEST_OK(trm_sequence_replay(sequence, 2));
  dispatch_expect(&field, field.g, 6.0f);
  trm_sequence_destroy(&sequence);
  dispatch_close(&field);
}

static void a_device_closed_early_lives_until_its_last_child(trm_device *device)
{
  trm_device *early = test_open(test_backend(device), NULL);
  dispatch_field field;
  trm_sequence *sequence = NULL;
  trm_event *event = NULL;
  dispatch_open(early, &field);
  record_two(&field, &sequence);
  TEST_OK(trm_event_create(early, &event));
  trm_device_close(&early);
  assert_null(early);
  TEST_OK(trm_sequence_replay(sequence, 1));
  dispatch_expect(&field, field.f, 6.0f);
  trm_event_destroy(&event);
  dispatch_close(&field);
  trm_sequence_destroy(&sequence);
}

static void what_waits_or_reads_is_refused_while_recording(trm_device *device)
{
  dispatch_field field;
  const trm_program_options options = { .precision = TRM_F32 };
  trm_program *program = NULL;
  trm_event *event = NULL;
  float value = 0.0f;
  double seconds = 0.0;
  dispatch_open(device, &field);
  TEST_OK(trm_event_create(device, &event));
  TEST_OK(trm_event_record(event));
  TEST_OK(trm_sequence_begin(device));
  TEST_FAILS(trm_buffer_read(field.f, 0, 4, &value), TRM_ERROR_INVALID,
             "trm_buffer_read: a sequence is being recorded on");
  assert_non_null(strstr(trm_error_last()->text, "trm_sequence_cancel"));
  TEST_FAILS(trm_buffer_write(field.f, 0, 4, &value), TRM_ERROR_INVALID, "trm_buffer_write: a seq");
  TEST_FAILS(trm_device_finish(device), TRM_ERROR_INVALID, "trm_device_finish: a sequence");
  TEST_FAILS(trm_event_record(event), TRM_ERROR_INVALID, "trm_event_record: a sequence");
  TEST_FAILS(trm_event_elapsed(event, event, &seconds), TRM_ERROR_INVALID, "trm_event_elapsed: a");
  TEST_FAILS(trm_program_create(device, &dispatch_source, &options, &program), TRM_ERROR_INVALID,
             "trm_program_create: a sequence");
  TEST_FAILS(trm_sequence_begin(device), TRM_ERROR_INVALID, "trm_sequence_begin: a sequence");
  trm_sequence_cancel(device);
  trm_sequence_cancel(device);
  TEST_OK(trm_buffer_read(field.f, 0, 4, &value));
  trm_event_destroy(&event);
  dispatch_close(&field);
}

static void a_replay_inside_a_recording_is_refused(trm_device *device)
{
  dispatch_field field;
  trm_sequence *sequence = NULL;
  dispatch_open(device, &field);
  record_two(&field, &sequence);
  TEST_OK(trm_sequence_begin(device));
  TEST_FAILS(trm_sequence_replay(sequence, 1), TRM_ERROR_INVALID,
             "trm_sequence_replay: a sequence");
  trm_sequence_cancel(device);
  trm_sequence_destroy(&sequence);
  dispatch_close(&field);
}

static void a_refused_launch_leaves_no_trace_in_a_recording(trm_device *device)
{
  dispatch_field field;
  trm_sequence *sequence = NULL;
  dispatch_open(device, &field);
  TEST_OK(trm_sequence_begin(device));
  TEST_FAILS(dispatch_scale(&field, field.f, field.f, 3.0f), TRM_ERROR_INVALID, "is written");
  TEST_OK(dispatch_scale(&field, field.f, field.g, 3.0f));
  TEST_OK(trm_sequence_end(device, &sequence));
  assert_int_equal(trm_sequence_length(sequence), 1);
  trm_sequence_destroy(&sequence);
  dispatch_close(&field);
}

static void an_end_needs_a_beginning_and_an_empty_sequence_does_nothing(trm_device *device)
{
  trm_sequence *sequence = NULL;
  TEST_FAILS(trm_sequence_end(device, &sequence), TRM_ERROR_INVALID,
             "no sequence is being recorded; call trm_sequence_begin first");
  TEST_OK(trm_sequence_begin(device));
  TEST_OK(trm_sequence_end(device, &sequence));
  assert_int_equal(trm_sequence_length(sequence), 0);
  TEST_OK(trm_sequence_replay(sequence, 5));
  trm_sequence_destroy(&sequence);
}

static void events_measure_what_lies_between_them(trm_device *device)
{
  dispatch_field field;
  trm_event *begin = NULL, *end = NULL;
  double seconds = -1.0;
  dispatch_open(device, &field);
  TEST_OK(trm_event_create(device, &begin));
  TEST_OK(trm_event_create(device, &end));
  TEST_OK(trm_event_record(begin));
  TEST_FAILS(trm_event_elapsed(begin, end, &seconds), TRM_ERROR_INVALID,
             "the second event was never recorded");
  TEST_OK(dispatch_scale(&field, field.f, field.g, 3.0f));
  TEST_OK(trm_event_record(end));
  TEST_OK(trm_event_elapsed(begin, end, &seconds));
  assert_true(seconds >= 0.0 && seconds < 60.0);
  trm_event_destroy(&begin);
  trm_event_destroy(&end);
  dispatch_close(&field);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(recording_executes_nothing),
    TEST_DEVICE(a_replay_is_the_launches_in_their_order),
    TEST_DEVICE(a_plain_replay_gives_the_same),
    TEST_DEVICE(a_trace_may_choose_replays_and_sees_the_last),
    TEST_DEVICE(a_long_sequence_of_every_kind_is_replayed),
    TEST_DEVICE(parameters_are_frozen_when_recorded),
    TEST_DEVICE(a_sequence_keeps_what_it_uses_alive),
    TEST_DEVICE(a_device_closed_early_lives_until_its_last_child),
    TEST_DEVICE(what_waits_or_reads_is_refused_while_recording),
    TEST_DEVICE(a_replay_inside_a_recording_is_refused),
    TEST_DEVICE(a_refused_launch_leaves_no_trace_in_a_recording),
    TEST_DEVICE(an_end_needs_a_beginning_and_an_empty_sequence_does_nothing),
    TEST_DEVICE(events_measure_what_lies_between_them),
  };
  return TEST_RUN(argc, argv, cases);
}
