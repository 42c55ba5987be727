/* reports.h - the published reports, as texts: JSON, made from cli/retrace/reports when the program
 * is built. */
#ifndef TRIREME_CLI_REPORTS_H
#define TRIREME_CLI_REPORTS_H

typedef struct report_text {
  const char *name, *text;
} report_text;

/* Ended by a name of NULL. */
extern const report_text report_texts[];

#endif
