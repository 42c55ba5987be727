/* command_cases.c - `trireme cases`: lists the cases that are installed. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/message.h"
#include "run/installed.h"
#include "cli/terminal.h"
#include "run/text/json.h"

static json_t *as_json(const installed_cases *cases)
{
  char text[INSTALLED_LINE];
  json_t *document = json_document("cases"), *list = json_array();
  for (size_t i = 0; i < cases->count; i++) {
    installed_line(cases, i, text);
    json_array_append_new(list, json_pack("{s:o, s:o}", "name", json_text(cases->names[i]),
                                          "summary", json_text(text)));
  }
  json_object_set_new(document, "folder", json_text(cases->folder));
  json_object_set_new(document, "cases", list);
  return document;
}

static void print(const installed_cases *cases)
{
  char text[INSTALLED_LINE];
  int widest = 0;
  for (size_t i = 0; i < cases->count; i++)
    if ((int)strlen(cases->names[i]) > widest) widest = (int)strlen(cases->names[i]);
  for (size_t i = 0; i < cases->count; i++) {
    installed_line(cases, i, text);
    terminal_print(printf("%-*s ", widest, cases->names[i]), widest + 1, text);
  }
  if (cases->count) printf("In %s; run one by its name.\n", cases->folder);
  else message_warning("no case is installed in '%s'; 'make install' does it, and TRIREME_CASES "
                       "names another folder", cases->folder);
}

exit_code command_cases(const arguments *args)
{
  installed_cases cases = {.names = NULL};
  trm_status status = args->operand_count == 0 ? installed_list(&cases)
    : TRM_FAIL(INPUT, "'trireme cases' does not know what to do with '%s'", args->operands[0]);
  if (status == TRM_OK && args->json) status = listing_show(as_json(&cases));
  else if (status == TRM_OK) print(&cases);
  installed_clear(&cases);
  return message_failure(status);
}
