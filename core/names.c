/* names.c - the names of things: precisions, types, states, the version; lists and nearest names
 * for messages. */
#include "core/internal.h"
#include "core/nearest.h"

#include <stdio.h>
#include <string.h>

const char *trm_version(void)
{
  return PACKAGE_VERSION;
}

const char *trm_precision_name(trm_precision precision)
{
  return precision == TRM_F32 ? "f32" : precision == TRM_F64 ? "f64" : "unknown precision";
}

const char *trm_math_name(trm_math math)
{
  return math == TRM_STRICT ? "strict" : math == TRM_FAST ? "fast" : "unknown arithmetic";
}

static const struct { size_t bytes; const char *name; } types[] = {
  [TRM_TYPE_F32] = { 4, "f32" },
  [TRM_TYPE_F64] = { 8, "f64" },
  [TRM_TYPE_I32] = { 4, "i32" },
  [TRM_TYPE_U8] = { 1, "u8" },
};

size_t trm_type_size(trm_type type)
{
  return (size_t)type < sizeof types / sizeof types[0] ? types[type].bytes : 0;
}

const char *trm_type_name(trm_type type)
{
  return (size_t)type < sizeof types / sizeof types[0] ? types[type].name : "unknown type";
}

trm_type trm_real_type(trm_precision precision)
{
  return precision == TRM_F64 ? TRM_TYPE_F64 : TRM_TYPE_F32;
}

const char *trm_backend_state_text(trm_backend_state state)
{
  static const char *const texts[TRM_BACKEND_STATE_COUNT] = {
#define STATE_TEXT(name, text) text,
    TRM_BACKEND_STATES(STATE_TEXT)
#undef STATE_TEXT
  };
  if ((unsigned)state >= TRM_BACKEND_STATE_COUNT) return "unknown state";
  return texts[state];
}

void trmi_append(char *text, size_t bytes, const char *format, ...)
{
  const size_t used = strlen(text);
  if (used + 1 >= bytes) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, bytes - used, format, arguments);
  va_end(arguments);
}

const char *trmi_suggestion(const char *name, const char *const *names, size_t count, char *text,
                            size_t bytes)
{
  const char *nearest = trm_nearest_name(name, names, count);
  text[0] = 0;
  if (nearest) snprintf(text, bytes, " (did you mean \"%s\"?)", nearest);
  return text;
}
