/* parts_inputs.c - see parts_inputs.h. */
#include "run/parts_inputs.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/input_files.h"

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

static const char *name_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static trm_status print(char **out, const char *folder, size_t number, const char *name)
{
  if (asprintf(out, "%s/%zu%s%s", folder, number, *name ? "/" : "", name) >= 0) return TRM_OK;
  *out = NULL;
  return TRM_FAIL(NO_HOST_MEMORY, "no memory for the files of rank 0");
}

/* The key's value for the files that come: they keep their names, in a folder of the key's own. */
static trm_status name_own(const char *value, size_t number, int is_folder, char **folder,
                           char **out)
{
  char *own = NULL;
  TRM_TRY(make_folder(folder));
  TRM_TRY(print(&own, *folder, number, ""));
  const int is_made = mkdir(own, 0700) == 0;
  free(own);
  if (!is_made)
    return TRM_FAIL(IO, "cannot make a folder in '%s' for files of rank 0: %s", *folder,
                    strerror(errno));
  return print(out, *folder, number, is_folder ? "" : name_of(value));
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

/* The files of a key as rank 0 sees them. Each of their paths ends with a 0. */
typedef struct files {
  char *paths;
  int64_t bytes, is_folder;
} files;

static trm_status add_path(void *user, const char *path)
{
  files *all = user;
  const size_t bytes = strlen(path) + 1;
  char *grown = realloc(all->paths, (size_t)all->bytes + bytes);
  if (!grown) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the names of files");
  memcpy(grown + all->bytes, path, bytes);
  all->paths = grown;
  all->bytes += (int64_t)bytes;
  return TRM_OK;
}

/* All ranks get the list of rank 0. */
static trm_status list_files(const domain_comm *comm, const char *value, files *out)
{
  const int is_first = comm->place.rank == 0;
  int64_t told[2] = { 0, 0 };
  trm_status status = is_first ? input_files_each(value, add_path, out) : TRM_OK;
  TRM_TRY(domain_agree(comm, status));
  told[0] = out->bytes;
  told[1] = is_first && input_files_is_folder(value);
  TRM_TRY(comm->table->broadcast(comm->handle, 0, told, sizeof told));
  out->bytes = told[0];
  out->is_folder = told[1];
  if (!is_first && out->bytes > 0 && !(out->paths = malloc((size_t)out->bytes)))
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the names of files");
  status = domain_agree(comm, status);
  if (status != TRM_OK || out->bytes == 0) return status;
  return comm->table->broadcast(comm->handle, 0, out->paths, (size_t)out->bytes);
}

static const char *next_of(const files *all, const char *path)
{
  path = path ? path + strlen(path) + 1 : all->paths;
  return path == all->paths + all->bytes ? NULL : path;
}

/* own: the key's value on this rank; NULL: it has the files. */
static trm_status pass_files(const domain_comm *comm, const files *all, const char *value,
                             const char *own)
{
  const size_t known = all->is_folder ? 0 : strlen(name_of(value));
  for (const char *path = next_of(all, NULL); path; path = next_of(all, path)) {
    char *to = NULL;
    trm_status status = TRM_OK;
    if (own && asprintf(&to, "%s%s%s", own, all->is_folder ? "/" : "", name_of(path) + known) < 0) {
      to = NULL;
      status = TRM_FAIL(NO_HOST_MEMORY, "no memory for the files of rank 0");
    }
    status = domain_agree(comm, status);
    if (status == TRM_OK) status = pass_file(comm, path, to);
    free(to);
    TRM_TRY(status);
  }
  return TRM_OK;
}

static trm_status bring(const domain_comm *comm, trm_config *config, const char *key,
                        size_t number, const files *all, int lacks, char **folder)
{
  const char *value = trm_config_text(config, key);
  char *own = NULL;
  trm_status status = lacks ? name_own(value, number, all->is_folder != 0, folder, &own) : TRM_OK;
  status = domain_agree(comm, status);
  if (status == TRM_OK) status = pass_files(comm, all, value, own);
  if (status == TRM_OK) status = domain_agree(comm, own ? set_key(config, key, own) : TRM_OK);
  free(own);
  return status;
}

static trm_status share_files(const domain_comm *comm, trm_config *config, const char *key,
                              size_t number, const files *all, char **folder)
{
  int64_t lacks = 0, any;
  for (const char *path = next_of(all, NULL); path; path = next_of(all, path)) {
    const seen own = look(path);
    seen first = own;
    TRM_TRY(comm->table->broadcast(comm->handle, 0, &first, sizeof first));
    lacks |= first.is_file && memcmp(&own, &first, sizeof own) != 0;
  }
  any = lacks;
  TRM_TRY(comm->table->maxima(comm->handle, &any, 1));
  return any ? bring(comm, config, key, number, all, lacks != 0, folder) : TRM_OK;
}

static trm_status share_key(const domain_comm *comm, trm_config *config, const char *key,
                            size_t number, char **folder)
{
  files all = { NULL, 0, 0 };
  trm_status status = list_files(comm, trm_config_text(config, key), &all);
  if (status == TRM_OK && all.bytes > 0)
    status = share_files(comm, config, key, number, &all, folder);
  free(all.paths);
  return status;
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

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *at)
{
  (void)about, (void)kind, (void)at;
  (void)remove(path);
  return 0;
}

void parts_inputs_remove(char **folder)
{
  enum { OPEN = 8 };
  if (*folder) (void)nftw(*folder, remove_one, OPEN, FTW_DEPTH | FTW_PHYS);
  free(*folder);
  *folder = NULL;
}
