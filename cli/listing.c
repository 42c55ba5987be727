/* listing.c - contexts and small texts for the commands. */
#include "cli/listing.h"

#include <stdio.h>
#include <string.h>

#include "cli/message.h"

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

trm_status listing_device(trm_context *context, const char *name, const trm_device_options *options,
                          const char *origin, trm_device **out)
{
  const trm_status status = trm_device_open(context, name, options, out);
  if (status == TRM_OK) return status;
  if (strcmp(origin, "the default") == 0) return status; /* nobody asked for it */
  const trm_error cause = *trm_error_last();
  return trm_error_record(status, cause.file, cause.line, "%s: %s", origin, cause.text);
}

void listing_bytes(uint64_t bytes, char *text, size_t size)
{
  if (bytes == 0) snprintf(text, size, "unknown");
  else if (bytes >= (uint64_t)1 << 30)
    snprintf(text, size, "%.1f GiB", (double)bytes / 1073741824.0);
  else snprintf(text, size, "%.1f MiB", (double)bytes / 1048576.0);
}
