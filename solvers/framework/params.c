/* params.c - a struct of parameters read from the kernel text that the program carries anyway.
 *
 * The text has been compiled, so the grammar is small: members `type name, name[4];`, comments, and
 * the #line that the embedder writes. The resulting sizes are compared with the sizes that the
 * compiler saw (check.c). */
#include <config.h>

#include "solvers/framework/params.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  const char *at;
  trm_framework_params *params;
} reader;

/* ---- words ----------------------------------------------------------------- */

/* Behind blanks, comments and lines of the preprocessor. */
static const char *skip(const char *at)
{
  for (;;) {
    if (isspace((unsigned char)*at)) at++;
    else if (*at == '#' || strncmp(at, "//", 2) == 0) at += strcspn(at, "\n");
    else if (strncmp(at, "/*", 2) == 0) {
      const char *end = strstr(at + 2, "*/");
      at = end ? end + 2 : at + strlen(at);
    } else return at;
  }
}

static size_t word_length(const char *at)
{
  size_t length = 0;
  while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
  return length;
}

static int is_word(const char *at, size_t length, const char *word)
{
  return strlen(word) == length && strncmp(at, word, length) == 0;
}

/* Takes the character when it comes next. */
static int take(reader *r, char c)
{
  r->at = skip(r->at);
  if (*r->at != c) return 0;
  r->at++;
  return 1;
}

static trm_status refuse(const reader *r, const char *what)
{
  return TRM_FAIL(INVALID, "struct %s: %s at \"%.*s\"; its members are real, trm_index, int or "
                  "trm_bits, single or arrays of a literal length", r->params->name, what,
                  (int)strcspn(r->at, "\n"), r->at);
}

/* ---- members --------------------------------------------------------------- */

static trm_status read_kind(reader *r, char *kind)
{
  static const struct { const char *word; char kind; } kinds[] = {
    { "real", 'r' }, { "trm_index", 'x' }, { "int", 'i' }, { "trm_bits", 'i' }
  };
  r->at = skip(r->at);
  const size_t length = word_length(r->at);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (is_word(r->at, length, kinds[i].word)) {
      *kind = kinds[i].kind;
      r->at += length;
      return TRM_OK;
    }
  return refuse(r, "an unknown type");
}

static size_t size_of(char kind, int precision)
{
  return kind == 'i' || (kind == 'r' && precision == TRM_F32) ? 4 : 8;
}

/* At the next multiple of its size, as every compiler has it. */
static void place(trm_framework_params *params, trm_framework_member *member)
{
  for (int p = 0; p < 2; p++) {
    const size_t size = size_of(member->kind, p);
    member->at[p] = (params->bytes[p] + size - 1) / size * size;
    params->bytes[p] = member->at[p] + member->count * size;
  }
}

static trm_status read_member(reader *r, char kind)
{
  trm_framework_params *params = r->params;
  r->at = skip(r->at);
  const size_t length = word_length(r->at);
  if (length == 0) return refuse(r, "no name of a member");
  if (length >= sizeof params->members->name) return refuse(r, "a name that is too long");
  if (params->count == TRM_FRAMEWORK_MEMBERS) return refuse(r,
                                                            "more members than a launch can carry");
  trm_framework_member *member = &params->members[params->count++];
  *member = (trm_framework_member){ .kind = kind, .count = 1 };
  memcpy(member->name, r->at, length);
  r->at += length;
  if (take(r, '[')) {
    char *end;
    r->at = skip(r->at);
    member->count = strtoul(r->at, &end, 10);
    if (end == r->at || member->count < 1 || member->count > TRM_MAX_PARAM_BYTES)
      return refuse(r, "no literal length");
    r->at = end;
    if (!take(r, ']')) return refuse(r, "no ']'");
  }
  place(params, member);
  return TRM_OK;
}

static trm_status read_members(reader *r)
{
  while (!take(r, '}')) {
    char kind = 0;
    TRM_TRY(read_kind(r, &kind));
    do TRM_TRY(read_member(r, kind));
    while (take(r, ','));
    if (!take(r, ';')) return refuse(r, "no ';'");
  }
  return TRM_OK;
}

/* A struct ends at a multiple of its largest member's size. */
static void close_struct(trm_framework_params *params)
{
  for (int p = 0; p < 2; p++) {
    size_t largest = 1;
    for (size_t i = 0; i < params->count; i++)
      if (size_of(params->members[i].kind, p) > largest)
        largest = size_of(params->members[i].kind, p);
    params->bytes[p] = (params->bytes[p] + largest - 1) / largest * largest;
  }
}

/* Where the members of `typedef struct NAME {` begin; NULL when the text has no such struct. */
static const char *find_struct(const char *text, const char *name)
{
  static const char opening[] = "typedef struct ";
  for (const char *at = text; (at = strstr(at, opening)); at++) {
    const char *word = skip(at + sizeof opening - 1), *behind = word + word_length(word);
    if (is_word(word, (size_t)(behind - word), name) && *skip(behind) == '{')
      return skip(behind) + 1;
  }
  return NULL;
}

trm_status trm_framework_params_read(const char *text, const char *name, trm_framework_params *out)
{
  trm_framework_params params = { .count = 0 };
  reader r = { find_struct(text, name), &params };
  if (!r.at || strlen(name) >= sizeof params.name)
    return TRM_FAIL(INVALID, "the kernel text has no `typedef struct %s { ... }`; declare the "
                    "parameters in a header that it includes", name);
  snprintf(params.name, sizeof params.name, "%s", name);
  TRM_TRY(read_members(&r));
  close_struct(&params);
  if (params.bytes[TRM_F64] > TRM_MAX_PARAM_BYTES)
    return TRM_FAIL(INVALID, "struct %s: %zu bytes in f64, and a launch carries at most %d", name,
                    params.bytes[TRM_F64], TRM_MAX_PARAM_BYTES);
  *out = params;
  return TRM_OK;
}

const trm_framework_member *trm_framework_params_find(const trm_framework_params *params,
                                                      const char *name)
{
  for (size_t i = 0; i < params->count; i++)
    if (strcmp(params->members[i].name, name) == 0) return &params->members[i];
  return NULL;
}

/* ---- conversion ------------------------------------------------------------ */

static void round_reals(const double *from, size_t count, float *to)
{
  for (size_t i = 0; i < count; i++) to[i] = (float)from[i];
}

void trm_framework_params_pack(const trm_framework_params *params, trm_precision precision,
                               const void *doubles, void *packed)
{
  const unsigned char *from = doubles;
  unsigned char *to = packed;
  memset(to, 0, params->bytes[precision]);
  for (size_t i = 0; i < params->count; i++) {
    const trm_framework_member *member = &params->members[i];
    const void *source = from + member->at[TRM_F64];
    void *target = to + member->at[precision];
    if (member->kind == 'r' && precision == TRM_F32) round_reals(source, member->count, target);
    else memcpy(target, source, member->count * size_of(member->kind, (int)precision));
  }
}
