/* view_terminal.h - `trireme run --view=terminal`: a run drawn into the terminal while it goes on.
 *
 * A picture is drawn at ends of batches, at most ten times a second and for at most 5 % of the
 * time. A character shows two pixels where the locale is UTF-8, else two characters show one. Keys:
 * blank pauses and continues; s takes one step; f shows the next field; r fixes the range of the
 * colours or frees it; q stops the run as Ctrl-C does. The bits never change. */
#ifndef TRIREME_CLI_VIEW_TERMINAL_H
#define TRIREME_CLI_VIEW_TERMINAL_H

#include "run/run.h"

typedef struct terminal_view terminal_view;

/* Takes the terminal of standard error until closed: its other screen, without a cursor. Keys come
 * from standard input where that is a terminal, too. TRM_ERROR_INPUT where there is no terminal to
 * draw on. A process has one such view at most. */
trm_status terminal_view_open(trm_run *run, terminal_view **out);
/* Around lines that are to stay: to the ordinary screen, and back. */
void terminal_view_leave(terminal_view *v);
void terminal_view_enter(terminal_view *v);
void terminal_view_close(terminal_view **handle);

#endif
