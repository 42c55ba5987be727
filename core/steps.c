/* steps.c - finds runs of launches that a GPU may carry out several at a time (kernel_march.h).
 *
 * A run is launches of one kernel that steps a field, over the same cells, each reading the field
 * that its predecessor wrote and writing over the one that it read; their other buffers and the
 * field's layout are the same. Parameters may differ. Core has checked that no launch names a
 * buffer twice where it writes it.
 *
 * T steps at once read the `from` of the first launch and write the `to` of the last, which must
 * be another buffer: T is odd. What was read then keeps its old values, where launches one by one
 * would have left the last state but one. So the last launch of a run stays on its own, unless
 * nobody reads that buffer before it is overwritten: the next command that names it is a step of
 * the same kernel over the same cells, which writes it. */
#include "core/steps.h"

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

/* Whether `later` takes the step after `earlier`. */
static int follows(const trm_command *earlier, const trm_command *later)
{
  const trm_stepping *s = earlier->declaration->steps;
  if (!is_alike(earlier, later)) return 0;
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
  return next < count && is_alike(last, &commands[next]) &&
         commands[next].buffers[s->to] == last->buffers[s->from];
}

static size_t run_length(const trm_command *commands, size_t count)
{
  size_t length = 1;
  if (!is_step(commands)) return 1;
  while (length < count && follows(&commands[length - 1], &commands[length])) length++;
  return length;
}

size_t trm_steps_plan(const trm_command *commands, size_t count, trm_steps_at_once *at_once,
                      const void *user, trm_part *parts)
{
  size_t made = 0;
  for (size_t i = 0; i < count;) {
    const size_t end = i + run_length(commands + i, count - i);
    size_t together = end - i;
    if (together > 1 && !is_overwritten(commands, count, end)) together--;
    const size_t most = together > 1 ? (size_t)at_once(user, &commands[i]) : 1;
    for (; most > 1 && together >= most; together -= most, i += most)
      parts[made++] = (trm_part){ i, most };
    for (; i < end; i++) parts[made++] = (trm_part){ i, 1 };
  }
  return made;
}
