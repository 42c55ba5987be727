/* fairness_whole.c - whole runs beside the loop, and whether a side has tuned values. */
#include "cli/report/fairness.h"

#include <math.h>
#include <string.h>

#include "run/text/members.h"
#include "run/text/text.h"

/* Seconds of a run of the compared steps, from its start on: setting up and all steps, without
 * files. Cold: kernels are built; NaN: they came from the cache when this was measured. */
typedef struct whole { double cold, warm, step, steps; } whole;

static whole whole_of(const report_row *one)
{
  const json_t *seconds = member(one->data, "seconds");
  const double create = member_number(seconds, "create"), build = member_number(seconds, "build");
  const int is_cached = json_is_true(member(one->data, "from_cache"));
  whole out = {.step = benchmark_step_seconds(&one->of), .steps = one->of.steps};
  const double loop = out.step * out.steps;
  out.cold = is_cached && !one->of.is_host ? (double)NAN : create + loop;
  out.warm = is_cached || one->of.is_host ? create + loop
             : build <= create ? create - build + loop : (double)NAN;
  return out;
}

/* The number of steps from which `one`, which starts later but is faster, is ahead; NaN: it is
 * always or never. */
static double ahead_from(const whole *one, const whole *other)
{
  const double start = one->cold - one->step * one->steps,
               other_start = other->warm - other->step * other->steps;
  return start > other_start && one->step < other->step
           ? (start - other_start) / (other->step - one->step) : (double)NAN;
}

static void ask_pair(answers *to, const report_row *gpu, const report_row *host)
{
  char text[400];
  const whole a = whole_of(gpu), b = whole_of(host);
  interval range;
  (void)report_row_ratio(gpu, host, &range, NULL);
  const double from = interval_shows(&range) ? ahead_from(&a, &b) : (double)NAN;
  if (!isfinite(a.warm) || !isfinite(b.warm) || !(a.steps > 0)) return;
  text[0] = 0;
  if (isfinite(a.cold)) text_append(text, sizeof text, "%.3g with its kernels built anew, ",
                                    b.warm / a.cold);
  text_append(text, sizeof text, "%.3g with kernels from the cache; in the loop alone %.3g",
              b.warm / a.warm, b.step / a.step);
  if (isfinite(from))
    text_append(text, sizeof text, ". With kernels built anew it is ahead from %.3g steps on",
                from);
  answer(to, MARK_NONE, "Whole run: %.0f steps with setting up, without files. Speed of %s over "
         "%s: %s.", a.steps, gpu->label, host->label, text);
}

void fairness_ask_whole(answers *to, const report_data *all)
{
  for (size_t i = 0; i < all->count; i++)
    for (size_t k = 0; k < all->count; k++) {
      const report_row *a = &all->list[i], *b = &all->list[k];
      if (a->file == b->file && report_row_is_gpu(a) && b->of.is_host &&
          a->of.cells == b->of.cells && a->of.steps == b->of.steps && report_row_same_work(a, b) &&
          !a->is_aside && !b->is_aside)
        ask_pair(to, a, b);
    }
}

/* ---- tuned ------------------------------------------------------------------------------ */

void fairness_ask_tuned(answers *to, const report_data *all)
{
  char text[400] = "";
  size_t with = 0, without = 0; /* of those that ran */
  for (size_t i = 0; i < all->count; i++) {
    const report_row *one = &all->list[i];
    const json_t *about = member(one->data, "tuned");
    size_t k = 0;
    while (k < i && strcmp(all->list[k].place, one->place) != 0) k++;
    if (!about || k < i) continue;
    const char *values = member_text(about, "values");
    const int is_used = json_is_true(member(about, "used"));
    *(is_used ? &with : &without) += 1;
    text_append(text, sizeof text, "%s%s %s%s%s%s%s", *text ? ", " : "", one->place,
                json_is_true(member(about, "kept")) ? "yes" : "no", *values ? " (" : "", values,
                *values ? is_used ? ", used" : ", not used" : "", *values ? ")" : "");
  }
  if (with + without < 1) return;
  answer(to, with > 0 && without > 0 ? MARK_WARNING : MARK_NONE, "Tuned by 'trireme tune': %s.%s",
         text, with > 0 && without > 0 ? " Only one side ran with tuned values." : "");
}

/* ---- the whole machine ------------------------------------------------------------------- */

static const char *const node_parts[] = {"packages", "memory", "boards"};
enum { PARTS = sizeof node_parts / sizeof *node_parts };

/* "packages 0.61, memory not known (no memory of this machine has a counter in ...)" */
static void node_text(const json_t *node, char *text, size_t bytes)
{
  for (size_t i = 0; i < PARTS; i++) {
    char path[64];
    const double joules = member_number(node, node_parts[i]);
    snprintf(path, sizeof path, "missing.%s", node_parts[i]);
    text_append(text, bytes, "%s%s ", i ? ", " : "", node_parts[i]);
    if (isfinite(joules)) text_append(text, bytes, "%.3g", 1e9 * joules);
    else text_append(text, bytes, "not known (%s)", member_text(node, path));
  }
}

static int is_node_known(const report_row *one)
{
  return isfinite(member_number(member(one->data, "node_energy"), "joules_per_update"));
}

/* One line for sides that all lack it for the same reasons. */
void fairness_ask_node(answers *to, const report_data *all)
{
  char said[1600] = "";
  int is_any_known = 0;
  for (size_t i = 0; i < all->count; i++) is_any_known |= is_node_known(&all->list[i]);
  for (size_t i = 0; i < all->count; i++) {
    const report_row *one = &all->list[i];
    const json_t *node = member(one->data, "node_energy");
    const double joules = member_number(node, "joules_per_update"),
                 idle = member_number(node, "idle_part");
    char text[1600] = "", part[160] = "";
    if (!node) continue;
    node_text(node, text, sizeof text);
    if (!isfinite(joules)) {
      if (is_any_known || strcmp(text, said) != 0)
        answer(to, MARK_UNKNOWN, "Energy of the node%s%s: not known: %s.",
               is_any_known ? " with " : "", is_any_known ? one->label : "", text);
      snprintf(said, sizeof said, "%s", text);
      continue;
    }
    if (idle > 1)
      snprintf(part, sizeof part, "; idle for %.0f s before the runs it took more power than in "
               "them, so that the idle part is not known", member_number(node, "idle_seconds"));
    else if (isfinite(idle))
      snprintf(part, sizeof part, "; idle parts %.0f %% (measured for %.0f s before the runs)",
               100 * idle, member_number(node, "idle_seconds"));
    answer(to, MARK_NONE, "Energy of the node with %s: %.3g nJ an update (%s)%s. Power supply and "
           "fans are not counted. %s.", one->label, 1e9 * joules, text, part,
           member_text(node, "sampling"));
  }
}
