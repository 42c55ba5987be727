/* command_compare.c - `trireme compare`: the same run on several backends, in turn. */
#include <stdlib.h>

#include "cli/command.h"
#include "cli/comparison.h"
#include "cli/listing.h"
#include "cli/message.h"

enum { DEFAULT_RUNS = 5 };

static trm_status compare(comparison *all, trm_context *context, const run_case *chosen,
                          const arguments *args)
{
  const size_t runs = args->runs ? (size_t)args->runs : DEFAULT_RUNS;
  TRM_TRY(comparison_open(all, context, chosen, args->on, runs));
  session_catch_signals();
  TRM_TRY(comparison_run(all));
  if (args->json) return comparison_show_json(all);
  comparison_print(all);
  return TRM_OK;
}

exit_code command_compare(const arguments *args)
{
  run_case chosen;
  trm_context *context = NULL;
  comparison *all = calloc(1, sizeof *all);
  trm_status status = all ? case_create(args, &chosen)
                          : TRM_FAIL(NO_HOST_MEMORY, "no memory for a comparison");
  if (!all) return message_failure(status);
  if (status == TRM_OK) status = listing_context(&context);
  if (status == TRM_OK) status = compare(all, context, &chosen, args);
  exit_code code = message_failure(status);
  if (code == EXIT_GOOD && !comparison_agrees(all)) code = EXIT_DIFFER;
  comparison_close(all);
  free(all);
  trm_context_destroy(&context);
  case_clear(&chosen);
  return code;
}
