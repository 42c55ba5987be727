/* case.c - from names, files and settings to a checked config. */
#include "run/case.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/installed.h"
#include "run/text/text.h"
#include "core/domain/device.h"
#include "core/number.h"
#include "io/file.h"
#include "solvers/catalogue.h"

/* *out stays NULL where there is no such solver: only a solver that cannot be used is an error. */
static trm_status find_optional_solver(const char *name, const trm_solver_type **out)
{
  trm_catalogue *catalogue = NULL;
  TRM_TRY(trm_catalogue_create(&catalogue));
  const trm_status status = trm_catalogue_find(catalogue, name, out);
  trm_catalogue_destroy(&catalogue);
  return status == TRM_ERROR_NOT_FOUND ? TRM_OK : status;
}

/* Puts the name of the nearest solver into text; 0 when none is near. */
static int nearest_solver(const char *name, char *text, size_t bytes)
{
  trm_catalogue *catalogue = NULL;
  if (trm_catalogue_create(&catalogue) != TRM_OK) return 0;
  const char *nearest = trm_catalogue_nearest(catalogue, name);
  if (nearest) snprintf(text, bytes, "%s", nearest);
  trm_catalogue_destroy(&catalogue);
  return nearest != NULL;
}

static trm_status unknown_solver(const char *where, const char *name)
{
  char nearest[64];
  if (nearest_solver(name, nearest, sizeof nearest))
    return TRM_FAIL(NOT_FOUND, "%sunknown solver '%s'; the nearest is '%s' (see 'trireme solvers')",
                    where, name, nearest);
  return TRM_FAIL(NOT_FOUND, "%sunknown solver '%s'; 'trireme solvers' lists the solvers",
                  where, name);
}

static trm_status find_solver(const char *where, const char *name, const trm_solver_type **out)
{
  const trm_solver_type *found = NULL;
  TRM_TRY(find_optional_solver(name, &found));
  if (!found) return unknown_solver(where, name);
  *out = found;
  return TRM_OK;
}

trm_status solver_find(const char *name, const trm_solver_type **out)
{
  return find_solver("", name, out);
}

/* Letters, digits, '-', '_' and '.'; never empty, never hidden. */
static void clean_name(const char *text, char *name, size_t bytes)
{
  size_t n = 0;
  for (const char *c = text; *c && n + 1 < bytes; c++) {
    const int plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                      (*c >= '0' && *c <= '9') || *c == '-' || *c == '_' || (*c == '.' && n > 0);
    name[n++] = plain ? *c : '_';
  }
  name[n] = 0;
  if (!name[0]) snprintf(name, bytes, "case");
}

/* The last part of a path, without its ending; a case.conf has the name of its folder. */
static void case_name(const char *path, char *name, size_t bytes)
{
  char *full = realpath(path, NULL), *slash = full ? strrchr(full, '/') : NULL;
  if (slash && slash != full && strcmp(slash, "/case.conf") == 0) {
    *slash = 0;
    slash = strrchr(full, '/');
  }
  clean_name(slash ? slash + 1 : path, name, bytes);
  free(full);
  char *dot = strrchr(name, '.');
  if (dot && dot != name) *dot = 0;
}

/* As the case says, so that a used.conf has the name of the case that it came from. */
static trm_status resolve_name(run_case *out)
{
  const char *given = trm_config_string(out->config, "output.name");
  if (given[0]) clean_name(given, out->name, sizeof out->name);
  return given[0] ? TRM_OK : trm_config_set_ranked(out->config, "output.name", out->name,
                                                   TRM_RANK_DEFAULT, "the name of the case");
}

/* A word that is not a path: an installed case that was meant is named. */
static trm_status suggest_case(const char *name)
{
  installed_cases cases;
  trm_status status = installed_list(&cases);
  const char *nearest = status == TRM_OK ? trm_nearest_name(name, (const char *const *)cases.names,
                                                            cases.count) : NULL;
  if (nearest)
    status = TRM_FAIL(NOT_FOUND, "'%s' is neither a case (no such file or folder, and none "
                      "of that name is installed) nor a solver; the nearest case is '%s' (see "
                      "'trireme cases')", name, nearest);
  installed_clear(&cases);
  return status;
}

/* "cases/driven-box" where there is no folder cases: an installed case needs its name alone. */
static trm_status suggest_name(const char *operand)
{
  char name[256];
  size_t end = strlen(operand);
  while (end > 1 && operand[end - 1] == '/') end--;
  size_t begin = end;
  while (begin > 0 && operand[begin - 1] != '/') begin--;
  snprintf(name, sizeof name, "%.*s", (int)(end - begin), operand + begin);
  char *installed = installed_find(name);
  if (!installed) return TRM_OK;
  free(installed);
  return TRM_FAIL(NOT_FOUND, "'%s' is neither a case (no such file or folder) nor a solver; the "
                  "installed case of that name is '%s', without a folder", operand, name);
}

/* A folder that holds a run is not its case, but has it. */
static trm_status refuse_results(const char *folder)
{
  char *own = NULL, *used = NULL;
  trm_status status = trm_path_join(folder, "case.conf", &own);
  if (status == TRM_OK) status = trm_path_join(folder, "used.conf", &used);
  if (status == TRM_OK && access(own, F_OK) != 0 && access(used, F_OK) == 0)
    status = TRM_FAIL(INPUT, "'%s' holds results, not a case; their case is '%s', and 'trireme "
                      "resume' continues a run that was interrupted", folder, used);
  free(own);
  free(used);
  return status;
}

static trm_status find_case_file(const char *operand, char **path)
{
  struct stat about;
  char *installed = NULL;
  if (stat(operand, &about) != 0) {
    const int error = errno;
    char nearest[64];
    if (error == ENOENT && (installed = installed_find(operand)) != NULL) {
      const int made = asprintf(path, "%s/case.conf", installed);
      free(installed);
      return made < 0 ? TRM_FAIL(NO_HOST_MEMORY, "no memory for a path") : TRM_OK;
    }
    if (error == ENOENT && !strchr(operand, '/')) TRM_TRY(suggest_case(operand));
    if (error == ENOENT && !strchr(operand, '/') && nearest_solver(operand, nearest,
                                                                   sizeof nearest))
      return TRM_FAIL(NOT_FOUND, "'%s' is neither a case (no such file or folder) nor a solver; "
                      "the nearest solver is '%s'", operand, nearest);
    if (error == ENOENT) TRM_TRY(suggest_name(operand));
    if (error == ENOENT)
      return TRM_FAIL(NOT_FOUND, "'%s' is neither a case (no such file or folder) nor a solver; "
                      "give a folder with case.conf, one of 'trireme cases', or one of "
                      "'trireme solvers' and its files",
                      operand);
    return TRM_FAIL(IO, "%s: cannot be read: %s", operand, strerror(error));
  }
  if (S_ISDIR(about.st_mode)) TRM_TRY(refuse_results(operand));
  const int made = S_ISDIR(about.st_mode) ? asprintf(path, "%s/case.conf", operand)
                                          : asprintf(path, "%s", operand);
  return made < 0 ? TRM_FAIL(NO_HOST_MEMORY, "no memory for a path") : TRM_OK;
}

trm_status case_keys(const trm_solver_type *type, trm_config **out)
{
  const trm_option *const tables[] = {program_keys.options, type->options};
  const size_t counts[] = {program_keys.option_count, type->option_count};
  TRM_TRY(trm_config_create(tables, counts, 2, out));
  TRM_TRY(trm_config_accept_former(*out, program_keys.former_keys, program_keys.former_key_count));
  return trm_config_accept_former(*out, type->former_keys, type->former_key_count);
}

static trm_status tell_warnings(const case_request *wanted, const trm_config *config)
{
  char *text = NULL, *rest = NULL;
  if (!wanted->log) return TRM_OK;
  TRM_TRY(trm_config_warnings(config, &text));
  for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    wanted->log(wanted->log_user, TRM_LOG_WARNING, line);
  free(text);
  return TRM_OK;
}

/* 1 where a file begins with a number, after remarks and blanks, as files of the solvers' own
 * traditions do and a case never. */
static int begins_with_number(const char *path)
{
  char line[256];
  FILE *file = fopen(path, "r");
  int found = 0;
  while (file && fgets(line, sizeof line, file)) {
    char *end;
    const char *text = line + strspn(line, " \t\r\n");
    if (!*text || *text == '#') continue;
    (void)trm_number(text, &end);
    found = end != text && strspn(end, " \t\r\n,;") > 0;
    break;
  }
  if (file) fclose(file);
  return found;
}

/* A file of numbers where a case belongs: the solver's name is missing before it. */
static trm_status refuse_numbers(const char *path)
{
  char text[512] = "";
  trm_catalogue *catalogue = NULL;
  const trm_solver_entry *list;
  size_t count;
  TRM_TRY(trm_catalogue_create(&catalogue));
  trm_status status = trm_catalogue_list(catalogue, &list, &count);
  for (size_t i = 0; status == TRM_OK && i < count; i++)
    if (list[i].type && list[i].type->files_usage)
      text_append(text, sizeof text, "%s'trireme run %s %s'", *text ? " or " : "",
                  list[i].type->name, list[i].type->files_usage);
  trm_catalogue_destroy(&catalogue);
  TRM_TRY(status);
  return TRM_FAIL(INPUT, "%s: a file of numbers is no case; write the solver's name before its "
                  "files: %s", path, text);
}

static trm_status find_case_solver(const char *path, char **solver, unsigned *line)
{
  const trm_status status = trm_case_solver(path, solver, line);
  if (status != TRM_ERROR_INPUT) return status;
  const trm_error cause = *trm_error_last();
  if (begins_with_number(path)) return refuse_numbers(path);
  return trm_error_record(status, cause.file, cause.line, "%s", cause.text);
}

static trm_status read_case_file(const char *operand, const char *path, run_case *out)
{
  char *solver = NULL;
  unsigned line = 0;
  TRM_TRY(trm_file_require_lasting(path));
  TRM_TRY(find_case_solver(path, &solver, &line));
  char where[1024];
  snprintf(where, sizeof where, "%s:%u: ", path, line);
  const trm_status status = find_solver(where, solver, &out->type);
  free(solver);
  TRM_TRY(status);
  case_name(operand, out->name, sizeof out->name);
  TRM_TRY(case_keys(out->type, &out->config));
  return trm_config_read(out->config, path);
}

trm_status case_solver(const char *operand, const trm_solver_type **out)
{
  char *path = NULL, *solver = NULL;
  unsigned line = 0;
  *out = NULL;
  TRM_TRY(find_optional_solver(operand, out));
  if (*out) return TRM_OK;
  TRM_TRY(find_case_file(operand, &path));
  trm_status status = trm_file_require_lasting(path);
  if (status == TRM_OK) status = find_case_solver(path, &solver, &line);
  if (status == TRM_OK) status = find_solver("", solver, out);
  free(solver);
  free(path);
  return status;
}

static trm_status read_case(const char *operand, size_t more, run_case *out)
{
  char *path = NULL;
  TRM_TRY(find_case_file(operand, &path));
  trm_status status = read_case_file(operand, path, out);
  if (status == TRM_OK && more > 0)
    status = TRM_FAIL(INPUT, "'%s' is a case, which takes no further operands, and %zu %s given; "
                      "files belong to a solver ('trireme run SOLVER FILES...')", operand, more,
                      more == 1 ? "is" : "are");
  free(path);
  return status;
}

static trm_status read_solver_files(const trm_solver_type *type, size_t count,
                                    const char *const *files, run_case *out)
{
  out->type = type;
  out->is_from_files = count > 0;
  snprintf(out->name, sizeof out->name, "%s", type->name);
  TRM_TRY(case_keys(type, &out->config));
  if (count == 0 && (!type->configure || type->files_usage)) return TRM_OK;
  if (count > 0 && !type->files_usage)
    return TRM_FAIL(INPUT, "solver '%s' takes no files; set its keys with --set KEY=VALUE or write "
                    "a case.conf", type->name);
  return type->configure(out->config, count, files);
}

static trm_status apply(trm_config *config, const setting *settings, size_t count)
{
  for (size_t i = 0; i < count; i++)
    TRM_TRY(trm_config_set_ranked(config, settings[i].key, settings[i].text, settings[i].rank,
                                  settings[i].origin));
  return TRM_OK;
}

/* KEY_grid, which says of which grid the file of KEY is; NULL: the solver has no such key. */
static const char *scaling_key(const run_case *chosen, const char *key)
{
  const size_t length = strlen(key);
  for (size_t i = 0; i < chosen->type->option_count; i++) {
    const char *other = chosen->type->options[i].key;
    if (strncmp(other, key, length) == 0 && strcmp(other + length, "_grid") == 0) return other;
  }
  return NULL;
}

int case_scales(const run_case *chosen, const char *key)
{
  const char *grid = scaling_key(chosen, key);
  return grid && trm_config_string(chosen->config, grid)[0];
}

/* The values of the keys that set the size of the case, or of its files with that size. */
static void join_sized(const run_case *chosen, int files, char *text, size_t bytes)
{
  char key[64];
  text[0] = 0;
  for (const char *rest = chosen->type->size_keys; !files && rest;)
    if ((rest = list_next(rest, key, sizeof key)) != NULL)
      text_append(text, bytes, "%s%s", *text ? " x " : "", trm_config_text(chosen->config, key));
  for (size_t i = 0; files && i < trm_config_count(chosen->config); i++) {
    const trm_option *option = trm_config_option(chosen->config, i);
    const char *file = trm_config_text(chosen->config, option->key);
    if ((option->flags & TRM_OPTION_SIZED) && file[0] && !case_scales(chosen, option->key))
      text_append(text, bytes, "%s%s = '%s'", *text ? ", " : "", option->key, file);
  }
}

/* Obstacles of one grid in a larger one would silently be another flow. */
static trm_status apply_to(run_case *out, const setting *settings, size_t count,
                           const setting *more, size_t more_count)
{
  char size[256], files[1024], new_size[256], new_files[1024];
  join_sized(out, 0, size, sizeof size);
  join_sized(out, 1, files, sizeof files);
  TRM_TRY(apply(out->config, settings, count));
  TRM_TRY(apply(out->config, more, more_count));
  join_sized(out, 0, new_size, sizeof new_size);
  join_sized(out, 1, new_files, sizeof new_files);
  if (!files[0] || strcmp(size, new_size) == 0 || strcmp(files, new_files) != 0) return TRM_OK;
  char cure[320] = "";
  files[strcspn(files, " ")] = 0;
  const char *grid = scaling_key(out, files);
  if (grid) text_append(cure, sizeof cure, ", or have it scaled (--set %s=", grid);
  for (const char *c = size; grid && *c; c++)
    if (*c != ' ') text_append(cure, sizeof cure, "%c", *c);
  return TRM_FAIL(INPUT, "the case has %s cells, and %s belongs to these; give a file for %s cells "
                  "too, or none (--set %s=)%s%s", size, new_files, new_size, files, cure,
                  grid ? ")" : "");
}

/* The setting that counts, of two lists of which the second comes later; NULL: none. */
static const setting *last_of(const setting *const lists[2], const size_t counts[2],
                              const char *key)
{
  const setting *last = NULL;
  for (int list = 0; list < 2; list++)
    for (size_t i = 0; i < counts[list]; i++) {
      const setting *one = &lists[list][i];
      if (strcmp(one->key, key) == 0 && (!last || one->rank >= last->rank)) last = one;
    }
  return last;
}

int names_device(const char *key)
{
  return strcmp(key, "run.backend") == 0 || strcmp(key, "run.devices") == 0;
}

static int is_on_command(const setting *one) { return one->rank >= TRM_RANK_SET; }

/* A user who names a backend wants it alone, whatever devices the case names. Two keys that name
 * devices in one place contradict each other. */
static trm_status resolve_devices(run_case *out, const setting *const lists[2],
                                  const size_t counts[2])
{
  const setting *backend = last_of(lists, counts, "run.backend");
  const setting *devices = last_of(lists, counts, "run.devices");
  if (!backend) return TRM_OK;
  if (devices && devices->text[0] &&
      (devices->rank == backend->rank || (is_on_command(devices) && is_on_command(backend))))
    return TRM_FAIL(INPUT, "%s and %s: run.devices names all devices of the run; leave one out",
                    devices->origin, backend->origin);
  if (devices && devices->rank > backend->rank) return TRM_OK;
  return trm_config_set_ranked(out->config, "run.devices", "", backend->rank, backend->origin);
}

/* A run to a time takes as many steps as it needs; one of the library goes as far as its caller
 * wants. */
static trm_status complete_end(trm_config *config, int may_be_endless)
{
  if (trm_config_text(config, "run.steps")[0]) return TRM_OK;
  if (may_be_endless || trm_config_real(config, "run.end_time") > 0)
    return trm_config_set_ranked(config, "run.steps", TRM_STEPS_UNTIL_END, TRM_RANK_DEFAULT,
                                 "run.end_time");
  return TRM_FAIL(INPUT, "the case does not say when it ends: give it run.steps (--steps=N), or a "
                  "time, run.end_time (--end-time=T)");
}

static int is_case(const char *name)
{
  if (access(name, F_OK) == 0) return 1;
  char *folder = installed_find(name);
  const int is_found = folder != NULL;
  free(folder);
  return is_found;
}

trm_status case_create_with(const case_request *wanted, const setting *more, size_t count,
                            run_case *out)
{
  *out = (run_case){0};
  if (wanted->operand_count == 0)
    return TRM_FAIL(INPUT,
                    "no case given; name one of 'trireme cases', a folder with case.conf, or a "
                    "solver and its files");
  const char *const *operands = wanted->operands;
  const trm_solver_type *type = NULL;
  TRM_TRY(find_optional_solver(operands[0], &type));
  if (type) TRM_TRY(read_solver_files(type, wanted->operand_count - 1, operands + 1, out));
  else if (wanted->operand_count > 1 && !is_case(operands[0]))
    return unknown_solver("", operands[0]);
  else TRM_TRY(read_case(operands[0], wanted->operand_count - 1, out));

  TRM_TRY(apply_to(out, wanted->settings, wanted->setting_count, more, count));
  const setting *const lists[2] = {wanted->settings, more};
  TRM_TRY(resolve_devices(out, lists, (const size_t[2]){wanted->setting_count, count}));
  TRM_TRY(tell_warnings(wanted, out->config));
  TRM_TRY(complete_end(out->config, wanted->may_be_endless));
  TRM_TRY(resolve_name(out));
  TRM_TRY(trm_config_check(out->config));
  return settings_read(out->config, &out->settings);
}

trm_status case_create(const case_request *wanted, run_case *out)
{
  return case_create_with(wanted, NULL, 0, out);
}

void case_clear(run_case *chosen)
{
  trm_config_destroy(&chosen->config);
  *chosen = (run_case){0};
}

typedef trm_status open_fn(trm_context *context, const char *name,
                           const trm_device_options *options, trm_device **out);

static trm_status open_by(open_fn *open, trm_context *context, const char *name,
                          const trm_device_options *options, const char *origin, trm_device **out)
{
  const trm_status status = open(context, name, options, out);
  if (status == TRM_OK) return status;
  if (strcmp(origin, "the default") == 0) return status; /* nobody asked for it */
  if (status == TRM_ERROR_UNSUPPORTED) return status;    /* of a device that was found */
  const trm_error cause = *trm_error_last();
  if (strncmp(cause.text, "TRIREME_", 8) == 0) return status; /* of a variable, not of the name */
  return trm_error_record(status, cause.file, cause.line, "%s: %s", origin, cause.text);
}

trm_status device_open(trm_context *context, const char *name, const trm_device_options *options,
                       const char *origin, trm_device **out)
{
  return open_by(trm_device_open, context, name, options, origin, out);
}

/* Keys that only one kind of device knows are refused, as a run without them is another one. */
static trm_status check_device(const run_case *chosen, const trm_device_info *device)
{
  const trm_device_options *options = &chosen->settings.device;
  const int is_cuda = strcmp(device->backend, "cuda") == 0;
  const struct { const char *key; int is_wrong; const char *cause, *cure; } wrong[] = {
    { "run.host_build", options->plain_host && !device->is_host,
      "a GPU's kernels are compiled by its driver", "leave it out, or run on openmp" },
    { "run.residency", options->residency > 0 && !is_cuda &&
                         strcmp(device->backend, "opencl") != 0,
      "a processor has no groups that share a unit's memory",
      "leave it out, or run on one device of cuda or opencl" },
    { "run.overlap", options->no_overlap && !is_cuda, "no launch overlaps another there",
      "leave it out, or run on one device of cuda" },
    { "run.loads", options->read_only_loads && !is_cuda,
      device->is_host ? "a processor has one kind of loads"
                      : "only the cuda backend chooses how a kernel loads",
      "leave it out, or run on one device of cuda" } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (wrong[i].is_wrong)
      return TRM_FAIL(UNSUPPORTED, "%s: %s: not testable on %s: %s; %s",
                      trm_config_origin(chosen->config, wrong[i].key), wrong[i].key,
                      device->backend, wrong[i].cause, wrong[i].cure);
  return TRM_OK;
}

static trm_status open_checked(open_fn *open, const run_case *chosen, trm_context *context,
                               const char *name, const char *origin, trm_device **out)
{
  trm_device *device = NULL;
  TRM_TRY(open_by(open, context, name, &chosen->settings.device, origin, &device));
  const trm_device_info *about = trm_device_describe(device);
  const trm_status checked = check_device(chosen, about);
  if (checked != TRM_OK) {
    trm_device_close(&device);
    return checked;
  }
  if (chosen->settings.solver.precision == TRM_F32 || about->has_f64) {
    *out = device;
    return TRM_OK;
  }
  trm_status status =
      TRM_FAIL(UNSUPPORTED, "%s:%zu (%s) has no double precision; run with --precision=f32",
               about->backend, about->index, about->name);
  trm_device_close(&device);
  return status;
}

trm_status case_open_on(const run_case *chosen, trm_context *context, const char *name,
                        const char *origin, trm_device **out)
{
  return open_checked(trm_device_open, chosen, context, name, origin, out);
}

trm_status case_open_part(const run_case *chosen, trm_context *context, const char *name,
                          const char *origin, trm_device **out)
{
  return open_checked(domain_device_open, chosen, context, name, origin, out);
}

trm_status case_open_device(const run_case *chosen, trm_context *context, trm_device **out)
{
  return case_open_on(chosen, context, chosen->settings.backend,
                      trm_config_origin(chosen->config, chosen->settings.backend_key), out);
}
