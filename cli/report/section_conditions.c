/* section_conditions.c - energy, the machines and builds, and how to do it again. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/report/chart.h"
#include "cli/report/sections.h"
#include "run/json_parts.h"
#include "run/text/members.h"
#include "run/text/text.h"

/* ---- energy ----------------------------------------------------------------------------- */

static void draw_energy(page *out, const report_data *all)
{
  static chart_bar bars[REPORT_LIMIT];
  static char notes[REPORT_LIMIT][48];
  size_t measured = 0;
  for (size_t i = 0; i < all->count; i++) {
    const report_row *one = &all->list[i];
    if (!isfinite(one->of.energy)) continue; /* the table says why */
    snprintf(notes[measured], sizeof notes[0], "%.4g nJ", 1e9 * one->of.energy);
    bars[measured] = (chart_bar){one->label, notes[measured], 1e9 * one->of.energy,
                                 1e9 * member_number(one->data, "energy.runs.least"),
                                 1e9 * member_number(one->data, "energy.runs.most"),
                                 report_row_colour(all, i)};
    measured++;
  }
  if (measured == 0) return;
  page_figure(out, "energy", "Energy an update, by each device's own counter; the rest of the "
              "machine is not in it.", chart_bars("nanojoules an update", bars, measured),
              "Bars of the energy an update takes, measured for %zu of %zu runs.", measured,
              all->count);
}

void section_energy(page *out, const report_data *all)
{
  static const char *const headings[] = {"run on", "nJ an update", "watts",
                                         "counted by, or why not", NULL};
  if (all->count == 0) return;
  page_section(out, "energy", "Energy");
  draw_energy(out, all);
  page_table(out, "energies", "Joules of the device while it ran the timed steps, its idle power "
             "included. A GPU's counter measures the whole board. A processor's counter measures "
             "the packages without memory. The two are not quite comparable.", headings, "0010");
  for (size_t i = 0; i < all->count; i++) {
    const report_row *one = &all->list[i];
    page_cell_text(out, "%s", one->label);
    page_cell_number(out, one->of.energy, 1e9, "%.4g");
    page_cell_number(out, one->of.energy * one->rate.median, 1, "%.1f");
    page_cell_text(out, "%s", isfinite(one->of.energy) ? member_text(one->data, "energy.source")
                                                    : one->of.energy_missing);
  }
}

/* ---- conditions ---------------------------------------------------------------------------- */

static const char *or_unknown(const char *text) { return *text ? text : "not known"; }

static void show_group(page *out, const json_t *device, const json_t *group)
{
  const int x = (int)json_integer_value(json_array_get(group, 0));
  const int y = (int)json_integer_value(json_array_get(group, 1));
  const double idle = x > 0 && y > 0 ? idle_lanes(member_text(device, "name"), x, y) : 0.0;
  if (idle > 0.0) page_cell_text(out, "%d x %d, %.1f %% of lanes idle", x, y, 100.0 * idle);
  else page_cell_text(out, "%d x %d", x, y);
}

static void show_devices(page *out, const report_data *all)
{
  static const char *const headings[] = {"run on", "device", "driver", "compiler of kernels",
                                         "threads", "pinning", "instructions or group", NULL};
  page_table(out, "devices", "Devices as they were opened.", headings, "0045132");
  for (size_t i = 0; i < all->count; i++) {
    const report_row *one = &all->list[i];
    const json_t *device = member(one->data, "device"), *group = member(one->data, "row_group");
    const char *isa = member_text(device, "isa");
    if (!group) group = member(one->data, "program.row_group");
    page_cell_text(out, "%s", one->label);
    page_cell_text(out, "%s", one->of.device);
    page_cell_text(out, "%s", or_unknown(member_text(device, "driver")));
    page_cell_text(out, "%s", or_unknown(member_text(device, "compiler")));
    page_cell_number(out, member_number(device, "threads"), 1, "%.0f");
    const char *pinning = member_text(device, "pinning");
    page_cell_text(out, "%s", *pinning ? pinning : "-");
    if (*isa) page_cell_text(out, "%s", isa);
    else if (json_array_size(group) == 2) show_group(out, device, group);
    else page_cell_text(out, "-");
  }
}

static void show_machine(page *out, const result_file *file)
{
  const json_t *host = member(file->document, "conditions.host");
  const json_t *build = member(file->document, "build");
  page_cell_text(out, "%s", file->path);
  page_cell_text(out, "%s", or_unknown(member_text(file->document, "written")));
  page_cell_text(out, "trireme %s", member_text(file->document, "trireme"));
  page_cell_text(out, "%s", or_unknown(member_text(host, "name")));
  page_cell_text(out, "%s", or_unknown(member_text(host, "processor")));
  page_cell_number(out, member_number(host, "cores"), 1, "%.0f");
  page_cell_number(out, member_number(host, "memory_bytes"), 1.0 / 1073741824.0, "%.1f");
  page_cell_number(out, member_median(host, "clock_hz.most"), 1e-9, "%.2f");
  page_cell_number(out, member_number(host, "load"), 1, "%.2f");
  page_cell_text(out, "%s", or_unknown(member_text(host, "system")));
  page_cell_text(out, "%s, %s", or_unknown(member_text(build, "compiler")),
                 or_unknown(member_text(build, "flags")));
}

void section_conditions(page *out, const report_data *all)
{
  static const char *const headings[] = {"file", "written", "program", "machine", "processor",
                                         "cores", "GiB", "GHz", "load", "system",
                                         "compiler and flags", NULL};
  page_section(out, "conditions", "Conditions");
  if (all->count > 0) show_devices(out, all);
  if (out->is_brief) return;
  page_table(out, "machines", "Machines and builds of each file. Load: processes waiting to run, "
             "on average over a minute, those of the run among them.", headings, "01204567389");
  for (size_t i = 0; i < all->file_count; i++) show_machine(out, &all->files[i]);
}

/* ---- again -------------------------------------------------------------- */

static void join_command(const json_t *words, char *text, size_t bytes)
{
  const json_t *word;
  size_t i;
  text[0] = 0;
  json_array_foreach((json_t *)words, i, word) {
    const char *plain = json_string_value(word) ? json_string_value(word) : "";
    const int quote = plain[strcspn(plain, " '\"$\\*?;|&<>()")] != 0;
    if (i == 0) plain = "trireme";
    text_append(text, bytes, "%s%s%s%s", *text ? " " : "", quote ? "'" : "", plain,
                quote ? "'" : "");
  }
}

void section_repeat(page *out, const report_data *all)
{
  char text[2048];
  page_section(out, "repeat", "How to do it again");
  page_text(out, "From the folder in which the results were made. The case lies beside each "
            "result with every key, as used.conf; strict runs of it give the same fingerprint on "
            "every device.");
  for (size_t i = 0; i < all->file_count; i++) {
    const json_t *document = all->files[i].document;
    const char *repeat = member_text(document, "repeat");
    join_command(member(document, "command"), text, sizeof text);
    if (strcmp(all->files[i].kind, "bench") == 0) page_command(out, "trireme bench --json");
    else if (*repeat) page_command(out, "%s", repeat);
    else if (text[0]) page_command(out, "%s", text);
    else
      page_text(out, "%s does not say how it was made: an older version wrote it.",
                all->files[i].path);
    if (*repeat && text[0]) page_text(out, "It was made by: %s", text);
  }
}
