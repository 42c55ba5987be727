/* arguments.c - the table of options and its reading by getopt_long.
 *
 * getopt's own messages are replaced: ours name the nearest option. Options of the case become
 * settings with their rank, so that --steps wins over --set run.steps wherever it stands. */
#include "cli/arguments.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "core/number.h"

const named_option named_options[] = {
  {"backend", "NAME[:DEVICE]", "run.backend", COMMAND_RUN | COMMAND_RESUME,
   "openmp, opencl, cuda; a device by number or by part of its name"},
  {"devices", "LIST", "run.devices", COMMAND_RUN | COMMAND_RESUME,
   "several devices that share the rows: cuda:0,cuda:1; with weights: opencl:0*3,openmp"},
  {"device", "NAME[:DEVICE]", "run.backend", COMMAND_TUNE,
   "the device to tune for: openmp, opencl:1, cuda; default: the case's own"},
  {"precision", "f32|f64", "run.precision", COMMAND_WORK, "single or double precision"},
  {"math", "strict|fast", "run.math", COMMAND_WORK,
   "strict: the same bits everywhere; fast: what the compiler chooses"},
  {"steps", "N", "run.steps", COMMAND_WORK, "steps to run"},
  {"end-time", "T", "run.end_time", COMMAND_KEYED,
   "time at which the run ends, in the solver's unit"},
  {"threads", "N", "run.threads", COMMAND_KEYED, "threads of the openmp backend; 0: all cores"},
  {"group", "XxY", "run.group", COMMAND_WORK,
   "group shape of row kernels on a GPU, such as 128x2"},
  {"batch", "N", "run.batch", COMMAND_KEYED,
   "steps in one batch, after which the host looks at the run; 0: about 0.1 s"},
  {"wavefront", "N", "run.wavefront", COMMAND_WORK,
   "steps run as one wavefront on a host; 0: automatic, 1: off"},
  {"steps-per-launch", "N", "run.steps_per_launch", COMMAND_WORK,
   "recorded steps in one launch of a GPU; 0: automatic, 1: one, 3 or 5: at most that many"},
  {"plain-replay", NULL, "run.plain_replay", COMMAND_WORK,
   "replay recorded steps launch by launch"},
  {"roof", "true|false", "run.roof", COMMAND_KEYED,
   "measure the device's copy roof after the run (default true)"},
  {"ceiling", "true|false", "run.ceiling", COMMAND_KEYED, "the former name of --roof"},
  {"set", "KEY=VALUE", NULL, COMMAND_WORK, "set any key of the case (--set lbm.omega=1.7)"},
  {"output", "DIR", "output.folder", COMMAND_CASES,
   "folder of the results; default results/NAME-NNNN"},
  {"output", "FILE.html", NULL, COMMAND_REPORT,
   "the page; default report.html. Its Markdown, figures and tables are written beside it"},
  {"field", "NAME", NULL, COMMAND_MOVIE, "the field to show, if the run kept frames of several"},
  {"fps", "N", NULL, COMMAND_MOVIE, "frames a second; default 30"},
  {"to", "apng|mp4|gif", NULL, COMMAND_MOVIE,
   "the format; default: by the ending of --output, else apng. mp4 and gif need ffmpeg"},
  {"steps", "FIRST,LAST", NULL, COMMAND_MOVIE, "the frames of these steps only"},
  {"range", "LOW,HIGH", NULL, COMMAND_MOVIE,
   "range of the colours; default: output.range, else 1st to 99th percentile of all frames"},
  {"size", "N", NULL, COMMAND_MOVIE, "pixels of the cells along x; default: a whole factor"},
  {"output", "FILE", NULL, COMMAND_MOVIE, "the movie; default RUN/FIELD.apng"},
  {"mixed", NULL, NULL, COMMAND_REPORT, "allow results of different cases"},
  {"again", NULL, NULL, COMMAND_COMPARE | COMMAND_STUDY | COMMAND_REPORT | COMMAND_MOVIE,
   "make a finished result, or an earlier page or movie, anew, in its place"},
  {"formats", "LIST", "output.formats", COMMAND_RUN,
   "files to write of png,vti,vtu,htg,npy,course; none: no field"},
  {"fields", "LIST", "output.fields", COMMAND_RUN,
   "fields to write; default: all but the raw state"},
  {"every", "N", "output.every", COMMAND_RUN, "also write the fields every N steps"},
  {"every-time", "T", "output.every_time", COMMAND_RUN,
   "also write the fields at the times T, 2 T, ... of the model"},
  {"movie", "FIELD", "output.movie", COMMAND_RUN, "keep frames of this field for 'trireme movie'"},
  {"movie-every", "N", "output.movie_every", COMMAND_RUN, "a frame every N steps"},
  {"checkpoint-every", "TIME", "checkpoint.every", COMMAND_KEYED & ~COMMAND_TUNE,
   "time between two checkpoints, such as 10min or 1h30m; auto (default): by their cost; 0: none"},
  {"for", "TIME", "run.for", COMMAND_KEYED & ~COMMAND_TUNE,
   "stop after this time, such as 110min or 2h30m, with a checkpoint from which to resume"},
  {"dry-run", NULL, NULL, COMMAND_RUN | COMMAND_RESUME,
   "run: print the case as it would run here; resume: check whether it could go on"},
  {"view", "[=PORT|terminal]", NULL, COMMAND_RUN | COMMAND_RESUME,
   "show the run on a page of 127.0.0.1, whose address is printed, or draw it in the terminal"},
  {"ladder", NULL, NULL, COMMAND_STUDY, "run each implementation of the solver's ladder"},
  {"retrace", "NAME", NULL, COMMAND_STUDY,
   "measure a published report again: bristol, nbody, cylinder, zfs or shallow"},
  {"quick", NULL, NULL, COMMAND_STUDY, "retrace: halve sizes until a row takes about 2 s"},
  {"page", "FILE", NULL, COMMAND_STUDY, "retrace: write the page to this .md or .html file too"},
  {"sizes", "LIST", NULL, COMMAND_STUDY,
   "run each size, as 128,256 or 128x256: the case of that size beside this one, else the solver's "
   "keys of size"},
  {"seconds", "S", NULL, COMMAND_STUDY, "length of a timed run, at most the whole case; default 1"},
  {"on", "LIST", NULL, COMMAND_COMPARE | COMMAND_BENCH | COMMAND_STUDY,
   "backends or devices: openmp,opencl:1,cuda"},
  {"from", "RESULTS", NULL, COMMAND_PREDICT,
   "kept results of other devices: files, or folders with them, with commas between"},
  {"on", "DEVICE", NULL, COMMAND_PREDICT,
   "devices with this in their names alone, such as H100; default: all of the results"},
  {"vary", "KEY=A,B", NULL, COMMAND_COMPARE | COMMAND_STUDY,
   "run each value of a key (--vary=precision=f32,f64); several: every combination"},
  {"bisect", NULL, NULL, COMMAND_COMPARE,
   "where strict runs differ: find the first step, kernel and cell that differ"},
  {"tuned", NULL, NULL, COMMAND_COMPARE,
   "each side with the settings that 'trireme tune' found on it"},
  {"cpu-cores", "N", NULL, COMMAND_COMPARE,
   "keep the process to N cores, a thread each: the processor's side of the comparison"},
  {"no-tuned", NULL, NULL, COMMAND_RUN, "do not use the settings that 'trireme tune' found on this "
                                        "device"},
  {"profile", NULL, NULL, COMMAND_RUN | COMMAND_RESUME,
   "time kernels, copies and fills: a table, profile.csv, and `profile` in run.json"},
  {"runs", "N", NULL, COMMAND_COMPARE | COMMAND_BENCH | COMMAND_STUDY | COMMAND_TUNE,
   "repetitions, in turn; default 5, for a study 6"},
  {"brief", NULL, NULL, COMMAND_RUN | COMMAND_RESUME | COMMAND_COMPARE | COMMAND_STUDY,
   "print the verdict, speeds and ratios alone, a line each; run: five lines"},
  {"explain", NULL, NULL, COMMAND_COMPARE | COMMAND_STUDY,
   "also print what the columns of the tables mean, and how the devices were opened"},
  {"json", NULL, NULL, COMMAND_ALL & ~(COMMAND_REPORT | COMMAND_COMPLETION),
   "print the result as JSON"},
  {"quiet", NULL, NULL, COMMAND_ALL, "print only errors on stderr"},
  {"verbose", NULL, NULL, COMMAND_ALL, "print the library's log on stderr too"},
  {"help", NULL, NULL, COMMAND_ALL, "print this help"},
};
const size_t named_option_count = sizeof named_options / sizeof named_options[0];

enum { OPTION_BASE = 256, OPTION_LIMIT = 64 };

void named_option_variable(const named_option *option, char *text, size_t bytes)
{
  snprintf(text, bytes, "TRIREME_%s", option->name);
  for (char *c = text; *c; c++) *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

static trm_status setting_add(arguments *args, const char *key, const char *text,
                              const char *origin, trm_origin_rank rank)
{
  setting *grown = realloc(args->settings, (args->setting_count + 1) * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the command line");
  args->settings = grown;
  setting *added = &grown[args->setting_count];
  *added = (setting){strdup(key), strdup(text), strdup(origin), rank};
  if (!added->key || !added->text || !added->origin) {
    free(added->key);
    free(added->text);
    free(added->origin);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the command line");
  }
  args->setting_count++;
  return TRM_OK;
}

/* Commands that heed an option's variable: those that have the option. All commands on the case's
 * own device heed the variable that names it, unless they are given another device. */
static unsigned heeding(const named_option *option)
{
  const int is_device = strcmp(option->name, "backend") == 0 ||
                        strcmp(option->name, "devices") == 0;
  return option->commands | (is_device ? COMMAND_KEYED : 0);
}

/* TRIREME_STEPS=100 stands for run.steps below --set and --steps. */
static trm_status settings_from_environment(unsigned command_bit, arguments *args)
{
  for (size_t i = 0; i < named_option_count; i++) {
    const named_option *option = &named_options[i];
    if (!option->key || !(heeding(option) & command_bit)) continue;
    char variable[64];
    named_option_variable(option, variable, sizeof variable);
    const char *text = getenv(variable);
    if (!text || !text[0]) continue;
    char origin[96];
    snprintf(origin, sizeof origin, "the environment's %s", variable);
    TRM_TRY(setting_add(args, option->key, text, origin, TRM_RANK_ENVIRONMENT));
  }
  return TRM_OK;
}

static trm_status parse_set(arguments *args, const char *text)
{
  const char *equals = strchr(text, '=');
  if (!equals || equals == text)
    return TRM_FAIL(INPUT, "--set %s: not of the form KEY=VALUE; write for example "
                    "--set run.steps=100", text);
  char *key = strndup(text, (size_t)(equals - text));
  if (!key) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the command line");
  char origin[160];
  snprintf(origin, sizeof origin, "--set %.120s", key);
  const trm_status status = setting_add(args, key, equals + 1, origin, TRM_RANK_SET);
  free(key);
  return status;
}

static trm_status parse_runs(const char *text, int *out)
{
  char *end;
  const int64_t value = trm_whole(text, &end);
  if (end == text || *end || value < 1 || value > 1000)
    return TRM_FAIL(INPUT, "--runs=%s: give a whole number from 1 to 1000", text);
  *out = (int)value;
  return TRM_OK;
}

static trm_status parse_cores(const char *text, int *out)
{
  char *end;
  const int64_t value = trm_whole(text, &end);
  if (end == text || *end || value < 1 || value > 4096)
    return TRM_FAIL(INPUT, "--cpu-cores=%s: give a whole number from 1 to 4096", text);
  *out = (int)value;
  return TRM_OK;
}

/* A number alone has the unit of the option. */
static trm_status parse_seconds(const char *text, double *out)
{
  char *end;
  double value = trm_number(text, &end);
  if (end == text || *end) value = trm_duration(text);
  if (!(value > 0 && value <= 3600))
    return TRM_FAIL(INPUT, "--seconds=%s: give seconds above 0, at most 3600", text);
  *out = value;
  return TRM_OK;
}

static trm_status parse_on(const char *text, const char **out)
{
  if (!text[strspn(text, ", \t")])
    return TRM_FAIL(INPUT, "--on=%s names no backend; write for example --on=openmp,opencl", text);
  *out = text;
  return TRM_OK;
}

static trm_status add_vary(arguments *args, const char *text)
{
  const char **grown = realloc(args->vary, (args->vary_count + 1) * sizeof *grown);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the command line");
  args->vary = grown;
  args->vary[args->vary_count++] = text;
  return TRM_OK;
}

static trm_status apply(const named_option *option, const char *text, arguments *args)
{
  if (option->key) {
    char origin[64];
    snprintf(origin, sizeof origin, "--%s", option->name);
    return setting_add(args, option->key, text ? text : "true", origin, TRM_RANK_OPTION);
  }
  const char *name = option->name;
  if (strcmp(name, "set") == 0) return parse_set(args, text);
  if (strcmp(name, "runs") == 0) return parse_runs(text, &args->runs);
  if (strcmp(name, "cpu-cores") == 0) return parse_cores(text, &args->cpu_cores);
  if (strcmp(name, "tuned") == 0) args->tuned = 1;
  if (strcmp(name, "on") == 0) return parse_on(text, &args->on);
  if (strcmp(name, "vary") == 0) return add_vary(args, text);
  if (strcmp(name, "from") == 0) args->from = text;
  if (strcmp(name, "output") == 0) args->output = text;
  if (strcmp(name, "field") == 0) args->field = text;
  if (strcmp(name, "fps") == 0) args->fps = text;
  if (strcmp(name, "to") == 0) args->to = text;
  if (strcmp(name, "range") == 0) args->range = text;
  if (strcmp(name, "size") == 0) args->size = text;
  if (strcmp(name, "steps") == 0) args->steps = text;
  if (strcmp(name, "mixed") == 0) args->mixed = 1;
  if (strcmp(name, "again") == 0) args->again = 1;
  if (strcmp(name, "no-tuned") == 0) args->no_tuned = 1;
  if (strcmp(name, "profile") == 0) args->profile = 1;
  if (strcmp(name, "bisect") == 0) args->bisect = 1;
  if (strcmp(name, "seconds") == 0) return parse_seconds(text, &args->seconds);
  if (strcmp(name, "retrace") == 0) args->retrace = text;
  if (strcmp(name, "quick") == 0) args->quick = 1;
  if (strcmp(name, "page") == 0) args->page = text;
  if (strcmp(name, "sizes") == 0) args->sizes = text;
  if (strcmp(name, "view") == 0) args->view = text ? text : "";
  if (strcmp(name, "ladder") == 0) args->ladder = 1;
  if (strcmp(name, "brief") == 0) args->brief = 1;
  if (strcmp(name, "explain") == 0) args->explain = 1;
  if (strcmp(name, "json") == 0) args->json = 1;
  if (strcmp(name, "quiet") == 0) args->quiet = 1;
  if (strcmp(name, "verbose") == 0) args->verbose = 1;
  if (strcmp(name, "dry-run") == 0) args->dry_run = 1;
  if (strcmp(name, "help") == 0) args->help = 1;
  return TRM_OK;
}

/* The refusal of a word that getopt did not take: one line with the nearest option. */
static trm_status unknown_option(unsigned command_bit, const char *command_name, const char *word)
{
  char name[64];
  const char *start = word + strspn(word, "-");
  snprintf(name, sizeof name, "%.*s", (int)strcspn(start, "="), start);
  const char *names[OPTION_LIMIT], *begun[2] = {NULL, NULL};
  size_t count = 0;
  for (size_t i = 0; i < named_option_count; i++) {
    const named_option *option = &named_options[i];
    if (option->commands & command_bit) {
      names[count++] = option->name;
      if (name[0] && strncmp(option->name, name, strlen(name)) == 0)
        begun[begun[0] != NULL] = option->name;
    } else if (strcmp(option->name, name) == 0) {
      return TRM_FAIL(INPUT, "--%s is not an option of 'trireme %s'; see 'trireme %s --help'", name,
                      command_name, command_name);
    }
  }
  if (begun[1])
    return TRM_FAIL(INPUT, "'%s' is ambiguous: it begins --%s and --%s", word, begun[0], begun[1]);
  const char *nearest = trm_nearest_name(name, names, count);
  if (nearest)
    return TRM_FAIL(INPUT, "unknown option '%s'; the nearest is --%s", word, nearest);
  return TRM_FAIL(INPUT, "unknown option '%s'; see 'trireme %s --help'", word, command_name);
}

/* -o is --output of the commands that have it. */
static trm_status apply_short_output(unsigned command_bit, const char *command_name,
                                     const char *text, arguments *args)
{
  for (size_t i = 0; i < named_option_count; i++)
    if (strcmp(named_options[i].name, "output") == 0 && (named_options[i].commands & command_bit))
      return apply(&named_options[i], text, args);
  return unknown_option(command_bit, command_name, "-o");
}

static trm_status refuse(unsigned command_bit, const char *command_name, int code, char **argv)
{
  const char *word = argv[optind - 1];
  if (code == ':') {
    const named_option *option =
        optopt >= OPTION_BASE ? &named_options[optopt - OPTION_BASE] : NULL;
    return TRM_FAIL(INPUT, "%s needs a value: %s=%s", word, word,
                    option && option->argument ? option->argument : "VALUE");
  }
  if (optopt >= OPTION_BASE && strchr(word, '='))
    return TRM_FAIL(INPUT, "--%s takes no value; leave out '%s'",
                    named_options[optopt - OPTION_BASE].name, strchr(word, '='));
  if (word[0] == '-' && word[1] == '-') return unknown_option(command_bit, command_name, word);
  const char letter[3] = {'-', (char)optopt, 0};
  return unknown_option(command_bit, command_name, letter);
}

/* "[=PORT]": one that may be left out. */
static int has_argument(const named_option *option)
{
  if (!option->argument) return no_argument;
  return option->argument[0] == '[' ? optional_argument : required_argument;
}

trm_status arguments_parse(unsigned command_bit, const char *command_name, int argc, char **argv,
                           arguments *out)
{
  *out = (arguments){0};
  struct option table[OPTION_LIMIT];
  size_t count = 0;
  for (size_t i = 0; i < named_option_count; i++) {
    const named_option *option = &named_options[i];
    if (!(option->commands & command_bit)) continue;
    table[count++] =
        (struct option){option->name, has_argument(option), NULL,
                        OPTION_BASE + (int)i};
  }
  table[count] = (struct option){0};
  TRM_TRY(settings_from_environment(command_bit, out));

  opterr = 0;
  optind = 0; /* glibc and musl: forget whatever line was read before */
  for (;;) {
    const int code = getopt_long(argc, argv, ":hqvo:", table, NULL);
    if (code == -1) break;
    if (code == 'h') out->help = 1;
    else if (code == 'q') out->quiet = 1;
    else if (code == 'v') out->verbose = 1;
    else if (code == 'o') TRM_TRY(apply_short_output(command_bit, command_name, optarg, out));
    else if (code == '?' || code == ':') return refuse(command_bit, command_name, code, argv);
    else TRM_TRY(apply(&named_options[code - OPTION_BASE], optarg, out));
  }
  out->operands = argv + optind;
  out->operand_count = (size_t)(argc - optind);
  if (out->brief && (out->explain || out->json))
    return TRM_FAIL(INPUT, "--brief prints less and --%s more; leave one of them out",
                    out->json ? "json" : "explain");
  return TRM_OK;
}

/* The setting of a key that counts: the last of the highest rank. */
static const setting *counting(const arguments *args, const char *key)
{
  const setting *found = NULL;
  for (size_t i = 0; i < args->setting_count; i++) {
    const setting *one = &args->settings[i];
    if (strcmp(one->key, key) == 0 && (!found || one->rank >= found->rank)) found = one;
  }
  return found;
}

/* The last setting of an option counts, for example where a script appends its own. */
void arguments_warn(const arguments *args)
{
  for (size_t i = 0; i < args->setting_count; i++) {
    const setting *one = &args->settings[i], *counts = counting(args, one->key);
    if (one->rank >= TRM_RANK_SET && strcmp(one->origin, counts->origin) != 0 &&
        strcmp(one->text, counts->text) != 0)
      message_warning("%s=%s is not heeded: %s=%s sets %s too, and counts; leave one of them out",
                      one->origin, one->text, counts->origin, counts->text, one->key);
  }
}

case_request arguments_case(const arguments *args)
{
  return (case_request){.operands = (const char *const *)args->operands,
                        .operand_count = args->operand_count, .settings = args->settings,
                        .setting_count = args->setting_count, .log = message_log_once};
}

void arguments_clear(arguments *args)
{
  for (size_t i = 0; i < args->setting_count; i++) {
    free(args->settings[i].key);
    free(args->settings[i].text);
    free(args->settings[i].origin);
  }
  free(args->settings);
  free(args->vary);
  *args = (arguments){0};
}
