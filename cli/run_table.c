/* run_table.c - the table of a finished run, on standard output.
 *
 * Init, Compute, Collate and Total are the course's own four times: up to the first step, the time
 * loop, what comes after it, and all. */
#include "cli/run_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* "reynolds" -> "Reynolds number:", "drag_coefficient" -> "Drag coefficient:" */
static void print_result(const trm_result *result)
{
  char label[64];
  const int named = strcmp(result->name, "reynolds") == 0 || strcmp(result->name, "froude") == 0 ||
                    strcmp(result->name, "mach") == 0;
  snprintf(label, sizeof label, "%s%s:", result->name, named ? " number" : "");
  label[0] = (char)toupper((unsigned char)label[0]);
  for (char *c = label; *c; c++)
    if (*c == '_') *c = ' ';
  const int has_unit = result->unit && result->unit[0] && strcmp(result->unit, "1") != 0;
  printf("%s\t\t%.12E%s%s\n", label, result->value, has_unit ? " " : "",
         has_unit ? result->unit : "");
}

static double collate_seconds(const report *about)
{
  return about->total_seconds - report_init_seconds(about) - about->run->times.loop;
}

static void print_course_lines(const report *about)
{
  printf("==done==\n");
  for (size_t i = 0; i < about->run->solver->result_count; i++)
    print_result(&about->run->solver->results[i]);
  printf("Elapsed Init time:\t\t\t%.6f (s)\n", report_init_seconds(about));
  printf("Elapsed Compute time:\t\t\t%.6f (s)\n", about->run->times.loop);
  printf("Elapsed Collate time:\t\t\t%.6f (s)\n", collate_seconds(about));
  printf("Elapsed Total time:\t\t\t%.6f (s)\n", about->total_seconds);
}

static void print_speed(const report *about)
{
  const session *run = about->run;
  const char *counted = report_counted(about);
  if (run->times.steady <= 0) return;
  printf("speed                %.1f million %s a second, %.3f us a step\n",
         1e-6 * session_rate(run), counted, 1e6 * run->times.steady / (double)run->steady_steps);
  const double rate = report_byte_rate(run);
  if (!(rate > 0)) return; /* not known */
  if (about->roof)
    printf(
        "bandwidth            %.2f GB/s; the device copies %.2f GB/s from and to memory: %.3f of "
        "this ceiling%s\n",
        1e-9 * rate, 1e-9 * ceiling_copy(about->roof), rate / ceiling_copy(about->roof),
        rate > ceiling_copy(about->roof) ? " (served by caches)" : "");
  else
    printf("bandwidth            %.2f GB/s; ceiling not measured: %s\n", 1e-9 * rate,
           about->roof_missing);
}

static void print_times(const report *about)
{
  const session_times *times = &about->run->times;
  const double total = about->total_seconds, part = 100 / total;
  const double other = total - times->kernels - times->transfers - times->build - times->output;
  printf("time                 kernels %.1f %%, transfers %.1f %%, build %.1f %%, output %.1f %%, "
         "other %.1f %% of %.3f s\n", part * times->kernels, part * times->transfers,
         part * times->build, part * times->output, part * other, total);
  printf("start to first step  %.3f s; kernels ", times->first_step);
  if (trm_device_describe(about->run->device)->is_host) printf("compiled ahead of time\n");
  else
    printf("%s in %.3f s\n", about->run->solver->program &&
           about->run->solver->program->from_cache ? "from the cache" : "built", times->build);
}

static void print_energy(const report *about)
{
  const energy_meter *meter = about->meter;
  const double updates = about->run->solver->cells * (double)about->run->steady_steps;
  if (meter->missing[0]) printf("energy               not measured: %s\n", meter->missing);
  else
    printf("energy               %.3f nJ an update, %.1f W (%s)\n", 1e9 * meter->joules / updates,
           meter->joules / meter->seconds, meter->source);
}

static int is_result(const trm_solver *solver, const char *name)
{
  for (size_t i = 0; i < solver->result_count; i++)
    if (strcmp(solver->results[i].name, name) == 0) return 1;
  return 0;
}

void run_table_print(const report *about)
{
  const session *run = about->run;
  const trm_solver *solver = run->solver;
  const trm_device_info *device = trm_device_describe(run->device);
  char shape[96];
  print_course_lines(about);
  report_shape(solver, shape, sizeof shape);
  char of[64] = "";
  if (isfinite(about->chosen->settings.end_time))
    snprintf(of, sizeof of, " steps, to time %.9g", solver->time);
  else snprintf(of, sizeof of, " of %" PRIu64 " steps", about->chosen->settings.steps);
  printf("\ncase                 %s (%s): %s, %" PRIu64 "%s, %s, %s\n",
         about->chosen->name, about->chosen->type->name, shape, run->steps_done, of,
         trm_precision_name(about->chosen->settings.solver.precision),
         trm_math_name(about->chosen->settings.solver.math));
  printf("device               %s:%zu %s", device->backend, device->index, device->name);
  if (device->threads > 0)
    printf(", %d thread%s, pinning %s, %s", device->threads, device->threads == 1 ? "" : "s",
           device->pinning, device->isa);
  printf("\n");
  print_speed(about);
  print_times(about);
  print_energy(about);
  for (size_t i = 0; i < run->series_count && run->steps_done > 0; i++)
    if (!is_result(solver, solver->series[i].name))
      printf("%-20s %.12E %s\n", solver->series[i].name, run->series[i][run->steps_done - 1],
             solver->series[i].unit);
  printf("fingerprint          %s\n", run->fingerprint);
  printf("results              %s\n", about->folder);
  if (about->profile) profile_table_print(about->profile);
}
