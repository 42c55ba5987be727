/* failing_memory.c - failing_memory.so, for LD_PRELOAD: the n-th request of our own objects for
 * memory fails, and what they asked for and never gave back is reported.
 *
 * Ours are the program, libtrireme and the plugins, told by the address that a call returns to;
 * requests of the C library, of drivers and of other libraries always succeed.
 *   TRIREME_FAIL_MEMORY=N    the N-th request fails; N+ that one and all after it
 *   TRIREME_FAIL_REPORT=FILE when the process ends: the number of requests, the object and offset
 *                            of the call that failed first, and those of each block left */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The C library's own names for the functions that are replaced here: no search that would itself
 * ask for memory. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void __libc_free(void *block);

enum { SLOTS = 1 << 18 };       /* of the table of live blocks */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { uintptr_t block, caller; } blocks[SLOTS];
static unsigned long requests;
static uintptr_t first_failed;
static unsigned long wanted;    /* 0: none */
static int is_lasting, is_read;

static void read_order(void)
{
  const char *order = getenv("TRIREME_FAIL_MEMORY");
  char *end;
  is_read = 1;
  if (!order) return;
  wanted = strtoul(order, &end, 10);
  is_lasting = *end == '+';
}

/* ---- callers ------------------------------------------------------------------ */

static int is_ours(uintptr_t caller)
{
  Dl_info found;
  if (!dladdr((void *)caller, &found) || !found.dli_fname) return 0;
  const char *slash = strrchr(found.dli_fname, '/');
  const char *name = slash ? slash + 1 : found.dli_fname;
  return strncmp(name, "trireme", 7) == 0 || strncmp(name, "lt-trireme", 10) == 0 ||
         strncmp(name, "libtrireme", 10) == 0;
}

/* "libtrireme.so.0+0x1234" */
static void print_place(FILE *file, const char *word, uintptr_t caller)
{
  Dl_info found;
  if (!dladdr((void *)caller, &found) || !found.dli_fname) return;
  const char *slash = strrchr(found.dli_fname, '/');
  fprintf(file, "%s %s+0x%lx\n", word, slash ? slash + 1 : found.dli_fname,
          (unsigned long)(caller - (uintptr_t)found.dli_fbase));
}

/* Counts a request of ours; nonzero when it is to fail. */
static int is_hit(uintptr_t caller)
{
  pthread_mutex_lock(&lock);
  if (!is_read) read_order();
  const unsigned long number = ++requests;
  const int hit = wanted && (number == wanted || (is_lasting && number > wanted));
  if (hit && !first_failed) first_failed = caller;
  pthread_mutex_unlock(&lock);
  if (hit) errno = ENOMEM;
  return hit;
}

/* ---- live blocks ----------------------------------------------------------------- */

static size_t slot_of(uintptr_t block)
{
  return (size_t)((block >> 4) * 0x9e3779b97f4a7c15u >> 32) % SLOTS;
}

static void *keep(void *block, uintptr_t caller)
{
  pthread_mutex_lock(&lock);
  size_t slot = slot_of((uintptr_t)block);
  for (size_t i = 0; block && i < SLOTS; i++, slot = (slot + 1) % SLOTS) {
    if (blocks[slot].block > 1) continue;
    blocks[slot].block = (uintptr_t)block;
    blocks[slot].caller = caller;
    break;
  }
  pthread_mutex_unlock(&lock);
  return block;
}

/* A freed slot holds 1, so that a search goes on beyond it. */
static void forget(void *block)
{
  if (!block) return;
  pthread_mutex_lock(&lock);
  size_t slot = slot_of((uintptr_t)block);
  for (size_t i = 0; i < SLOTS && blocks[slot].block; i++, slot = (slot + 1) % SLOTS)
    if (blocks[slot].block == (uintptr_t)block) {
      blocks[slot].block = 1;
      break;
    }
  pthread_mutex_unlock(&lock);
}

/* ---- the functions ---------------------------------------------------------------- */

#define CALLER ((uintptr_t)__builtin_return_address(0))
#define PUBLIC __attribute__((visibility("default")))

PUBLIC void *malloc(size_t bytes)
{
  const uintptr_t caller = CALLER;
  if (!is_ours(caller)) return __libc_malloc(bytes);
  return is_hit(caller) ? NULL : keep(__libc_malloc(bytes), caller);
}

PUBLIC void *calloc(size_t count, size_t bytes)
{
  const uintptr_t caller = CALLER;
  if (!is_ours(caller)) return __libc_calloc(count, bytes);
  return is_hit(caller) ? NULL : keep(__libc_calloc(count, bytes), caller);
}

PUBLIC void *realloc(void *old, size_t bytes)
{
  const uintptr_t caller = CALLER;
  const int ours = is_ours(caller);
  if (ours && is_hit(caller)) return NULL;
  forget(old);
  void *block = __libc_realloc(old, bytes);
  return ours ? keep(block, caller) : block;
}

PUBLIC void free(void *block)
{
  forget(block);
  __libc_free(block);
}

static char *copy(const char *text, size_t length, uintptr_t caller)
{
  const int ours = is_ours(caller);
  if (ours && is_hit(caller)) return NULL;
  char *made = __libc_malloc(length + 1);
  if (!made) return NULL;
  memcpy(made, text, length);
  made[length] = '\0';
  return ours ? keep(made, caller) : made;
}

PUBLIC char *strdup(const char *text)
{
  return copy(text, strlen(text), CALLER);
}

PUBLIC char *strndup(const char *text, size_t most)
{
  return copy(text, strnlen(text, most), CALLER);
}

static int print(char **out, const char *format, va_list arguments, uintptr_t caller)
{
  const int ours = is_ours(caller);
  if (ours && is_hit(caller)) return -1;
  const int length = vasprintf(out, format, arguments);
  if (length >= 0 && ours) keep(*out, caller);
  return length;
}

PUBLIC int asprintf(char **out, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int length = print(out, format, arguments, CALLER);
  va_end(arguments);
  return length;
}

/* asprintf of a fortified build. */
PUBLIC int __asprintf_chk(char **out, int flag, const char *format, ...);
PUBLIC int __asprintf_chk(char **out, int flag, const char *format, ...)
{
  va_list arguments;
  (void)flag;
  va_start(arguments, format);
  const int length = print(out, format, arguments, CALLER);
  va_end(arguments);
  return length;
}

/* Streams and folders take memory in the C library: failing with ENOMEM they do so as well. */
#define STREAM(type, name, parameters, ...) \
  PUBLIC type *name parameters \
  { \
    static type *(*real) parameters; \
    const uintptr_t caller = CALLER; \
    if (!real) { \
      void *address = dlsym(RTLD_NEXT, #name); \
      memcpy(&real, &address, sizeof real); \
    } \
    return is_ours(caller) && is_hit(caller) ? NULL : real(__VA_ARGS__); \
  }
STREAM(FILE, fopen, (const char *path, const char *mode), path, mode)
STREAM(FILE, fdopen, (int descriptor, const char *mode), descriptor, mode)
STREAM(FILE, open_memstream, (char **text, size_t *bytes), text, bytes)

/* ---- the report -------------------------------------------------------------------- */

__attribute__((destructor)) static void report(void)
{
  const char *path = getenv("TRIREME_FAIL_REPORT");
  if (!path || requests == 0) return; /* another program, started around ours */
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "requests %lu\n", requests);
  if (first_failed) print_place(file, "failed", first_failed);
  for (size_t i = 0; i < SLOTS; i++)
    if (blocks[i].block > 1) print_place(file, "left", blocks[i].caller);
  fclose(file);
}
