/* json_parts.h - parts that several of the program's documents share: cases, devices, programs,
 * roofs and energy. */
#ifndef TRIREME_RUN_JSON_PARTS_H
#define TRIREME_RUN_JSON_PARTS_H

#include "run/measure/roofs.h"
#include "run/measure/energy.h"
#include "run/text/json.h"
#include "core/trireme.h"
#include "io/config.h"

/* Every key of a case with its value. */
json_t *json_config(const trm_config *config);
json_t *json_device(const trm_device_info *info);
/* Describes an opened device. For several devices, `parts` holds each device with its rows. */
json_t *json_opened(const trm_device *device);
json_t *json_program(const trm_program_info *info);
/* The part of a group's lanes without an item: a group of x times y items takes whole warps. A
 * warp has 32 lanes; on AMD's CDNA (a device named gfx9..) it has 64. */
double idle_lanes(const char *device, int x, int y);
/* Joules, seconds and joules for an update, or {"missing": why}. updates: number of updates in the
 * metered time. */
json_t *json_energy(const energy_meter *meter, double updates);
/* all: every measurement of `trireme bench`; else the copies alone. */
json_t *json_roofs_of(const device_roofs *measured, int all);
/* Reads every member: 0 where a sample is neither null nor valid. */
int json_roofs_read(const json_t *from, device_roofs *out);

#endif
