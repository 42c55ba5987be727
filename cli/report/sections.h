/* sections.h - the parts of a report, each from the rows alone. A part without data says which
 * command gives it. */
#ifndef TRIREME_CLI_SECTIONS_H
#define TRIREME_CLI_SECTIONS_H

#include "cli/report/report_data.h"
#include "cli/report/page.h"

/* All of them, in order. Begins the page. */
void sections_compose(page *out, const report_data *all);

/* How much of a result is printed: speeds, ratios and the verdict, a line each; tables too; also
 * what the columns mean and how the devices were opened. */
typedef enum sections_extent { SECTIONS_BRIEF, SECTIONS_USUAL, SECTIONS_EXPLAINED } sections_extent;

/* A result file on stdout: the results, and every problem. */
trm_status sections_print(const char *path, sections_extent extent);

/* A line for each speed with its ratio, then what a verdict has beside these. */
void section_brief(page *out, const report_data *all);

void section_verdict(page *out, const report_data *all);
void section_run(page *out, const report_data *all);
void section_speed(page *out, const report_data *all);
void section_roofline(page *out, const report_data *all);
void section_time(page *out, const report_data *all);
void section_agreement(page *out, const report_data *all);
void section_sizes(page *out, const report_data *all);
void section_peaks(page *out, const report_data *all); /* of section_sizes */
void section_scaling(page *out, const report_data *all);
void section_devices(page *out, const report_data *all); /* of section_scaling */
void section_ladder(page *out, const report_data *all);
void section_energy(page *out, const report_data *all);
void section_fairness(page *out, const report_data *all);
void section_conditions(page *out, const report_data *all);
void section_repeat(page *out, const report_data *all);

/* ---- what they share ---------------------------------------------------------- */

/* Four digits, without an exponent where there are more before the point: "12345", "0.1235". */
void rate_text(double value, char *text, size_t bytes);

/* "10000 cells (100 x 100)", in the axes of this row's grid; and the word behind the number. */
enum { SIZE_TEXT = 96 };
const char *report_size_text(const report_row *one, double cells, char text[SIZE_TEXT]);
const char *report_size_unit(const report_row *one);

/* The colour of a row: one for each device of each machine. */
int report_row_colour(const report_data *all, size_t index);

/* How many share the run: of "devices:2" two, else one. */
double report_row_devices(const report_row *one);

/* The agreement of its result with its reference's. */
typedef enum agreement { AGREE_FIRST, AGREE_BITS, AGREE_TOLERANCE, AGREE_NOT, AGREE_FREE,
                         AGREE_UNKNOWN } agreement;
agreement report_row_agreement(const report_data *all, size_t index);

/* Number of warnings that section_fairness gives; nothing is written. */
size_t fairness_warnings(const report_data *all);

/* A missing fact, and the command on the case of the results that gives it. */
void section_advise(page *out, const report_data *all, const char *text, const char *command,
                    const char *options);

#endif
