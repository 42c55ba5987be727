/* Command lines: the first byte picks the command, a line of the rest is a word. A run or a
 * comparison goes on to its case: the word "case.conf" stands for one that is there. */
#include <stdlib.h>
#include <string.h>

#include "run/case.h"
#include "cli/command.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_WORDS = 64 };

static char *case_path(void)
{
  static const char text[] = "solver = \"lbm\"; run = { steps = 3; }; grid = { nx = 8; ny = 8; };";
  static char *path;
  if (!path) path = fuzz_file("case.conf", (const uint8_t *)text, sizeof text - 1);
  return path;
}

static void run_command(const command *chosen, int argc, char **argv)
{
  arguments args;
  if (fuzz_accepted(arguments_parse(chosen->bit, chosen->name, argc, argv, &args))) {
    FUZZ_CHECK(args.operand_count < (size_t)argc);
    if ((chosen->bit & COMMAND_CASES) && !args.help) {
      run_case made;
      const case_request wanted = arguments_case(&args);
      (void)fuzz_accepted(case_create(&wanted, &made));
      case_clear(&made);
    }
  }
  arguments_clear(&args);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1) return 0;
  const command *chosen = &commands[data[0] % command_count];
  char *words[MOST_WORDS + 1], *text = fuzz_text(data + 1, size - 1), *state = NULL;
  char name[] = "trireme";
  int count = 0;
  words[count++] = name;
  for (char *word = strtok_r(text, "\n", &state); word && count < MOST_WORDS;
       word = strtok_r(NULL, "\n", &state))
    if (!strchr(word, '/')) /* no devices of the machine that fuzzes */
      words[count++] = strcmp(word, "case.conf") ? word : case_path();
  words[count] = NULL;
  run_command(chosen, count, words);
  free(text);
  return 0;
}
