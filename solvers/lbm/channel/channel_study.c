/* channel_study.c - forms of the Geneva study's eight kernels (lbm.implementation = "split"): how
 * `macroscopic` sums the populations, and along which axis neighbouring items go. */
#include "solvers/lbm/channel/channel.h"

#include <stdio.h>
#include <string.h>

static const char *text_of(const trm_config *config, const char *key)
{
  return trm_config_string(config, key);
}

static int is_named(const trm_config *config, const char *key)
{
  return strcmp(text_of(config, key), "named") == 0;
}

/* `key` changes something only where `other` has one of certain values. */
static trm_status refuse(const trm_config *config, const char *key, const char *needs)
{
  return TRM_FAIL(INPUT, "%s: %s = %s is of %s; set that too, or leave %s out",
                  trm_config_origin(config, key), key, text_of(config, key), needs, key);
}

trm_status channel_study_read(channel_solver *flow, const trm_config *config)
{
  static const char *const keys[] = { "lbm.moments", "lbm.velocities", "lbm.items" };
  const trm_device_info *device = trm_device_describe(flow->box.base.device);
  flow->is_split = strcmp(text_of(config, "lbm.implementation"), "split") == 0;
  flow->is_study = !is_named(config, "lbm.moments");
  flow->is_across = strcmp(text_of(config, "lbm.items"), "across") == 0;
  for (size_t i = 0; !flow->is_split && i < sizeof keys / sizeof keys[0]; i++)
    if (!is_named(config, keys[i])) return refuse(config, keys[i], "lbm.implementation = split");
  if (!flow->is_study && !is_named(config, "lbm.velocities"))
    return refuse(config, "lbm.velocities", "lbm.moments = memory or registers");
  if (flow->is_across && device->is_host)
    return TRM_FAIL(UNSUPPORTED, "%s: lbm.items = across: not testable here: a host has no groups; "
                    "choose a device of opencl or cuda", trm_config_origin(config, "lbm.items"));
  snprintf(flow->macroscopic, sizeof flow->macroscopic, "macroscopic");
  if (flow->is_study)
    snprintf(flow->macroscopic, sizeof flow->macroscopic, "macroscopic_%s_%s",
             text_of(config, "lbm.moments"),
             is_named(config, "lbm.velocities") ? "constants" : text_of(config, "lbm.velocities"));
  return TRM_OK;
}
