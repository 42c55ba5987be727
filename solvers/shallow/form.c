/* form.c - the form of a step of Lax-Friedrichs: the properties that shallow.implementation names,
 * with the changes that the case's keys ask for. Combinations without sense are refused. */
#include "solvers/shallow/implementation.h"

#include <math.h>
#include <string.h>

static const shallow_form named[] = {
  { "three-kernels", 0, SHALLOW_IN_MEMORY, SHALLOW_IN_MEMORY, SHALLOW_RING, 0, 0, 0, 0 },
  { "tile", 1, SHALLOW_IN_TILE, SHALLOW_IN_TILE, SHALLOW_RING, 0, 0, 0, 0 },
  { "tile-bed-global", 1, SHALLOW_IN_MEMORY, SHALLOW_IN_TILE, SHALLOW_RING, 0, 0, 0, 0 },
};
static const trm_option keys[] = { SHALLOW_FORM_KEYS };
enum { KEYS = sizeof keys / sizeof keys[0], OF_TILES = 3 };

/* The number of the key's value among its choices after the first, "named"; -1: named. */
static int number_of(const trm_config *config, const trm_option *key)
{
  return trm_config_choice(config, key->key) - 1;
}

static trm_status refuse(const trm_config *config, const char *key, const char *cause,
                         const char *cure)
{
  return TRM_FAIL(INPUT, "%s: %s = %s %s; %s", trm_config_origin(config, key), key,
                  trm_config_string(config, key), cause, cure);
}

static trm_status refuse_here(const trm_config *config, const char *key, const char *cause,
                              const char *cure)
{
  return TRM_FAIL(UNSUPPORTED, "%s: %s = %s: not testable here: %s; %s",
                  trm_config_origin(config, key), key, trm_config_string(config, key), cause, cure);
}

/* Forms that the case has no place for. */
static trm_status check_case(const shallow_solver *swe, const trm_config *config)
{
  static const char key[] = "shallow.implementation";
  if (swe->p.scheme != SHALLOW_LAX_FRIEDRICHS)
    return refuse(config, key, "is of Lax-Friedrichs",
                  "choose shallow.scheme = lax-friedrichs too, or shallow.implementation = best");
  if (swe->p.every > 1)
    return refuse(config, key, "has three launches a step, and shallow.dt_every makes one of "
                  "several steps", "leave one of them out");
  return TRM_OK;
}

/* Forms that this device does not have. */
static trm_status check_device(const trm_device_info *device, const trm_config *config,
                               const shallow_form *form)
{
  if (form->constants == SHALLOW_CONSTANT && device->is_host)
    return refuse_here(config, "shallow.constants", "a host has no constant memory",
                       "choose shallow.constants = parameters, or a device of opencl or cuda");
  if (form->maximum == SHALLOW_SHUFFLE && (device->is_host || !strstr(device->vendor, "NVIDIA")))
    return refuse_here(config, "shallow.maximum", "shuffles are those of NVIDIA's GPUs",
                       "choose shallow.maximum = shared, or such a device");
  if (form->gather != SHALLOW_VALUES && device->is_host)
    return refuse_here(config, "shallow.gather", "a host has no groups",
                       "choose shallow.gather = values, or a device of opencl or cuda");
  return TRM_OK;
}

trm_status shallow_form_read(const shallow_solver *swe, const trm_config *config, shallow_form *out,
                             int *is_best)
{
  const char *name = trm_config_string(config, "shallow.implementation");
  shallow_form form = { 0 };
  int *const values[KEYS] = { &form.slopes, &form.results, &form.pitch, &form.edges,
                              &form.constants, &form.maximum, &form.gather };
  for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
    if (strcmp(named[i].name, name) == 0) form = named[i];
  for (size_t i = 0; i < KEYS; i++) {
    const int number = number_of(config, &keys[i]);
    if (number < 0) continue;
    if (!form.name)
      return refuse(config, keys[i].key, "changes a form of the course's kernels, and "
                    "shallow.implementation = best is the solver's own",
                    "choose shallow.implementation = three-kernels or tile");
    if (i < OF_TILES && !form.is_tile)
      return refuse(config, keys[i].key, "is of tiles",
                    "choose shallow.implementation = tile, or leave it out");
    *values[i] = number;
  }
  *is_best = !form.name;
  *out = form;
  if (*is_best) return TRM_OK;
  TRM_TRY(check_case(swe, config));
  return check_device(trm_device_describe(swe->base.device), config, &form);
}
