/* listing.c - contexts and small texts for the commands. */
#include "cli/listing.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/process.h"
#include "run/text/json.h"
#include "run/text/text.h"

trm_status listing_context(trm_context **out)
{
  const trm_context_options options = {.log = message_log};
  return trm_context_create(&options, out);
}

trm_status listing_begin(const arguments *args, size_t operands, const char *command_name,
                         trm_context **out)
{
  if (args->operand_count > operands)
    return TRM_FAIL(INPUT,
                    "'trireme %s' does not know what to do with '%s'; see 'trireme %s --help'",
                    command_name, args->operands[operands], command_name);
  return listing_context(out);
}

trm_status listing_start_drivers(trm_context *context)
{
  const trm_device_info *devices;
  size_t count;
  return trm_device_list(context, &devices, &count);
}

void listing_bytes(uint64_t bytes, char *text, size_t size)
{
  if (bytes == 0) snprintf(text, size, "unknown");
  else if (bytes >= (uint64_t)1 << 30)
    snprintf(text, size, "%.1f GiB", (double)bytes / 1073741824.0);
  else snprintf(text, size, "%.1f MiB", (double)bytes / 1048576.0);
}

void listing_duration(double seconds, char *text, size_t bytes)
{
  const long whole = (long)seconds;
  if (seconds < 60) snprintf(text, bytes, "%.1f s", seconds);
  else if (whole < 3600) snprintf(text, bytes, "%ld:%02ld", whole / 60, whole % 60);
  else snprintf(text, bytes, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
}

trm_status listing_print(const char *text)
{
  errno = 0;
  FILE *out = process_output();
  if (fprintf(out, "%s\n", text) >= 0 && fflush(out) == 0) return TRM_OK;
  return TRM_FAIL(IO, "the result could not be written to standard output%s%s",
                  errno ? ": " : "", errno ? strerror(errno) : "");
}

void listing_folder(const char *label, const char *folder)
{
  char text[PATH_MAX + 1];
  snprintf(text, sizeof text, "%s", folder);
  printf("%s%s\n", label, text_clean(text));
}

trm_status listing_show(json_t *document)
{
  char *text = json_print(document);
  json_decref(document);
  if (!text) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the JSON result");
  const trm_status status = listing_print(text);
  free(text);
  return status;
}
