/* parts_inputs.c - see parts_inputs.h. Folders, and keys that name several files by the beginning
 * of their names, are not sent. */
#include "run/parts_inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 20 };

/* A file as a rank sees it. One that has another time may be another file. */
typedef struct seen {
  int64_t is_file, bytes, seconds, nanoseconds;
} seen;

static seen look(const char *path)
{
  struct stat about;
  if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || access(path, R_OK) != 0)
    return (seen){ 0, 0, 0, 0 };
  return (seen){ 1, about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec };
}

/* ---- a file --------------------------------------------------------------------- */

/* A file on its way. */
typedef struct passage {
  const domain_comm *comm;
  const char *path;             /* the key's */
  FILE *from, *to;              /* on rank 0; on a rank that lacks it */
  unsigned char *room;
} passage;

static trm_status fail_read(const passage *p)
{
  return TRM_FAIL(IO, "cannot read '%s': %s", p->path, strerror(errno));
}

static trm_status fail_write(const passage *p)
{
  return TRM_FAIL(IO, "cannot keep the file '%s' of rank 0: %s; make room, or set TMPDIR", p->path,
                  strerror(errno));
}

/* Some bytes; *count 0: it ends. *own: of reading and writing, which must not stop a rank: others
 * wait for it. */
static trm_status pass_some(const passage *p, int64_t *count, trm_status *own)
{
  const trm_comm *table = p->comm->table;
  if (p->from) {
    *count = (int64_t)fread(p->room, 1, CHUNK_BYTES, p->from);
    if (ferror(p->from) && *own == TRM_OK) *own = fail_read(p);
  }
  TRM_TRY(table->broadcast(p->comm->handle, 0, count, sizeof *count));
  if (*count > 0) TRM_TRY(table->broadcast(p->comm->handle, 0, p->room, (size_t)*count));
  if (p->to && *own == TRM_OK && fwrite(p->room, 1, (size_t)*count, p->to) != (size_t)*count)
    *own = fail_write(p);
  return TRM_OK;
}

static trm_status pass_all(const passage *p)
{
  trm_status own = TRM_OK;
  int64_t count = 1;
  while (count > 0) TRM_TRY(pass_some(p, &count, &own));
  if (p->to && own == TRM_OK && fflush(p->to) != 0) own = fail_write(p);
  return domain_agree(p->comm, own);
}

/* to: where it is written; NULL: this rank has it. */
static trm_status pass_file(const domain_comm *comm, const char *path, const char *to)
{
  passage p = { .comm = comm, .path = path, .room = malloc(CHUNK_BYTES) };
  trm_status status = p.room ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for '%s'", path);
  if (status == TRM_OK && comm->place.rank == 0 && !(p.from = fopen(path, "rb")))
    status = fail_read(&p);
  if (status == TRM_OK && to && !(p.to = fopen(to, "wbx"))) status = fail_write(&p);
  status = domain_agree(comm, status);
  if (status == TRM_OK) status = pass_all(&p);
  if (p.from) fclose(p.from);
  if (p.to) fclose(p.to);
  free(p.room);
  return status;
}

/* ---- a key ------------------------------------------------------------------------ */

static trm_status make_folder(char **folder)
{
  const char *below = getenv("TMPDIR");
  if (*folder) return TRM_OK;
  if (asprintf(folder, "%s/trireme-XXXXXX", below && *below ? below : "/tmp") < 0) *folder = NULL;
  if (!*folder) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the files of rank 0");
  if (mkdtemp(*folder)) return TRM_OK;
  const trm_status status = TRM_FAIL(IO, "cannot make the folder '%s' for files of rank 0: %s; set "
                                     "TMPDIR", *folder, strerror(errno));
  free(*folder);
  *folder = NULL;
  return status;
}

/* Its name keeps its end, which tells some formats. */
static trm_status name_own(const char *path, size_t number, char **folder, char **out)
{
  const char *slash = strrchr(path, '/');
  TRM_TRY(make_folder(folder));
  if (asprintf(out, "%s/%zu-%s", *folder, number, slash ? slash + 1 : path) >= 0) return TRM_OK;
  *out = NULL;
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the files of rank 0");
}

static trm_status set_key(trm_config *config, const char *key, const char *path)
{
  char *origin = strdup(trm_config_origin(config, key));
  const trm_status status = origin ? trm_config_set_ranked(config, key, path, TRM_RANK_OPTION,
                                                           origin)
                                   : TRM_FAIL(NO_HOST_MEMORY, "no memory for the key '%s'", key);
  free(origin);
  return status;
}

static trm_status bring(const domain_comm *comm, trm_config *config, const char *key,
                        size_t number, int lacks, char **folder)
{
  const char *path = trm_config_text(config, key);
  char *own = NULL;
  trm_status status = lacks ? name_own(path, number, folder, &own) : TRM_OK;
  status = domain_agree(comm, status);
  if (status == TRM_OK) status = pass_file(comm, path, own);
  if (status == TRM_OK) status = domain_agree(comm, own ? set_key(config, key, own) : TRM_OK);
  free(own);
  return status;
}

static trm_status share_key(const domain_comm *comm, trm_config *config, const char *key,
                            size_t number, char **folder)
{
  const seen own = look(trm_config_text(config, key));
  seen first = own;
  TRM_TRY(comm->table->broadcast(comm->handle, 0, &first, sizeof first));
  int64_t lacks = first.is_file && memcmp(&own, &first, sizeof own) != 0, any = lacks;
  TRM_TRY(comm->table->maxima(comm->handle, &any, 1));
  return any ? bring(comm, config, key, number, lacks != 0, folder) : TRM_OK;
}

trm_status parts_inputs_share(const domain_comm *comm, trm_config *config, char **folder)
{
  *folder = NULL;
  for (size_t i = 0; i < trm_config_count(config); i++) {
    const trm_option *option = trm_config_option(config, i);
    if (option->type == TRM_OPTION_FILE && *trm_config_text(config, option->key))
      TRM_TRY(share_key(comm, config, option->key, i, folder));
  }
  return TRM_OK;
}

void parts_inputs_remove(char **folder)
{
  DIR *list = *folder ? opendir(*folder) : NULL;
  for (const struct dirent *entry; list && (entry = readdir(list));)
    if (entry->d_name[0] != '.') (void)unlinkat(dirfd(list), entry->d_name, 0);
  if (list) closedir(list);
  if (*folder) (void)rmdir(*folder);
  free(*folder);
  *folder = NULL;
}
