/* program.h - runs of the program `trireme` under bad conditions, and what they leave behind. */
#ifndef TRIREME_TESTS_PROGRAM_H
#define TRIREME_TESTS_PROGRAM_H

#include "tests/harness.h"

enum { PROGRAM_WORDS = 24, PROGRAM_TEXT = 1 << 16, PROGRAM_PATH = 1024 };

typedef struct program_result {
  int code;                          /* exit code; 128 + N when signal N ended it (142: it hung) */
  long peak;                         /* bytes of memory that it had at its most */
  char out[PROGRAM_TEXT], err[PROGRAM_TEXT];
} program_result;

/* Runs $TRIREME with the words of `line` (split at blanks), in an environment with the assignments
 * of `settings` ("A=x B=y", split at blanks; "A=" sets it to nothing) added. More than a
 * tenth of TRIREME_TEST_SECONDS (60 s) are a hang and end it. */
void program_run(const char *settings, const char *line, program_result *out);
/* The same with standard output going to a file at this path. */
void program_run_to(const char *path, const char *settings, const char *line, program_result *out);

/* The same, killed after so many seconds unless it has ended by then: code 137. */
void program_run_killed(double seconds, const char *settings, const char *line,
                        program_result *out);

/* Small cases, one for each way through a solver; NULL ends the list. program_case writes one to a
 * file of that name. */
extern const char *const program_cases[];
void program_case(const char *name, char path[PROGRAM_PATH]);

/* test_folder()/name in a buffer of the caller's. */
const char *program_path(char path[PROGRAM_PATH], const char *name);

/* The number behind `word` at the start of a line of a file, or of a text; -1: no such line. */
long program_number(const char *text, const char *word);
/* A whole text file; a missing one fails the case. */
void program_read(const char *path, char text[PROGRAM_TEXT]);

/* The run ended with 2, printed no result, and said so in one line that has every given part. */
void program_assert_refused(const program_result *result, const char *part);

/* Every file of `folder` is one of `reference` with the same bytes (series.csv: with its first
 * lines; run.json, compare.json, study.json, rows.json, used.conf, log.txt, profile.csv and
 * fields.pvd: whole, as their last bytes tell), and nothing temporary is there.
 * Files may be missing. */
void program_assert_whole(const char *folder, const char *reference);

void program_remove(const char *folder);

#endif
