/* settings.c - the keys that every run has, and their meaning. */
#include "run/settings.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device_options.h"
#include "core/number.h"

#define ANY NAN, NAN, 0, NULL
#define COUNT(least, most) least, most, 0, NULL
/* How a run is carried out, not what it computes: the same bits in strict arithmetic. */
#define ANY_SAME NAN, NAN, TRM_OPTION_SAME_RESULT, NULL
#define COUNT_SAME(least, most) least, most, TRM_OPTION_SAME_RESULT, NULL

/* Counts stay below 2^53, so that a range held in a double is exact. */
static const trm_option options[] = {
  {"run.backend", TRM_OPTION_STRING, "", "openmp", ANY_SAME,
   "backend, and if it has several devices one of them: openmp, opencl:1, cuda:H200"},
  {"run.devices", TRM_OPTION_STRING, "", "", NAN, NAN,
   TRM_OPTION_SAME_RESULT | TRM_OPTION_NUMBERS, NULL,
   "several devices that share the rows, such as cuda:0,cuda:1 or, with weights, "
   "opencl:0*3,openmp; empty: run.backend"},
  {"run.precision", TRM_OPTION_STRING, "", "f32", NAN, NAN, 0, "f32|f64",
   "single or double precision"},
  {"run.math", TRM_OPTION_STRING, "", "strict", NAN, NAN, 0, "strict|fast",
   "strict: the same bits on every device; fast: each compiler may reorder operations"},
  {"run.steps", TRM_OPTION_INTEGER, "1", NULL, COUNT(1, 9e15), "steps to run"},
  {"run.end_time", TRM_OPTION_REAL, "", "0", 0, NAN, 0, NULL,
   "time at which the run ends, in the solver's unit of time; 0: after run.steps steps"},
  {"run.threads", TRM_OPTION_INTEGER, "1", "0", COUNT_SAME(0, 4096),
   "threads of the openmp backend; 0: all cores"},
  {"run.group", TRM_OPTION_STRING, "", "", ANY_SAME,
   "group shape of row kernels on a GPU, such as 128x2, or rule:N from the grid's sides and the "
   "groups that a GPU holds at once; empty: the device's own"},
  {"run.batch", TRM_OPTION_INTEGER, "1", "0", COUNT_SAME(0, 9e15),
   "steps in one batch, after which the host looks at the run; 0: about 0.1 s"},
  {"run.wavefront", TRM_OPTION_INTEGER, "1", "0", COUNT_SAME(0, 1024),
   "steps that a host runs as one wavefront; 0: automatic, 1: off"},
  {"run.steps_per_launch", TRM_OPTION_INTEGER, "1", "0", COUNT_SAME(0, 9),
   "recorded steps in one launch of a GPU; 0: automatic, 1: one, 3 or 5: at most that many"},
  {"run.steps_shape", TRM_OPTION_STRING, "", "", ANY_SAME,
   "form of a launch of several steps, STEPS:COLUMNSxROWS such as 3:128x4, or 5:32x12:tile; empty: "
   "the device's own"},
  {"run.plain_replay", TRM_OPTION_BOOLEAN, "", "false", ANY_SAME,
   "replay recorded steps launch by launch, to measure and to test"},
  {"run.host_build", TRM_OPTION_STRING, "", "optimised", NAN, NAN, TRM_OPTION_SAME_RESULT,
   "optimised|plain",
   "kernels on a host; plain: compiled without optimisation and vectors, to measure what these "
   "give (shallow only)"},
  {"run.residency", TRM_OPTION_REAL, "1", "0", 0, 1, TRM_OPTION_SAME_RESULT, NULL,
   "most items of a multiprocessor that are resident, as a part of all that it can hold, to "
   "measure what more of them give (cuda and opencl); 0: as many as fit"},
  {"run.overlap", TRM_OPTION_BOOLEAN, "", "true", ANY_SAME,
   "a launch may begin before its predecessor's end; false: to measure what that gives (cuda "
   "only)"},
  {"run.loads", TRM_OPTION_STRING, "", "plain", NAN, NAN, TRM_OPTION_SAME_RESULT,
   "plain|read-only",
   "read-only: what a kernel only reads is loaded through the read-only cache, to measure what it "
   "gives; then launches do not overlap (cuda only)"},
  {"run.roof", TRM_OPTION_BOOLEAN, "", "true", ANY_SAME,
   "after the run, measure the copy roof of the device (about 0.3 s)"},
  {"run.for", TRM_OPTION_STRING, "", "0", NAN, NAN, TRM_OPTION_ONCE | TRM_OPTION_SAME_RESULT, NULL,
   "stop after this time, such as 110min, with a checkpoint from which to resume; 0: no"},
  {"checkpoint.every", TRM_OPTION_STRING, "", "auto", ANY_SAME,
   "time between two checkpoints, such as 10min; auto: by their cost, the first after 10 minutes; "
   "0: none"},
  {"checkpoint.mtbf", TRM_OPTION_STRING, "", "24h", ANY_SAME,
   "expected time between two failures of the machine, for checkpoint.every = auto"},
  {"output.folder", TRM_OPTION_STRING, "", "", NAN, NAN, TRM_OPTION_ONCE, NULL,
   "folder of the results; empty: results/NAME-NNNN"},
  {"output.name", TRM_OPTION_STRING, "", "", ANY,
   "name of the case; empty: that of its folder or file"},
  {"output.formats", TRM_OPTION_STRING, "", "png,vti,course", ANY,
   "list of png, vti, vtu (cell by cell: blocks of several levels, or the fluid cells around "
   "bodies), htg (blocks of several levels, as trees), npy and course (the solver's own files); "
   "none: no fields are written"},
  {"output.fields", TRM_OPTION_STRING, "", "", ANY,
   "list of the fields to write; empty: all but the raw state"},
  {"output.every", TRM_OPTION_INTEGER, "1", "0", COUNT(0, 9e15),
   "also write the fields each time this number of steps is done; 0: at the end only"},
  {"output.every_time", TRM_OPTION_REAL, "", "0", 0, NAN, 0, NULL,
   "also write the fields at each multiple of this time of the model; 0: no"},
  {"output.colours", TRM_OPTION_STRING, "", "auto", NAN, NAN, 0, "auto|viridis|inferno|diverging",
   "colours of pictures; auto: as the solver declares for the field"},
  {"output.range", TRM_OPTION_STRING, "", "", ANY,
   "range of the colours, for all pictures of a run: '0 0.1', or 'speed 0 0.1; vorticity -0.02 "
   "0.02'; empty: each picture has its own"},
  {"output.plane", TRM_OPTION_STRING, "", "", ANY,
   "plane of fields in three dimensions: x, y or z for the middle plane across that axis, z=12 for "
   "a plane by its number; empty: z"},
  {"output.rendering", TRM_OPTION_STRING, "", "plane", NAN, NAN, 0, "plane|greatest|lumen|body",
   "pictures of fields in three dimensions: a plane; the greatest value along each line of sight; "
   "the wall around the fluid (lumen), or the bodies in it, lit and coloured by the fluid's value. "
   "Movies show a plane"},
  {"output.from", TRM_OPTION_STRING, "degrees", "", ANY,
   "direction from which output.rendering sees the field: azimuth (from x towards y) and "
   "elevation; empty: -60 25"},
  {"output.grid", TRM_OPTION_BOOLEAN, "", "false", ANY_SAME,
   "draw the outlines of blocks into pictures of fields that lie on blocks"},
  {"output.streamlines", TRM_OPTION_STRING, "", "", ANY,
   "streamlines in three dimensions, as streamlines.vtp beside vti or vtu, and as tubes in the "
   "pictures of output.rendering, with walls grey; their N starting points lie on 'line X0 Y0 Z0 "
   "X1 Y1 Z1 N', in 'box X0 Y0 Z0 X1 Y1 Z1 N' or, for 'count N', in the whole fluid; coordinates "
   "in the grid's unit of length"},
  {"output.width", TRM_OPTION_INTEGER, "pixels", "0", COUNT(0, 8192),
   "width of the cells in a picture; 0: a whole factor, 512 to 2048 on the longer side"},
  {"output.movie", TRM_OPTION_STRING, "", "", ANY,
   "field whose frames are kept for 'trireme movie'; empty: none"},
  {"output.movie_every", TRM_OPTION_INTEGER, "1", "0", COUNT(0, 9e15),
   "steps from one frame of output.movie to the next"},
};

static const trm_former_key former_keys[] = {
  {"run.ceiling", "run.roof", 0}, {"output.look", "output.rendering", 0},
};
const trm_solver_type program_keys = {
  .name = "every case",
  .options = options, .option_count = sizeof options / sizeof options[0],
  .former_keys = former_keys, .former_key_count = sizeof former_keys / sizeof former_keys[0],
};

const char *list_next(const char *list, char *word, size_t bytes)
{
  list += strspn(list, ", \t");
  if (!*list) return NULL;
  const char *end = *list == '(' ? strchr(list, ')') : NULL; /* several devices of one run */
  const size_t length = end ? (size_t)(end - list) + 1 : strcspn(list, ", \t");
  snprintf(word, bytes, "%.*s", (int)(length < bytes ? length : bytes - 1), list);
  return list + length;
}

/* "," is no list, and would pass for an empty one. */
static trm_status check_list(const trm_config *config, const char *key, const char *what)
{
  const char *text = trm_config_string(config, key);
  if (!*text || text[strspn(text, ", \t")]) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: %s = '%s' names no %s; name one, or leave it out",
                  trm_config_origin(config, key), key, text, what);
}

static trm_status read_formats(const trm_config *config, unsigned *out)
{
  static const char *const names[] = {"png", "vti", "vtu", "htg", "npy", "course", "none"};
  static const unsigned bits[] = {OUTPUT_PNG, OUTPUT_VTI, OUTPUT_VTU, OUTPUT_HTG, OUTPUT_NPY,
                                  OUTPUT_COURSE, 0};
  enum { NAMES = sizeof names / sizeof names[0] };
  const char *rest = trm_config_string(config, "output.formats");
  const char *origin = trm_config_origin(config, "output.formats");
  unsigned formats = 0;
  int is_none = 0;
  char word[32];
  TRM_TRY(check_list(config, "output.formats", "format"));
  TRM_TRY(check_list(config, "output.fields", "field"));
  while ((rest = list_next(rest, word, sizeof word))) {
    size_t i = 0;
    while (i < NAMES && strcmp(word, names[i]) != 0) i++;
    if (i == NAMES)
      return TRM_FAIL(INPUT,
                      "%s: unknown format '%s' in output.formats; choose from png, vti, vtu, "
                      "htg, npy, course, or none",
                      origin, word);
    formats |= bits[i];
    is_none |= bits[i] == 0;
  }
  if (is_none && formats)
    return TRM_FAIL(INPUT, "%s: output.formats names none beside others; give one or the other",
                    origin);
  *out = formats;
  return TRM_OK;
}

/* A side of the case's grid; 0: the solver has no such key. */
static double side_of(const trm_config *config, const char *key)
{
  for (size_t i = 0; i < trm_config_count(config); i++)
    if (strcmp(trm_config_option(config, i)->key, key) == 0)
      return (double)trm_config_integer(config, key);
  return 0;
}

/* "rule:216" of the Geneva report: a group of 2^r items, r = log2(cells / 216), at most 10. The
 * shorter side of the grid gets 2^floor(r / 2 - c), the longer one 2^ceil(r / 2 + c), with c the
 * log2 of their ratio. Each is at most 2^10, and both have no more than 1024 items. */
static trm_status read_rule(const trm_config *config, const char *text, int64_t of[2])
{
  const double nx = side_of(config, "grid.nx"), ny = side_of(config, "grid.ny");
  int used = 0, groups = 0;
  if (sscanf(text, "rule:%9d%n", &groups, &used) != 1 || text[used] || groups < 1)
    return TRM_FAIL(INPUT, "%s: run.group = '%s' is not a rule; write rule:N with N the groups "
                    "that a GPU holds at once, such as rule:216",
                    trm_config_origin(config, "run.group"), text);
  if (nx < 1 || ny < 1)
    return TRM_FAIL(INPUT, "%s: run.group = %s is made from grid.nx and grid.ny, and this case "
                    "gives none; write XxY", trm_config_origin(config, "run.group"), text);
  const double r = fmin(fmax(floor(log2(nx * ny / groups)), 0), 10);
  const double c = fabs(log2(nx / ny));
  const double low = fmax(floor(r / 2 - c), 0);
  const double high = fmin(ceil(r / 2 + c), 10 - low);
  of[nx >= ny] = (int64_t)exp2(low);
  of[nx < ny] = (int64_t)exp2(high);
  return TRM_OK;
}

static trm_status read_group(const trm_config *config, trm_solver_options *out)
{
  const char *text = trm_config_string(config, "run.group");
  if (!text[0]) return TRM_OK;
  int64_t of[2];
  if (strncmp(text, "rule", 4) == 0) {
    TRM_TRY(read_rule(config, text, of));
    out->row_group_x = (int)of[0];
    out->row_group_y = (int)of[1];
    return TRM_OK;
  }
  const int is_shape = trm_shape(text, of, 2) == 2 && of[0] <= 1024 && of[1] <= 1024;
  const int x = is_shape ? (int)of[0] : 0, y = is_shape ? (int)of[1] : 0;
  if (x < 1 || y < 1 || x * y > 1024)
    return TRM_FAIL(INPUT,
                    "%s: run.group = '%s' is not a group shape; write XxY with X times Y at most "
                    "1024, such as 128x2", trm_config_origin(config, "run.group"), text);
  out->row_group_x = x;
  out->row_group_y = y;
  return TRM_OK;
}

/* "3:128x4", "5:32x12:tile" */
static trm_status read_shape(const trm_config *config, trm_device_options *out)
{
  const char *text = trm_config_string(config, "run.steps_shape");
  const char *origin = trm_config_origin(config, "run.steps_shape");
  char whose[200];
  int steps = 0, x = 0, y = 0, used = 0;
  if (!text[0]) return TRM_OK;
  const int found = sscanf(text, "%2d:%4dx%3d%n", &steps, &x, &y, &used);
  const int is_tile = found == 3 && strcmp(text + used, ":tile") == 0;
  if (found != 3 || (text[used] && !is_tile))
    return TRM_FAIL(INPUT, "%s: run.steps_shape = '%s' is no shape; write STEPS:COLUMNSxROWS, such "
                    "as 3:128x4, or 5:32x12:tile", origin, text);
  if (out->steps_per_launch && out->steps_per_launch != steps)
    return TRM_FAIL(INPUT, "%s: run.steps_shape = '%s' has %d steps, run.steps_per_launch is %d; "
                    "leave one of them out", origin, text, steps, out->steps_per_launch);
  out->steps_per_launch = steps;
  out->shape_columns = x;
  out->shape_rows = y;
  out->shape_is_tile = is_tile;
  snprintf(whose, sizeof whose, "%.120s: run.steps_shape = '%s'", origin, text);
  return trm_device_options_check(out, whose);
}

/* Keys that a launch of several steps does not know. */
static trm_status check_one_step(const trm_config *config, const trm_device_options *device)
{
  const char *key = device->residency > 0 ? "run.residency"
                    : device->read_only_loads ? "run.loads" : NULL;
  if (!key || device->steps_per_launch <= 1) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: %s is of launches of one step, and %s asks for %d; leave one of them "
                  "out", trm_config_origin(config, key), key,
                  device->shape_columns ? "run.steps_shape" : "run.steps_per_launch",
                  device->steps_per_launch);
}

/* A time, or 0. One that the run's precision does not hold would be none, or now. */
static trm_status read_time(const trm_config *config, const char *key, trm_precision precision,
                            double *out)
{
  const double time = trm_config_real(config, key);
  const double least = precision == TRM_F64 ? DBL_MIN : (double)FLT_MIN;
  const double most = precision == TRM_F64 ? DBL_MAX : (double)FLT_MAX;
  if (time != 0 && !(time >= least && time <= most))
    return TRM_FAIL(INPUT, "%s: %s is %g, and a time in %s lies between %.3g and %.3g; give 0 for "
                    "none", trm_config_origin(config, key), key, time,
                    precision == TRM_F64 ? "f64" : "f32", least, most);
  *out = time;
  return TRM_OK;
}

/* "90s", "10min", "2h30m", "1d", "01:30:00", or 0. */
static trm_status read_duration(const trm_config *config, const char *key, double *out)
{
  const char *text = trm_config_string(config, key), *origin = trm_config_origin(config, key);
  const double seconds = trm_duration(text);
  char *end;
  *out = seconds;
  if (seconds < 1e9) return TRM_OK;
  const double number = trm_number(text, &end);
  if (seconds >= 1e9 || (end != text && number < 0))
    return TRM_FAIL(INPUT, "%s: %s = '%s' is not between 0 and 1e9 s; give 0 for none", origin, key,
                    text);
  if (end != text && !*end)
    return TRM_FAIL(INPUT, "%s: %s = '%s' has no unit; write %ss for seconds, or %smin for minutes",
                    origin, key, text, text, text);
  return TRM_FAIL(INPUT, "%s: %s = '%s' is not a time; write it with its units, as in 90s, 10min, "
                  "2h30m, 1d or 01:30:00", origin, key, text);
}

static trm_status read_checkpoints(const trm_config *config, run_settings *out)
{
  out->keep_every = -1;
  if (strcmp(trm_config_string(config, "checkpoint.every"), "auto") != 0)
    TRM_TRY(read_duration(config, "checkpoint.every", &out->keep_every));
  TRM_TRY(read_duration(config, "checkpoint.mtbf", &out->mtbf));
  if (out->mtbf == 0)
    return TRM_FAIL(INPUT, "%s: checkpoint.mtbf is 0; give the time between two failures of the "
                    "machine, such as 24h", trm_config_origin(config, "checkpoint.mtbf"));
  return read_duration(config, "run.for", &out->seconds);
}

/* Field and steps go together. */
static trm_status read_movie(const trm_config *config, run_settings *out)
{
  out->movie = trm_config_string(config, "output.movie");
  out->movie_every = (uint64_t)trm_config_integer(config, "output.movie_every");
  if (out->movie[0] && !out->movie_every)
    return TRM_FAIL(INPUT, "%s: output.movie = '%s' needs the steps from frame to frame; give "
                    "--movie-every=N", trm_config_origin(config, "output.movie"), out->movie);
  if (!out->movie[0] && out->movie_every)
    return TRM_FAIL(INPUT, "%s: output.movie_every needs a field; give --movie=FIELD",
                    trm_config_origin(config, "output.movie_every"));
  return TRM_OK;
}

/* "-60 25" */
static trm_status read_from(const trm_config *config, run_settings *out)
{
  const char *text = trm_config_string(config, "output.from"), *rest = text;
  const char *origin = trm_config_origin(config, "output.from");
  char word[64], *end;
  int count = 0;
  out->from[0] = -60;
  out->from[1] = 25;
  if (text[0] && strcmp(out->rendering, "plane") == 0)
    return TRM_FAIL(INPUT, "%s: output.from = '%s' says where a viewer stands, and pictures show "
                    "planes; give output.rendering too, or leave it out", origin, text);
  for (; (rest = list_next(rest, word, sizeof word)) != NULL; count++) {
    const double value = trm_number(word, &end);
    if (*end || !(fabs(value) <= 360) || count > 1) break;
    out->from[count] = value;
  }
  if ((text[0] && (count != 2 || rest)) || fabs(out->from[1]) > 90)
    return TRM_FAIL(INPUT, "%s: output.from = '%s' is not a direction; give azimuth and elevation "
                    "in degrees, such as '-60 25', the second from -90 to 90", origin, text);
  return TRM_OK;
}

trm_status settings_read(const trm_config *config, run_settings *out)
{
  run_settings read = {0};
  read.backend_key = trm_config_string(config, "run.devices")[0] ? "run.devices" : "run.backend";
  read.backend = trm_config_string(config, read.backend_key);
  read.device.threads = (int)trm_config_integer(config, "run.threads");
  read.device.wavefront = (int)trm_config_integer(config, "run.wavefront");
  read.device.steps_per_launch = (int)trm_config_integer(config, "run.steps_per_launch");
  read.device.plain_replay = trm_config_boolean(config, "run.plain_replay");
  read.device.plain_host = trm_config_choice(config, "run.host_build") == 1;
  read.device.residency = trm_config_real(config, "run.residency");
  read.device.no_overlap = !trm_config_boolean(config, "run.overlap");
  read.device.read_only_loads = trm_config_choice(config, "run.loads") == 1;
  read.solver.precision =
      strcmp(trm_config_string(config, "run.precision"), "f64") == 0 ? TRM_F64 : TRM_F32;
  read.solver.math = strcmp(trm_config_string(config, "run.math"), "fast") == 0 ? TRM_FAST
                                                                                : TRM_STRICT;
  read.steps = (uint64_t)trm_config_integer(config, "run.steps");
  TRM_TRY(read_time(config, "run.end_time", read.solver.precision, &read.end_time));
  if (read.end_time == 0) read.end_time = INFINITY;
  read.batch = (uint64_t)trm_config_integer(config, "run.batch");
  read.roof = trm_config_boolean(config, "run.roof");
  read.folder = trm_config_string(config, "output.folder");
  read.fields = trm_config_string(config, "output.fields");
  read.every = (uint64_t)trm_config_integer(config, "output.every");
  TRM_TRY(read_time(config, "output.every_time", read.solver.precision, &read.every_time));
  TRM_TRY(read_formats(config, &read.formats));
  read.colours = trm_config_string(config, "output.colours");
  read.range = trm_config_string(config, "output.range");
  read.plane = trm_config_string(config, "output.plane");
  read.rendering = trm_config_string(config, "output.rendering");
  read.grid = trm_config_boolean(config, "output.grid");
  read.streamlines = trm_config_string(config, "output.streamlines");
  TRM_TRY(read_from(config, &read));
  read.width = (size_t)trm_config_integer(config, "output.width");
  TRM_TRY(read_movie(config, &read));
  TRM_TRY(read_group(config, &read.solver));
  TRM_TRY(read_shape(config, &read.device));
  TRM_TRY(check_one_step(config, &read.device));
  TRM_TRY(read_checkpoints(config, &read));
  *out = read;
  return TRM_OK;
}
