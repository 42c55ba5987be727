/* rig.h - the inside of trireme_cuda.so on the fake driver: what its tests share.
 *
 * A test links with the backend's convenience library and calls its table. */
#ifndef TRIREME_TESTS_FAKE_RIG_H
#define TRIREME_TESTS_FAKE_RIG_H

#include "backend-cuda/device.h"
#include "tests/fake/driver.h"
#include "tests/harness.h"

extern trm_backend_entry trm_backend_cuda;

extern fake_driver *fake;          /* NULL until use_fake */

extern const trm_services fake_services;
const trm_backend *table(void);

/* Opens the fakes, once, and sets them to a healthy machine. The plugin's own dlopen of
 * libcuda.so.1 then finds the library of that soname already there. */
void use_fake(void);

/* ---- a device ---------------------------------------------------------------- */

enum { ADD, BARE, CRASH, ABSENT, GREEDY, KERNELS, CELLS = 12 };
extern const trm_host_kernel fake_kernels[KERNELS];
extern const trm_build add_build;

typedef struct rig {
  void *device, *program, *x, *y;
  void *kernels[CRASH + 1];
} rig;

void *open_device(void);

/* A device with a program, and x = 1, 2, ..., y = 0, of CELLS ints. */
rig set_up(void);
rig set_up_with(const trm_device_options *options);

/* Takes it all down, and shows that the driver was used rightly and is left empty. */
void tear_down(rig *r);
void assert_left_empty(void);

/* y[i] += factor * x[i] + add */
trm_command add_command(const rig *r, int32_t add, int32_t factor);
int32_t y_at(const rig *r, size_t i);

#endif
