/* comm_over.c - comm_over FILE NAME [END | late]: one rank of a run. It runs the cases of
 * comm_cases.c over the comm plugin FILE with that name. comm_over.sh starts it. Rank 0 prints a
 * line for each case. With END, a number of comm_ends, the run ends in that way: a rank that fails
 * prints its sentence, and ends all. With "late" rank 0 prints how long messages take. Without
 * arguments the program prints the lines "NUMBER|SILENCE|SENTENCE|NAME" of comm_ends. */
#include "tests/core/comm_cases.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const trm_services services = {
  .abi = TRM_BACKEND_ABI, .bytes = sizeof(trm_services), .fail = trm_error_record };

static trm_status open_plugin(const char *file, const char *name, domain_comm *out)
{
  char symbol[64];
  trm_comm_entry *entry = NULL;
  void *plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  snprintf(symbol, sizeof symbol, "trm_comm_%s", name);
  void *address = plugin ? dlsym(plugin, symbol) : NULL;
  memcpy(&entry, &address, sizeof entry);
  out->table = entry ? entry(TRM_COMM_ABI, &services) : NULL;
  if (!out->table)
    return trm_error_record(TRM_ERROR_NOT_FOUND, __FILE__, __LINE__, "%s is no comm plugin", file);
  out->called = "rank";
  return out->table->open(&out->place, &out->handle);
}

static trm_status run_cases(const domain_comm *comm)
{
  for (size_t i = 0; i < comm_case_count; i++) {
    TRM_TRY(comm_cases[i].run(NULL, comm));
    if (comm->place.rank == 0) printf("%s\n", comm_cases[i].name);
  }
  return comm->table->close(comm->handle);
}

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Between ranks 0 and 1, each way, with `work` seconds of something else meanwhile. */
static trm_status exchange(const domain_comm *c, double work, double *seconds)
{
  const int peer = 1 - c->place.rank;
  int out = 0, in;
  int64_t at_once = 0;
  void *sent, *received;
  TRM_TRY(c->table->maxima(c->handle, &at_once, 1)); /* they begin together */
  const double begin = now();
  TRM_TRY(c->table->receive(c->handle, peer, 0, &in, sizeof in, &received));
  TRM_TRY(c->table->send(c->handle, peer, 0, &out, sizeof out, &sent));
  while (now() < begin + work) continue;
  TRM_TRY(c->table->wait(c->handle, &received));
  TRM_TRY(c->table->wait(c->handle, &sent));
  *seconds = now() - begin;
  return TRM_OK;
}

/* Milliseconds of an exchange, alone and beside 40 ms of work; the least of some tries. */
static trm_status time_messages(const domain_comm *comm)
{
  double least[2] = { 1e9, 1e9 }, seconds;
  for (int i = 0; i < 10; i++)
    for (int works = 0; works <= 1; works++) {
      TRM_TRY(exchange(comm, works ? 0.04 : 0, &seconds));
      if (seconds < least[works]) least[works] = seconds;
    }
  if (comm->place.rank == 0) printf("%.0f %.0f\n", 1e3 * least[0], 1e3 * least[1]);
  return comm->table->close(comm->handle);
}

static void list_ends(void)
{
  for (size_t i = 0; i < comm_end_count; i++)
    if (comm_ends[i].over_ranks)
      printf("%zu|%s|%s|%s\n", i, comm_ends[i].silence, comm_ends[i].over_ranks, comm_ends[i].name);
}

int main(int argc, char **argv)
{
  domain_comm comm = { .table = NULL };
  if (argc < 3) {
    list_ends();
    return 0;
  }
  const int is_late = argc > 3 && strcmp(argv[3], "late") == 0, ends = argc > 3 && !is_late;
  trm_status status = open_plugin(argv[1], argv[2], &comm);
  if (status == TRM_OK)
    status = ends ? comm_ends[atoi(argv[3])].run(NULL, &comm)
             : is_late ? time_messages(&comm) : run_cases(&comm);
  if (status == TRM_OK && ends) status = comm.table->close(comm.handle); /* waits for the others */
  if (status == TRM_OK) return 0;
  fprintf(stderr, "rank %d: %s\n", comm.place.rank, trm_error_last()->text);
  nanosleep(&(struct timespec){ 0, 200000000 }, NULL); /* launchers lose lines of who aborts */
  if (comm.table) comm.table->abort(comm.handle, 2);
  return 2;
}
