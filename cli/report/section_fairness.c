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

/* ---- each file: the machine -------------------------------------------------------------- */

static void ask_load(answers *to, const result_file *file)
{
  const json_t *host = host_of(file);
  const double others = member_number(host, "others_busy_cores");
  const double cores = member_number(host, "cores");
  if (!isfinite(others))
    answer(to, MARK_UNKNOWN, "Other load: not known for %s: %s.", file->path,
           member_text(host, "unknown.others_busy_cores"));
  else
    answer(to, others > 0.1 && others > 0.02 * cores ? MARK_WARNING : MARK_GOOD,
           "Other load: other processes kept %.2f of %.0f processors busy meanwhile (%s).", others,
           cores, file->path);
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
           member_text(host, "unknown.governor"));
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

/* Devices of ranks may be on other machines. */
static void ask_shared_threads(answers *to, const report_row *one, double devices, double usable)
{
  const double used = devices * one->of.threads;
  if (strchr(one->of.device, '@') || !isfinite(usable)) return;
  if (used > usable)
    answer(to, MARK_WARNING, "Threads: %s used %.0f on %.3g processors, so that its devices waited "
           "for each other.", one->place, used, usable);
  else
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
  else
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

static void ask_work(answers *to, const report_data *all)
{
  int precisions = 0, maths = 0, sizes = 0;
  for (size_t i = 1; i < all->count; i++) {
    precisions += strcmp(all->list[i].of.precision, all->list[0].of.precision) != 0;
    maths += strcmp(all->list[i].of.math, all->list[0].of.math) != 0;
    sizes += all->list[i].of.cells != all->list[0].of.cells;
  }
  answer(to, precisions ? MARK_WARNING : MARK_GOOD, precisions
         ? "Precision: single and double precision stand side by side; f64 moves twice the bytes."
         : "Precision: %s everywhere.", all->list[0].of.precision);
  answer(to, maths ? MARK_WARNING : MARK_GOOD, maths
         ? "Arithmetic: strict and fast arithmetic stand side by side."
         : "Arithmetic: %s everywhere.", all->list[0].of.math);
  if (sizes) {
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
    machines += strcmp(all->list[i].place, all->list[i].of.id) != 0;
    flags += strcmp(member_text(other, "build.flags"), member_text(own, "build.flags")) != 0 ||
             strcmp(member_text(other, "build.compiler"), member_text(own, "build.compiler")) != 0;
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
  double least = INFINITY;
  for (size_t i = 0; i < all->count; i++) {
    apart += all->list[i].file != all->list[all->list[i].base].file;
    if (!all->list[i].is_aside && all->list[i].of.run_count > 0)
      least = fmin(least, (double)all->list[i].of.run_count);
  }
  if (apart)
    answer(to, MARK_WARNING, "Turns: the runs were made one after the other, by commands of their "
           "own; a machine that slows down in between favours one. 'compare' takes turns.");
  else if (all->count > 1)
    answer(to, MARK_GOOD, "Turns: the candidates took turns, so that a machine that slows down "
           "slows them all.");
  answer(to, least < 2 ? MARK_WARNING : least < 5 ? MARK_UNKNOWN : MARK_GOOD,
         "Repetitions: at least %.0f of each%s.", least,
         least < 2 ? "; one run tells nothing of the noise" : least < 5
         ? "; with fewer than 5 the interval spans all runs" : "");
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
  ask_noise(to, all);
  ask_counted(to);
  fairness_ask_whole(to, all);
  fairness_ask_tuned(to, all);
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
