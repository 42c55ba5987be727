/* section_devices.c - the gain of several devices that share one run over fewer, and the cost of
 * sharing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/measure/scaling.h"
#include "cli/report/sections.h"
#include "cli/report/sweep.h"

double report_row_devices(const report_row *one) { return scaling_devices(one->of.id); }

/* Rows of the same device group as runs of one work: their number, and the index of this one. */
static size_t find_device_group(const report_data *all, const report_row *one, scaled_run *runs,
                                size_t *index)
{
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++) {
    const report_row *other = &all->list[i];
    if (strcmp(other->device_group, one->device_group) != 0) continue;
    if (other == one) *index = count;
    runs[count++] = (scaled_run){ other->of.id, other->of.device, other->of.step_seconds };
  }
  return count;
}

static int has_more(const scaled_run *runs, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (scaling_devices(runs[i].id) != scaling_devices(runs[0].id)) return 1;
  return 0;
}

static void tell(page *out, const report_data *all, scaled_run *runs)
{
  static const char *const headings[] = {"run on", "devices", "\u00b5s a step", "speed-up",
                                         "of perfect", "sharing costs", "moving rows", NULL};
  page_table(out, "sharing", "Strong scaling: against the fewest devices on which the same was "
             "run. 'Of perfect': of the speed of all the devices together, as each was run alone. "
             "'Sharing costs': microseconds of each step beyond those of a perfect speed-up. "
             "'Moving rows': the part of the devices' time in which rows were moved or waited for; "
             "known of hosts alone.", headings, "0120034");
  for (size_t i = 0; i < all->count; i++) {
    const report_row *one = &all->list[i];
    size_t index = 0;
    const size_t count = find_device_group(all, one, runs, &index);
    scaling of;
    if (!has_more(runs, count)) continue;
    scaling_of(runs, count, index, &of);
    page_cell_text(out, "%s", one->label);
    page_cell_number(out, of.devices, 1, "%.0f");
    page_cell_number(out, one->of.step_seconds, 1e6, "%.3f");
    page_cell_number(out, of.speedup, 1, "%.3f");
    page_cell_number(out, of.efficiency, 100, "%.1f %%");
    page_cell_number(out, of.devices > of.fewest ? of.lost : (double)NAN, 1e6, "%.3f");
    page_cell_number(out, one->of.exchange, 100, "%.1f %%");
  }
}

/* Why there are none. */
static void tell_missing(page *out, const report_data *all, scaled_run *runs)
{
  for (size_t i = 0; i < all->count; i++) {
    const report_row *one = &all->list[i];
    size_t index = 0;
    const size_t count = find_device_group(all, one, runs, &index);
    scaling of;
    if (!has_more(runs, count)) continue;
    scaling_of(runs, count, index, &of);
    if (of.missing[0])
      page_item(out, MARK_UNKNOWN, "The perfect speed-up of %s is unknown: %s.",
                one->label, of.missing);
  }
}

void section_devices(page *out, const report_data *all)
{
  static const chart_axes axes = {"devices", "speed, of the fewest devices", 0, 0, 1};
  sweep *plot = page_room(out, sizeof *plot);
  if (!plot) return;
  for (size_t i = 0; i < all->count; i++)
    sweep_add(plot, all->list[i].device_group, report_row_devices(&all->list[i]),
              all->list[i].rate.median);
  if (sweep_show_scaling(plot, out, "devices", &axes, 0, "Speed over the number of devices that "
                         "share one run (strong scaling).")) {
    scaled_run *runs = page_room(out, (all->count + 1) * sizeof *runs);
    if (runs) {
      tell(out, all, runs);
      tell_missing(out, all, runs);
    }
    free(runs);
  }
  free(plot);
}
