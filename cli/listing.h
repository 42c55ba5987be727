/* listing.h - functions shared by commands that open a context and take few operands. */
#ifndef TRIREME_CLI_LISTING_H
#define TRIREME_CLI_LISTING_H

#include <jansson.h>

#include "cli/arguments.h"
#include "core/trireme.h"

/* Refuses more than `operands` operands and opens a context whose log goes to message_log. */
trm_status listing_begin(const arguments *args, size_t operands, const char *command_name,
                         trm_context **out);

/* The context of every command. */
trm_status listing_context(trm_context **out);

/* Starts every driver, before a device is opened: OpenMP pins the calling thread to a core when its
 * first team starts, and threads that a driver (PoCL) starts later would inherit that one core. */
trm_status listing_start_drivers(trm_context *context);

/* Prints a text and a newline on stdout. */
trm_status listing_print(const char *text);
/* The label and the folder, whatever bytes its name has, as a line. */
void listing_folder(const char *label, const char *folder);
/* The same for a JSON document, which is dropped. */
trm_status listing_show(json_t *document);

/* "139.8 GiB", "23.5 GiB", "unknown" for 0. */
void listing_bytes(uint64_t bytes, char *text, size_t size);
/* "1:02:03", "2:03" or "5.1 s". */
void listing_duration(double seconds, char *text, size_t bytes);

#endif
