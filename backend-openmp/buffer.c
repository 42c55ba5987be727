/* buffer.c - memory of the host as device memory. It is mapped for each buffer, in huge pages if it
 * is large. The threads that will use it touch it first. They touch only held bytes of a reserved
 * buffer: the system has no memory behind other pages. With TRIREME_DEBUG_BUFFERS=1 a new buffer
 * is full of NaN and stands between guard bytes. The guard bytes are checked when the device is
 * finished and when the buffer is destroyed. With TRIREME_DEBUG_BUFFERS=rows a reserved buffer can
 * be read and written only in pages with held bytes, as on a GPU. */
#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend-openmp/openmp.h"

enum {
  HUGE_PAGE = 2 << 20,
  SMALL_PAGE = 4096,
  GUARD = 4096,              /* bytes on each side, in the debug mode */
  GUARD_BYTE = 0xA5,
  POISON_BYTE = 0xFF,        /* all ones is a NaN in f32 and in f64 */
  PARALLEL_BYTES = 1 << 20   /* below, one thread copies faster than a team starts */
};

/* Buffers of equal size would all begin at the same place of a huge page. A store to one of them
 * would then hold up loads from the others (addresses equal in the last 12 bits). So each buffer
 * begins a different number of cache lines into its memory. */
static size_t stagger(unsigned ordinal) { return (size_t)64 * (ordinal * 37u % 64u); }

static void touch(const trmo_device *device, unsigned char *data, size_t bytes)
{
  const int64_t pages = (int64_t)(bytes / SMALL_PAGE);
#pragma omp parallel num_threads(device->threads) if (bytes >= PARALLEL_BYTES)
  {
    const int index = omp_get_thread_num(), count = omp_get_num_threads();
    const int64_t end = trmo_part_begin(pages, index + 1, count);
    for (int64_t page = trmo_part_begin(pages, index, count); page < end; page++)
      *(volatile unsigned char *)&data[page * SMALL_PAGE] |= 0; /* a value may be there already */
  }
}

/* The core has asked before (core/buffer.c), and small buffers are not worth a file to read. */
static int is_too_large(size_t bytes)
{
  if (bytes < HUGE_PAGE) return 0;
  const uint64_t available = trmo_machine_memory_available();
  return bytes > SIZE_MAX / 2 || (available > 0 && bytes > available);
}

static void use_huge_pages(unsigned char *begin, size_t bytes)
{
  if (bytes >= HUGE_PAGE) madvise(begin, bytes, MADV_HUGEPAGE);
}

/* A reserved buffer has huge pages only where all of their bytes are held. */
static trm_status map(trmo_device *device, trmo_buffer *buffer, bool is_reserved)
{
  const size_t margin = device->debug_buffers ? GUARD : 0;
  const size_t shift = stagger(device->buffer_count) + margin;
  const size_t page = buffer->bytes >= HUGE_PAGE ? HUGE_PAGE : SMALL_PAGE;
  size_t inner;

  if (!is_reserved && is_too_large(buffer->bytes))
    return TRMO_FAIL(NO_DEVICE_MEMORY,
                     "%zu bytes of host memory needed, %llu available; choose a smaller grid or "
                     "lower precision",
                     buffer->bytes, (unsigned long long)trmo_machine_memory_available());
  inner = (buffer->bytes + shift + margin + page - 1) / page * page;
  buffer->mapped = inner + (page == HUGE_PAGE ? page : 0);
  buffer->mapping = mmap(NULL, buffer->mapped,
                         is_reserved && device->debug_rows ? PROT_NONE : PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | (is_reserved ? MAP_NORESERVE : 0), -1, 0);
  if (buffer->mapping == MAP_FAILED) {
    const char *cause = strerror(errno);
    return TRMO_FAIL(NO_DEVICE_MEMORY, "%zu bytes of host memory needed, %llu available (mmap: %s)",
                     buffer->bytes, (unsigned long long)trmo_machine_memory_available(), cause);
  }
  buffer->data = (unsigned char *)(((uintptr_t)buffer->mapping + page - 1) / page * page);
  if (is_reserved) {
    madvise(buffer->data, inner, MADV_NOHUGEPAGE);
  } else {
    use_huge_pages(buffer->data, inner);
    touch(device, buffer->data, inner);
  }
  buffer->data += shift;
  return TRM_OK;
}

static trm_status create(trmo_device *device, size_t bytes, bool is_reserved, void **out)
{
  trmo_buffer *buffer = calloc(1, sizeof *buffer);
  trm_status status;

  if (!buffer) return TRMO_FAIL(NO_HOST_MEMORY, "no memory for a buffer's handle");
  buffer->bytes = bytes;
  status = map(device, buffer, is_reserved);
  if (status != TRM_OK) {
    free(buffer);
    return status;
  }
  if (device->debug_buffers) {
    memset(buffer->data - GUARD, GUARD_BYTE, GUARD);
    memset(buffer->data, POISON_BYTE, bytes);
    memset(buffer->data + bytes, GUARD_BYTE, GUARD);
  }
  device->buffer_count++;
  buffer->next = device->buffers;
  device->buffers = buffer;
  *out = buffer;
  return TRM_OK;
}

trm_status trmo_buffer_create(void *device, size_t bytes, void **out)
{
  return create(device, bytes, false, out);
}

/* Between guard bytes all of it is memory; of zeros, as core was promised. */
trm_status trmo_buffer_reserve(void *handle, size_t bytes, void **out)
{
  trmo_device *device = handle;
  const trm_status status = create(device, bytes, !device->debug_buffers, out);
  if (status == TRM_OK && device->debug_buffers)
    memset(((trmo_buffer *)*out)->data, 0, bytes);
  return status;
}

/* Whole pages inside of the bytes. */
static size_t pages_inside(const trmo_buffer *buffer, size_t offset, size_t bytes, size_t page,
                           unsigned char **begin)
{
  const uintptr_t first = (uintptr_t)buffer->data + offset, last = first + bytes;
  const uintptr_t from = (first + page - 1) / page * page, to = last / page * page;
  *begin = (unsigned char *)from;
  return from < to ? to - from : 0;
}

/* Pages with some of the bytes. */
static bool open_pages(const trmo_buffer *buffer, size_t offset, size_t bytes)
{
  const uintptr_t first = (uintptr_t)buffer->data + offset, last = first + bytes + SMALL_PAGE - 1;
  const uintptr_t from = first / SMALL_PAGE * SMALL_PAGE, to = last / SMALL_PAGE * SMALL_PAGE;
  return mprotect((void *)from, to - from, PROT_READ | PROT_WRITE) == 0;
}

/* Pages that other bytes need too are there when those are written. */
trm_status trmo_buffer_hold(void *handle, void *object, size_t offset, size_t bytes)
{
  const trmo_device *device = handle;
  unsigned char *begin;
  const size_t huge = pages_inside(object, offset, bytes, HUGE_PAGE, &begin);
  if (device->debug_buffers) return TRM_OK;
  if (device->debug_rows && !open_pages(object, offset, bytes))
    return TRMO_FAIL(NO_HOST_MEMORY, "no access to %zu bytes of a buffer: %s", bytes,
                     strerror(errno));
  use_huge_pages(begin, huge);
  const size_t inside = pages_inside(object, offset, bytes, SMALL_PAGE, &begin);
  touch(device, begin, inside);
  return TRM_OK;
}

trm_status trmo_buffer_drop(void *handle, void *object, size_t offset, size_t bytes)
{
  const trmo_device *device = handle;
  unsigned char *begin;
  const size_t inside = pages_inside(object, offset, bytes, SMALL_PAGE, &begin);
  if (device->debug_buffers || inside == 0) return TRM_OK;
  madvise(begin, inside, MADV_DONTNEED);
  madvise(begin, inside, MADV_NOHUGEPAGE);
  if (device->debug_rows) mprotect(begin, inside, PROT_NONE);
  return TRM_OK;
}

/* Offset, from the start of the buffer, of the first guard byte that was overwritten. */
static bool guard_is_broken(const trmo_buffer *buffer, long long *offset)
{
  for (size_t i = 0; i < GUARD; i++) {
    if (buffer->data[buffer->bytes + i] != GUARD_BYTE) {
      *offset = (long long)(buffer->bytes + i);
      return true;
    }
    if (*(buffer->data - 1 - i) != GUARD_BYTE) {
      *offset = -1 - (long long)i;
      return true;
    }
  }
  return false;
}

trm_status trmo_buffer_check_guards(trmo_device *device)
{
  long long offset;
  if (!device->debug_buffers) return TRM_OK;
  for (const trmo_buffer *buffer = device->buffers; buffer; buffer = buffer->next)
    if (guard_is_broken(buffer, &offset))
      return TRMO_FAIL(DEVICE, "a kernel wrote outside a buffer of %zu bytes, at byte %lld",
                       buffer->bytes, offset);
  if (device->guard_broken) {
    device->guard_broken = false;
    return TRMO_FAIL(DEVICE, "a kernel wrote outside a buffer that was destroyed since");
  }
  return TRM_OK;
}

void trmo_buffer_destroy(void *handle, void *object)
{
  trmo_device *device = handle;
  trmo_buffer *buffer = object, **link = &device->buffers;
  long long offset;

  while (*link != buffer) link = &(*link)->next;
  *link = buffer->next;
  if (device->debug_buffers && guard_is_broken(buffer, &offset)) {
    device->guard_broken = true;
    trmo_services->log(TRM_LOG_WARNING,
                       "a kernel wrote outside a buffer of %zu bytes, at byte %lld", buffer->bytes,
                       offset);
  }
  munmap(buffer->mapping, buffer->mapped);
  free(buffer);
}

static void copy(const trmo_device *device, unsigned char *destination, const unsigned char *source,
                 size_t bytes)
{
  const int64_t lines = (int64_t)(bytes / 64 + 1);
#pragma omp parallel num_threads(device->threads) if (bytes >= PARALLEL_BYTES)
  {
    const int index = omp_get_thread_num(), count = omp_get_num_threads();
    const size_t begin = (size_t)trmo_part_begin(lines, index, count) * 64;
    size_t end = (size_t)trmo_part_begin(lines, index + 1, count) * 64;
    if (end > bytes) end = bytes;
    if (begin < end) memcpy(destination + begin, source + begin, end - begin);
  }
}

trm_status trmo_buffer_write(void *device, void *object, size_t offset, size_t bytes,
                             const void *source)
{
  const trmo_buffer *buffer = object;
  copy(device, buffer->data + offset, source, bytes);
  return TRM_OK;
}

trm_status trmo_buffer_read(void *device, void *object, size_t offset, size_t bytes,
                            void *destination)
{
  const trmo_buffer *buffer = object;
  copy(device, destination, buffer->data + offset, bytes);
  return TRM_OK;
}
