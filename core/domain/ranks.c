/* ranks.c - the processes of one run: found, opened, seen to be alike, and made its parts. Rank 0
 * carries out the command. The others wait until it broadcasts a task. */
#include "core/domain/ranks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/domain/launcher.h"
#include "core/domain/named.h"
#include "core/domain/objects.h"
#include "core/plugins/registry.h"

typedef struct hello {
  char version[32], node[64];
  uint64_t program, words;      /* hashes: of the files (0: not to be read), of the command line */
} hello;

enum { CHANNEL = 0 };

/* Without a table: not begun, or ended. */
static domain_comm comm = { .place = { .size = 1, .node_size = 1 }, .called = "rank" };
static hello *all;              /* of each rank */
static uint64_t command_line;
static int has_begun;           /* trm_ranks_begin was called */

const trm_comm_place *ranks_place(void) { return &comm.place; }
int domain_ranks(void) { return comm.place.size; }
const char *trm_ranks_library(void) { return comm.place.library; }
const char *trm_rank_node(int rank)
{
  return all && rank < comm.place.size ? all[rank].node : "";
}

/* ---- the link -------------------------------------------------------------------- */

/* The first failure of the link: messages on their way then fit no longer, so no other call is
 * tried here. */
static trm_error lost;

int ranks_are_lost(void) { return lost.status != TRM_OK; }

static trm_status lose(trm_status status)
{
  trmi_error_first(&lost, status);
  return status;
}

/* peer: a rank; OF_ALL. */
enum { OF_ALL = -1 };

static trm_status of_link(int peer, trm_status status)
{
  if (status == TRM_OK) return TRM_OK;
  const trm_error cause = *trm_error_last();
  if (peer == OF_ALL)
    return lose(trm_error_record(status, cause.file, cause.line, "the links between ranks failed: "
                                 "%s", cause.text));
  return lose(trm_error_record(status, cause.file, cause.line, "the link to rank %d failed: %s",
                               peer, cause.text));
}

static trm_status check_link(void)
{
  TRM_TRY(trmi_error_again(&lost));
  return comm.table ? TRM_OK
         : TRM_FAIL(INVALID, "trm_ranks_end was called, and a device of another rank is in use; "
                    "close it before");
}

#define LINK(entry, peer, parameters, arguments) static trm_status link_##entry parameters \
  { TRM_TRY(check_link()); return of_link(peer, comm.table->entry arguments); }
LINK(send, to, (void *part, int to, int channel, const void *bytes, size_t count, void **request),
     (part, to, channel, bytes, count, request))
LINK(receive, from, (void *part, int from, int channel, void *bytes, size_t count, void **request),
     (part, from, channel, bytes, count, request))
LINK(wait, OF_ALL, (void *part, void **request), (part, request))
LINK(test, OF_ALL, (void *part, void **request, int *is_complete), (part, request, is_complete))
LINK(broadcast, OF_ALL, (void *part, int from, void *bytes, size_t count),
     (part, from, bytes, count))
LINK(allgather, OF_ALL, (void *part, void *bytes, const size_t *counts), (part, bytes, counts))
LINK(maxima, OF_ALL, (void *part, int64_t *values, size_t count), (part, values, count))
#undef LINK

static const trm_comm linked = {
  .abi = TRM_COMM_ABI, .bytes = sizeof(trm_comm), .name = "ranks",
  .summary = "processes of one run", .send = link_send, .receive = link_receive,
  .wait = link_wait, .test = link_test, .broadcast = link_broadcast,
  .allgather = link_allgather, .maxima = link_maxima };

static domain_comm comm_of_parts(void)
{
  domain_comm out = comm;
  out.table = &linked;
  return out;
}

/* ---- tasks ------------------------------------------------------------------------- */

typedef enum order_kind { ORDER_RUN, ORDER_DEVICES, ORDER_QUIT } order_kind;

typedef struct order {
  uint32_t kind;
  int32_t rank;                 /* whose devices */
  uint64_t bytes;               /* that follow */
} order;

static trm_status tell(order what, void *bytes)
{
  TRM_TRY(link_broadcast(comm.handle, 0, &what, sizeof what));
  return bytes ? link_broadcast(comm.handle, 0, bytes, (size_t)what.bytes) : TRM_OK;
}

/* ---- alike ------------------------------------------------------------------------- */

static void introduce(hello *out)
{
  memset(out, 0, sizeof *out);
  snprintf(out->version, sizeof out->version, "%s", trm_version());
  snprintf(out->node, sizeof out->node, "%s", comm.place.node);
  const uint64_t own = objects_hash("/proc/self/exe");
  const uint64_t library = objects_hash_of(trm_text_kernel_header);
  out->program = own && library ? own ^ library * 31 : 0;
  out->words = command_line;
}

static trm_status compare(int rank)
{
  const hello *own = &all[0], *other = &all[rank];
  if (!own->program || !other->program)
    return TRM_FAIL(INPUT, "rank %d on %s cannot read the files of its own program, by which ranks "
                    "are compared; let it read /proc/self/exe and libtrireme",
                    own->program ? rank : 0, own->program ? other->node : own->node);
  if (strcmp(own->version, other->version) != 0 || own->program != other->program)
    return TRM_FAIL(INVALID, "rank %d on %s runs another program than rank 0 on %s (%s and %s%s); "
                    "install the same one on all machines", rank, other->node, own->node,
                    other->version, own->version,
                    strcmp(own->version, other->version) == 0 ? ", built otherwise" : "");
  if (own->words != other->words)
    return TRM_FAIL(INPUT, "rank %d was given other words than rank 0; give every rank the same "
                    "command, or set TRIREME_COMM=none where each is to run on its own", rank);
  return TRM_OK;
}

/* All know each other; rank 0 compares. */
static trm_status meet(void)
{
  const domain_comm parts = comm_of_parts();
  all = calloc((size_t)comm.place.size, sizeof *all);
  if (!all) return lose(TRM_FAIL(NO_HOST_MEMORY, "no memory for %d ranks", comm.place.size));
  introduce(&all[comm.place.rank]);
  trm_status status = lose(domain_gather(&parts, all, sizeof *all));
  for (int rank = 1; comm.place.rank == 0 && rank < comm.place.size && status == TRM_OK; rank++)
    status = compare(rank);
  return status;
}

static void hash_words(int argc, char *const *argv)
{
  for (int i = 1; i < argc; i++)
    command_line = XXH3_64bits_withSeed(argv[i], strlen(argv[i]) + 1, command_line);
}

static void forget_others(void)
{
  comm.table = NULL;
  comm.place = (trm_comm_place){ .size = 1, .node_size = 1 };
}

static trm_status open_comm(const launcher *by)
{
  const int size = launcher_size(by);
  TRM_TRY(launcher_find_comm(by, &comm.table));
  TRM_TRY(comm.table->open(&comm.place, &comm.handle));
  if (comm.place.size == size) return TRM_OK;
  const trm_comm_place seen = comm.place;
  const char *name = comm.table->name;
  (void)comm.table->close(comm.handle);
  forget_others();
  return launcher_refuse(by, name, seen.library, seen.size);
}

trm_status ranks_check_begun(void)
{
  const launcher *by = has_begun ? NULL : launcher_find();
  if (!by) return comm.table ? TRM_OK : launcher_check_wanted();
  return TRM_FAIL(INVALID, "%s started %d processes of this program, which does not join them to "
                  "one run: each would make all of it; call trm_ranks_begin first (Python: "
                  "trireme.join_ranks), or set TRIREME_COMM=none where each is to run on its own",
                  by->called, launcher_size(by));
}

trm_status trm_ranks_begin(int argc, char *const *argv, int *rank, int *size)
{
  const launcher *by = launcher_find();
  *rank = 0;
  *size = 1;
  const int is_again = has_begun++;
  if (!by) return TRM_OK;
  if (is_again) return TRM_FAIL(INVALID, "trm_ranks_begin: it is called once in a process");
  *rank = launcher_rank(by);
  hash_words(argc, argv);
  TRM_TRY(lose(open_comm(by)));
  *rank = comm.place.rank;
  *size = comm.place.size;
  return meet();
}

trm_status trm_ranks_end(void)
{
  if (!comm.table && !ranks_are_lost()) return TRM_OK;
  if (comm.place.rank == 0 && !ranks_are_lost()) (void)tell((order){ .kind = ORDER_QUIT }, NULL);
  TRM_TRY(trmi_error_again(&lost));
  TRM_TRY(lose(comm.table->close(comm.handle)));
  free(all);
  all = NULL;
  forget_others();
  return TRM_OK;
}

void trm_ranks_abort(int exit_code)
{
  if (comm.table) comm.table->abort(comm.handle, exit_code);
  launcher_end_all(exit_code);
  _exit(exit_code);
}

/* ---- devices ------------------------------------------------------------------------ */

int ranks_cores(void)
{
  const int own = trmi_host_cores(), online = (int)sysconf(_SC_NPROCESSORS_ONLN);
  if (own * comm.place.node_size <= online) return own;
  const int share = online / comm.place.node_size;
  return share < 1 ? 1 : share < own ? share : own;
}

trm_status ranks_local(trm_context *context, const char *name, trm_device_options *options,
                       char *out, size_t bytes)
{
  const trm_backend *table;
  trm_device_info info;
  size_t count, index = 0;
  snprintf(out, bytes, "%s", name);
  if (strncmp(name, "openmp", 6) == 0 && options->threads == 0 && comm.place.node_size > 1)
    options->threads = ranks_cores() < trmi_host_cores() ? ranks_cores() : 0;
  if (strchr(name, ':') || comm.place.size == 1) return TRM_OK;
  TRM_TRY(trmi_backend_find(context->registry, name, &table, &count));
  TRM_TRY(trmi_registry_describe(table, 0, &info));
  if (info.is_host || !info.pci[0]) return TRM_OK;
  index = (size_t)comm.place.node_rank;
  if (index >= count)
    return TRM_FAIL(INPUT, "it is number %d of %d ranks on %s, which has %zu devices of %s; start "
                    "as many ranks as there are, or name devices that ranks share, as in "
                    "--devices=%s:0,%s:0", comm.place.node_rank + 1, comm.place.node_size,
                    comm.place.node, count, name, name, name);
  snprintf(out, bytes, "%s:%zu", name, index);
  return TRM_OK;
}

trm_status domain_ranks_names(const char *devices, char **out)
{
  const size_t ranks = (size_t)domain_ranks();
  size_t entries = 1;
  for (const char *c = devices; *c; c++) entries += *c == ',';
  TRM_TRY(domain_named_check(devices));
  if (ranks > 1 && entries > 1 && entries != ranks)
    return TRM_FAIL(INPUT, "devices \"%s\": %zu devices for %zu ranks; name one for each, in the "
                    "order of ranks", devices, entries, ranks);
  const size_t copies = entries > 1 ? 1 : ranks, bytes = (strlen(devices) + 1) * copies;
  char *names = calloc(bytes, 1);
  if (!names) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the names of devices");
  for (size_t i = 0; i < copies; i++)
    trmi_append(names, bytes, "%s%s", i ? "," : "", devices);
  *out = names;
  return TRM_OK;
}

/* The devices of a rank, as it tells rank 0; `count` of them follow. */
typedef struct listed {
  int32_t status;
  uint64_t count;
  char text[1024];
} listed;

static trm_status send_now(const void *bytes, size_t count)
{
  void *request;
  TRM_TRY(link_send(comm.handle, 0, CHANNEL, bytes, count, &request));
  return link_wait(comm.handle, &request);
}

static trm_status receive_now(int from, void *bytes, size_t count)
{
  void *request;
  TRM_TRY(link_receive(comm.handle, from, CHANNEL, bytes, count, &request));
  return link_wait(comm.handle, &request);
}

static trm_status list_own(trm_context *context)
{
  const trm_device_info *list = NULL;
  size_t count = 0;
  listed out = { .status = trm_device_list(context, &list, &count) };
  if (out.status != TRM_OK) snprintf(out.text, sizeof out.text, "%s", trm_error_last()->text);
  else out.count = count;
  TRM_TRY(send_now(&out, sizeof out));
  return out.count ? send_now(list, count * sizeof *list) : TRM_OK;
}

trm_status trm_ranks_devices(int rank, trm_device_info **list, size_t *count)
{
  listed found;
  if (rank < 1 || rank >= comm.place.size || !list || !count)
    return TRM_FAIL(INVALID, "trm_ranks_devices: there is no other rank %d", rank);
  TRM_TRY(tell((order){ .kind = ORDER_DEVICES, .rank = rank }, NULL));
  TRM_TRY(receive_now(rank, &found, sizeof found));
  if (found.status != TRM_OK)
    return trm_error_record((trm_status)found.status, __FILE__, __LINE__, "rank %d: %s", rank,
                            found.text);
  trm_device_info *made = calloc((size_t)found.count + 1, sizeof *made);
  if (!made) /* the rank sends them */
    return lose(TRM_FAIL(NO_HOST_MEMORY, "no memory for the devices of rank %d", rank));
  if (found.count) TRM_TRY(receive_now(rank, made, (size_t)found.count * sizeof *made));
  *list = made;
  *count = (size_t)found.count;
  return TRM_OK;
}

/* ---- a run -------------------------------------------------------------------------- */

/* A function of a file that all ranks have; its bytes follow. */
typedef struct called {
  char path[4096];
  uint64_t offset;
} called;

trm_status domain_ranks_begin(domain_rank_fn *run, const void *bytes, size_t count,
                              domain_comm *out)
{
  called function;
  uintptr_t at, base;
  unsigned char *told = malloc(sizeof function + count);
  if (!told) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a message to all ranks");
  memset(&function, 0, sizeof function);
  memcpy(&at, &run, sizeof at);
  trm_status status = objects_of((const void *)at, function.path, sizeof function.path, &base);
  function.offset = (uint64_t)(at - base);
  memcpy(told, &function, sizeof function);
  memcpy(told + sizeof function, bytes, count);
  if (status == TRM_OK)
    status = tell((order){ .kind = ORDER_RUN, .bytes = sizeof function + count }, told);
  free(told);
  if (status == TRM_OK) *out = comm_of_parts();
  return status;
}

/* All agree first on whether each can call the function. */
static void run_part(trm_context *context, const unsigned char *bytes, size_t count)
{
  const domain_comm parts = comm_of_parts();
  called function;
  uintptr_t base;
  domain_rank_fn *run = NULL;
  memcpy(&function, bytes, sizeof function);
  function.path[sizeof function.path - 1] = 0;
  const trm_status found = objects_at(function.path, &base);
  if (found == TRM_OK) {
    const uintptr_t at = base + (uintptr_t)function.offset;
    memcpy(&run, &at, sizeof at);
    run(context, bytes + sizeof function, count - sizeof function, &parts);
  } else {
    (void)domain_agree(&parts, found);
  }
}

static trm_status serve_run(trm_context *context, size_t count)
{
  unsigned char *bytes = count > sizeof(called) ? malloc(count) : NULL;
  if (!bytes) return lose(TRM_FAIL(NO_HOST_MEMORY, "no memory for %zu bytes of rank 0", count));
  const trm_status status = link_broadcast(comm.handle, 0, bytes, count);
  if (status == TRM_OK) run_part(context, bytes, count);
  free(bytes);
  return status;
}

static trm_status serve(trm_context *context, int *is_over)
{
  order what;
  TRM_TRY(link_broadcast(comm.handle, 0, &what, sizeof what));
  if (what.kind == ORDER_RUN) return serve_run(context, (size_t)what.bytes);
  if (what.kind == ORDER_DEVICES && what.rank == comm.place.rank) return list_own(context);
  *is_over = what.kind == ORDER_QUIT;
  return TRM_OK;
}

trm_status trm_ranks_run_worker(void)
{
  trm_context *context = NULL;
  int is_over = 0;
  if (comm.place.rank == 0)
    return TRM_FAIL(INVALID, "trm_ranks_run_worker: rank 0 carries out the command itself");
  trm_status status = lose(trm_context_create(NULL, &context));
  while (!is_over && status == TRM_OK && !ranks_are_lost()) status = serve(context, &is_over);
  trm_context_destroy(&context);
  return ranks_are_lost() ? trm_ranks_end() : status; /* fails with the first cause */
}
