/* progress.c - drawn at most ten times a second, and never when quiet. */
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/measure/clock.h"
#include "cli/message.h"

enum { BAR_CELLS = 24 };
static const double redraw_seconds = 0.1, line_seconds = 60.0;

void progress_begin(progress *bar, const char *label, uint64_t steps)
{
  *bar = (progress){.label = label, .begin = clock_now(), .steps = steps,
                    .on_terminal = isatty(STDERR_FILENO)};
  bar->shown = bar->begin;
}

/* "1:02:03", "2:03" or "5.1 s" */
static void duration(double seconds, char *text, size_t bytes)
{
  const long whole = (long)seconds;
  if (seconds < 60) snprintf(text, bytes, "%.1f s", seconds);
  else if (whole < 3600) snprintf(text, bytes, "%ld:%02ld", whole / 60, whole % 60);
  else snprintf(text, bytes, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
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
  char left_text[32], bar_text[BAR_CELLS + 1];
  duration(left, left_text, sizeof left_text);
  if (!bar->on_terminal) {
    message_note("%s: step %llu (%.1f %% of the run), %.1f million updates a second, %s left",
                 bar->label, (unsigned long long)run->steps_done, 100 * part,
                 1e-6 * session_rate(run), left_text);
    return;
  }
  for (int i = 0; i < BAR_CELLS; i++) bar_text[i] = i < (int)(part * BAR_CELLS) ? '#' : '.';
  bar_text[BAR_CELLS] = 0;
  fprintf(stderr, "\r\033[K%s [%s] %5.1f %%  %.1f million updates/s  %s left", bar->label, bar_text,
          100 * part, 1e-6 * session_rate(run), left_text);
  fflush(stderr);
  bar->drawn = 1;
}

void progress_end(progress *bar)
{
  if (bar->drawn) fputs("\r\033[K", stderr);
  bar->drawn = 0;
}
