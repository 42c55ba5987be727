/* run_table.c - the table of a finished run, on standard output. */
#include "cli/run_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/listing.h"
#include "cli/terminal.h"

enum { LEAST_TEXT = 30 }; /* columns beside the labels; where there are fewer, below them */

/* A line of the table; on a terminal that is too narrow its text goes on below itself. */
static void print_row(const char *label, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void print_row(const char *label, const char *format, ...)
{
  char text[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  const int used = printf("%-20s ", label), is_narrow = terminal_width(stdout) < used + LEAST_TEXT;
  terminal_print(used, is_narrow ? 2 : used, text);
}

/* With four digits; run.json has all. */
static const char *four(double value, char text[32])
{
  table_significant(value, text, 32);
  return text;
}

/* In the words of the solver's own tradition, for a case that came from its files. */
static void print_traditional(const report *about)
{
  const session *run = about->run;
  const double init = report_init_seconds(about);
  if (!about->chosen->is_from_files || !about->chosen->type->print) return;
  const trm_run_seconds seconds = {
    .init = init, .compute = run->times.loop,
    .collate = about->total_seconds - init - run->times.loop, .total = about->total_seconds};
  about->chosen->type->print(run->solver, &seconds, stdout);
  printf("\n");
}

static void print_speed(const report *about)
{
  const session *run = about->run;
  const char *counted = report_counted(about);
  char a[32], b[32], c[32];
  if (run->times.steady <= 0) return;
  print_row("speed", "%s million %s a second, %s us a step", four(1e-6 * session_rate(run), a),
            counted, four(1e6 * run->times.steady / (double)run->steady_steps, b));
  const double rate = report_byte_rate(run);
  if (!(rate > 0)) return; /* not known */
  if (about->roof)
    print_row("bandwidth", "%s GB/s; the device copies %s GB/s from and to memory: %s of "
              "this roof%s", four(1e-9 * rate, a), four(1e-9 * roof_copy(about->roof), b),
              four(rate / roof_copy(about->roof), c),
              rate > roof_copy(about->roof) ? " (served by caches)" : "");
  else
    print_row("bandwidth", "%s GB/s; roof not measured: %s", four(1e-9 * rate, a),
              about->roof_missing);
}

static void print_times(const report *about)
{
  const session_times *times = &about->run->times;
  const double total = about->total_seconds, part = 100 / total;
  const double other = total - times->kernels - times->transfers - times->build - times->output;
  print_row("time", "kernels %.1f %%, transfers %.1f %%, build %.1f %%, output %.1f %%, "
            "other %.1f %% of %.3f s", part * times->kernels, part * times->transfers,
            part * times->build, part * times->output, part * other, total);
  if (trm_device_describe(about->run->device)->is_host)
    print_row("start to first step", "%.3f s; kernels compiled ahead of time", times->first_step);
  else
    print_row("start to first step", "%.3f s; kernels %s in %.3f s", times->first_step,
              about->run->solver->program && about->run->solver->program->from_cache
                ? "from the cache" : "built", times->build);
}

static void print_energy(const report *about)
{
  const energy_meter *meter = about->meter;
  const double updates = about->run->solver->cells * (double)about->run->steady_steps;
  char a[32], b[32];
  if (meter->missing[0]) print_row("energy", "not measured: %s", meter->missing);
  else
    print_row("energy", "%s nJ an update, %s W (%s)", four(1e9 * meter->joules / updates, a),
              four(meter->joules / meter->seconds, b), meter->source);
}

static void print_memory(const session *run)
{
  char most[32];
  listing_bytes(run->memory, most, sizeof most);
  if (trm_device_parts(run->device, 0, NULL) > 1)
    print_row("memory", "at most %s of each device", most);
  else print_row("memory", "%s of the device", most);
}

static void print_number(const char *name, double value, const char *unit)
{
  char text[32];
  unit = report_unit(unit);
  printf("%-20s %s%s%s\n", name, four(value, text), unit[0] ? " " : "", unit);
}

/* The results, and the last values of series that are no results. */
static void print_numbers(const session *run)
{
  const trm_solver *solver = run->solver;
  for (size_t i = 0; i < solver->result_count; i++)
    print_number(solver->results[i].name, solver->results[i].value, solver->results[i].unit);
  for (size_t i = 0; i < run->series_count && run->steps_done > 0; i++) {
    size_t same = 0;
    while (same < solver->result_count &&
           strcmp(solver->results[same].name, solver->series[i].name) != 0)
      same++;
    if (same == solver->result_count)
      print_number(solver->series[i].name, run->series[i][run->steps_done - 1],
                   solver->series[i].unit);
  }
}

static void print_case(const report *about)
{
  const session *run = about->run;
  const trm_solver *solver = run->solver;
  char shape[96], of[64] = "";
  report_shape(solver, shape, sizeof shape);
  if (isfinite(about->chosen->settings.end_time))
    snprintf(of, sizeof of, " steps, to time %.9g", solver->time);
  else snprintf(of, sizeof of, " of %" PRIu64 " steps", about->chosen->settings.steps);
  print_row("case", "%s (%s): %s, %" PRIu64 "%s, %s, %s", about->chosen->name,
            about->chosen->type->name, shape, run->steps_done, of,
            trm_precision_name(about->chosen->settings.solver.precision),
            trm_math_name(about->chosen->settings.solver.math));
}

/* Five lines. */
static void print_brief(const report *about)
{
  print_case(about);
  print_speed(about);
  printf("fingerprint          %s\n", about->run->fingerprint);
  listing_folder("results              ", about->folder);
}

void run_table_print(const report *about, int is_brief)
{
  if (is_brief) {
    print_brief(about);
    return;
  }
  const session *run = about->run;
  const trm_device_info *device = trm_device_describe(run->device);
  print_traditional(about);
  print_case(about);
  if (device->threads > 0)
    print_row("device", "%s:%zu %s, %d thread%s, pinning %s, %s", device->backend, device->index,
              device->name, device->threads, device->threads == 1 ? "" : "s", device->pinning,
              device->isa);
  else print_row("device", "%s:%zu %s", device->backend, device->index, device->name);
  print_speed(about);
  print_times(about);
  print_energy(about);
  print_memory(run);
  print_numbers(run);
  printf("fingerprint          %s\n", run->fingerprint);
  listing_folder("results              ", about->folder);
  if (about->profile) profile_table_print(about->profile);
}
