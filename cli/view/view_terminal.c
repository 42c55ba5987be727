/* view_terminal.c - pictures of half blocks, keys, and a terminal that is always given back. */
#include "cli/view/view_terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "run/measure/clock.h"
#include "cli/process.h"
#include "run/results_picture.h"
#include "cli/terminal.h"
#include "cli/view/view_picture.h"

enum { STATUS_LINES = 2, LEAST_COLUMNS = 10, LEAST_ROWS = 4, LINE_BYTES = 512 };

static const double share = 20, least_pause = 0.1; /* of the time one part of 20; seconds */

struct terminal_view {
  trm_run *run;
  int has_halves;              /* a character is two pixels, one over the other */
  int has_true_colour;
  char field[64];              /* "": the first one */
  view_range range;
  int pause, step, stop, is_new; /* orders; is_new: the picture is to be drawn again */
  double shown, cost;          /* when the last picture was drawn, and how long it took */
  int columns, rows;           /* of the terminal, at the last picture */
};

/* ---- the terminal, taken and given back ----------------------------------------------------- */

/* The state that a handler of signals needs. */
static struct {
  int is_taken, has_keys;
  struct termios before, quiet;
} terminal;

static void put(const char *text, size_t bytes)
{
  while (bytes > 0) {
    const ssize_t done = write(STDERR_FILENO, text, bytes);
    if (done <= 0) return;     /* it went away; the run goes on */
    text += done, bytes -= (size_t)done;
  }
}

static void give_back(void)
{
  static const char leave[] = "\033[0m\033[?25h\033[?1049l";
  if (!terminal.is_taken) return;
  terminal.is_taken = 0;
  put(leave, sizeof leave - 1);
  if (terminal.has_keys) tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
}

static void take(void)
{
  static const char enter[] = "\033[?1049h\033[?25l\033[2J";
  if (terminal.is_taken) return;
  terminal.is_taken = 1;
  if (terminal.has_keys) tcsetattr(STDIN_FILENO, TCSANOW, &terminal.quiet);
  put(enter, sizeof enter - 1);
}

/* Keys come one by one, unseen, and reading never waits. Signals stay keys of the terminal. */
static void find_keys(void)
{
  terminal.has_keys = isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp() &&
                      tcgetattr(STDIN_FILENO, &terminal.before) == 0;
  terminal.quiet = terminal.before;
  terminal.quiet.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
  terminal.quiet.c_cc[VMIN] = 0;
  terminal.quiet.c_cc[VTIME] = 0;
}

/* ---- a picture in characters ---------------------------------------------------------------- */

static void colour_of(const view_picture *p, size_t x, size_t row, uint8_t rgb[3])
{
  const uint8_t level = view_level(p, (double)p->values[(p->height - 1 - row) * p->width + x]);
  const uint8_t *found = level == VIEW_SOLID ? trm_colour_solid
                       : level == VIEW_NONE ? trm_colour_none
                       : level == VIEW_WRONG ? trm_colour_wrong
                       : trm_colours_table(p->colours)[(level * 255 + 126) / (VIEW_LEVELS - 1)];
  memcpy(rgb, found, 3);
}

/* ground: 38 for the character, 48 for its background. Without true colour: the nearest colour of
 * the cube of 6 x 6 x 6, whose steps are 0, 95, 135, ..., 255. */
static void write_colour(FILE *to, const terminal_view *v, int ground, const uint8_t rgb[3])
{
  int step[3];
  for (int i = 0; i < 3; i++) step[i] = rgb[i] < 48 ? 0 : rgb[i] < 115 ? 1 : (rgb[i] - 35) / 40;
  if (v->has_true_colour) fprintf(to, "\033[%d;2;%d;%d;%dm", ground, rgb[0], rgb[1], rgb[2]);
  else fprintf(to, "\033[%d;5;%dm", ground, 16 + 36 * step[0] + 6 * step[1] + step[2]);
}

/* A line of characters: rows `top` and, with halves, `top` + 1 of width x height pixels. */
static void write_row(FILE *to, const terminal_view *v, const view_picture *p, size_t width,
                      size_t height, size_t top)
{
  uint8_t upper[3], lower[3], last[6] = {0};
  for (size_t x = 0; x < width; x++) {
    const int is_below = v->has_halves && top + 1 < height;
    colour_of(p, x * p->width / width, top * p->height / height, upper);
    memcpy(lower, upper, 3);
    if (is_below) colour_of(p, x * p->width / width, (top + 1) * p->height / height, lower);
    if (x == 0 || memcmp(last, upper, 3) != 0)
      write_colour(to, v, v->has_halves ? 38 : 48, upper);
    if (is_below && (x == 0 || memcmp(last + 3, lower, 3) != 0)) write_colour(to, v, 48, lower);
    memcpy(last, upper, 3), memcpy(last + 3, lower, 3);
    fputs(v->has_halves ? "\u2580" : "  ", to);
  }
  fputs("\033[0m\033[K\r\n", to);
}

/* A line that is no wider than the terminal; what a name may hold for the terminal is not sent. */
static void write_line(FILE *to, const terminal_view *v, const char *text)
{
  int used = 0;
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    used += (*c & 0xc0) != 0x80;
    if (used >= v->columns) break;
    const int is_order = *c < ' ' || *c == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0);
    fputc(is_order ? '?' : *c, to);
  }
  fputs("\033[K", to);
}

static void write_status(FILE *to, const terminal_view *v, session *run, const view_picture *p)
{
  const trm_solver *solver = run->solver;
  const trm_run_info *info = trm_run_describe(v->run);
  char text[LINE_BYTES], of[32] = "";
  if (info->end_step != UINT64_MAX)
    snprintf(of, sizeof of, " of %llu", (unsigned long long)info->end_step);
  snprintf(text, sizeof text, "%sstep %llu%s  time %.4g %s  %.1f million %s/s  %s",
           v->pause ? "paused  " : "", (unsigned long long)run->steps_done, of, solver->time,
           solver->time_unit ? solver->time_unit : "", 1e-6 * session_rate(run), info->counted,
           run->chosen->name);
  write_line(to, v, text);
  snprintf(text, sizeof text, "%s %.4g to %.4g %s%s%s", p->field->name, p->low, p->high,
           p->field->unit, v->range.is_given ? " (kept)" : "",
           terminal.has_keys ? "   space: pause, s: step, f: field, r: range, q: stop" : "");
  fputs("\r\n", to);
  write_line(to, v, text);
}

static void measure(terminal_view *v)
{
  struct winsize size = {0};
  v->columns = terminal_width(stderr);
  v->rows = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

/* Parts that do not fit into the terminal are left out; so is a picture that cannot be made. */
static void draw(terminal_view *v, session *run)
{
  view_picture p;
  char *text = NULL;
  size_t bytes = 0;
  measure(v);
  v->is_new = 0;
  if (v->columns < LEAST_COLUMNS || v->rows < LEAST_ROWS) return;
  const int lines = v->rows - STATUS_LINES;
  const size_t most_width = (size_t)(v->has_halves ? v->columns : v->columns / 2),
               most_height = (size_t)(v->has_halves ? 2 * lines : lines);
  /* Twice as many means as places are asked for, then the nearest is shown in each place. */
  if (view_take_picture(run, v->field, &v->range, 2 * most_width, 2 * most_height, &p) != TRM_OK)
    return;
  FILE *to = open_memstream(&text, &bytes);
  if (to) {
    const int is_wide = most_width * p.height < most_height * p.width;
    const size_t width = is_wide ? most_width : (most_height * p.width + p.height - 1) / p.height,
                 height = is_wide ? (most_width * p.height + p.width - 1) / p.width : most_height;
    fputs("\033[H", to);
    for (size_t top = 0; top < height; top += v->has_halves ? 2 : 1)
      write_row(to, v, &p, width, height, top);
    fputs("\033[J", to);
    write_status(to, v, run, &p);
    if (fclose(to) == 0) put(text, bytes);
    free(text);
  }
  if (!v->range.is_given) v->range.low = p.low, v->range.high = p.high;
  snprintf(v->field, sizeof v->field, "%s", p.field->name);
  free(p.values);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void next_field(terminal_view *v, const trm_solver *solver)
{
  size_t now = 0;
  while (now < solver->field_count && strcmp(solver->fields[now].name, v->field) != 0) now++;
  for (size_t i = 1; i <= solver->field_count; i++) {
    const trm_field *next = &solver->fields[(now + i) % solver->field_count];
    if (!results_has_picture(next)) continue;
    snprintf(v->field, sizeof v->field, "%s", next->name);
    v->range.is_given = 0;
    return;
  }
}

static void take_keys(terminal_view *v, const session *run)
{
  char keys[16];
  const ssize_t count = terminal.has_keys ? read(STDIN_FILENO, keys, sizeof keys) : 0;
  for (ssize_t i = 0; i < count; i++) {
    if (keys[i] == ' ') v->pause = !v->pause;
    else if (keys[i] == 's') v->pause = v->step = 1;
    else if (keys[i] == 'f') next_field(v, run->solver);
    else if (keys[i] == 'r') v->range.is_given = !v->range.is_given;
    else if (keys[i] == 'q') v->stop = 1;
    v->is_new = 1;
  }
}

/* ---- at ends of batches --------------------------------------------------------------------- */

static int is_viewed(void *user, session *run)
{
  terminal_view *v = user;
  take_keys(v, run);
  return v->pause || v->stop || v->is_new ||
         clock_now() - v->shown >= fmax(least_pause, share * v->cost);
}

/* Until a key says go, step or stop, or the run has to go on by itself. */
static trm_status wait_paused(terminal_view *v, session *run)
{
  static const struct timespec tick = {0, 20000000};
  int is_over = 0;
  if (run->meter) energy_pause(run->meter);
  for (;;) {
    TRM_TRY(session_heed(run, &is_over));
    if (!v->pause || v->step || v->stop || is_over) return TRM_OK;
    const int columns = v->columns, rows = v->rows;
    measure(v);
    if (v->is_new || v->columns != columns || v->rows != rows) draw(v, run);
    nanosleep(&tick, NULL);
    take_keys(v, run);
  }
}

static trm_status show(void *user, session *run)
{
  terminal_view *v = user;
  const double begin = clock_now();
  draw(v, run);
  v->shown = clock_now();
  v->cost = v->shown - begin + run->observing;
  run->plan.fixed = run->chosen->settings.batch;
  if (v->pause) TRM_TRY(wait_paused(v, run));
  if (v->step) run->plan.fixed = 1;
  v->step = 0;
  if (v->stop) process_interrupt();
  return TRM_OK;
}

/* ---- begin and end -------------------------------------------------------------------------- */

static int says(const char *name, const char *a, const char *b)
{
  const char *text = getenv(name);
  return text && (strstr(text, a) || strstr(text, b));
}

static int locale_is_utf8(void)
{
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *text = getenv(names[i]);
    if (text && text[0])
      return strstr(text, "UTF-8") || strstr(text, "utf8") || strstr(text, "utf-8");
  }
  return 0;
}

trm_status terminal_view_open(trm_run *run, terminal_view **out)
{
  if (!terminal_redraws(stderr))
    return TRM_FAIL(INPUT, "--view=terminal draws on the terminal of standard error, and that is "
                    "%s; run it in a terminal, or take --view and a browser",
                    isatty(STDERR_FILENO) ? "one that cannot be drawn on (TERM)"
                                          : "a file or a pipe");
  if (tcgetpgrp(STDERR_FILENO) != getpgrp())
    return TRM_FAIL(INPUT, "--view=terminal needs the terminal for itself, and the run is in its "
                    "background; begin it without '&', or take --view and a browser");
  terminal_view *v = calloc(1, sizeof *v);
  if (!v) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a view");
  v->run = run;
  v->has_halves = locale_is_utf8();
  v->has_true_colour = says("COLORTERM", "truecolor", "24bit");
  find_keys();
  process_guard(give_back, take);
  take();
  trm_run_set_viewer(run, v, is_viewed, show);
  *out = v;
  return TRM_OK;
}

void terminal_view_leave(terminal_view *v)
{
  if (v) give_back();
}

void terminal_view_enter(terminal_view *v)
{
  if (v) take();
}

void terminal_view_close(terminal_view **handle)
{
  terminal_view *v = *handle;
  if (!v) return;
  trm_run_set_viewer(v->run, NULL, NULL, NULL);
  give_back();
  process_guard(NULL, NULL);
  free(v);
  *handle = NULL;
}
