/* text.c - see text.h. */
#include "run/text/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void text_copy(char *out, size_t bytes, const char *text)
{
  size_t length = strnlen(text, bytes);
  if (length == bytes)
    for (length--; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;) length--;
  memmove(out, text, length);
  out[length] = 0;
}

void text_append(char *text, size_t bytes, const char *format, ...)
{
  const size_t used = strlen(text);
  va_list list;
  va_start(list, format);
  vsnprintf(text + used, bytes - used, format, list);
  va_end(list);
}

/* Bytes of the character that begins here; 0: none does. */
static size_t character(const char *text)
{
  const unsigned char first = (unsigned char)*text;
  const size_t bytes = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2
                       : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (size_t i = 1; i < bytes; i++)
    if (((unsigned char)text[i] & 0xc0) != 0x80) return 0;
  return bytes;
}

char *text_clean(char *text)
{
  char *to = text;
  for (const char *from = text; *from;) {
    const size_t bytes = character(from);
    const int is_control = (unsigned char)*from < 32 || *from == 127 ||
                           (bytes == 2 && *from == '\xc2' && (unsigned char)from[1] < 0xa0);
    if (is_control) *to++ = ' ';
    else for (size_t i = 0; i < bytes; i++) *to++ = from[i];
    from += bytes ? bytes : 1;
  }
  *to = 0;
  return text;
}

FILE *text_begin(text_stream *stream)
{
  *stream = (text_stream){0};
  return stream->out = open_memstream(&stream->text, &stream->bytes);
}

char *text_end(text_stream *stream)
{
  const int failed = ferror(stream->out);
  if (fclose(stream->out) == 0 && !failed) return stream->text;
  free(stream->text);
  return NULL;
}
