/* probe.h - does a device compute what strict arithmetic promises? (core-internal) */
#ifndef TRMI_PROBE_H
#define TRMI_PROBE_H

#include "core/trireme.h"

/* The programs that are created without the probe: the probe's own, and the reductions. Reductions
 * are strict in every run, and must serve fast runs on a device that strict runs refuse. */
extern const trm_program_source trmi_probe_source, trmi_reduce_source;

/* Runs + - * /, sqrt, fma, rint, floor and subnormals on hard operands in one launch and compares
 * the bits with those of exact arithmetic. TRM_ERROR_UNSUPPORTED, naming the operation and the
 * operands, when a result differs. It is called by trm_program_create before the first other strict
 * program of a device and precision. The device remembers a good result. It creates a program,
 * launches and reads, so no recording may be open. */
trm_status trmi_probe_strict(trm_device *device, trm_precision precision);

#endif
