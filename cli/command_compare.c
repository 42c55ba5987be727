/* command_compare.c - `trireme compare`: the same run on several backends, or with several values of
 * a key, in turn. */
#include "cli/command.h"
#include "cli/comparison.h"
#include "cli/listing.h"
#include "cli/message.h"

enum { DEFAULT_RUNS = 5 };

static trm_status compare(comparison *all, trm_context *context, const variation *cases,
                          const arguments *args)
{
  const size_t runs = args->runs ? (size_t)args->runs : DEFAULT_RUNS;
  TRM_TRY(comparison_open(all, context, cases, args->on, runs));
  TRM_TRY(comparison_try(all));
  session_catch_signals();
  TRM_TRY(comparison_run(all));
  if (args->json) return comparison_show_json(all);
  comparison_print(all);
  return TRM_OK;
}

exit_code command_compare(const arguments *args)
{
  variation cases;
  trm_context *context = NULL;
  comparison all = {0};
  trm_status status = variation_create(args, &cases);
  if (status == TRM_OK) status = listing_context(&context);
  if (status == TRM_OK) status = compare(&all, context, &cases, args);
  exit_code code = message_failure(status);
  if (code == EXIT_GOOD && !comparison_agrees(&all)) code = EXIT_DIFFER;
  comparison_close(&all);
  trm_context_destroy(&context);
  variation_clear(&cases);
  return code;
}
