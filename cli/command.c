/* command.c - the table of commands, and the help that follows from it and the options' table. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "run/settings.h"
#include "cli/terminal.h"

const command commands[] = {
  {"run", COMMAND_RUN, "CASE | SOLVER FILES...", "run a case on one backend",
   "CASE is a folder with case.conf, such a file, or the name of an installed case ('trireme\n"
   "cases'); SOLVER FILES... are the files of the solver's own tradition ('trireme solvers' lists\n"
   "them). The results go to --output=DIR, or to a new folder results/NAME-NNNN; the table of the\n"
   "run goes to standard output.",
   command_run},
  {"resume", COMMAND_RESUME, "FOLDER", "continue a run from its newest checkpoint",
   "FOLDER holds the results of a run that was stopped, killed or interrupted. The run continues\n"
   "from its newest intact checkpoint, on the same backend or another, and its results are those\n"
   "of a run that was never interrupted. Other values of keys that change results are refused;\n"
   "--steps and --end-time may grow. --dry-run checks whether and from which step it could go\n"
   "on. docs/checkpoints.md has the rest.",
   command_resume},
  {"compare", COMMAND_COMPARE, "CASE | SOLVER FILES...", "compare the same run on several backends",
   "Runs the case on each backend of --on in turn, several times, and compares speed, fields,\n"
   "series and fingerprints with the first. Strict runs must agree in every bit, fast ones to a\n"
   "tolerance. Without --on: every device of every ready backend; with --vary the case's own.\n"
   "--vary runs the case with each value of a key. Keys that say how a run is carried out (the\n"
   "threads, the form of a kernel) must not change the result; for others the differences are\n"
   "shown.\n"
   "If runs that must agree differ, --bisect finds the first step, kernel and cell that differ.\n"
   "The same command with --output=DIR of an interrupted comparison continues it.",
   command_compare},
  {"study", COMMAND_STUDY, "CASE | SOLVER FILES...", "time a solver's optimisations, or a sweep",
   "--ladder runs the case on every implementation of its solver's ladder, from the slowest form\n"
   "of a step to the fastest, compares each with the first, and splits the time that each saves\n"
   "into parts: transfers, launches, bytes, serial work, and the rest. --vary and --sizes sweep\n"
   "keys and sizes instead, and find the size above which one device is faster than another.\n"
   "Results are kept as they come: the same command with --output=DIR of an interrupted study\n"
   "continues it.\n"
   "--retrace=NAME takes no case: it runs the tables of a published report (bristol, nbody,\n"
   "cylinder, zfs, shallow) and says for each number and claim whether it is seen here.",
   command_study},
  {"tune", COMMAND_TUNE, "CASE | SOLVER FILES...", "find the fastest way to run a case on a device",
   "Tries the values of keys that promise the same bits: group shapes on a GPU, threads and\n"
   "wavefront on a host, and the solver's own keys with that promise. Each value is first checked\n"
   "against the default, then timed in turn with it. Values that are faster beyond the noise are\n"
   "kept in the cache folder; later runs use them and say so.",
   command_tune},
  {"predict", COMMAND_PREDICT, "CASE | SOLVER FILES...", "a case's time on a device not here",
   "--from=RESULTS names kept results: run.json, compare.json and study.json, 'trireme bench\n"
   "--json', results of docs/measure/measure.py; several with commas. For each of their devices\n"
   "the time of a step of CASE is predicted from the roofs of that device and from steps of the\n"
   "same work that were measured on others. The terms are bytes, arithmetic, launches and\n"
   "transfers. Then each measured step is predicted in the same way and held against its\n"
   "measurement. Nothing is run.",
   command_predict},
  {"bench", COMMAND_BENCH, "", "measure the best speeds of each device",
   "Bandwidth (the device's own copy command; kernels that copy, add, sum, or copy the nine\n"
   "streams of a D2Q9 lattice), fused multiply-adds in f32 and f64, the cost of a launch, plain\n"
   "and recorded, and transfers both ways. Without --on: every device of every ready backend. The\n"
   "figures are kept in the cache folder for 'trireme run --profile'; 'trireme report' takes\n"
   "those of --json.",
   command_bench},
  {"report", COMMAND_REPORT, "RESULT...", "write a page about stored results",
   "RESULT is a folder of results, or a file run.json, compare.json, study.json or bench.json, of\n"
   "this machine or another. Writes one HTML page that needs nothing else, the same as Markdown,\n"
   "each figure as SVG and each table as CSV. Nothing is run. Results of different cases are\n"
   "refused, unless --mixed asks for them.",
   command_report},
  {"movie", COMMAND_MOVIE, "RUN", "make a movie from the frames of a run",
   "RUN is the folder of a run with --movie=FIELD --movie-every=N. All frames have one range of\n"
   "colours. An APNG needs no other program and plays in every browser; ffmpeg makes MP4 and GIF.",
   command_movie},
  {"backends", COMMAND_BACKENDS, "", "list every plugin file that was considered",
   "Each with its state; for one that is not ready, the reason and the cure.", command_backends},
  {"devices", COMMAND_DEVICES, "", "list every device of every ready backend",
   "Names, memory, double precision, driver. Name one by --backend=NAME[:DEVICE].",
   command_devices},
  {"cases", COMMAND_CASE_LIST, "", "list the installed cases",
   "One line each; 'trireme run NAME' runs a case, unless a file or folder has that name.",
   command_cases},
  {"solvers", COMMAND_SOLVERS, "[SOLVER]", "list the solvers, or the keys of one",
   "Without an operand, each solver with its files; with one, every key of its cases.",
   command_solvers},
  {"completion", COMMAND_COMPLETION, "bash|zsh|fish", "print the completion for a shell",
   "A script that completes commands, options, keys and their values, backends, devices, solvers\n"
   "and cases: source <(trireme completion bash); trireme completion fish | source.",
   command_completion},
  {"new-solver", COMMAND_NEW_SOLVER, "NAME [DIR]", "write a solver of your own to start from",
   "Makes the folder DIR, or NAME, with a solver of the heat equation called NAME: kernel, host\n"
   "side, case, test and Makefile. It is built and installed as a plugin: docs/solver.md.",
   command_new_solver},
  {"exercise", COMMAND_EXERCISE, "[NAME [DIR]]", "write the folder of an exercise, or list them",
   "Without an operand, each exercise by difficulty. With one, makes the folder DIR, or NAME: a\n"
   "kernel in which one step is missing, the kernels that it is compared with, and the task.\n"
   "'make grade' in it compares bits and speed with the reference's: docs/exercises.md.",
   command_exercise},
};
const size_t command_count = sizeof commands / sizeof commands[0];

const command *command_find(const char *name)
{
  for (size_t i = 0; i < command_count; i++)
    if (strcmp(commands[i].name, name) == 0) return &commands[i];
  return NULL;
}

const char *command_nearest(const char *name)
{
  static const char *const options[] = {"--help", "--version"};
  if (name[0] == '-') return trm_nearest_name(name, options, 2);
  const char *names[sizeof commands / sizeof commands[0]];
  for (size_t i = 0; i < command_count; i++) names[i] = commands[i].name;
  return trm_nearest_name(name, names, command_count);
}

void program_version(void)
{
  printf("trireme %s\n", trm_version());
  printf("One solver on OpenMP, OpenCL and CUDA. Licence: BSD-2-Clause; no warranty.\n");
}

/* A term, and behind it its text. */
static void help_line(int width, const char *term, const char *text)
{
  const int used = printf("  %-*s ", width, term);
  terminal_print(used, width + 3, text);
}

void program_help(void)
{
  printf("Usage: trireme COMMAND [OPTION]... [OPERAND]...\n"
         "One solver, written once, on OpenMP, OpenCL and CUDA.\n\nCommands:\n");
  for (size_t i = 0; i < command_count; i++)
    help_line(10, commands[i].name, commands[i].summary);
  printf("\nExit status:\n");
#define PRINT_EXIT(name, value, text) help_line(10, #value, text);
  EXIT_CODES(PRINT_EXIT)
#undef PRINT_EXIT
  putchar('\n');
  terminal_print(0, 0, "'trireme help NAME' tells the options of a command, the keys of a solver, "
                       "or a key; 'man trireme' has all.");
}

void command_help(const command *chosen)
{
  printf("Usage: trireme %s [OPTION]...%s%s\n", chosen->name, chosen->operands[0] ? " " : "",
         chosen->operands);
  terminal_print(0, 0, chosen->help);
  printf("\nOptions:\n");
  for (size_t i = 0; i < named_option_count; i++) {
    const named_option *option = &named_options[i];
    if (!(option->commands & chosen->bit)) continue;
    const char *argument = option->argument ? option->argument : "";
    char name[64];
    snprintf(name, sizeof name, "--%s%s%s", option->name,
             argument[0] && argument[0] != '[' ? "=" : "", argument);
    help_line(24, name, option->help);
  }
  if (!(chosen->bit & COMMAND_OF_CASES)) return;
  char variable[64];
  named_option_variable(&named_options[0], variable, sizeof variable);
  char text[256];
  snprintf(text, sizeof text, "A key takes its value from the default, case.conf, the environment "
           "(%s\nand so on, for each option that names a key), --set KEY=VALUE, or the option; of\n"
           "several, the last in this list wins.", variable);
  putchar('\n');
  terminal_print(0, 0, text);
  printf("Keys of every case:\n");
  for (size_t i = 0; i < program_keys.option_count; i++)
    help_line(20, program_keys.options[i].key, program_keys.options[i].help);
  putchar('\n');
  terminal_print(0, 0, "Keys of a solver: 'trireme help SOLVER', or its name or a case before "
                       "--help.");
}
