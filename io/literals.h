/* literals.h - the text of a case file, made safe for libconfig. */
#ifndef TRIREME_LITERALS_H
#define TRIREME_LITERALS_H

#include "core/trireme.h"

/* A copy of the text (malloc'd, the caller's) in which integers beyond 32 bits carry the suffix L
 * that libconfig asks for. One beyond 64 bits is refused with its line. A comment at the end gets
 * an end of line. No line moves. */
trm_status trmi_literals_widen(const char *path, const char *text, char **out);

#endif
