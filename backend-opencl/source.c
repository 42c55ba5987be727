/* source.c - the text of a program, and the file and line from which each line of it comes.
 *
 * The text is the defines, the dialect and the solver's kernels, with #line between them, so that
 * the compiler's messages name our files. NVIDIA's compiler overlooks #line and says
 * "<kernel>:689:26: error: ..." with the line of the whole: its logs are put into our terms. */
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ocl_source_make(const trm_build *build, ocl_source *out)
{
  ocl_source_make_temporal(build, "", "", "", out);
}

void ocl_source_make_temporal(const trm_build *build, const char *before, const char *after,
                           const char *tail, ocl_source *out)
{
  const char *parts[OCL_SOURCE_PARTS] = {
    "#define TRM_OPENCL 1\n", build->defines, before, out->lines[0], build->dialect, out->lines[1],
    build->text, after, tail,
  };
  memcpy(out->parts, parts, sizeof parts);
  snprintf(out->lines[0], sizeof out->lines[0], "#line 1 \"%s\"\n", build->dialect_file);
  snprintf(out->lines[1], sizeof out->lines[1], "\n#line 1 \"%s\"\n", build->file);
}

/* ---- places --------------------------------------------------------------- */

typedef struct place {
  const char *file;                      /* not terminated: `length` letters */
  size_t length;
  unsigned long line;
} place;

/* The place of line `wanted` of all parts together. A part that is not the first begins a line,
 * since each ends one. */
static place place_of(const ocl_source *source, unsigned long wanted)
{
  static const char before[] = "<defines>";
  place at = {before, sizeof before - 1, 1};
  unsigned long line = 1;
  for (size_t i = 0; i < OCL_SOURCE_PARTS; i++)
    for (const char *text = source->parts[i]; *text && line < wanted; line++) {
      const size_t length = strcspn(text, "\n");
      unsigned long next = 0;
      int begin = 0;
      at.line++;
      if (sscanf(text, "#line %lu \"%n", &next, &begin) == 1 && begin > 0)
        at = (place){text + begin, strcspn(text + begin, "\"\n"), next};
      text += length + (text[length] == '\n');
    }
  return at;
}

/* ---- logs ----------------------------------------------------------------- */

static const char mark[] = "<kernel>:";

/* At a mark: returns the number of the line that it names, and the text after the number; 0: no
 * line. */
static unsigned long marked_line(const char *at, char **rest)
{
  const char *digits = at + sizeof mark - 1;
  *rest = (char *)digits;
  if (*digits < '0' || *digits > '9') return 0;
  const unsigned long line = strtoul(digits, rest, 10);
  return **rest == ':' ? line : 0;
}

/* Writes the log in our terms to `to` (NULL: nowhere); its length. */
static size_t translate(const ocl_source *source, const char *log, char *to, size_t bytes)
{
  size_t used = 0;
  while (*log) {
    char *const here = to ? to + used : NULL;
    const size_t room = to ? bytes - used : 0;
    const char *found = strstr(log, mark);
    const size_t plain = found ? (size_t)(found - log) : strlen(log);
    char *rest;
    if (plain > 0) {
      used += (size_t)snprintf(here, room, "%.*s", (int)plain, log);
      log += plain;
      continue;
    }
    const unsigned long line = marked_line(found, &rest);
    const place at = line > 0 ? place_of(source, line) : (place){0};
    if (line > 0)
      used += (size_t)snprintf(here, room, "%.*s:%lu", (int)at.length, at.file, at.line);
    else
      used += (size_t)snprintf(here, room, "%.*s", (int)(rest - log), log);
    log = rest;
  }
  return used;
}

char *ocl_source_log(const ocl_source *source, const char *log)
{
  const size_t bytes = translate(source, log, NULL, 0) + 1;
  char *text = calloc(1, bytes);
  if (text) translate(source, log, text, bytes);
  return text;
}

/* "... entry function 'NAME' for 'sm_90' ... 16 bytes stack frame, ... Used 40 registers, ..." */
void ocl_words_read(const char *text, const char *name, int *registers, int *local_bytes)
{
  char entry[160];
  snprintf(entry, sizeof entry, "entry function '%s'", name);
  const char *found = strstr(text, entry);
  if (!found) return;
  found += strlen(entry);
  const char *end = strstr(found, "entry function '");
  const char *frame = strstr(found, " bytes stack frame"), *used = strstr(found, "Used ");
  if (frame && (!end || frame < end)) {
    while (frame > found && strchr("0123456789", frame[-1])) frame--;
    (void)sscanf(frame, "%d bytes stack frame", local_bytes);
  }
  if (used && (!end || used < end)) (void)sscanf(used, "Used %d registers", registers);
}
