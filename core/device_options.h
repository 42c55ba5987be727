/* device_options.h - options that no device can have are refused where they are read. */
#ifndef TRIREME_DEVICE_OPTIONS_H
#define TRIREME_DEVICE_OPTIONS_H

#include "core/trireme.h"

/* The sentence begins with `whose`: the name of a device, or the place where the options were read.
 * trm_device_open makes the same check. */
TRM_API trm_status trm_device_options_check(const trm_device_options *options, const char *whose);

#endif
