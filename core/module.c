/* module.c - which host instance of a program serves a device, and whether its table is sound.
 *
 * Every device needs one: a host runs it, a GPU's plugin reads kinds, halos and sizes from it. */
#include "core/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- soundness: tables come from outside the library ---------------------- */

static int is_within(const trm_host_kernel *kernel, int offset)
{
  return offset >= 0 && offset + kernel->steps->index_bytes <= kernel->param_bytes;
}

static trm_status check_steps(const trm_host_kernel *kernel)
{
  const trm_stepping *s = kernel->steps;
  const int count = kernel->buffer_count;
  if (kernel->kind != TRM_KERNEL_ROW || kernel->halo != 1)
    return TRM_FAIL(INVALID, "kernel %s: TRM_TABLE_STEPS is for row kernels with a halo of 1",
                    kernel->name);
  if (s->from < 0 || s->from >= count || s->to < 0 || s->to >= count || s->from == s->to ||
      kernel->access[s->from] != 'r' || kernel->access[s->to] != 'w')
    return TRM_FAIL(INVALID, "kernel %s: it steps from array %d to array %d; the first is to be "
                             "TRM_FROM in its heading, the second TRM_TO", kernel->name, s->from,
                    s->to);
  if (s->components < 1 || (s->index_bytes != 4 && s->index_bytes != 8) ||
      !is_within(kernel, s->first) || !is_within(kernel, s->row) ||
      !is_within(kernel, s->component))
    return TRM_FAIL(INVALID, "kernel %s: TRM_TABLE_STEPS names no layout among its parameters: int "
                             "or trm_index members first, row and component", kernel->name);
  return TRM_OK;
}

static trm_status check_kernel(const trm_host_module *module, const trm_host_kernel *kernel)
{
  if (!kernel->name || !*kernel->name || !kernel->run || !kernel->access)
    return TRM_FAIL(INVALID,
                    "program \"%s\": a kernel of its table has no name, function or access "
                    "letters; make the table with TRM_TABLE_BEGIN",
                    module->program);
  if (kernel->kind != TRM_KERNEL_ROW && kernel->kind != TRM_KERNEL_GROUP)
    return TRM_FAIL(INVALID, "kernel %s: unknown kind %d", kernel->name, (int)kernel->kind);
  if (kernel->buffer_count < 0 || kernel->buffer_count > TRM_MAX_BUFFERS)
    return TRM_FAIL(INVALID, "kernel %s: %d buffers; a kernel has at most %d", kernel->name,
                    kernel->buffer_count, (int)TRM_MAX_BUFFERS);
  if (kernel->param_bytes < 0 || kernel->param_bytes > TRM_MAX_PARAM_BYTES)
    return TRM_FAIL(INVALID, "kernel %s: %d bytes of parameters; a kernel has at most %d; put more "
                             "into a buffer", kernel->name, kernel->param_bytes,
                    (int)TRM_MAX_PARAM_BYTES);
  if (strlen(kernel->access) != (size_t)kernel->buffer_count ||
      strspn(kernel->access, "rw") != (size_t)kernel->buffer_count)
    return TRM_FAIL(INVALID,
                    "kernel %s: access \"%s\" is not one letter r or w for each of %d buffers",
                    kernel->name, kernel->access, kernel->buffer_count);
  if (kernel->halo < -1 || kernel->shared_bytes < 0)
    return TRM_FAIL(INVALID, "kernel %s: halo %d and %d bytes of shared memory make no sense",
                    kernel->name, kernel->halo, kernel->shared_bytes);
  if (kernel->overlap < 0 || kernel->overlap > 4 ||
      (kernel->overlap > 0 && kernel->kind != TRM_KERNEL_ROW))
    return TRM_FAIL(INVALID, "kernel %s: an overlap of %d columns; TRM_OVERLAP is 0 to 4, and for "
                             "row kernels", kernel->name, kernel->overlap);
  return kernel->steps ? check_steps(kernel) : TRM_OK;
}

static trm_status check_module(const trm_host_module *module)
{
  if (!module->program || !module->isa || !module->variant || module->kernel_count < 1 ||
      !module->kernels)
    return TRM_FAIL(INVALID, "a host instance has no program name, instruction set, variant or "
                             "kernels; make its table with TRM_TABLE_BEGIN");
  for (int i = 0; i < module->kernel_count; i++) {
    TRM_TRY(check_kernel(module, &module->kernels[i]));
    for (int j = 0; j < i; j++)
      if (strcmp(module->kernels[i].name, module->kernels[j].name) == 0)
        return TRM_FAIL(INVALID, "program \"%s\" has two kernels named %s; rename one",
                        module->program, module->kernels[i].name);
  }
  return TRM_OK;
}

/* ---- choice --------------------------------------------------------------- */

static int serves(const trm_host_module *module, const trm_program_options *options,
                  const char *variant)
{
  return module->precision == options->precision && module->math == options->math &&
         (!variant || strcmp(module->variant, variant) == 0);
}

/* Names that the matching instances have, each once: their variants, or with `isas` their
 * instruction sets. */
static size_t collect(const trm_program_source *source, const trm_program_options *options,
                      const char *variant, int isas, const char **names, size_t limit)
{
  size_t count = 0;
  for (const trm_host_module *const *m = source->modules; *m; m++) {
    const char *name = isas ? (*m)->isa : (*m)->variant;
    size_t i = 0;
    if (!serves(*m, options, variant)) continue;
    while (i < count && strcmp(names[i], name) != 0) i++;
    if (i == count && count < limit) names[count++] = name;
  }
  return count;
}

static const char *join(const char *const *names, size_t count, char *text, size_t bytes)
{
  text[0] = 0;
  for (size_t i = 0; i < count; i++)
    trmi_append(text, bytes, "%s%s", i ? ", " : "", *names[i] ? names[i] : "\"\" (the default)");
  return text;
}

static trm_status no_variant(const trm_program_source *source, const trm_program_options *options,
                             const char *variant)
{
  enum { MOST = 32 };
  const char *names[MOST];
  char list[500], nearest[128];
  const size_t count = collect(source, options, NULL, 0, names, MOST);
  const char *precision = trm_precision_name(options->precision);
  const char *math = trm_math_name(options->math);
  if (count == 0)
    return TRM_FAIL(NOT_FOUND,
                    "program \"%s\" has no host instance for %s %s; compile one and add it to the "
                    "program's modules",
                    source->name, precision, math);
  return TRM_FAIL(NOT_FOUND, "program \"%s\" has no variant \"%s\" for %s %s%s; there %s %s",
                  source->name, variant, precision, math,
                  trmi_suggestion(variant, names, count, nearest, sizeof nearest),
                  count == 1 ? "is" : "are", join(names, count, list, sizeof list));
}

static trm_status no_isa(const trm_program_source *source, const trm_program_options *options,
                         const char *variant)
{
  enum { MOST = 8 };
  const char *names[MOST];
  char list[200];
  const char *asked = secure_getenv("TRIREME_ISA");
  const size_t count = collect(source, options, variant, 1, names, MOST);
  return TRM_FAIL(NOT_FOUND,
                  "program \"%s\" has no host instance for %s %s that %s; there %s %s; %s",
                  source->name, trm_precision_name(options->precision),
                  trm_math_name(options->math),
                  asked ? "is the one of TRIREME_ISA" : "this processor can run",
                  count == 1 ? "is" : "are", join(names, count, list, sizeof list),
                  asked ? "unset TRIREME_ISA"
                        : "compile one that it runs (--with-isa=native or all)");
}

/* The instance without optimisation (NAME_PLAIN in m4/kernel-rules.mk), or NULL. */
static const trm_host_module *plain_instance(const trm_program_source *source,
                                             const trm_program_options *options,
                                             const char *variant)
{
  for (const trm_host_module *const *m = source->modules; *m; m++)
    if (serves(*m, options, variant) && strcmp((*m)->isa, "plain") == 0) return *m;
  return NULL;
}

trm_status trmi_module_pick(const trm_device *device, const trm_program_source *source,
                            const trm_program_options *options, const trm_host_module **out)
{
  const char *variant = options->variant ? options->variant : "";
  const char *isas[TRMI_MAX_ISAS];
  const trm_host_module *found = NULL;
  size_t isa_count = 0, matching = 0;
  for (const trm_host_module *const *m = source->modules; *m; m++) {
    if ((*m)->abi != TRM_HOST_MODULE_ABI)
      return TRM_FAIL(INVALID,
                      "program \"%s\": a host instance was compiled for module ABI %u, the library "
                      "has %d; compile it again with this library's kernel.h",
                      source->name, (unsigned)(*m)->abi, (int)TRM_HOST_MODULE_ABI);
    TRM_TRY(check_module(*m));
    if (!serves(*m, options, variant)) continue;
    if (matching++ == 0) found = *m;
  }
  if (matching == 0) return no_variant(source, options, variant);
  if (device->info.is_host) {
    TRM_TRY(trmi_isa_list(isas, &isa_count));
    found = device->options.plain_host ? plain_instance(source, options, variant) : NULL;
    for (size_t i = 0; i < isa_count && !found; i++)
      for (const trm_host_module *const *m = source->modules; *m && !found; m++)
        if (serves(*m, options, variant) && strcmp((*m)->isa, isas[i]) == 0) found = *m;
    if (!found) return no_isa(source, options, variant);
  }
  *out = found;
  return TRM_OK;
}
