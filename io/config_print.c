/* config_print.c - a config as a case.conf that gives the same run again.
 *
 * Keys are grouped as libconfig wants them, each with a comment that says where the value came
 * from. Files are written as absolute paths, so that the text may move. */
#include <config.h>

#include "io/config_internal.h"
#include "io/file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void trmi_real_text(double value, char *text, size_t bytes)
{
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, bytes, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  if (!isfinite(value) || strpbrk(text, ".")) return;
  /* libconfig takes "1" for an integer and "1e+22" for a number; ".0" makes both plain. */
  char *exponent = strchr(text, 'e');
  const size_t at = exponent ? (size_t)(exponent - text) : strlen(text);
  if (strlen(text) + 3 > bytes) return;
  memmove(text + at + 2, text + at, strlen(text + at) + 1);
  memcpy(text + at, ".0", 2);
}

static void print_string(FILE *stream, const char *text)
{
  fputc('"', stream);
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') fprintf(stream, "\\%c", c);
    else if (c == '\n') fputs("\\n", stream);
    else if (c == '\t') fputs("\\t", stream);
    else if (c < 32) fprintf(stream, "\\x%02x", c);
    else fputc(c, stream);
  }
  fputc('"', stream);
}

static void print_file(FILE *stream, const char *path)
{
  char folder[PATH_MAX], *absolute = NULL;
  const char *shown = path;
  char *real = realpath(path, NULL);
  if (real) shown = real;
  else if (getcwd(folder, sizeof folder) && trm_path_join(folder, path, &absolute) == TRM_OK)
    shown = absolute;
  print_string(stream, shown);
  free(absolute);
  free(real);
}

static void print_comment(FILE *stream, const trmi_value *value)
{
  const char *unit = value->option->unit;
  fputs("  #", stream);
  if (unit && *unit && strcmp(unit, "1")) fprintf(stream, " [%s]", unit);
  fputs(" from ", stream);
  for (const char *c = value->origin; *c; c++) fputc((unsigned char)*c < 32 ? ' ' : *c, stream);
  fputc('\n', stream);
}

static void print_value(FILE *stream, const trmi_value *value)
{
  char text[64];
  switch (value->option->type) {
  case TRM_OPTION_INTEGER:
    fprintf(stream, "%lld%s", (long long)value->as.integer,
            value->as.integer > INT_MAX || value->as.integer < INT_MIN ? "L" : "");
    break;
  case TRM_OPTION_REAL:
    if (trmi_config_is_auto(value->option, value->text)) {
      print_string(stream, value->text);
      break;
    }
    trmi_real_text(value->as.real, text, sizeof text);
    fputs(text, stream);
    break;
  case TRM_OPTION_BOOLEAN: fputs(value->as.boolean ? "true" : "false", stream); break;
  case TRM_OPTION_STRING: print_string(stream, value->text); break;
  case TRM_OPTION_FILE: print_file(stream, value->text); break;
  }
  fputc(';', stream);
  print_comment(stream, value);
}

static int is_printed(const trmi_value *value)
{
  if (!value->is_set || (value->option->flags & TRM_OPTION_ONCE)) return 0;
  return value->option->type != TRM_OPTION_FILE || *value->text;
}

/* Prints the keys that begin with the first `length` characters of prefix; one group after
 * another, each where its first key stands. */
static void print_group(FILE *stream, const trm_config *config, const char *prefix, size_t length,
                        int depth)
{
  for (size_t i = 0; i < config->count; i++) {
    const char *key = config->values[i].option->key;
    if (strncmp(key, prefix, length) || !is_printed(&config->values[i])) continue;
    const char *rest = key + length, *dot = strchr(rest, '.');
    if (!dot) {
      fprintf(stream, "%*s%s = ", 2 * depth, "", rest);
      print_value(stream, &config->values[i]);
      continue;
    }
    const size_t inner = (size_t)(dot - key) + 1;
    size_t first = 0;
    while (strncmp(config->values[first].option->key, key, inner) ||
           !is_printed(&config->values[first]))
      first++;
    if (first != i) continue;
    fprintf(stream, "%*s%.*s : {\n", 2 * depth, "", (int)(dot - rest), rest);
    print_group(stream, config, key, inner, depth + 1);
    fprintf(stream, "%*s};\n", 2 * depth, "");
  }
}

trm_status trm_config_print(const trm_config *config, const char *solver, char **text)
{
  char *buffer = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&buffer, &bytes);
  if (!stream) return TRM_FAIL(NO_HOST_MEMORY, "no memory to print the case");
  fputs("solver = ", stream);
  print_string(stream, solver);
  fputs(";\n", stream);
  print_group(stream, config, "", 0, 0);
  const int failed = ferror(stream);
  if (fclose(stream) != 0 || failed) {
    free(buffer);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory to print the case");
  }
  *text = buffer;
  return TRM_OK;
}
