/* comparison_bisect.c - `--bisect`: compares each run that disagrees with the run that it should
 * agree with. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/compare/bisect/bisection.h"
#include "cli/compare/comparison.h"
#include "cli/message.h"

static bisection_side side_of(const comparison *all, const comparison_row *one)
{
  bisection_side side = {.chosen = one->who.chosen, .spec = one->who.benchmark.on,
                         .device = all->devices.list[one->who.device].device};
  candidate_say(&one->who, side.label, sizeof side.label);
  return side;
}

static trm_status bisect(comparison *all, const comparison_row *one)
{
  /* one whose runs differ among themselves is compared with itself */
  const comparison_row *reference =
      one->is_checked && one->who.benchmark.repeats ? &all->rows[one->who.reference] : one;
  const bisection_side a = side_of(all, reference), b = side_of(all, one);
  const uint64_t steps = (uint64_t)fmin(one->who.benchmark.steps, reference->who.benchmark.steps);
  if (!message_is_quiet())
    message_note("%s and %s differ; searching for the first step, command and cell that do",
                 a.label, b.label);
  return bisection_run(&a, &b, steps, &all->bisections[all->bisection_count]);
}

trm_status comparison_bisect(comparison *all)
{
  all->bisections = calloc(all->count + 1, sizeof *all->bisections);
  if (!all->bisections) return TRM_FAIL(NO_HOST_MEMORY, "no memory to bisect");
  for (size_t i = 0; i < all->count; i++) {
    const comparison_row *one = &all->rows[i];
    if (comparison_row_agrees(all, i)) continue;
    if (one->who.chosen->settings.solver.math == TRM_FAST) {
      message_warning("%s is not bisected: fast arithmetic may differ in every launch; compare "
                      "with --math=strict", one->who.benchmark.on);
      continue;
    }
    const comparison_row *reference = &all->rows[one->who.reference];
    if (all->devices.list[one->who.device].is_several ||
        all->devices.list[reference->who.device].is_several) {
      message_warning("%s is not bisected: parts of a run carry out commands of their own; set "
                      "TRIREME_CHECK_ROWS=1, which finds rows that a kernel does not declare",
                      one->who.benchmark.on);
      continue;
    }
    TRM_TRY(bisect(all, one));
    all->bisection_count++;
  }
  if (all->bisection_count == 0 && comparison_has_families(all))
    message_note("nothing to bisect: runs that must agree do agree; those of different "
                 "precision, arithmetic or grid differ everywhere");
  else if (comparison_agrees(all)) message_note("nothing to bisect: the results agree");
  return TRM_OK;
}

void comparison_print_bisections(const comparison *all)
{
  for (size_t i = 0; i < all->bisection_count; i++) bisection_print(&all->bisections[i]);
}
