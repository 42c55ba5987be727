/* number.h - numbers as cases, options and files of data have them: digits, a point, an exponent.
 * strtod and scanf also take hexadecimal ones ("0x5"), which are refused everywhere alike. */
#ifndef TRIREME_NUMBER_H
#define TRIREME_NUMBER_H

#include "core/trireme.h"

/* As strtod in the C locale. A hexadecimal number is none: 0, and *end is text. What is not finite
 * is the caller's to refuse. */
TRM_API double trm_number(const char *text, char **end);

/* A whole number as people write one: 10000, 1e4, 2.5e3, 64.0; *end is what follows it, and text
 * where there is none, or it is not whole, or not below 2^63. */
TRM_API int64_t trm_whole(const char *text, char **end);

/* Whole numbers with an 'x' between them, as 128x256: how many there are, at most `most`; 0: the
 * text is something else. */
TRM_API size_t trm_shape(const char *text, int64_t *numbers, size_t most);

/* A time with its units in seconds: 90s, 10min, 2h, 1d, 2h30m, 1d 12h, 01:30:00, 1-12:00:00; 0
 * needs none. NaN: the text is something else, or below 0. */
TRM_API double trm_duration(const char *text);

/* 1 where a number of the text is hexadecimal: what a reader by scanf asks first. Words stand
 * between blanks, commas, semicolons, '=' and '*'. */
TRM_API int trm_has_hexadecimal(const char *text);

#endif
