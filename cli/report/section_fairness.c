/* section_fairness.c - the questions that a reader should ask of a comparison, answered from the
 * recorded facts. A warning is a fact that favours one side or blurs the ratio. A fact that was not
 * recorded or could not be read is unknown, which is not the same as fine. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/fairness.h"
#include "cli/report/sections.h"
#include "run/text/members.h"
#include "run/text/text.h"

/* 1: this text was not given before. Without memory it is given again. */
static int is_new(answers *to, const char *text)
{
  for (size_t i = 0; i < to->count; i++)
    if (strcmp(to->given[i], text) == 0) return 0;
  char (*grown)[FAIRNESS_TEXT] = realloc(to->given, (to->count + 1) * sizeof *grown);
  if (!grown) return 1;
  to->given = grown;
  snprintf(grown[to->count++], FAIRNESS_TEXT, "%s", text);
  return 1;
}

void answer(answers *to, page_mark mark, const char *format, ...)
{
  char text[FAIRNESS_TEXT];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (!is_new(to, text)) return;
  if (mark == MARK_WARNING) to->warnings++;
  if (to->out && !(to->out->is_brief && (mark == MARK_GOOD || mark == MARK_NONE)))
    page_item(to->out, mark, "%s", text);
}

static const json_t *host_of(const result_file *file)
{
  return member(file->document, "conditions.host");
}

/* Processors that the runs of this file could use. */
static double cores_of(const result_file *file)
{
  const double allowed = member_number(host_of(file), "cores_allowed");
  const double granted = member_number(host_of(file), "cores_granted");
  return isfinite(granted) && !(granted > allowed) ? granted : allowed;
}

/* One command that ran a processor with several numbers of threads did so on purpose. */
static int threads_vary(const report_data *all, const report_row *one)
{
  for (size_t i = 0; i < all->count; i++) {
    const report_row *other = &all->list[i];
    if (other->of.is_host && other->file == one->file && other->of.threads != one->of.threads)
      return 1;
  }
  return 0;
}

/* Why a fact is not known. */
static const char *reason(const json_t *host, const char *path)
{
  const char *text = member_text(host, path);
  return *text ? text : "the file does not tell";
}

/* ---- each file: the machine -------------------------------------------------------------- */

static void ask_load(answers *to, const result_file *file)
{
  const json_t *host = host_of(file);
  const double others = member_number(host, "others_busy_cores");
  const double cores = member_number(host, "cores");
  char all[32] = "";
  if (isfinite(cores)) snprintf(all, sizeof all, " of %.0f", cores);
  if (!isfinite(others))
    answer(to, MARK_UNKNOWN, "Other load: not known for %s: %s.", file->path,
           reason(host, "unknown.others_busy_cores"));
  else
    answer(to, others > 0.1 && !(others <= 0.02 * cores) ? MARK_WARNING : MARK_GOOD,
           "Other load: other processes kept %.2f%s processors busy meanwhile (%s).", others, all,
           file->path);
}

static void ask_cores(answers *to, const result_file *file)
{
  const double cores = member_number(host_of(file), "cores");
  const double usable = cores_of(file);
  const double asked = member_number(host_of(file), "cores_asked");
  if (isfinite(asked))
    answer(to, MARK_WARNING, "All cores: the processor's side had %.0f core%s of the machine's "
           "%.0f processors, as asked for by --cpu-cores: the ratio is one to so many.", asked,
           asked > 1 ? "s" : "", cores);
  else if (usable < cores)
    answer(to, MARK_WARNING, "All cores: the process was allowed %.3g of the machine's %.0f "
           "processors (affinity or control group).", usable, cores);
}

/* "2100 to 3500 MHz right after the runs, of at most 3700" */
static void clock_text(const json_t *host, char *text, size_t bytes)
{
  const double least = 1e-6 * member_number(host, "clock_hz.least"),
               most = 1e-6 * member_number(host, "clock_hz.most"),
               top = 1e-6 * member_number(host, "clock_max_hz");
  if (!isfinite(most)) {
    snprintf(text, bytes, "not known%s", json_is_true(member(host, "machine.virtual"))
             ? " (a virtual machine)" : "");
    return;
  }
  if (most - least >= 1) snprintf(text, bytes, "%.0f to ", least);
  else text[0] = 0;
  text_append(text, bytes, "%.0f MHz right after the runs", most);
  if (isfinite(top)) text_append(text, bytes, ", of at most %.0f", top);
}

static void ask_processor_clocks(answers *to, const result_file *file)
{
  const json_t *host = host_of(file);
  const char *governor = member_text(host, "governor");
  char clock[128];
  clock_text(host, clock, sizeof clock);
  if (!*governor)
    answer(to, MARK_UNKNOWN, "Processor clocks: %s; the governor is not known: %s.", clock,
           reason(host, "unknown.governor"));
  else if (strcmp(governor, "performance") == 0)
    answer(to, MARK_GOOD, "Processor clocks: %s; governor 'performance'.", clock);
  else
    answer(to, MARK_WARNING, "Processor clocks: %s; governor '%s' may keep them low at first; "
           "'performance' does not.", clock, governor);
}

static void ask_flags(answers *to, const result_file *file)
{
  static const char *const slow[] = {"-O0", "-O1", "-Og", "-fsanitize", "--coverage"};
  const char *flags = member_text(file->document, "build.flags");
  for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
    if (strstr(flags, slow[i]))
      answer(to, MARK_WARNING, "Build: the program was compiled with %s.", slow[i]);
  const char *isa = member_text(host_of(file), "environment.TRIREME_ISA");
  if (*isa)
    answer(to, MARK_WARNING, "Build: TRIREME_ISA=%s kept the processor's kernels to that "
           "instruction set.", isa);
  const char *best = member_text(host_of(file), "instruction_set"),
             *built = member_text(file->document, "build.instruction_sets");
  if (*best && *built && !strstr(built, best))
    answer(to, MARK_WARNING, "Build: this processor has instruction set %s, but the processor's "
           "kernels were compiled for %s only, which may be many times slower; configure without "
           "--with-isa.", best, built);
}

static void ask_machine(answers *to, const result_file *file)
{
  if (!host_of(file)) {
    answer(to, MARK_UNKNOWN, "Conditions: %s is of schema %d, or was made without them: load, "
           "clocks and cores are not known. Run again to have them.", file->path, file->schema);
    return;
  }
  fairness_ask_machine(to, host_of(file));
  ask_load(to, file);
  ask_cores(to, file);
  ask_processor_clocks(to, file);
  ask_flags(to, file);
}

/* ---- each row: the device --------------------------------------------------------------- */

/* More threads than processors, a part of one counted as one. */
static int ask_crowd(answers *to, const report_row *one, double used, double usable)
{
  if (!(used > ceil(usable))) return 0;
  answer(to, MARK_WARNING, "Threads: %s used %.0f on %.3g processors, so that they waited for each "
         "other.", one->place, used, usable);
  return 1;
}

/* Devices of ranks may be on other machines. */
static void ask_shared_threads(answers *to, const report_row *one, double devices, double usable)
{
  const double used = devices * one->of.threads;
  if (strchr(one->of.device, '@') || !isfinite(usable)) return;
  if (!ask_crowd(to, one, used, usable))
    answer(to, MARK_GOOD, "Threads: %s used %.0f in all, of %.3g processors.", one->place, used,
           usable);
}

static void ask_threads(answers *to, const report_data *all, const report_row *one)
{
  const double usable = cores_of(one->file), devices = report_row_devices(one);
  if (!one->of.is_host || !isfinite(one->of.threads)) return;
  if (devices > 1) ask_shared_threads(to, one, devices, usable);
  else if (threads_vary(all, one))
    answer(to, MARK_NONE, "Threads: their number was varied on purpose on %s (%s).", one->place,
           one->file->path);
  else if (!isfinite(usable))
    answer(to, MARK_UNKNOWN, "Threads: %s used %.0f; how many processors there were is not known.",
           one->place, one->of.threads);
  else if (!ask_crowd(to, one, one->of.threads, usable))
    answer(to, one->of.threads < usable ? MARK_WARNING : MARK_GOOD,
           "Threads: %s used %.0f of the %.3g processors that it might use.", one->place,
           one->of.threads, usable);
}

static void ask_pinning(answers *to, const report_row *one)
{
  const char *pinning = member_text(one->data, "device.pinning");
  if (!one->of.is_host) return;
  if (!*pinning) answer(to, MARK_UNKNOWN, "Pinning: not known for %s.", one->place);
  else if (strcmp(pinning, "none") == 0)
    answer(to, MARK_WARNING, "Pinning: the threads of %s were not bound and may have wandered "
           "(OMP_PROC_BIND).", one->place);
  else answer(to, MARK_GOOD, "Pinning: the threads of %s were bound to %s.", one->place, pinning);
}

static void ask_gpu_clocks(answers *to, const report_row *one, const json_t *gpu)
{
  const double now = member_number(gpu, "clock_hz"), most = member_number(gpu, "clock_max_hz");
  const char *slowed = member_text(gpu, "slowed_by");
  if (!isfinite(now) || !isfinite(most))
    answer(to, MARK_UNKNOWN, "GPU clocks: %s does not tell.", one->place);
  else
    answer(to, now < 0.9 * most || *slowed ? MARK_WARNING : MARK_GOOD,
           "GPU clocks: %s ran at %.0f MHz right after the steps, of at most %.0f%s%s.", one->place,
           1e-6 * now, 1e-6 * most, *slowed ? "; slowed by " : "", slowed);
}

static void ask_gpu(answers *to, const report_row *one)
{
  const int is_run = strcmp(one->file->kind, "run") == 0;
  const json_t *gpu = member(one->data, is_run ? "conditions.gpu" : "gpu");
  const char *driver = member_text(one->data, "device.driver");
  const double processes = member_number(gpu, "processes");
  if (one->of.is_host) return;
  if (strstr(driver, "PoCL") || strstr(driver, "Portable Computing"))
    answer(to, MARK_WARNING, "OpenCL on a processor: %s is PoCL, which is there to test OpenCL "
           "anywhere; its speed says nothing about a GPU, or about what the processor can "
           "do.", one->place);
  else if (!gpu || *member_text(gpu, "missing"))
    answer(to, MARK_UNKNOWN, "GPU clocks, ECC and other processes: not known for %s: "
                             "%s.", one->place,
           gpu ? member_text(gpu, "missing") : "not recorded");
  else {
    ask_gpu_clocks(to, one, gpu);
    if (!member(gpu, "ecc")) answer(to, MARK_UNKNOWN, "ECC: %s does not tell.", one->place);
    else
      answer(to, json_is_true(member(gpu, "ecc")) ? MARK_GOOD : MARK_WARNING,
             "ECC: the memory of %s is %schecked%s.", one->place,
             json_is_true(member(gpu, "ecc")) ? "" : "not ",
             json_is_true(member(gpu, "ecc")) ? "" : ", and so faster than memory that is");
    if (processes > 1)
      answer(to, MARK_WARNING, "Other load: %.0f processes computed on %s.", processes, one->place);
    else if (processes >= 0)
      answer(to, MARK_GOOD, "Other load: no other process computed on %s.", one->place);
  }
}

/* ---- all of them -------------------------------------------------------- */

/* Keys beside precision and arithmetic that change the result: storage in fewer bits, a method. */
static void ask_keys(answers *to, const report_data *all)
{
  char works[300] = "";
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++) {
    const report_row *one = &all->list[i], *base = &all->list[one->base];
    if (strcmp(one->work, base->work) == 0 || strcmp(one->of.precision, base->of.precision) != 0 ||
        strcmp(one->of.math, base->of.math) != 0)
      continue;
    if (count++ == 0) text_append(works, sizeof works, "%s beside%s", one->work + 1, base->work);
  }
  if (count > 0)
    answer(to, MARK_WARNING, "Work: %zu of the ratios %s to another value of a key that changes "
           "the result (%s): they are not of the same work.", count, count > 1 ? "are" : "is",
           works);
}

static void ask_work(answers *to, const report_data *all)
{
  int precisions = 0, maths = 0;
  for (size_t i = 1; i < all->count; i++) {
    precisions += strcmp(all->list[i].of.precision, all->list[0].of.precision) != 0;
    maths += strcmp(all->list[i].of.math, all->list[0].of.math) != 0;
  }
  const char *precision = all->list[0].of.precision, *math = all->list[0].of.math;
  if (precisions)
    answer(to, MARK_WARNING, "Precision: single and double precision stand side by side; f64 moves "
           "twice the bytes.");
  else answer(to, *precision ? MARK_GOOD : MARK_UNKNOWN, "Precision: %s%s.",
              *precision ? precision : "not known", *precision ? " everywhere" : "");
  if (maths)
    answer(to, MARK_WARNING, "Arithmetic: strict and fast arithmetic stand side by side.");
  else answer(to, *math ? MARK_GOOD : MARK_UNKNOWN, "Arithmetic: %s%s.",
              *math ? math : "not known", *math ? " everywhere" : "");
  ask_keys(to, all);
  if (report_data_sizes_differ(all)) {
    char more[300];
    report_data_say_siblings(all, more, sizeof more);
    answer(to, MARK_NONE, "Work: the grids have different sizes; compare only rows of one size.%s%s"
           "%s", *more ? " The cases of these sizes also set: " : "", more, *more ? "." : "");
  }
}

/* Speeds of a longer and a shorter run are of different states. */
static void ask_lengths(answers *to, const report_data *all)
{
  for (size_t i = 0; i < all->count; i++) {
    const report_row *one = &all->list[i], *base = &all->list[one->base];
    if (strcmp(one->file->kind, "study") == 0 || strcmp(base->file->kind, "study") == 0) continue;
    if (isfinite(one->of.steps) && isfinite(base->of.steps) && one->of.steps != base->of.steps)
      answer(to, MARK_WARNING, "Steps: %s ran %.0f steps and %s %.0f: not the same work, and no "
             "result to compare.", one->label, one->of.steps, base->label, base->of.steps);
  }
}

static void ask_same_program(answers *to, const report_data *all)
{
  int versions = 0, machines = 0, flags = 0;
  const report_row *first = &all->list[0];
  for (size_t i = 1; i < all->count; i++) {
    const json_t *other = all->list[i].file->document, *own = first->file->document;
    versions += strcmp(member_text(other, "trireme"), member_text(own, "trireme")) != 0;
    machines += strcmp(all->list[i].machine, first->machine) != 0;
    flags += !report_data_same_build(other, own);
  }
  if (versions)
    answer(to, MARK_WARNING, "Version: the results are of different versions of trireme.");
  if (flags) answer(to, MARK_WARNING, "Build: different compilers or flags made the programs.");
  if (machines)
    answer(to, MARK_NONE, "Machines: the results are of different machines, at different times.");
}

static void ask_interleaved(answers *to, const report_data *all)
{
  int apart = 0;
  for (size_t i = 0; i < all->count; i++)
    apart += all->list[i].file != all->list[all->list[i].base].file;
  if (apart)
    answer(to, MARK_WARNING, "Turns: the runs were made one after the other, by commands of their "
           "own; a machine that slows down in between favours one. 'compare' takes turns.");
  else if (all->count > 1)
    answer(to, MARK_GOOD, "Turns: the candidates took turns, so that a machine that slows down "
           "slows them all.");
}

/* A verdict needs as many runs as give its interval the confidence: 5 in turns, fewer of two
 * commands. */
static void ask_repetitions(answers *to, const report_data *all)
{
  double least = INFINITY;
  int are_few = 0;
  for (size_t i = 0; i < all->count; i++) {
    const report_row *one = &all->list[i];
    const interval range = {one->ratio_low, one->ratio_high, one->confidence};
    if (one->is_aside || one->of.run_count == 0) continue;
    least = fmin(least, (double)one->of.run_count);
    are_few |= one->base != i ? !interval_is_sure(&range)
                              : all->count == 1 && one->of.run_count < VERDICT_RUNS;
  }
  if (isinf(least)) answer(to, MARK_UNKNOWN, "Repetitions: no run has a speed.");
  else if (least < 2)
    answer(to, MARK_WARNING, "Repetitions: at least 1 of each; one run tells nothing of the "
           "noise.");
  else if (are_few)
    answer(to, MARK_UNKNOWN, "Repetitions: at least %.0f of each; too few for a verdict: an "
           "interval has %d %% confidence from %d runs in turns on.", least, (int)VERDICT_PERCENT,
           (int)VERDICT_RUNS);
  else answer(to, MARK_GOOD, "Repetitions: at least %.0f of each.", least);
}

/* Half as fast again in one run as in another: something else was at work. */
static void ask_noise(answers *to, const report_data *all)
{
  double most = 0;
  const char *label = "";
  for (size_t i = 0; i < all->count; i++) {
    const double spread = sample_spread(&all->list[i].rate);
    if (all->list[i].of.run_count < 2 || !(spread > most)) continue;
    most = spread;
    label = all->list[i].label;
  }
  if (most > 0)
    answer(to, most > 0.2 ? MARK_WARNING : MARK_GOOD,
           "Noise: the runs of %s are spread over %.3g %% of their median, the widest of all.",
           label, 100 * most);
}

static void ask_counted(answers *to)
{
  answer(to, MARK_GOOD, "Counted, the same for all: launches, kernels, and the read-back of "
         "series, from the second batch on. Not counted: compilation, the first batch (the first "
         "run of each kernel), the transfer of fields, files. Section Where the time goes lists "
         "their times.");
}

static void ask_rows(answers *to, const report_data *all)
{
  if (all->count == 0) return;
  ask_work(to, all);
  ask_lengths(to, all);
  ask_same_program(to, all);
  ask_interleaved(to, all);
  ask_repetitions(to, all);
  ask_noise(to, all);
  ask_counted(to);
  fairness_ask_whole(to, all);
  fairness_ask_tuned(to, all);
  fairness_ask_known(to, all);
  fairness_ask_node(to, all);
  for (size_t i = 0; i < all->count; i++) {
    int seen = 0; /* a device of a file once, unless its threads are varied */
    const report_row *one = &all->list[i];
    for (size_t k = 0; k < i; k++)
      seen |= all->list[k].file == one->file && strcmp(all->list[k].place, one->place) == 0 &&
              all->list[k].of.threads == one->of.threads;
    if (seen) continue;
    ask_threads(to, all, one);
    ask_pinning(to, one);
    ask_gpu(to, one);
  }
}

static int is_asked(const result_file *file) { return strcmp(file->kind, "bench") != 0; }

static void ask_all(answers *to, const report_data *all)
{
  ask_rows(to, all);
  for (size_t i = 0; i < all->file_count; i++)
    if (is_asked(&all->files[i])) ask_machine(to, &all->files[i]);
  free(to->given);
}

size_t fairness_warnings(const report_data *all)
{
  answers count = {0};
  ask_all(&count, all);
  return count.warnings;
}

void section_fairness(page *out, const report_data *all)
{
  answers to = {.out = out};
  size_t asked = 0;
  for (size_t i = 0; i < all->file_count; i++) asked += (size_t)is_asked(&all->files[i]);
  if (asked == 0) return;
  page_section(out, "fairness", "Fairness");
  if (!out->is_brief) page_text(out, "Questions to ask before quoting a ratio.");
  ask_all(&to, all);
}
