/* mapped.c - the fake driver's virtual memory, in grains of 2 MiB. Addresses are reserved with no
 * access. New memory has old bytes in it, and nothing reaches it before its access is set. As with
 * NVIDIA's driver, a part of a mapping cannot be unmapped. Memory is free again once it is neither
 * mapped nor held by its handle. */
#include "tests/fake/internal.h"

#include <sys/mman.h>

enum { GRAIN = 2 << 20, MAX_RESERVED = 64, MAX_GRAINS = 64 };

typedef struct memory {
  size_t bytes;
  int is_mapped;
} memory;

/* For each grain its memory, NULL: none; and whether it may be used. */
static struct reserved {
  unsigned char *begin;
  size_t grains;
  memory *mapped[MAX_GRAINS];
  int can_use[MAX_GRAINS];
} reserved[MAX_RESERVED];

static struct reserved *find(cu_deviceptr pointer, size_t bytes, size_t *first)
{
  for (int i = 0; i < MAX_RESERVED; i++) {
    struct reserved *r = &reserved[i];
    const uintptr_t begin = (uintptr_t)r->begin;
    if (!begin || pointer < begin || pointer + bytes > begin + r->grains * GRAIN) continue;
    *first = (pointer - begin) / GRAIN;
    return r;
  }
  return NULL;
}

/* The same for whole grains, as the calls below want them. */
static struct reserved *find_grains(cu_deviceptr pointer, size_t bytes, size_t *first)
{
  struct reserved *r = find(pointer, bytes, first);
  return r && bytes && bytes % GRAIN == 0 && (pointer - (uintptr_t)r->begin) % GRAIN == 0 ? r
                                                                                       : NULL;
}

int fake_is_mapped(const void *begin, size_t bytes)
{
  size_t first;
  const cu_deviceptr pointer = (uintptr_t)begin;
  const struct reserved *r = find(pointer, bytes, &first);
  if (!r) return 0;
  for (size_t g = first; g <= (pointer + bytes - 1 - (uintptr_t)r->begin) / GRAIN; g++)
    if (!r->can_use[g]) return 0;
  return 1;
}

static int is_kind(const void *given)
{
  const cu_memory_kind *asked = given;
  return asked->type == CU_MEMORY_PINNED && asked->handles == 0 && !asked->windows &&
         asked->place.type == CU_MEMORY_OF_DEVICE && asked->place.device >= 40 &&
         asked->place.device < 40 + fake.device_count;
}

cu_result cuMemGetAllocationGranularity(size_t *bytes, const struct CUmemAllocationProp_st *asked,
                                        unsigned int option)
{
  NEEDS_CONTEXT;
  if (fake.is_whole || !is_kind(asked) || option != CU_GRAIN_RECOMMENDED)
    return fake_misuse("a grain");
  *bytes = GRAIN;
  return CU_OK;
}

cu_result cuMemAddressReserve(cu_deviceptr *pointer, size_t bytes, size_t alignment,
                              cu_deviceptr wanted, unsigned long long flags)
{
  NEEDS_CONTEXT;
  NO_CAPTURE;
  if (bytes == 0 || bytes % GRAIN || alignment || wanted || flags || bytes / GRAIN > MAX_GRAINS)
    return fake_misuse("addresses that cannot be reserved");
  int i = 0;
  while (i < MAX_RESERVED && reserved[i].begin) i++;
  void *begin = i < MAX_RESERVED ? mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                 : MAP_FAILED;
  if (begin == MAP_FAILED) return fake_misuse("more addresses than the fake driver counts");
  reserved[i] = (struct reserved){.begin = begin, .grains = bytes / GRAIN};
  *pointer = (uintptr_t)begin;
  fake.reservations++;
  return CU_OK;
}

cu_result cuMemAddressFree(cu_deviceptr pointer, size_t bytes)
{
  size_t first = 0;
  LOCKED;
  struct reserved *r = find_grains(pointer, bytes, &first);
  if (!r || first || bytes != r->grains * GRAIN) return fake_misuse("addresses freed in part");
  for (size_t g = 0; g < r->grains; g++)
    if (r->mapped[g]) return fake_misuse("addresses freed that have memory");
  munmap(r->begin, bytes);
  r->begin = NULL;
  fake.reservations--;
  return fake_final;
}

cu_result cuMemCreate(cu_memory *out, size_t bytes, const struct CUmemAllocationProp_st *asked,
                      unsigned long long flags)
{
  NEEDS_CONTEXT;
  NO_CAPTURE;
  if (!is_kind(asked) || flags || bytes == 0 || bytes % GRAIN) return fake_misuse("memory to make");
  if (++fake.creates == fake.refused_create || !fake_take(bytes)) return CU_OUT_OF_MEMORY;
  memory *made = malloc(sizeof *made);
  *made = (memory){.bytes = bytes};
  *out = (uintptr_t)made;
  fake.handles++;
  return CU_OK;
}

cu_result cuMemRelease(cu_memory handle)
{
  memory *m = (void *)(uintptr_t)handle;
  LOCKED;
  fake.handles--;
  if (!m->is_mapped) {
    fake_give(m->bytes);
    free(m);
  }
  return CU_OK;
}

cu_result cuMemMap(cu_deviceptr pointer, size_t bytes, size_t offset, cu_memory handle,
                   unsigned long long flags)
{
  size_t first;
  memory *m = (void *)(uintptr_t)handle;
  NEEDS_CONTEXT;
  NO_CAPTURE;
  struct reserved *r = find_grains(pointer, bytes, &first);
  if (!r || offset || flags || bytes != m->bytes || m->is_mapped)
    return fake_misuse("memory mapped elsewhere than at reserved addresses");
  for (size_t g = first; g < first + bytes / GRAIN; g++) {
    if (r->mapped[g]) return fake_misuse("memory mapped twice at one address");
    r->mapped[g] = m;
  }
  m->is_mapped = 1;
  fake.mapped_bytes += bytes;
  return CU_OK;
}

/* New memory is full of old bytes. */
cu_result cuMemSetAccess(cu_deviceptr pointer, size_t bytes, const struct CUmemAccessDesc_st *given,
                         size_t count)
{
  size_t first;
  const cu_memory_access *access = (const void *)given;
  NEEDS_CONTEXT;
  struct reserved *r = find_grains(pointer, bytes, &first);
  if (!r || count == 0) return fake_misuse("access to addresses that are not reserved");
  for (size_t i = 0; i < count; i++)
    if (access[i].place.type != CU_MEMORY_OF_DEVICE || access[i].flags != CU_MEMORY_READ_WRITE ||
        access[i].place.device < 40 || access[i].place.device >= 40 + fake.device_count)
      return fake_misuse("access of another kind");
  for (size_t g = first; g < first + bytes / GRAIN; g++) {
    if (!r->mapped[g]) return fake_misuse("access to addresses without memory");
    r->can_use[g] = 1;
  }
  mprotect(r->begin + first * GRAIN, bytes, PROT_READ | PROT_WRITE);
  memset(r->begin + first * GRAIN, 0xa5, bytes);
  fake.granted = count;
  return CU_OK;
}

static int is_in(const void *place, cu_deviceptr pointer, size_t bytes)
{
  return (uintptr_t)place >= pointer && (uintptr_t)place < pointer + bytes;
}

/* Whether what is still to run uses these bytes. Launches have hidden arguments, so those of the
 * calling thread are taken to use them. */
static int may_be_used(cu_deviceptr pointer, size_t bytes)
{
  for (size_t i = fake_queue.done; i < fake_queue.count && !fake_final; i++) {
    const operation *op = &fake_queue.items[i];
    if (op->thread == fake_thread() || is_in(op->to, pointer, bytes) ||
        is_in(op->from, pointer, bytes) || is_in(op->x, pointer, bytes) ||
        is_in(op->y, pointer, bytes))
      return 1;
  }
  return 0;
}

/* Whole mappings; what is still to run would use memory that is gone. */
cu_result cuMemUnmap(cu_deviceptr pointer, size_t bytes)
{
  size_t first, end;
  LOCKED;
  struct reserved *r = find_grains(pointer, bytes, &first);
  if (!r) return fake_misuse("unmapping of addresses that are not reserved");
  end = first + bytes / GRAIN;
  if (may_be_used(pointer, bytes))
    return fake_misuse("memory unmapped while commands may use it");
  if ((first > 0 && r->mapped[first - 1] && r->mapped[first - 1] == r->mapped[first]) ||
      (end < r->grains && r->mapped[end] && r->mapped[end] == r->mapped[end - 1]))
    return fake_misuse("a part of a mapping unmapped");
  for (size_t g = first; g < end; g++) {
    if (!r->mapped[g]) return fake_misuse("addresses unmapped that have no memory");
    if (g + 1 == end || r->mapped[g + 1] != r->mapped[g]) {
      fake_give(r->mapped[g]->bytes);
      free(r->mapped[g]);
    }
    r->can_use[g] = 0;
  }
  for (size_t g = first; g < end; g++) r->mapped[g] = NULL;
  mprotect(r->begin + first * GRAIN, bytes, PROT_NONE);
  fake.mapped_bytes -= bytes;
  return fake_final;
}
