/* files.c - bodies in files: text and CSV, NumPy arrays, and the binary sets of the studies.
 *
 * The kind follows from the name's end: .npy, _f32.bin, _f64.bin, and text for everything else. */
#include <config.h>

#include "solvers/nbody/nbody.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/number.h"
#include "io/file.h"
#include "io/lines.h"
#include "io/npy.h"

enum { COLUMNS = 7 };
static const size_t limit = (size_t)1 << 36;

/* ---- text ------------------------------------------------------------------ */

static const char gaps[] = ", \t;", columns[] = "x y z vx vy vz m";

/* What a line holds. Words beyond COLUMNS are counted alone. */
typedef struct row {
  char *word[COLUMNS];
  double value[COLUMNS];
  size_t count, numbers;       /* words; those that are numbers */
  int has_hole;                /* nothing between two commas */
} row;

static int is_comma(char c) { return c == ',' || c == ';'; }

/* Words are separated by blanks or commas; the line is cut into them. */
static void split(char *line, row *out)
{
  *out = (row){ .count = 0 };
  int commas = 1; /* one comma too many, at the begin */
  for (char *at = line; *at;) {
    for (; *at && strchr(gaps, *at); at++) {
      commas += is_comma(*at);
      if (is_comma(*at) && commas > 1) out->has_hole = 1;
    }
    if (!*at) break;
    char *word = at, *end;
    at += strcspn(at, gaps);
    if (*at) {
      commas = is_comma(*at);
      *at++ = '\0';
    }
    const double number = trm_number(word, &end);
    if (*end == '\0') out->numbers++;
    if (out->count < COLUMNS) {
      out->word[out->count] = word;
      out->value[out->count] = *end ? (double)NAN : number;
    }
    out->count++;
  }
}

/* Where the columns of a file are: place[i] is the column of nbody_bodies that is its i-th. */
typedef struct heading {
  int is_there;
  size_t place[COLUMNS];
} heading;

/* A column by its name; COLUMNS if the name is unknown. */
static size_t find_column(const char *word)
{
  static const struct { const char *name; size_t column; } names[] = {
    { "x", 0 }, { "y", 1 }, { "z", 2 }, { "vx", 3 }, { "vy", 4 }, { "vz", 5 }, { "m", 6 },
    { "pos_x", 0 }, { "pos_y", 1 }, { "pos_z", 2 }, { "v_x", 3 }, { "v_y", 4 }, { "v_z", 5 },
    { "vel_x", 3 }, { "vel_y", 4 }, { "vel_z", 5 }, { "u", 3 }, { "v", 4 }, { "w", 5 },
    { "mass", 6 } };
  char plain[16];
  size_t length = strlen(word);
  if (length > 1 && *word == '"' && word[length - 1] == '"') {
    word++;
    length -= 2;
  }
  if (length >= sizeof plain) return COLUMNS;
  memcpy(plain, word, length);
  plain[length] = '\0';
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcasecmp(plain, names[i].name) == 0) return names[i].column;
  return COLUMNS;
}

/* 1: the words are the names of all columns, in any order. */
static int take_heading(const row *words, heading *out)
{
  int is_named[COLUMNS] = { 0 };
  if (words->count != COLUMNS) return 0;
  for (size_t i = 0; i < COLUMNS; i++) {
    const size_t column = find_column(words->word[i]);
    if (column == COLUMNS || is_named[column]) return 0;
    is_named[column] = 1;
    out->place[i] = column;
  }
  out->is_there = 1;
  return 1;
}

static trm_status read_heading(const trmi_lines *lines, const row *words, heading *out)
{
  const char *unknown = "";
  if (take_heading(words, out)) return TRM_OK;
  for (size_t i = 0; i < words->count && i < COLUMNS && !*unknown; i++)
    if (find_column(words->word[i]) == COLUMNS) unknown = words->word[i];
  return TRM_FAIL(INPUT, "%s:%d: a heading of %zu names%s%.40s%s; it names the %d columns %s, in "
                         "any "
                  "order, without units: rename them, or put # before the line where they are in "
                  "this order", lines->path, lines->number, words->count,
                  *unknown ? ", of which '" : "", unknown, *unknown ? "' is not known" : "",
                  COLUMNS, columns);
}

/* The text after # may be a heading, as numpy.savetxt writes it. */
static void read_comment(char *line, heading *out)
{
  row words;
  split(line + strspn(line, "# \t"), &words);
  (void)take_heading(&words, out);
}

static trm_status read_line(trmi_lines *lines, nbody_bodies *out, heading *head)
{
  row now;
  if (lines->line[0] == '#') {
    if (out->count == 0 && !head->is_there) read_comment(lines->line, head);
    return TRM_OK;
  }
  split(lines->line, &now);
  if (now.numbers == 0 && out->count == 0 && !head->is_there)
    return read_heading(lines, &now, head);
  if (now.has_hole)
    return TRM_FAIL(INPUT, "%s:%d: nothing stands before a comma; a body is a line of %d numbers: "
                           "%s",
                    lines->path, lines->number, COLUMNS, columns);
  if (now.count != COLUMNS)
    return TRM_FAIL(INPUT, "%s:%d: %zu columns; a body is a line of %d: %s", lines->path,
                    lines->number, now.count, COLUMNS, columns);
  if (now.numbers != COLUMNS)
    return TRM_FAIL(INPUT, "%s:%d: a column is not a number; a body is a line of %d: %s",
                    lines->path, lines->number, COLUMNS, columns);
  for (size_t c = 0; c < COLUMNS; c++) {
    if (!isfinite(now.value[c]))
      return TRM_FAIL(INPUT, "%s:%d: column %zu is %f; give a finite number", lines->path,
                      lines->number, c + 1, now.value[c]);
    out->value[head->is_there ? head->place[c] : c][out->count] = now.value[c];
  }
  out->count++;
  return TRM_OK;
}

static trm_status read_text(const char *path, nbody_bodies *out)
{
  trmi_lines lines;
  TRM_TRY(trmi_lines_open(path, limit, &lines));
  heading head = { .is_there = 0 };
  trm_status status = nbody_bodies_create(trmi_lines_count(&lines), out);
  if (status == TRM_OK) {
    out->count = 0; /* rows stay where they are: only as many as were read count */
    while (status == TRM_OK && trmi_lines_next(&lines)) status = read_line(&lines, out, &head);
  }
  if (status == TRM_OK && out->count == 0)
    status = TRM_FAIL(INPUT, "%s: no bodies; a body is a line x y z vx vy vz m", path);
  trmi_lines_close(&lines);
  return status;
}

/* ---- NumPy ------------------------------------------------------------------ */

static trm_status place_npy(const char *path, const trm_npy *npy, nbody_bodies *out)
{
  const int by_body = npy->axes == 2 && npy->shape[1] == COLUMNS;
  if (npy->axes != 2 || (!by_body && npy->shape[0] != COLUMNS) ||
      (npy->type != TRM_TYPE_F32 && npy->type != TRM_TYPE_F64))
    return TRM_FAIL(INPUT, "%s: bodies are a real array of shape (N, %d) or (%d, N): "
                    "x y z vx vy vz m", path, COLUMNS, COLUMNS);
  const size_t n = npy->elements / COLUMNS;
  if (n == COLUMNS)
    return TRM_FAIL(INPUT, "%s: the shape (%d, %d) does not say whether bodies are its rows or its "
                    "columns; write them as text: numpy.savetxt", path, COLUMNS, COLUMNS);
  if (n == 0) return TRM_FAIL(INPUT, "%s: an array of no bodies; give two at least", path);
  TRM_TRY(nbody_bodies_create(n, out));
  for (size_t c = 0; c < COLUMNS; c++)
    for (size_t i = 0; i < n; i++) {
      const size_t at = by_body ? i * COLUMNS + c : c * n + i;
      out->value[c][i] = npy->type == TRM_TYPE_F64 ? ((const double *)npy->data)[at]
                                                   : (double)((const float *)npy->data)[at];
    }
  return TRM_OK;
}

static trm_status read_npy(const char *path, nbody_bodies *out)
{
  trm_npy npy = {0};
  TRM_TRY(trm_npy_read(path, &npy));
  const trm_status status = place_npy(path, &npy, out);
  trm_npy_free(&npy);
  return status;
}

/* ---- binary sets ------------------------------------------------------------ */

static trm_status load_set(const char *path, size_t body_bytes, char **bytes, size_t *count)
{
  size_t length;
  TRM_TRY(trm_file_load(path, limit, bytes, &length));
  if (length == 0 || length % body_bytes != 0) {
    free(*bytes);
    *bytes = NULL;
    return TRM_FAIL(INPUT, "%s: %zu bytes are no whole number of bodies of %zu bytes; the file is "
                    "cut short or of another kind", path, length, body_bytes);
  }
  *count = length / body_bytes;
  return TRM_OK;
}

/* x y z m, at rest. */
static trm_status read_f32(const char *path, nbody_bodies *out)
{
  char *bytes;
  size_t n;
  TRM_TRY(load_set(path, 4 * sizeof(float), &bytes, &n));
  const trm_status status = nbody_bodies_create(n, out);
  for (size_t i = 0; i < n && status == TRM_OK; i++) {
    float value[4];
    memcpy(value, bytes + i * sizeof value, sizeof value);
    for (int c = 0; c < 3; c++) out->value[c][i] = (double)value[c];
    out->value[6][i] = (double)value[3];
  }
  free(bytes);
  return status;
}

/* x y z vx vy vz ax ay az; the masses are those of another set. */
static trm_status read_f64(const char *path, const char *masses, nbody_bodies *out)
{
  char *bytes;
  size_t n;
  nbody_bodies heavy = {0};
  if (!*masses)
    return TRM_FAIL(INPUT, "%s: a set of f64 holds no masses; name the set of f32 that it began as "
                    "with nbody.masses", path);
  TRM_TRY(load_set(path, 9 * sizeof(double), &bytes, &n));
  trm_status status = read_f32(masses, &heavy);
  if (status == TRM_OK && heavy.count != n)
    status = TRM_FAIL(INPUT, "%s has %zu bodies and %s has %zu; they are not of one set", path, n,
                      masses, heavy.count);
  if (status == TRM_OK) status = nbody_bodies_create(n, out);
  for (size_t i = 0; i < n && status == TRM_OK; i++) {
    double value[9];
    memcpy(value, bytes + i * sizeof value, sizeof value);
    for (int c = 0; c < 6; c++) out->value[c][i] = value[c];
    out->value[6][i] = heavy.value[6][i];
  }
  nbody_bodies_free(&heavy);
  free(bytes);
  return status;
}

static int ends_with(const char *text, const char *end)
{
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

trm_status nbody_read(const char *path, const char *masses, nbody_bodies *out)
{
  if (ends_with(path, "_f64.bin")) return read_f64(path, masses, out);
  if (*masses)
    return TRM_FAIL(INPUT, "nbody.masses belongs to a set NAME_f64.bin; %s brings its own masses",
                    path);
  if (ends_with(path, ".npy")) return read_npy(path, out);
  if (ends_with(path, "_f32.bin")) return read_f32(path, out);
  return read_text(path, out);
}

/* ---- writing ---------------------------------------------------------------- */

static trm_status write_text(const char *path, const nbody_bodies *b, trm_precision precision)
{
  const int digits = precision == TRM_F64 ? 17 : 9;
  trm_file *file;
  TRM_TRY(trm_file_create(path, &file));
  trm_status status = trm_file_print(file, "x y z vx vy vz m\n");
  for (size_t i = 0; i < b->count && status == TRM_OK; i++) {
    char line[COLUMNS * 32];
    int length = 0;
    for (int c = 0; c < COLUMNS; c++)
      length += snprintf(line + length, sizeof line - (size_t)length, "%.*g%c", digits,
                         b->value[c][i], c + 1 < COLUMNS ? ' ' : '\n');
    status = trm_file_write(file, line, (size_t)length);
  }
  if (status != TRM_OK) {
    trm_file_discard(&file);
    return status;
  }
  return trm_file_commit(&file);
}

/* Both files have every digit, so they can be read back. */
trm_status nbody_write(const char *folder, const nbody_bodies *bodies, trm_precision precision)
{
  char *path;
  TRM_TRY(trm_path_join(folder, "bodies.txt", &path));
  trm_status status = write_text(path, bodies, precision);
  free(path);
  TRM_TRY(status);
  const trm_array array = {"bodies", "", TRM_TYPE_F64, 1, bodies->count, COLUMNS, 1,
                           bodies->value[0]};
  TRM_TRY(trm_path_join(folder, "bodies.npy", &path));
  status = trm_npy_write(path, &array);
  free(path);
  return status;
}
