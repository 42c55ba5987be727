/* host_work.h - work of a solver's own between launches, which threads of the host share. */
#ifndef TRIREME_HOST_WORK_H
#define TRIREME_HOST_WORK_H

#include "core/trireme.h"

/* Calls function(user, i, thread) for each i below `count`, in any order. thread is the number of
 * the calling thread, 0 for the caller. There are trm_device_host_threads threads. On a host they
 * are as many as the device uses itself; beside a GPU as many as there are cores, 32 at most. They
 * end with the device. After a failure, greater numbers may be left out. Returned and recorded is
 * the failure of the least number, as if the calls came one after the other. */
typedef trm_status trm_host_work_fn(void *user, size_t i, int thread);
TRM_API trm_status trm_device_host_each(trm_device *device, size_t count,
                                        trm_host_work_fn *function, void *user);
TRM_API int trm_device_host_threads(const trm_device *device);

/* The device that a buffer is on. */
TRM_API trm_device *trm_buffer_device(const trm_buffer *buffer);

#endif
