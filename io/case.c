/* case.c - case.conf (libconfig) into a config, with file and line in every message.
 *
 * The text is read whole and parsed from memory: libconfig's scanner ends the process when it
 * meets a folder or a read error. For the same reason @include is refused. */
#include <config.h>

#include "io/case.h"
#include "io/config_internal.h"
#include "io/file.h"
#include "io/literals.h"

#include <libconfig.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  trm_config *config;
  const char *path;
  char *folder;                /* of the case file; "" for the working directory */
} reader;

static unsigned line_of_offset(const char *text, const char *at)
{
  unsigned line = 1;
  for (; text < at; text++) line += *text == '\n';
  return line;
}

/* libconfig 1.5 compares each name with all before it: 300 000 of them took 100 s. */
static trm_status check_count(const char *path, const char *text)
{
  enum { MOST = 10000 };
  size_t count = 0;
  for (const char *sign = strpbrk(text, "=:"); sign; sign = strpbrk(sign + 1, "=:")) count++;
  if (count <= MOST) return TRM_OK;
  return TRM_FAIL(INPUT, "%s: more than %d settings; no solver has so many: check that it is a "
                  "case file", path, (int)MOST);
}

/* Finds "@include" at the beginning of a line, which is where libconfig acts on it. */
static trm_status check_text(const char *path, const char *text, size_t bytes)
{
  const char *nul = memchr(text, '\0', bytes);
  if (nul)
    return TRM_FAIL(INPUT, "%s:%u: a zero byte: this is not a text file; name a case file", path,
                    line_of_offset(text, nul));
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += strspn(line, " \t\r\n");
    if (!strncmp(line, "@include", 8))
      return TRM_FAIL(INPUT,
                      "%s:%u: a case is one file and includes no other; copy the keys into it",
                      path, line_of_offset(text, line));
  }
  return check_count(path, text);
}

/* libconfig 1.5 ends the process where it finds no memory (it takes some 200 bytes for a setting).
 * So much is asked for, and given back, before it begins. */
static trm_status check_memory(const char *path, size_t bytes)
{
  enum { LEAST = 128 << 10, A_BYTE = 64 };
  void *room = malloc(LEAST + A_BYTE * bytes);
  free(room);
  return room ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory to read the case %s", path);
}

static trm_status refuse_text(const char *path, const config_t *tree)
{
  const char *why = config_error_text(tree);
  if (why && strcmp(why, "duplicate setting name") == 0)
    return TRM_FAIL(INPUT, "%s:%d: a duplicate: the key, or the group, was given before; leave one "
                    "of the two, with all keys of the group", path, config_error_line(tree));
  return TRM_FAIL(INPUT, "%s:%d: %s here or just before; the form is key = value; and "
                  "group = { key = value; }; where a value is a number (1.5), true, false, or a "
                  "text in double quotes", path, config_error_line(tree),
                  why ? why : "not a case file");
}

static trm_status parse_text(const char *path, const char *text, config_t *tree)
{
  char *safe = NULL;
  TRM_TRY(check_memory(path, strlen(text)));
  TRM_TRY(trmi_literals_widen(path, text, &safe));
  trm_status status = TRM_OK;
  config_init(tree);
  const locale_t numbers = uselocale((locale_t)0);
  const int is_read = config_read_string(tree, safe);
  (void)uselocale(numbers); /* libconfig leaves that of the program */
  if (!is_read) {
    status = refuse_text(path, tree);
    config_destroy(tree);
  }
  free(safe);
  return status;
}

static trm_status parse_file(const char *path, config_t *tree)
{
  char *text = NULL;
  size_t bytes = 0;
  TRM_TRY(trm_file_load_text(path, TRMI_CASE_LIMIT, &text, &bytes));
  trm_status status = check_text(path, text, bytes);
  if (status == TRM_OK) status = parse_text(path, text, tree);
  free(text);
  return status;
}

trm_status trm_case_solver(const char *path, char **solver, unsigned *line)
{
  config_t tree;
  TRM_TRY(parse_file(path, &tree));
  trm_status status = TRM_OK;
  const config_setting_t *setting = config_lookup(&tree, "solver");
  const char *name = setting ? config_setting_get_string(setting) : NULL;
  if (!setting)
    status = TRM_FAIL(INPUT, "%s: the case does not name its solver; add a line such as "
                      "solver = \"lbm\";", path);
  else if (!name || !*name)
    status = TRM_FAIL(INPUT, "%s:%u: solver needs a name in quotes, such as solver = \"lbm\";",
                      path, config_setting_source_line(setting));
  else {
    char *copy = strdup(name);
    if (copy) {
      *solver = copy;
      *line = config_setting_source_line(setting);
    } else {
      status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the solver's name");
    }
  }
  config_destroy(&tree);
  return status;
}

trm_status trm_case_text(const char *path, const char *key, char **text)
{
  config_t tree;
  const char *found = "";
  TRM_TRY(parse_file(path, &tree));
  (void)config_lookup_string(&tree, key, &found);
  char *copy = strdup(found);
  config_destroy(&tree);
  if (!copy) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the value of %s", key);
  *text = copy;
  return TRM_OK;
}

static const char *setting_type_text(const config_setting_t *setting)
{
  switch (config_setting_type(setting)) {
  case CONFIG_TYPE_GROUP: return "a group";
  case CONFIG_TYPE_INT: case CONFIG_TYPE_INT64: return "an integer";
  case CONFIG_TYPE_FLOAT: return "a number with a point";
  case CONFIG_TYPE_STRING: return "a string";
  case CONFIG_TYPE_BOOL: return "true or false";
  case CONFIG_TYPE_ARRAY: return "an array";
  default: return "a list";
  }
}

static int type_fits(const config_setting_t *setting, trm_option_type type, int flags)
{
  const int is_integer = config_setting_type(setting) == CONFIG_TYPE_INT ||
                         config_setting_type(setting) == CONFIG_TYPE_INT64;
  switch (type) {
  case TRM_OPTION_INTEGER: /* 1e4: whether it is whole is seen when it is set */
    return is_integer || config_setting_type(setting) == CONFIG_TYPE_FLOAT;
  case TRM_OPTION_REAL:
    if (is_integer || config_setting_type(setting) == CONFIG_TYPE_FLOAT) return 1;
    if (!(flags & TRM_OPTION_AUTO)) return 0;
    break;
  case TRM_OPTION_BOOLEAN: return config_setting_type(setting) == CONFIG_TYPE_BOOL;
  case TRM_OPTION_STRING: case TRM_OPTION_FILE: break;
  }
  if (flags & TRM_OPTION_FORMULA && (is_integer || config_setting_type(setting) ==
                                                     CONFIG_TYPE_FLOAT))
    return 1;
  return config_setting_type(setting) == CONFIG_TYPE_STRING;
}

/* Sets a number, a boolean or a string; the setting's type is known to fit. */
static trm_status set_value(const reader *r, const config_setting_t *setting, const char *key,
                            trm_option_type type, const char *origin)
{
  char text[64];
  const char *string = config_setting_get_string(setting);
  if (config_setting_type(setting) == CONFIG_TYPE_BOOL)
    return trm_config_set(r->config, key, config_setting_get_bool(setting) ? "true" : "false",
                          origin);
  if (config_setting_type(setting) == CONFIG_TYPE_FLOAT) {
    trmi_real_text(config_setting_get_float(setting), text, sizeof text);
    return trm_config_set(r->config, key, text, origin);
  }
  if (!string) {
    snprintf(text, sizeof text, "%lld", config_setting_get_int64(setting));
    return trm_config_set(r->config, key, text, origin);
  }
  if (type != TRM_OPTION_FILE || !*string) return trm_config_set(r->config, key, string, origin);
  char *path = NULL;
  TRM_TRY(trm_path_join(r->folder, string, &path));
  const trm_status status = trm_config_set(r->config, key, path, origin);
  free(path);
  return status;
}

static trm_status read_value(const reader *r, const config_setting_t *setting, const char *key,
                             const char *origin)
{
  trm_option of_number;
  const trm_option *option = trmi_config_declared(r->config, key, &of_number);
  if (!option) return trmi_config_unknown(r->config, key, origin);
  const trm_option_type type = option->type;
  if (!type_fits(setting, type, option->flags))
    return TRM_FAIL(INPUT, "%s: %s needs %s, not %s; %s", origin, key, trmi_option_type_text(type),
                    setting_type_text(setting),
                    type == TRM_OPTION_STRING || type == TRM_OPTION_FILE ? "put it in quotes"
                    : type == TRM_OPTION_INTEGER ? "write a whole number, without quotes"
                    : "write it without quotes");
  return set_value(r, setting, key, type, origin);
}

static trm_status read_group(const reader *r, const config_setting_t *group, const char *prefix)
{
  const int count = config_setting_length(group);
  for (int i = 0; i < count; i++) {
    const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
    char key[256], origin[1024];
    const int length = snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "",
                                config_setting_name(setting));
    snprintf(origin, sizeof origin, "%s:%u", r->path, config_setting_source_line(setting));
    if (length >= (int)sizeof key)
      return TRM_FAIL(INPUT, "%s: a key of %d characters; no option has one so long", origin,
                      length);
    if (!strcmp(key, "solver")) continue;   /* trm_case_solver's */
    if (config_setting_is_group(setting) && !trm_config_present_key(r->config, key)) {
      if (!config_setting_length(setting)) continue;
      TRM_TRY(read_group(r, setting, key));
    } else {
      TRM_TRY(read_value(r, setting, key, origin));
    }
  }
  return TRM_OK;
}

trm_status trm_config_read(trm_config *config, const char *path)
{
  config_t tree;
  TRM_TRY(parse_file(path, &tree));
  const char *slash = strrchr(path, '/');
  reader r = {config, path, strndup(path, slash ? (size_t)(slash - path + 1) : 0)};
  const trm_status status = r.folder ? read_group(&r, config_root_setting(&tree), "")
                                     : TRM_FAIL(NO_HOST_MEMORY, "no memory to read '%s'", path);
  free(r.folder);
  config_destroy(&tree);
  return status;
}
