/* driver.c - a fake libcuda.so.1: device memory is host memory, and a stream is a queue that runs
 * only when something waits for it, so that a backend which forgets to wait reads old bytes.
 *
 * It knows kernels by name. fake_add (x, y; add, factor; extent) does y[i] += factor * x[i] + add
 * over nx * ny ints. fake_bare (y; extent) does y[0] = 100 ny + nx. fake_crash meets an illegal
 * address; then the context answers every call with that error. It also knows the library's kernels
 * that pack rows (core/kernels/sort.k). */
#include "tests/fake/driver.h"
#include "tests/fake/internal.h"

#include <pthread.h>

EXPORT fake_driver fake_driver_state;
struct CUctx_st fake_contexts[2];
struct CUstream_st fake_stream;
_Thread_local cu_context fake_current;

enum { MAX_RANGES = 64 };
static struct range {
  unsigned char *begin;
  size_t bytes;
  int is_pinned, opened;           /* opened: how often another process has it */
} ranges[MAX_RANGES];
static size_t used_bytes;

/* ---- threads ----------------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock;

static void make_lock(void)
{
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &how);
  pthread_mutexattr_destroy(&how);
}

int fake_lock(void)
{
  pthread_once(&once, make_lock);
  return pthread_mutex_lock(&lock) == 0;
}

void fake_unlock(const int *is_locked)
{
  if (*is_locked) pthread_mutex_unlock(&lock);
}

int fake_thread(void)
{
  static _Thread_local int own;
  static int last;
  LOCKED;
  if (!own) own = ++last;
  return own;
}

/* ---- the rules --------------------------------------------------------------------------- */

cu_result fake_misuse(const char *what)
{
  LOCKED;
  if (!fake.misuses++) snprintf(fake.misuse, sizeof fake.misuse, "%s", what);
  return 1;
}

int fake_take(size_t bytes)
{
  if (bytes > fake.memory_bytes - used_bytes) return 0;
  used_bytes += bytes;
  return 1;
}

void fake_give(size_t bytes) { used_bytes -= bytes; }

static struct range *range_of(const void *begin, size_t bytes, int is_pinned)
{
  const uintptr_t p = (uintptr_t)begin;
  for (int i = 0; i < MAX_RANGES; i++) {
    const uintptr_t first = (uintptr_t)ranges[i].begin;
    if (first && ranges[i].is_pinned == is_pinned && p >= first &&
        p + bytes <= first + ranges[i].bytes)
      return &ranges[i];
  }
  return NULL;
}

/* ---- start, device, context ------------------------------------------------------------- */

cu_result cuInit(unsigned int flags) { return flags ? 1 : fake.init_result; }

cu_result cuDriverGetVersion(int *version)
{
  if (fake.init_result == CU_STUB_LIBRARY) return CU_STUB_LIBRARY;
  *version = fake.version;
  return CU_OK;
}

cu_result cuGetErrorName(cu_result error, const char **text)
{
#define NAME(ours, theirs, value) \
  if (error == (value) && !strncmp(#theirs, "CUDA_", 5)) *text = #theirs;
  TRM_CUDA_CONSTANTS(NAME)
#undef NAME
  return CU_OK;
}

cu_result cuGetErrorString(cu_result error, const char **text)
{
  *text = error == CU_NO_DEVICE ? "no CUDA-capable device is detected" : "in the driver's words";
  return CU_OK;
}

cu_result cuDeviceGetCount(int *count) { *count = fake.device_count; return CU_OK; }
cu_result cuDeviceGet(cu_device *device, int ordinal) { *device = 40 + ordinal; return CU_OK; }

cu_result cuDeviceGetName(char *name, int bytes, cu_device device)
{
  snprintf(name, (size_t)bytes, "Fake GPU %d", device - 40);
  return CU_OK;
}

cu_result cuDeviceGetPCIBusId(char *address, int bytes, cu_device device)
{
  snprintf(address, (size_t)bytes, "0000:%02x:00.0", 0x17 + device - 40);
  return CU_OK;
}

cu_result cuDeviceTotalMem_v2(size_t *bytes, cu_device device)
{
  (void)device;
  *bytes = fake.memory_bytes;
  return CU_OK;
}

cu_result cuDeviceGetAttribute(int *value, cu_attribute attribute, cu_device device)
{
  (void)device;
  switch (attribute) {
  case CU_MAX_THREADS_PER_BLOCK: *value = 1024; break;
  case CU_MAX_GRID_DIM_X: *value = 2147483647; break;
  case CU_MAX_GRID_DIM_Y: case CU_MAX_GRID_DIM_Z: *value = 65535; break;
  case CU_MULTIPROCESSOR_COUNT: *value = 132; break;
  case CU_MAX_THREADS_PER_UNIT: *value = 2048; break;
  case CU_CAPABILITY_MAJOR: *value = fake.capability / 10; break;
  case CU_CAPABILITY_MINOR: *value = fake.capability % 10; break;
  case CU_HAS_MAPPED_MEMORY: *value = !fake.is_whole; break;
  case CU_MAX_SHARED_OPTIN: *value = 227 << 10; break;
  default: return fake_misuse("an unknown attribute");
  }
  return CU_OK;
}

cu_result cuDevicePrimaryCtxRetain(cu_context *context, cu_device device)
{
  LOCKED;
  if (fake.retain_result) return fake.retain_result;
  *context = &fake_contexts[device - 40];
  fake.contexts++;
  return CU_OK;
}

cu_result cuDevicePrimaryCtxRelease_v2(cu_device device)
{
  LOCKED;
  (void)device;
  fake.contexts--;
  if (fake_final) fake_queue.done = fake_queue.count; /* what was still to run is gone */
  fake_final = CU_OK;
  return CU_OK;
}

cu_result cuCtxSetCurrent(cu_context context) { fake_current = context; return CU_OK; }

cu_result cuCtxSynchronize(void)
{
  NEEDS_CONTEXT;
  NO_CAPTURE;
  fake_run_until(fake_queue.count);
  return fake_final;
}

cu_result cuStreamCreate(cu_stream *created, unsigned int flags)
{
  NEEDS_CONTEXT;
  if (flags != CU_NON_BLOCKING) return fake_misuse("a stream that waits for the null stream");
  *created = &fake_stream;
  fake.streams++;
  return CU_OK;
}

cu_result cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
  NEEDS_CONTEXT;
  *least = 0;
  *greatest = -5;
  return CU_OK;
}

cu_result cuStreamCreateWithPriority(cu_stream *created, unsigned int flags, int priority)
{
  if (priority != -5) return fake_misuse("a stream of another priority than the greatest");
  return cuStreamCreate(created, flags);
}

cu_result cuStreamDestroy_v2(cu_stream old)
{
  LOCKED;
  (void)old;
  fake.streams--;
  return fake_final;
}

cu_result cuStreamSynchronize(cu_stream which)
{
  NEEDS_CONTEXT;
  NO_CAPTURE;
  if (which != &fake_stream) return fake_misuse("another stream");
  fake_run_until(fake_queue.count);
  return fake_final;
}

/* The one stream does everything in order. */
cu_result cuStreamWaitEvent(cu_stream which, cu_event event, unsigned int flags)
{
  NEEDS_CONTEXT;
  if (which != &fake_stream || !event || flags) return fake_misuse("a stream that waits");
  return CU_OK;
}

cu_result cuDeviceCanAccessPeer(int *can, cu_device device, cu_device peer)
{
  *can = device != peer;
  return CU_OK;
}

cu_result cuCtxEnablePeerAccess(cu_context peer, unsigned int flags)
{
  NEEDS_CONTEXT;
  return flags || !peer ? fake_misuse("access to a peer") : CU_OK;
}

/* ---- memory ------------------------------------------------------------------------------- */

static cu_result allocate(unsigned char **pointer, size_t bytes, int is_pinned)
{
  for (int i = 0; i < MAX_RANGES; i++)
    if (!ranges[i].begin) {
      ranges[i] = (struct range){malloc(bytes), bytes, is_pinned, 0};
      memset(ranges[i].begin, 0xa5, bytes);
      *pointer = ranges[i].begin;
      return CU_OK;
    }
  return fake_misuse("more allocations than the fake driver counts");
}

static cu_result release(void *pointer, int is_pinned)
{
  struct range *range = range_of(pointer, 1, is_pinned);
  if (!range || range->begin != pointer) return fake_misuse("memory freed that is none");
  if (range->opened) return fake_misuse("memory freed that another process has open");
  if (!is_pinned) used_bytes -= range->bytes;
  fake_run_until(fake_queue.count);
  free(range->begin);
  range->begin = NULL;
  return fake_final;
}

cu_result cuMemGetInfo_v2(size_t *available, size_t *total)
{
  NEEDS_CONTEXT;
  *available = fake.memory_bytes - used_bytes;
  *total = fake.memory_bytes;
  return CU_OK;
}

cu_result cuMemAlloc_v2(cu_deviceptr *pointer, size_t bytes)
{
  unsigned char *memory = NULL;
  NEEDS_CONTEXT;
  NO_CAPTURE;
  if (!fake_take(bytes)) return CU_OUT_OF_MEMORY;
  const cu_result result = allocate(&memory, bytes, 0);
  if (result == CU_OK) {
    *pointer = (uintptr_t)memory;
    fake.buffers++;
  }
  return result;
}

cu_result cuMemFree_v2(cu_deviceptr pointer)
{
  LOCKED;
  fake.buffers--;
  return release((void *)(uintptr_t)pointer, 0);
}

cu_result cuIpcGetMemHandle(struct CUipcMemHandle_st *shared, cu_deviceptr pointer)
{
  NEEDS_CONTEXT;
  struct range *range = range_of((void *)(uintptr_t)pointer, 1, 0);
  if (!range || (uintptr_t)range->begin != pointer) return fake_misuse("shared memory");
  memset(shared, 0, sizeof *shared);
  memcpy(shared, &pointer, sizeof pointer);
  return CU_OK;
}

cu_result cuIpcOpenMemHandle_v2(cu_deviceptr *pointer, struct CUipcMemHandle_st shared,
                                unsigned int flags)
{
  NEEDS_CONTEXT;
  memcpy(pointer, &shared, sizeof *pointer);
  struct range *range = range_of((void *)(uintptr_t)*pointer, 1, 0);
  if (!range || flags != CU_SHARED_LAZILY) return fake_misuse("no shared memory");
  if (fake.refuses_shared) return CU_NO_PEER;
  range->opened++;
  fake.opens++;
  return CU_OK;
}

cu_result cuIpcCloseMemHandle(cu_deviceptr pointer)
{
  LOCKED;
  struct range *range = range_of((void *)(uintptr_t)pointer, 1, 0);
  if (!range || range->opened == 0) return fake_misuse("memory closed that is not open");
  range->opened--;
  return CU_OK;
}

cu_result cuMemAllocHost_v2(void **pointer, size_t bytes)
{
  unsigned char *memory = NULL;
  NEEDS_CONTEXT;
  const cu_result result = allocate(&memory, bytes, 1);
  if (result == CU_OK) {
    *pointer = memory;
    fake.pinned++;
  }
  return result;
}

cu_result cuMemFreeHost(void *pointer)
{
  LOCKED;
  fake.pinned--;
  return release(pointer, 1);
}

/* ---- copies and sets --------------------------------------------------------------------- */

int fake_is_memory(const void *begin, size_t bytes, int is_pinned)
{
  return range_of(begin, bytes, is_pinned) || (!is_pinned && fake_is_mapped(begin, bytes));
}

static cu_result copy(unsigned char *to, int to_pinned, const unsigned char *from, int from_pinned,
                      size_t bytes, cu_stream which)
{
  NEEDS_CONTEXT;
  if (which != &fake_stream) return fake_misuse("a copy in another stream");
  if (!fake_is_memory(to, bytes, to_pinned) || !fake_is_memory(from, bytes, from_pinned))
    return fake_misuse("a copy outside its memory");
  fake_put(&(operation){.kind = COPY, .to = to, .from = from, .bytes = bytes,
                        .between_ranges = !to_pinned && !from_pinned});
  return CU_OK;
}

cu_result cuMemcpyHtoDAsync_v2(cu_deviceptr to, const void *from, size_t bytes, cu_stream which)
{
  return copy((unsigned char *)(uintptr_t)to, 0, from, 1, bytes, which);
}

cu_result cuMemcpyDtoHAsync_v2(void *to, cu_deviceptr from, size_t bytes, cu_stream which)
{
  return copy(to, 1, (const unsigned char *)(uintptr_t)from, 0, bytes, which);
}

cu_result cuMemcpyDtoDAsync_v2(cu_deviceptr to, cu_deviceptr from, size_t bytes, cu_stream which)
{
  const cu_deviceptr gap = to > from ? to - from : from - to;
  if (gap < bytes) return fake_misuse("a copy between ranges that overlap");
  return copy((unsigned char *)(uintptr_t)to, 0, (const unsigned char *)(uintptr_t)from, 0, bytes,
              which);
}

cu_result cuMemcpyPeerAsync(cu_deviceptr to, cu_context to_context, cu_deviceptr from,
                            cu_context from_context, size_t bytes, cu_stream which)
{
  if (!to_context || !from_context) return fake_misuse("a copy without a context");
  return cuMemcpyDtoDAsync_v2(to, from, bytes, which);
}

static cu_result set(cu_deviceptr to, uint32_t value, size_t element, size_t pitch, size_t count,
                     cu_stream which)
{
  unsigned char *pointer = (unsigned char *)(uintptr_t)to;
  NEEDS_CONTEXT;
  if (which != &fake_stream) return fake_misuse("a set in another stream");
  if (to % element || !fake_is_memory(pointer, (count - 1) * pitch + element, 0))
    return fake_misuse("a set outside its memory");
  fake_put(&(operation){.kind = SET, .to = pointer, .value = value, .bytes = element,
                        .pitch = pitch, .count = count});
  return CU_OK;
}

cu_result cuMemsetD8Async(cu_deviceptr to, unsigned char value, size_t count, cu_stream which)
{
  return set(to, value, 1, 1, count, which);
}

cu_result cuMemsetD16Async(cu_deviceptr to, unsigned short value, size_t count, cu_stream which)
{
  return set(to, value, 2, 2, count, which);
}

cu_result cuMemsetD32Async(cu_deviceptr to, unsigned int value, size_t count, cu_stream which)
{
  return set(to, value, 4, 4, count, which);
}

cu_result cuMemsetD2D32Async(cu_deviceptr to, size_t pitch, unsigned int value, size_t width,
                             size_t height, cu_stream which)
{
  return width == 1 ? set(to, value, 4, pitch, height, which) : fake_misuse("a wide set");
}
