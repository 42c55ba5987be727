/* command_predict.c - `trireme predict`: a case on devices that are not here; nothing is run. */
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "cli/predict/predict.h"
#include "run/text/json.h"

static trm_status predict(const arguments *args)
{
  predict_data all = {0};
  run_case chosen = {0};
  json_t *document = NULL;
  case_request wanted = arguments_case(args);
  wanted.may_be_endless = 1;
  if (!args->from)
    return TRM_FAIL(INPUT, "predict needs --from=RESULTS: files of run, compare, study, bench or "
                    "docs/measure/measure.py, such as --from=docs/measure/h200.json,bench.json");
  trm_status status = case_create(&wanted, &chosen);
  if (status == TRM_OK) status = predict_read(&all, args->from);
  if (status == TRM_OK) {
    document = predict_json(&all, &chosen, args->on);
    if (!json_is_whole(document)) status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the prediction");
  }
  if (status == TRM_OK)
    status = args->json ? listing_show(json_incref(document)) : predict_print(document);
  json_decref(document);
  predict_clear(&all);
  case_clear(&chosen);
  return status;
}

exit_code command_predict(const arguments *args)
{
  return message_failure(predict(args));
}
