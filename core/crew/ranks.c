/* ranks.c - the processes of one run: found, opened, and seen to be alike. */
#include "core/crew/ranks.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "core/crew/launcher.h"
#include "core/plugins/registry.h"

typedef struct hello {
  char version[32], node[64];
  uint64_t program, words;      /* hashes: of the files (0: not to be read), of the command line */
} hello;

enum { ORDERS, ROWS };           /* channels: rows must not be taken for orders */

/* Without a table: not begun, or ended. */
static domain_comm comm = { .place = { .size = 1, .node_size = 1 }, .called = "rank" };
static hello *all;              /* of each rank */
static uint64_t *orders;        /* how many each rank has been given, on rank 0; elsewhere one: of
                                 * those that came */
static uint64_t command_line;
static int has_begun;           /* trm_ranks_begin was called */

const trm_comm_place *ranks_place(void) { return &comm.place; }
const char *ranks_node(int rank) { return all && rank < comm.place.size ? all[rank].node : ""; }

/* The first failure of a link: what is under way between ranks then fits no longer, so no other
 * transfer is tried here. */
static trm_error apart;

int ranks_are_apart(void) { return apart.status != TRM_OK; }

/* Records that failure again: what was cleaned up since may have failed for it. */
static trm_status fail_apart(void)
{
  return trm_error_record(apart.status, apart.file, apart.line, "%s", apart.text);
}

trm_status ranks_part(trm_status status)
{
  if (status != TRM_OK && !ranks_are_apart()) apart = *trm_error_last();
  return status;
}

/* peer: a rank; OF_ALL. */
enum { OF_ALL = -1 };

static trm_status of_link(int peer, trm_status status)
{
  if (status == TRM_OK) return TRM_OK;
  const trm_error cause = *trm_error_last();
  if (peer == OF_ALL)
    return ranks_part(trm_error_record(status, cause.file, cause.line,
                                       "the links between ranks failed: %s", cause.text));
  return ranks_part(trm_error_record(status, cause.file, cause.line, "the link to rank %d failed: "
                                     "%s", peer, cause.text));
}

static trm_status check_link(void)
{
  if (ranks_are_apart()) return fail_apart();
  return comm.table ? TRM_OK
         : TRM_FAIL(INVALID, "trm_ranks_end was called, and a device of another rank is in use; "
                    "close it before");
}

/* ---- rows on their way ---------------------------------------------------------- */

typedef struct posted {
  struct posted *next;
  int to;
  void *request, *rows;
} posted;

static posted *on_the_way;

/* Frees rows that are gone; all: waits for each. */
static trm_status free_posted(int all_rows)
{
  for (posted **at = &on_the_way; *at;) {
    posted *one = *at;
    int is_gone = all_rows;
    if (all_rows) TRM_TRY(of_link(one->to, comm.table->wait(comm.handle, &one->request)));
    else TRM_TRY(of_link(one->to, comm.table->test(comm.handle, &one->request, &is_gone)));
    if (!is_gone) {
      at = &one->next;
      continue;
    }
    *at = one->next;
    free(one->rows);
    free(one);
  }
  return TRM_OK;
}

trm_status ranks_post_rows(int to, void *rows, size_t count)
{
  posted *one = ranks_are_apart() || !comm.table ? NULL : calloc(1, sizeof *one);
  if (!one) free(rows);
  TRM_TRY(check_link());
  if (!one) return ranks_part(TRM_FAIL(NO_HOST_MEMORY, "no memory for rows between ranks"));
  *one = (posted){ on_the_way, to, NULL, rows };
  on_the_way = one;
  TRM_TRY(of_link(to, comm.table->send(comm.handle, to, ROWS, rows, count, &one->request)));
  return free_posted(0);
}

/* ---- messages -------------------------------------------------------------------- */

trm_status ranks_send(int to, const void *bytes, size_t count)
{
  void *request;
  TRM_TRY(check_link());
  TRM_TRY(of_link(to, comm.table->send(comm.handle, to, ORDERS, bytes, count, &request)));
  TRM_TRY(of_link(to, comm.table->wait(comm.handle, &request)));
  return free_posted(0);
}

static trm_status receive(int from, int channel, void *bytes, size_t count)
{
  void *request;
  TRM_TRY(check_link());
  TRM_TRY(of_link(from, comm.table->receive(comm.handle, from, channel, bytes, count, &request)));
  TRM_TRY(of_link(from, comm.table->wait(comm.handle, &request)));
  return free_posted(0);
}

trm_status ranks_receive(int from, void *bytes, size_t count)
{
  return receive(from, ORDERS, bytes, count);
}

trm_status ranks_receive_rows(int from, void *bytes, size_t count)
{
  return receive(from, ROWS, bytes, count);
}

/* ---- collective ------------------------------------------------------------------ */

trm_status ranks_broadcast(void *bytes, size_t count)
{
  TRM_TRY(check_link());
  return of_link(OF_ALL, comm.table->broadcast(comm.handle, 0, bytes, count));
}

trm_status ranks_gather(void *bytes, size_t each)
{
  TRM_TRY(check_link());
  size_t *counts = calloc((size_t)comm.place.size, sizeof *counts);
  if (!counts)
    return ranks_part(TRM_FAIL(NO_HOST_MEMORY, "no memory for %d ranks", comm.place.size));
  for (int i = 0; i < comm.place.size; i++) counts[i] = each;
  const trm_status status = comm.table->allgather(comm.handle, bytes, counts);
  free(counts);
  return of_link(OF_ALL, status);
}

trm_status ranks_maxima(int64_t *values, size_t count)
{
  TRM_TRY(check_link());
  return of_link(OF_ALL, comm.table->maxima(comm.handle, values, count));
}

trm_status ranks_agree(trm_status own)
{
  TRM_TRY(check_link());
  return domain_agree(&comm, own);
}

/* ---- a run of parts --------------------------------------------------------------- */

static trm_status part_send(void *part, int to, int channel, const void *bytes, size_t count,
                            void **request)
{
  (void)part;
  TRM_TRY(check_link());
  return of_link(to, comm.table->send(comm.handle, to, channel, bytes, count, request));
}

static trm_status part_receive(void *part, int from, int channel, void *bytes, size_t count,
                               void **request)
{
  (void)part;
  TRM_TRY(check_link());
  return of_link(from, comm.table->receive(comm.handle, from, channel, bytes, count, request));
}

static trm_status part_wait(void *part, void **request)
{
  (void)part;
  TRM_TRY(check_link());
  return of_link(OF_ALL, comm.table->wait(comm.handle, request));
}

static trm_status part_test(void *part, void **request, int *is_complete)
{
  (void)part;
  TRM_TRY(check_link());
  return of_link(OF_ALL, comm.table->test(comm.handle, request, is_complete));
}

static trm_status part_broadcast(void *part, int from, void *bytes, size_t count)
{
  (void)part;
  TRM_TRY(check_link());
  return of_link(OF_ALL, comm.table->broadcast(comm.handle, from, bytes, count));
}

static trm_status part_allgather(void *part, void *bytes, const size_t *counts)
{
  (void)part;
  TRM_TRY(check_link());
  return of_link(OF_ALL, comm.table->allgather(comm.handle, bytes, counts));
}

static trm_status part_maxima(void *part, int64_t *values, size_t count)
{
  (void)part;
  return ranks_maxima(values, count);
}

domain_comm ranks_comm(void)
{
  static const trm_comm linked = {
    .abi = TRM_COMM_ABI, .bytes = sizeof(trm_comm), .name = "ranks",
    .summary = "processes of one run", .send = part_send, .receive = part_receive,
    .wait = part_wait, .test = part_test, .broadcast = part_broadcast,
    .allgather = part_allgather, .maxima = part_maxima };
  domain_comm out = comm;
  out.table = &linked;
  return out;
}

/* ---- in step ------------------------------------------------------------------ */

static const char *name_of_order(uint32_t order)
{
  static const char *const names[] = {
    [RANKS_DEVICES] = "list devices", [RANKS_OPEN] = "open a device", [RANKS_FINISH] = "finish",
    [RANKS_FREE_MEMORY] = "free memory", [RANKS_BUFFER] = "make a buffer", [RANKS_READ] = "read",
    [RANKS_PROGRAM] = "build a program", [RANKS_SPENT] = "seconds spent", [RANKS_WRITE] = "write",
    [RANKS_COMMAND] = "launch", [RANKS_KERNEL] = "find a kernel", [RANKS_PUT] = "send rows",
    [RANKS_GET] = "receive rows", [RANKS_BUFFER_GONE] = "drop a buffer",
    [RANKS_PROGRAM_GONE] = "drop a program", [RANKS_MEET] = "find a folder",
    [RANKS_FILE] = "open a file", [RANKS_SAVE] = "save", [RANKS_SUM] = "hash",
    [RANKS_SAVED] = "end a file", [RANKS_SAVING_GONE] = "leave a folder", [RANKS_CLOSE] = "close",
    [RANKS_QUIT] = "quit", [RANKS_HOLD] = "take memory", [RANKS_DROP] = "free memory",
    [RANKS_CALL] = "run a part" };
  return order < sizeof names / sizeof *names ? names[order] : "of no kind";
}

trm_status ranks_tell(int to, ranks_message *message)
{
  TRM_TRY(check_link());
  message->number = ++orders[to];
  return ranks_send(to, message, sizeof *message);
}

trm_status ranks_hear(ranks_message *out)
{
  TRM_TRY(ranks_receive(0, out, sizeof *out));
  const uint64_t due = ++*orders;
  if (out->number == due) return TRM_OK;
  return ranks_part(TRM_FAIL(DEVICE, "out of step with rank 0: its order %" PRIu64 " (%s) came, "
                             "where order %" PRIu64 " was due; " RANKS_STEP_CURE,
                             out->number, name_of_order(out->order), due));
}

/* ---- alike -------------------------------------------------------------------- */

static void introduce(hello *out)
{
  memset(out, 0, sizeof *out);
  snprintf(out->version, sizeof out->version, "%s", trm_version());
  snprintf(out->node, sizeof out->node, "%s", comm.place.node);
  const uint64_t own = ranks_hash("/proc/self/exe");
  const uint64_t library = ranks_file_of(trm_text_kernel_header);
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

static trm_status quit_all(void)
{
  ranks_message quit = { .order = RANKS_QUIT };
  for (int rank = 1; rank < comm.place.size; rank++) TRM_TRY(ranks_tell(rank, &quit));
  return TRM_OK;
}

/* All know each other; rank 0 compares. */
static trm_status meet(void)
{
  trm_status status = TRM_OK;
  all = calloc((size_t)comm.place.size, sizeof *all);
  orders = calloc((size_t)comm.place.size, sizeof *orders);
  if (!all || !orders)
    return ranks_part(TRM_FAIL(NO_HOST_MEMORY, "no memory for %d ranks", comm.place.size));
  introduce(&all[comm.place.rank]);
  TRM_TRY(ranks_gather(all, sizeof *all));
  for (int rank = 1; comm.place.rank == 0 && rank < comm.place.size && status == TRM_OK; rank++)
    status = compare(rank);
  return status;
}

static void hash_words(int argc, char *const *argv)
{
  for (int i = 1; i < argc; i++)
    command_line = XXH3_64bits_withSeed(argv[i], strlen(argv[i]) + 1, command_line);
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
  comm.table = NULL;
  comm.place = (trm_comm_place){ .size = 1, .node_size = 1 };
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
  TRM_TRY(ranks_part(open_comm(by)));
  *rank = comm.place.rank;
  *size = comm.place.size;
  return meet();
}

trm_status trm_ranks_end(void)
{
  if (!comm.table && !ranks_are_apart()) return TRM_OK;
  if (comm.place.rank == 0 && !ranks_are_apart()) (void)quit_all();
  if (ranks_are_apart()) return fail_apart();
  TRM_TRY(free_posted(1));
  TRM_TRY(ranks_part(comm.table->close(comm.handle)));
  comm.table = NULL;
  free(all);
  free(orders);
  all = NULL;
  orders = NULL;
  comm.place = (trm_comm_place){ .size = 1, .node_size = 1 };
  return TRM_OK;
}

void trm_ranks_abort(int exit_code)
{
  if (comm.table) comm.table->abort(comm.handle, exit_code);
  launcher_end_all(exit_code);
  _exit(exit_code);
}

/* ---- names --------------------------------------------------------------------- */

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
                    "--devices=%s:0@0,%s:0@1", comm.place.node_rank + 1, comm.place.node_size,
                    comm.place.node, count, name, name, name);
  snprintf(out, bytes, "%s:%zu", name, index);
  return TRM_OK;
}

/* "openmp*2" of rank 3 becomes "openmp@3*2". */
static void append_at(char *out, size_t bytes, const char *entry, size_t length, int rank)
{
  const char *star = memchr(entry, '*', length);
  const size_t letters = star ? (size_t)(star - entry) : length;
  trmi_append(out, bytes, "%s%.*s@%d%.*s", *out ? "," : "", (int)letters, entry, rank,
              (int)(length - letters), entry + letters);
}

trm_status ranks_names(const char *name, char **out)
{
  const int at = strchr(name, '@') != NULL;
  size_t entries = 1;
  for (const char *c = name; *c; c++) entries += *c == ',';
  if (at && comm.place.size == 1)
    return TRM_FAIL(INPUT, "devices \"%s\": there is one process; a device of another rank needs a "
                    "run that was started by mpirun or srun", name);
  if (!at && entries > 1 && comm.place.size > 1 && entries != (size_t)comm.place.size)
    return TRM_FAIL(INPUT, "devices \"%s\": %zu devices for %d ranks; name one for each, or say "
                    "whose they are, as in \"openmp@0,openmp@1\"", name, entries, comm.place.size);
  const size_t copies = entries > 1 ? 1 : (size_t)comm.place.size;
  const size_t bytes = (strlen(name) + 16) * copies + 16 * entries;
  *out = calloc(bytes, 1);
  if (!*out) return TRM_FAIL(NO_HOST_MEMORY, "devices \"%s\": out of host memory", name);
  if (at || comm.place.size == 1) {
    memcpy(*out, name, strlen(name));
    return TRM_OK;
  }
  for (int rank = 0; rank < comm.place.size; rank++) {
    const size_t length = strcspn(name, ",");
    append_at(*out, bytes, name, length, rank);
    if (entries > 1) name += length + 1;
  }
  return TRM_OK;
}
