/* section_devices.c - what several devices that share one run gain over fewer, and what sharing
 * costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure/scaling.h"
#include "cli/report/sections.h"
#include "cli/report/sweep.h"

double finding_devices(const finding *one)
{
  double count = 1;
  return sscanf(one->of.id, "devices:%lf", &count) == 1 ? count : 1;
}

/* The fewest devices on which what this one ran has run too. */
static const finding *fewest_of(const findings *all, const finding *one)
{
  const finding *fewest = one;
  for (size_t i = 0; i < all->count; i++) {
    const finding *other = &all->list[i];
    if (strcmp(other->crew, one->crew) == 0 && other->of.step_seconds > 0 &&
        finding_devices(other) < finding_devices(fewest))
      fewest = other;
  }
  return fewest;
}

static int has_more(const findings *all, const finding *one)
{
  for (size_t i = 0; i < all->count; i++)
    if (strcmp(all->list[i].crew, one->crew) == 0 &&
        finding_devices(&all->list[i]) != finding_devices(one))
      return 1;
  return 0;
}

static void tell(page *out, const findings *all)
{
  static const char *const headings[] = {"run on", "devices", "\u00b5s a step", "speed-up",
                                         "of perfect", "sharing costs", "moving rows", NULL};
  page_table(out, "sharing", "Strong scaling: against the fewest devices on which the same was "
             "run. 'Sharing costs': microseconds of each step beyond those of a perfect speed-up. "
             "'Moving rows': the part of the devices' time in which rows were moved or waited for; "
             "known of hosts alone.", headings, "0120034");
  for (size_t i = 0; i < all->count; i++) {
    const finding *one = &all->list[i], *fewest = fewest_of(all, one);
    const int is_first = finding_devices(one) == finding_devices(fewest);
    if (!has_more(all, one)) continue;
    const scaling of = scaling_of(finding_devices(one), one->of.step_seconds,
                                  finding_devices(fewest), fewest->of.step_seconds);
    page_cell_text(out, "%s", one->label);
    page_cell_number(out, of.devices, 1, "%.0f");
    page_cell_number(out, one->of.step_seconds, 1e6, "%.3f");
    page_cell_number(out, of.speedup, 1, "%.3f");
    page_cell_number(out, of.efficiency, 100, "%.1f %%");
    page_cell_number(out, is_first ? (double)NAN : of.lost, 1e6, "%.3f");
    page_cell_number(out, one->of.exchange, 100, "%.1f %%");
  }
}

void section_devices(page *out, const findings *all)
{
  static const chart_axes axes = {"devices", "speed, of the fewest devices", 0, 0, 1};
  sweep *plot = page_room(out, sizeof *plot);
  if (!plot) return;
  for (size_t i = 0; i < all->count; i++)
    sweep_add(plot, all->list[i].crew, finding_devices(&all->list[i]), all->list[i].rate.median);
  if (sweep_show_scaling(plot, out, "devices", &axes, "Speed over the number of devices that share "
                         "one run (strong scaling)."))
    tell(out, all);
  free(plot);
}
