/* sections.h - the parts of a report, each from the findings alone. A part without data says which
 * command gives it. */
#ifndef TRIREME_CLI_SECTIONS_H
#define TRIREME_CLI_SECTIONS_H

#include "cli/report/findings.h"
#include "cli/report/page.h"

/* All of them, in order. Begins the page. */
void sections_compose(page *out, const findings *all);

/* A result file on stdout: the results, and every problem. */
trm_status sections_print(const char *path);

void section_verdict(page *out, const findings *all);
void section_run(page *out, const findings *all);
void section_speed(page *out, const findings *all);
void section_roofline(page *out, const findings *all);
void section_time(page *out, const findings *all);
void section_agreement(page *out, const findings *all);
void section_sizes(page *out, const findings *all);
void section_scaling(page *out, const findings *all);
void section_devices(page *out, const findings *all); /* of section_scaling */
void section_ladder(page *out, const findings *all);
void section_energy(page *out, const findings *all);
void section_fairness(page *out, const findings *all);
void section_conditions(page *out, const findings *all);
void section_repeat(page *out, const findings *all);

/* ---- what they share ---------------------------------------------------------- */

/* Four digits, without an exponent where there are more before the point: "12345", "0.1235". */
void rate_text(double value, char *text, size_t bytes);

/* The colour of a finding: one for each device of each machine. */
int finding_colour(const findings *all, size_t index);

/* How many share the run: of "devices:2" two, else one. */
double finding_devices(const finding *one);

/* The agreement of its result with its reference's. */
typedef enum agreement { AGREE_FIRST, AGREE_BITS, AGREE_TOLERANCE, AGREE_NOT, AGREE_FREE,
                         AGREE_UNKNOWN } agreement;
agreement finding_agreement(const findings *all, size_t index);

/* Number of warnings that section_fairness gives; nothing is written. */
size_t fairness_warnings(const findings *all);

/* A missing fact, and the command on the case of the results that gives it. */
void section_advise(page *out, const findings *all, const char *text, const char *command,
                    const char *options);

#endif
