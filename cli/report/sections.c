/* sections.c - the parts of a report in their order: all of them for a page, those with results for
 * a terminal. */
#include "cli/report/sections.h"

#include <stdio.h>
#include <string.h>

#include "cli/report/chart.h"
#include "cli/terminal.h"
#include "run/text/members.h"
#include "run/text/text.h"

/* "bristol-128x128, bristol-256x256 (lbm)": each case once, and how many more there are. */
static void name_cases(const report_data *all, char *text, size_t bytes)
{
  enum { NAMED = 4 };
  size_t names = 0;
  const char *solver = "";
  text[0] = 0;
  for (size_t i = 0; i < all->file_count; i++) {
    if (!*solver) solver = member_text(all->files[i].document, "solver");
    const char *name = member_text(all->files[i].document, "case");
    size_t k = 0;
    while (k < i && strcmp(member_text(all->files[k].document, "case"), name) != 0) k++;
    if (k < i || !*name || names++ >= NAMED) continue;
    text_append(text, bytes, "%s%s", *text ? ", " : "", name);
  }
  if (names > NAMED) text_append(text, bytes, " and %zu more", names - NAMED);
  if (names > 0) text_append(text, bytes, " (%s)", solver);
}

void sections_compose(page *out, const report_data *all)
{
  char names[320];
  name_cases(all, names, sizeof names);
  if (names[0]) page_begin(out, chart_style(), "%s: speed and agreement", names);
  else page_begin(out, chart_style(), "What the devices can do");
  section_verdict(out, all);
  section_run(out, all);
  section_speed(out, all);
  section_roofline(out, all);
  section_time(out, all);
  section_agreement(out, all);
  section_sizes(out, all);
  section_scaling(out, all);
  section_ladder(out, all);
  section_energy(out, all);
  section_fairness(out, all);
  section_conditions(out, all);
  section_repeat(out, all);
}

/* "case box (lbm): 40 x 24 cells, 150 steps, f32, strict": what all have in common. */
static void name_case(const report_data *all, char *text, size_t bytes)
{
  const benchmark *first = all->count ? &all->list[0].of : &(benchmark){.steps = 0};
  int shapes = 0, steps = 0, precisions = 0, maths = 0;
  for (size_t i = 1; i < all->count; i++) {
    const benchmark *of = &all->list[i].of;
    shapes += strcmp(of->shape, first->shape) != 0;
    steps += of->steps != first->steps;
    precisions += strcmp(of->precision, first->precision) != 0;
    maths += strcmp(of->math, first->math) != 0;
  }
  const json_t *document = all->files[0].document;
  snprintf(text, bytes, "case %s (%s):", member_text(document, "case"),
           member_text(document, "solver"));
  if (!shapes && *first->shape) text_append(text, bytes, " %s,", first->shape);
  if (!steps && first->steps > 0) text_append(text, bytes, " %.0f steps,", first->steps);
  text_append(text, bytes, " %s, %s",
              precisions ? "f32 and f64" : member_text(document, "precision"),
              maths ? "strict and fast" : member_text(document, "math"));
}

static void compose_brief(page *out, const report_data *all, sections_extent extent)
{
  out->is_brief = 1;
  out->is_explained = extent == SECTIONS_EXPLAINED;
  if (extent == SECTIONS_BRIEF) {
    section_brief(out, all);
    return;
  }
  section_verdict(out, all);
  section_speed(out, all);
  section_agreement(out, all);
  section_sizes(out, all);
  section_scaling(out, all);
  section_ladder(out, all);
  if (out->is_explained) section_conditions(out, all);
  section_fairness(out, all);
}

trm_status sections_print(const char *path, sections_extent extent)
{
  char title[256], *paths[] = {(char *)path};
  report_data all;
  page made = {0};
  trm_status status = report_data_read(&all, paths, 1, 0);
  if (status == TRM_OK) {
    name_case(&all, title, sizeof title);
    page_begin(&made, chart_style(), "%s", extent == SECTIONS_BRIEF ? "" : title);
    compose_brief(&made, &all, extent);
    if (made.failed) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the tables of %s", path);
    else {
      page_print(&made);
      if (extent == SECTIONS_USUAL)
        terminal_print(0, 0, "--explain tells what the columns mean, --brief prints the verdict "
                             "alone.");
    }
  }
  page_clear(&made);
  report_data_clear(&all);
  return status;
}

void section_advise(page *out, const report_data *all, const char *text, const char *command,
                    const char *options)
{
  const char *folder = all->file_count ? member_text(all->files[0].document, "folder") : "";
  if (out->is_brief) return;
  page_text(out, "%s", text);
  page_command(out, "trireme %s %s%s%s%s", command, *folder ? folder : "CASE",
               *folder ? "/used.conf" : "", *options ? " " : "", options);
}
