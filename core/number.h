/* number.h - numbers in cases, options and files of data: digits, a point, an exponent. strtod and
 * scanf also take hexadecimal numbers ("0x5"); all readers here refuse them. */
#ifndef TRIREME_NUMBER_H
#define TRIREME_NUMBER_H

#include "core/trireme.h"

/* As strtod in the C locale. A hexadecimal number is refused: the result is 0, and *end is text.
 * The caller must refuse results that are not finite. */
TRM_API double trm_number(const char *text, char **end);

/* A whole number as people write it: 10000, 1e4, 2.5e3, 64.0. *end is the character after it. If
 * there is no number, or it is not whole, or not below 2^63, *end is text. */
TRM_API int64_t trm_whole(const char *text, char **end);

/* Whole numbers with an 'x' between them, as 128x256: how many there are, at most `most`; 0: the
 * text is something else. */
TRM_API size_t trm_shape(const char *text, int64_t *numbers, size_t most);

/* A time with its units in seconds: 90s, 10min, 2h, 1d, 2h30m, 1d 12h, 01:30:00, 1-12:00:00; 0
 * needs none. NaN: the text is something else, or below 0. */
TRM_API double trm_duration(const char *text);

/* Words of a text, read by a pattern of words: '#' stands for a finite number, '@' for any word,
 * and each other word for itself. A word ends at a blank, a comma, a semicolon or the text's end,
 * so that "1.5x" and "1.5.2" are refused as numbers. */
typedef struct trm_words {
  int used;                    /* characters, with blanks behind the last word; 0: no match */
  double number[8];
  const char *word[2];         /* in the text */
  int length[2];
} trm_words;
TRM_API trm_words trm_words_read(const char *text, const char *pattern);
/* Word i as a text of its own; 0: the word is longer than the room. */
TRM_API int trm_words_take(const trm_words *words, int i, char *to, size_t bytes);

/* 1 where a number of the text is hexadecimal. A reader by scanf asks this first. Words stand
 * between blanks, commas, semicolons, '=' and '*'. */
TRM_API int trm_has_hexadecimal(const char *text);

#endif
