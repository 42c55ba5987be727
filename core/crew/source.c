/* source.c - a program's source on its way to another rank: its texts, and the tables of its host
 * instances, whose functions are offsets in the file that they lie in. */
#include "core/crew/ranks.h"

#include <stdlib.h>
#include <string.h>

/* ---- out -------------------------------------------------------------------- */

typedef struct packer {
  unsigned char *bytes;         /* NULL: only counted */
  size_t count;
} packer;

static void put(packer *p, const void *bytes, size_t count)
{
  if (p->bytes) memcpy(p->bytes + p->count, bytes, count);
  p->count += count;
}

static void put_number(packer *p, uint64_t number) { put(p, &number, sizeof number); }

static void put_text(packer *p, const char *text)
{
  put_number(p, strlen(text) + 1);
  put(p, text, strlen(text) + 1);
}

static void put_kernel(packer *p, const trm_host_kernel *kernel, uintptr_t base)
{
  uintptr_t run;
  memcpy(&run, &kernel->run, sizeof run);
  put_text(p, kernel->name);
  put_text(p, kernel->access);
  put(p, kernel, sizeof *kernel);
  put_number(p, (uint64_t)(run - base));
  if (kernel->steps) put(p, kernel->steps, sizeof *kernel->steps);
}

static void put_source(packer *p, const trm_program_source *source, const char *variant,
                       const char *path, uintptr_t base)
{
  size_t count = 0;
  put_number(p, ranks_hash(path));
  put_text(p, path);
  put_text(p, source->name);
  put_text(p, source->file);
  put_text(p, source->text);
  put_text(p, variant);
  while (source->modules[count]) count++;
  put_number(p, count);
  for (size_t m = 0; m < count; m++) {
    const trm_host_module *module = source->modules[m];
    put_text(p, module->program);
    put_text(p, module->isa);
    put_text(p, module->variant);
    put(p, module, sizeof *module);
    for (int i = 0; i < module->kernel_count; i++) put_kernel(p, &module->kernels[i], base);
  }
}

trm_status ranks_pack(const trm_program_source *source, const char *variant, unsigned char **out,
                      size_t *count)
{
  char path[4096];
  uintptr_t base, run;
  packer packed = { NULL, 0 };
  memcpy(&run, &source->modules[0]->kernels[0].run, sizeof run);
  TRM_TRY(ranks_object_of((const void *)run, path, sizeof path, &base));
  put_source(&packed, source, variant ? variant : "", path, base);
  packed.bytes = malloc(packed.count);
  if (!packed.bytes)
    return TRM_FAIL(NO_HOST_MEMORY, "program \"%s\": out of host memory", source->name);
  packed.count = 0;
  put_source(&packed, source, variant ? variant : "", path, base);
  *out = packed.bytes;
  *count = packed.count;
  return TRM_OK;
}

/* ---- in ---------------------------------------------------------------------- */

static void take(const unsigned char **at, void *bytes, size_t count)
{
  memcpy(bytes, *at, count);
  *at += count;
}

static uint64_t take_number(const unsigned char **at)
{
  uint64_t number;
  take(at, &number, sizeof number);
  return number;
}

static const char *take_text(const unsigned char **at)
{
  const size_t length = (size_t)take_number(at);
  const char *text = (const char *)*at;
  *at += length;
  return text;
}

static void take_kernel(const unsigned char **at, uintptr_t base, trm_host_kernel *out,
                        trm_stepping *steps)
{
  const char *name = take_text(at), *access = take_text(at);
  take(at, out, sizeof *out);
  const uintptr_t run = base + (uintptr_t)take_number(at);
  memcpy(&out->run, &run, sizeof run);
  out->name = name;
  out->access = access;
  if (!out->steps) return;
  take(at, steps, sizeof *steps);
  out->steps = steps;
}

/* A module and its kernels in one piece of memory. */
static trm_status take_module(const unsigned char **at, uintptr_t base, trm_host_module **out)
{
  trm_host_module module;
  const char *program = take_text(at), *isa = take_text(at), *variant = take_text(at);
  take(at, &module, sizeof module);
  const size_t count = (size_t)module.kernel_count;
  trm_host_module *made = malloc(sizeof *made);
  trm_host_kernel *kernels = calloc(count, sizeof *kernels + sizeof(trm_stepping));
  if (!made || !kernels) {
    free(made);
    free(kernels);
    return TRM_FAIL(NO_HOST_MEMORY, "no memory for the kernels of a program");
  }
  trm_stepping *steps = (void *)(kernels + count);
  for (size_t i = 0; i < count; i++) take_kernel(at, base, &kernels[i], &steps[i]);
  module.program = program;
  module.isa = isa;
  module.variant = variant;
  module.kernels = kernels;
  *made = module;
  *out = made;
  return TRM_OK;
}

trm_status ranks_unpack(const unsigned char *packed, ranks_source *out)
{
  const unsigned char *at = packed;
  uintptr_t base;
  const uint64_t hash = take_number(&at);
  const char *path = take_text(&at);
  TRM_TRY(ranks_object_at(path, &base));
  if (ranks_hash(path) != hash)
    return TRM_FAIL(INVALID, "%s on %s is another file than on rank 0; install the same program on "
                    "all machines", path, ranks_place()->node);
  out->source.name = take_text(&at);
  out->source.file = take_text(&at);
  out->source.text = take_text(&at);
  out->variant = take_text(&at);
  const size_t count = (size_t)take_number(&at);
  out->modules = calloc(count + 1, sizeof *out->modules);
  out->source.modules = (const trm_host_module *const *)out->modules;
  if (!out->modules) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the kernels of a program");
  for (size_t i = 0; i < count; i++) TRM_TRY(take_module(&at, base, &out->modules[i]));
  return TRM_OK;
}

void ranks_source_free(ranks_source *source)
{
  for (trm_host_module **module = source->modules; module && *module; module++) {
    free((void *)(uintptr_t)(*module)->kernels);
    free(*module);
  }
  free(source->modules);
  free(source->packed);
}
