/* isa.c - which host instances of a kernel this processor can run, best first.
 *
 * A program has the instances that its build was configured for (--with-isa): the first of this
 * list that it has is taken. TRIREME_ISA names one instance instead. */
#include "core/internal.h"
#include "core/isa_features.h"
#include "core/modules.h"

#include <stdlib.h>
#include <string.h>

TRM_DECLARE_MODULES(reduce); /* a program of the library's own: it has every set of this build */

static int always(void) { return 1; }

/* Best first. "reverse" runs cells and phases backwards, a test: only by name. */
static const struct { const char *name; int (*runs)(void); int by_name; } levels[] = {
  { "x86-64-v4", trmi_has_v4, 0 },
  { "x86-64-v3", trmi_has_v3, 0 },
  { "baseline", always, 0 },
  { "reverse", always, 1 },
};
enum { LEVELS = sizeof levels / sizeof levels[0] };

static int is_built(const char *isa)
{
  for (const trm_host_module *const *m = TRM_MODULES(reduce); *m; m++)
    if (strcmp((*m)->isa, isa) == 0) return 1;
  return 0;
}

trm_status trmi_isa_list(const char *names[TRMI_MAX_ISAS], size_t *count)
{
  const char *asked = secure_getenv("TRIREME_ISA");
  size_t found = 0;
  if (asked && !*asked) asked = NULL;
  for (size_t i = 0; i < LEVELS; i++) {
    if (asked ? strcmp(asked, levels[i].name) != 0 : levels[i].by_name || !levels[i].runs())
      continue;
    if (!levels[i].runs() || (asked && !is_built(asked)))
      return TRM_FAIL(UNSUPPORTED,
                      "TRIREME_ISA=%s: this processor, or this build (configure --with-isa), lacks "
                      "that instruction set; unset TRIREME_ISA to use the best one it has",
                      asked);
    names[found++] = levels[i].name;
  }
  if (found == 0)
    return TRM_FAIL(INVALID,
                    "TRIREME_ISA=%s: no such instruction set; there are baseline, x86-64-v3, "
                    "x86-64-v4 and reverse",
                    asked);
  *count = found;
  return TRM_OK;
}

trm_status trmi_isa_best(const char **out)
{
  const char *names[TRMI_MAX_ISAS];
  size_t count;
  TRM_TRY(trmi_isa_list(names, &count));
  for (size_t i = 0; i < count; i++)
    if (is_built(names[i])) {
      *out = names[i];
      return TRM_OK;
    }
  return TRM_FAIL(UNSUPPORTED,
                  "this build has no host kernels that this processor can run; configure it with "
                  "--with-isa=native on this machine, or with --with-isa=all");
}
