/* progress.c - drawn at most ten times a second, and never when quiet. */
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/measure/clock.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "cli/terminal.h"

static const double redraw_seconds = 0.1, line_seconds = 60.0;

void progress_begin(progress *bar, const char *label, uint64_t steps)
{
  *bar = (progress){.label = label, .begin = clock_now(), .steps = steps,
                    .on_terminal = terminal_redraws(stderr)};
  bar->shown = bar->begin;
}

/* A terminal that became narrower has broken the line into several. */
static void erase(progress *bar)
{
  if (!bar->drawn) return;
  for (int more = (bar->drawn - 1) / terminal_width(stderr); more > 0; more--)
    fputs("\033[A", stderr);
  fputs("\r\033[J", stderr);
  bar->drawn = 0;
}

/* One line that is shorter than the terminal is wide: first the bar goes, then the rate, then the
 * label. The number of its characters. */
static int draw(const char *label, double part, double rate, const char *left)
{
  static const int cells[] = {24, 10, 0, 0, 0};
  enum { FORMS = sizeof cells / sizeof cells[0] };
  char text[320], bar[64], speed[48];
  const int width = terminal_width(stderr);
  for (int form = 0; form < FORMS; form++) {
    const int full = (int)(part * cells[form]);
    snprintf(bar, sizeof bar, "[%.*s%.*s] ", full, "########################", cells[form] - full,
             "........................");
    snprintf(speed, sizeof speed, "  %.1f million updates/s", rate);
    snprintf(text, sizeof text, "%s%s%s%.1f %%%s  %s left", form < 4 ? label : "",
             form < 4 ? " " : "", cells[form] ? bar : "", 100 * part, form < 3 ? speed : "", left);
    if ((int)strlen(text) < width) break;
  }
  fprintf(stderr, "%.*s", width - 1, text);
  fflush(stderr);
  return (int)strlen(text) < width ? (int)strlen(text) : width - 1;
}

void progress_update(void *user, const session *run)
{
  progress *bar = user;
  const double now = clock_now();
  if (message_is_quiet() || now - bar->shown < (bar->on_terminal ? redraw_seconds : line_seconds))
    return;
  bar->shown = now;
  const double end = run->chosen->settings.end_time;
  double part = (double)run->steps_done / (double)bar->steps;
  if (isfinite(end) && run->solver->time / end > part) part = run->solver->time / end;
  if (!(part > 0)) return;
  const double left = (now - bar->begin) * (1 - part) / part;
  char left_text[32];
  listing_duration(left, left_text, sizeof left_text);
  if (!bar->on_terminal) {
    message_note("%s: step %llu (%.1f %% of the run), %.1f million updates a second, %s left",
                 bar->label, (unsigned long long)run->steps_done, 100 * part,
                 1e-6 * session_rate(run), left_text);
    return;
  }
  erase(bar);
  bar->drawn = draw(bar->label, part, 1e-6 * session_rate(run), left_text);
}

void progress_end(progress *bar)
{
  erase(bar);
}
