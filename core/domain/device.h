/* device.h - a device of one part of a run. It is a plain device with a pointer to its domain: the
 * rows that its part has, and the way to the other parts.
 *
 * All parts make the same calls in the same order: buffers have equal numbers everywhere, and every
 * part works out the same plan. A buffer has memory for the part's own rows and for those beside
 * them that it receives or computes. A launch by rows covers the part's own rows; any other launch
 * runs on part 0. A read gives all parts the same bytes, from the parts that have them.
 *
 * Kernels have the whole grid's numbers, so a row knows its place. The bits are those of one device
 * for any number of parts. */
#ifndef TRIREME_DOMAIN_DEVICE_H
#define TRIREME_DOMAIN_DEVICE_H

#include "core/domain/domain.h"
#include "core/sharing.h"

/* Rows that a part has sent to others since its device was opened. */
typedef struct domain_moved {
  uint64_t messages, host_bytes, direct_bytes; /* by the host's memory; from device to device */
  uint64_t other_bytes;         /* of these: of rows that became those of another part */
} domain_moved;

/* Facts of a part that the other parts are told, before a run and at the end of each batch. */
typedef struct domain_tally {
  trm_spent spent;
  uint64_t held_bytes, most_bytes; /* of its buffers: now, and the most at once */
  domain_moved moved;
} domain_tally;

/* trm_device_open, also among ranks: the device is to be that of a part. */
TRM_API trm_status domain_device_open(trm_context *context, const char *name,
                                      const trm_device_options *options, trm_device **out);

/* Collective. Makes an opened device, which has no buffers and no programs yet, that of a part. It
 * then describes itself as all parts' devices together. With one part alone it stays as it is.
 * weights: one of each part. */
TRM_API trm_status domain_device_join(trm_device *device, const domain_comm *comm,
                                      const double *weights);

/* Collective. From now on the weights are measured, and rows shared out by them. */
TRM_API trm_status domain_device_measure(trm_device *device);

/* A pointer of the caller; NULL at first, and for a device without a domain. */
TRM_API void domain_device_keep(trm_device *device, void *kept);
TRM_API void *domain_device_kept(const trm_device *device);

/* Collective. Ends a batch, or a call of a solver: waits for the part's own launches, agrees on a
 * failure, and tells the tallies. The failure of a launch comes out here. */
TRM_API trm_status domain_device_agree(trm_device *device, trm_status own);

/* The way of rows from part to part, and the rows that all parts have sent by the last agreement.
 * Returns 0 for a device without a domain. */
typedef struct domain_way {
  const char *carrier;          /* "threads of one process", "Open MPI v4.1.4" */
  const char *direct_by;        /* between ranks, "CUDA IPC"; NULL: no device here has such a way */
  domain_moved moved;
  double seconds;               /* of all parts, to move rows and to wait for them */
} domain_way;
TRM_API int domain_device_way(const trm_device *device, domain_way *out);

/* A decision of part 0, for all parts. */
enum { DOMAIN_RECORD = 56, DOMAIN_KINDS = 16 };
typedef struct domain_record {
  uint32_t kind;                /* the caller's, from DOMAIN_KINDS on */
  unsigned char bytes[DOMAIN_RECORD];
} domain_record;

/* On part 0, between calls that all parts make: tells the others what comes next. From now on part
 * 0 makes these calls with the others, until domain_device_alone. */
TRM_API trm_status domain_device_tell(trm_device *device, const domain_record *record);
/* On part 0: the others wait for the next record. Until then they give part 0 rows that it reads,
 * and take rows that it writes. Buffers that it creates are its own. */
TRM_API void domain_device_alone(trm_device *device);
/* On the other parts: the next record. */
TRM_API trm_status domain_device_hear(trm_device *device, domain_record *out);
/* Collective. All parts get the bytes of part 0. */
TRM_API trm_status domain_device_broadcast(trm_device *device, void *bytes, size_t count);

#endif
