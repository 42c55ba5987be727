/* profile_roofs.c - which measured figures a profile's rows stand beside: those that bench kept of
 * this device, or the run's own copy. */
#include <math.h>
#include <stdio.h>

#include "cli/measure/profile.h"
#include "cli/measure/roofs.h"

profile_roofs profile_roofs_find(const trm_context *context, const trm_device *device,
                                 trm_precision precision, const ceiling *measured,
                                 const char *why_not)
{
  profile_roofs found = {.copy = NAN, .fma = NAN};
  device_roofs kept;
  char missing[ROOFS_REASON];
  if (roofs_load(context, device, &kept, missing)) {
    found.copy = kept.copy;
    found.fma = precision == TRM_F64 ? kept.fma_f64 : kept.fma_f32;
    snprintf(found.origin, sizeof found.origin, "trireme bench, %s", kept.written);
    if (!isfinite(found.fma))
      snprintf(found.missing, sizeof found.missing, "fused multiply-adds: the device has no %s",
               trm_precision_name(precision));
  } else if (measured) {
    found.copy = ceiling_copy(measured);
    snprintf(found.origin, sizeof found.origin, "measured after this run");
    snprintf(found.missing, sizeof found.missing, "fused multiply-adds: %.480s", missing);
  } else {
    snprintf(found.missing, sizeof found.missing, "copy (%.150s) and fused multiply-adds: %.320s",
             why_not, missing);
  }
  return found;
}
