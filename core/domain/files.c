/* files.c - files that all ranks write (core/saving.h): what their caller, rank 0, has of them. */
#include "core/domain/parts.h"
#include "core/domain/ranks.h"
#include "core/domain/saving.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

struct trmi_saving {
  trm_device *device;
  saver own;
  XXH3_state_t *sum;
  uint64_t begin;               /* of the values in the file */
  int blind, error;             /* the first rank that does not write, and why */
};

static trm_status no_memory(void) { return TRM_FAIL(NO_HOST_MEMORY, "no memory to save a buffer"); }

int trmi_saving_is_shared(const trm_device *device)
{
  return device->domain && !device->domain->comm.is_one_process;
}

int trmi_saving_is_cut_off(const trm_device *device)
{
  return ranks_are_lost() || (device->domain && domain_post_is_lost(device->domain->post));
}

static trm_status make_token(int folder, const char *path, saver_token *token)
{
  uint64_t number[2] = { 0, 0 };
  (void)!getrandom(number, sizeof number, GRND_NONBLOCK);
  number[0] ^= (uint64_t)getpid();
  snprintf(token->name, sizeof token->name, "%016llx%016llx", (unsigned long long)number[0],
           (unsigned long long)number[1]);
  const int file = openat(folder, token->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return TRM_FAIL(IO, "cannot write '%s/%s': %s", path, token->name, strerror(errno));
  close(file);
  return TRM_OK;
}

static trm_status meet(trmi_saving *s, const saver_token *token, const char *path)
{
  const size_t parts = s->device->domain->parts;
  int32_t *errors = calloc(parts, sizeof *errors);
  if (!errors) return no_memory();
  const trm_status status = domain_saving_meet(s->device, token, path, errors);
  for (size_t m = 1; m < parts && status == TRM_OK && !s->blind; m++) {
    s->blind = errors[m] ? (int)m : 0;
    s->error = errors[m];
  }
  free(errors);
  return status;
}

/* By its whole path, since ranks may stand in other folders. The others cannot open a folder whose
 * path is too long. */
static trm_status meet_at(trmi_saving *s, const saver_token *token, const char *path)
{
  char *whole = realpath(path, NULL);
  if (!whole) {
    s->blind = 1;
    s->error = errno;
    return TRM_OK;
  }
  const trm_status status = meet(s, token, whole);
  free(whole);
  return status;
}

trm_status trmi_saving_begin(const trm_device *device, int folder, const char *path,
                             trmi_saving **out)
{
  saver_token token;
  TRM_TRY(make_token(folder, path, &token));
  trmi_saving *s = calloc(1, sizeof *s);
  if (s) {
    s->device = (trm_device *)(uintptr_t)device;
    s->sum = XXH3_createState();
    s->own.folder = fcntl(folder, F_DUPFD_CLOEXEC, 0) + 1;
  }
  trm_status status = s && s->sum ? TRM_OK : no_memory();
  if (status == TRM_OK && !s->own.folder)
    status = TRM_FAIL(IO, "cannot keep the folder '%s' open: %s; raise the limit on open files "
                      "(ulimit -n)", path, strerror(errno));
  if (status == TRM_OK) status = meet_at(s, &token, path);
  (void)unlinkat(folder, token.name, 0);
  if (status == TRM_OK) *out = s;
  else trmi_saving_end(&s);
  return status;
}

int trmi_saving_blind(const trmi_saving *s, int *error)
{
  *error = s->error;
  return s->blind;
}

void trmi_saving_end(trmi_saving **handle)
{
  trmi_saving *s = *handle;
  if (!s) return;
  *handle = NULL;
  domain_saving_end(s->device);
  saver_end(&s->own);
  XXH3_freeState(s->sum);
  free(s);
}

trm_status trmi_saving_file(trmi_saving *s, const char *name, const void *head, size_t bytes)
{
  TRM_TRY(domain_saving_file(s->device, &s->own, name));
  s->begin = bytes;
  (void)XXH3_128bits_reset(s->sum);
  (void)XXH3_128bits_update(s->sum, head, bytes);
  return TRM_OK;
}

trm_status trmi_saving_write(trmi_saving *s, const trm_buffer *buffer, trm_type type,
                             const trmi_run *runs, size_t count)
{
  return domain_saving_write(s->device, &s->own, s->sum, (trm_buffer *)(uintptr_t)buffer, type,
                             s->begin, runs, count);
}

static void print_sum(const XXH3_state_t *sum, char hash[33])
{
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(sum));
  for (size_t i = 0; i < sizeof canonical.digest; i++)
    snprintf(hash + 2 * i, 3, "%02x", canonical.digest[i]);
}

trm_status trmi_saving_close(trmi_saving *s, char hash[33], int *is_finite, int *rank, int *error)
{
  *rank = *error = 0;
  TRM_TRY(domain_saving_close(s->device, &s->own, is_finite, rank, error));
  if (*error) return TRM_FAIL(IO, "rank %d: %s", *rank, strerror(*error));
  print_sum(s->sum, hash);
  return TRM_OK;
}
