/* predict_page.c - predictions, their terms, and the model's error on measured steps. */
#include <math.h>
#include <string.h>

#include "cli/predict/predict.h"
#include "cli/report/chart.h"
#include "cli/report/page.h"
#include "run/text/members.h"
#include "run/text/text.h"

static void show_error(page *out, double error)
{
  if (isfinite(error)) page_cell_text(out, "%+.1f %%", 100 * error);
  else page_cell_text(out, "-");
}

static void show_predictions(page *out, const json_t *list)
{
  static const char *const headings[] = {"device", "us a step", "from", "to", "bytes",
                                         "arithmetic", "launches", "transfers", "binds",
                                         "loop, s", NULL};
  const json_t *one;
  size_t i, count = 0;
  page_section(out, "prediction", "Prediction");
  json_array_foreach((json_t *)list, i, one) count += !*member_text(one, "not_predictable");
  if (count > 0)
    page_table(out, "predictions", "Microseconds of a step. Bytes: over the device's copy; "
               "arithmetic: the rest of the step where it was measured, times the ratio of the "
               "roofs. They overlap in part: (bytes^1.5 + arithmetic^1.5)^(2/3). From, to: the "
               "same with no overlap, and with the longer alone.", headings, "0011234425");
  json_array_foreach((json_t *)list, i, one) {
    if (*member_text(one, "not_predictable")) continue;
    page_cell_text(out, "%s", member_text(one, "device"));
    page_cell_number(out, member_number(one, "predicted_seconds_per_step"), 1e6, "%.4g");
    page_cell_number(out, member_number(one, "low"), 1e6, "%.4g");
    page_cell_number(out, member_number(one, "high"), 1e6, "%.4g");
    page_cell_number(out, member_number(one, "seconds.bytes"), 1e6, "%.4g");
    page_cell_number(out, member_number(one, "seconds.arithmetic"), 1e6, "%.4g");
    page_cell_number(out, member_number(one, "seconds.launches"), 1e6, "%.4g");
    page_cell_number(out, member_number(one, "seconds.transfers"), 1e6, "%.4g");
    page_cell_text(out, "%s", member_text(one, "bound"));
    page_cell_number(out, member_number(one, "loop_seconds"), 1, "%.4g");
  }
  json_array_foreach((json_t *)list, i, one) {
    const char *missing = member_text(one, "not_predictable");
    if (*missing)
      page_item(out, MARK_UNKNOWN, "%s: not predictable: %s.", member_text(one, "device"), missing);
  }
  if (json_array_size(list) == 0)
    page_item(out, MARK_UNKNOWN, "No device of the results has this name.");
}

/* Where a prediction comes from. */
static void show_sources(page *out, const json_t *list)
{
  const json_t *one, *from;
  size_t i, k;
  json_array_foreach((json_t *)list, i, one)
    json_array_foreach((json_t *)member(one, "from"), k, from)
      page_item(out, MARK_NONE, "%s, from a step on %s: %s, %.4g us (%s)%s.",
                member_text(one, "device"), member_text(from, "device"), member_text(from, "shape"),
                1e6 * member_number(from, "seconds_per_step"), member_text(from, "source"),
                *member_text(one, "arithmetic_by") == 'd'
                  ? "; fused multiply-adds by the data sheets, since they were not measured on both"
                  : "");
}

/* A line for each reason, with the works that have it. */
static void show_unpredicted(page *out, const json_t *list)
{
  const json_t *one, *other;
  size_t i, k;
  json_array_foreach((json_t *)list, i, one) {
    const char *why = member_text(one, "not_predictable");
    char works[400] = "";
    size_t before = 0;
    if (!*why) continue;
    json_array_foreach((json_t *)list, k, other) {
      if (strcmp(member_text(other, "not_predictable"), why) != 0) continue;
      before += k < i;
      text_append(works, sizeof works, "%s%s on %s", *works ? "; " : "", member_text(other, "work"),
                  member_text(other, "device"));
    }
    if (before == 0) page_item(out, MARK_UNKNOWN, "Not predictable: %s. So: %s.", why, works);
  }
}

static void show_measured(page *out, const json_t *document)
{
  static const char *const headings[] = {"work", "device", "measured, us", "predicted, us",
                                         "error", "binds", "in the range", NULL};
  const json_t *one, *list = member(document, "measured");
  size_t i;
  page_section(out, "measured", "Predicted against measured");
  page_table(out, "measured", "Each measured step, predicted by the steps of other devices alone.",
             headings, "0000012");
  json_array_foreach((json_t *)list, i, one) {
    if (*member_text(one, "not_predictable")) continue;
    const double seconds = member_number(one, "seconds_per_step");
    const int is_within = seconds >= member_number(one, "low") &&
                          seconds <= member_number(one, "high");
    page_cell_text(out, "%s %s", member_text(one, "work"), member_text(one, "shape"));
    page_cell_text(out, "%s", member_text(one, "device"));
    page_cell_number(out, seconds, 1e6, "%.4g");
    page_cell_number(out, member_number(one, "predicted_seconds_per_step"), 1e6, "%.4g");
    show_error(out, member_number(one, "error"));
    page_cell_text(out, "%s", member_text(one, "bound"));
    page_cell_text(out, "%s", is_within ? "yes" : "no");
  }
  if (isfinite(member_number(document, "worst_error")))
    page_item(out, MARK_NONE, "Worst error: %+.1f %%, of %.0f steps that could be predicted.",
              100 * member_number(document, "worst_error"), member_number(document, "predicted"));
  else
    page_item(out, MARK_UNKNOWN, "No step could be predicted from another device: the model's "
              "error on these results is not known.");
  show_unpredicted(out, list);
}

trm_status predict_print(const json_t *document)
{
  page made = {0};
  page_begin(&made, chart_style(), "case %s (%s): %s, %s", member_text(document, "case"),
             member_text(document, "solver"), member_text(document, "precision"),
             member_text(document, "math"));
  made.is_brief = 1;
  show_predictions(&made, member(document, "predictions"));
  show_sources(&made, member(document, "predictions"));
  show_measured(&made, document);
  const trm_status status = made.failed ? TRM_FAIL(NO_HOST_MEMORY, "no memory for the tables")
                                        : TRM_OK;
  if (status == TRM_OK) page_print(&made);
  page_clear(&made);
  return status;
}
