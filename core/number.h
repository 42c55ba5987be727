/* number.h - numbers as cases, options and files of data have them: digits, a point, an exponent.
 * strtod and scanf also take hexadecimal ones ("0x5"), which are refused everywhere alike. */
#ifndef TRIREME_NUMBER_H
#define TRIREME_NUMBER_H

#include "core/trireme.h"

/* As strtod in the C locale. A hexadecimal number is none: 0, and *end is text. What is not finite
 * is the caller's to refuse. */
TRM_API double trm_number(const char *text, char **end);

/* 1 where a number of the text is hexadecimal: what a reader by scanf asks first. Words stand
 * between blanks, commas, semicolons, '=' and '*'. */
TRM_API int trm_has_hexadecimal(const char *text);

#endif
