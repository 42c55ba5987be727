/* fairness_machine.c - whether a processor is a part of a larger one, and whether a host took time
 * from it. */
#include "cli/report/fairness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/text/members.h"

/* More of the last cache for each processor than chips have: the other processors that share the
 * cache are not shown. */
static const double most_cache_each = 12.0 * 1048576;

static void ask_virtual(answers *to, const json_t *host, const json_t *machine)
{
  const double cache = member_number(machine, "last_cache.bytes"),
               cores = member_number(host, "cores"),
               sharing = member_number(machine, "last_cache.processors");
  const char *vendor = member_text(machine, "vendor");
  const double processors = isfinite(sharing) ? sharing : cores;
  char part[240] = "";
  if (processors >= 1 && cache / processors > most_cache_each)
    snprintf(part, sizeof part, " Its %.0f processor%s a last cache of %.0f MiB, so that they "
             "may be a part of a larger chip. If so, the ratio is not one to the chip.",
             processors, processors > 1 ? "s share" : " has", cache / 1048576);
  if (json_is_true(member(machine, "virtual")))
    answer(to, MARK_WARNING, "Machine: a virtual machine%s%s%s.%s", *vendor ? " (" : "", vendor,
           *vendor ? ")" : "", part);
  else if (json_is_false(member(machine, "virtual")))
    answer(to, part[0] ? MARK_WARNING : MARK_GOOD, "Machine: no virtual machine.%s", part);
  else answer(to, MARK_UNKNOWN, "Machine: whether it is a virtual machine is not known.%s", part);
}

/* A user may know the whole chip. */
static void ask_chip(answers *to, const json_t *host, const json_t *machine)
{
  const double most = 1e6, cores = member_number(host, "cores");
  const char *text = member_text(machine, "chip_cores");
  char *end;
  const double chip = strtod(text, &end);
  if (!*text) return;
  if (*end || !(chip >= cores) || chip > most)
    answer(to, MARK_WARNING, "Chip: TRIREME_CHIP_CORES=%s is not used. Give the number of the "
           "chip's cores, %.0f or more.", text, cores);
  else
    answer(to, MARK_NONE, "Chip: %.0f cores (given by TRIREME_CHIP_CORES), %.3g times the %.0f "
           "here. Its speed is at most so many times the speed here, and less where its bandwidth "
           "is the limit.", chip, chip / cores, cores);
}

/* "2 sockets" */
static void count_text(double count, const char *what, char text[48])
{
  if (isfinite(count)) snprintf(text, 48, "%.0f %s%s", count, what, count > 1 ? "s" : "");
  else snprintf(text, 48, "%ss not known", what);
}

static void ask_layout(answers *to, const json_t *host, const json_t *machine)
{
  char count[48] = "number not known", sockets[48], threads[48], nodes[48];
  const double cores = member_number(host, "cores");
  const double allowed = member_number(host, "cores_allowed");
  if (isfinite(cores)) snprintf(count, sizeof count, "%.0f", cores);
  if (allowed < cores)
    snprintf(count, sizeof count, "%.0f, %.0f of them for this program", cores, allowed);
  count_text(member_number(machine, "sockets"), "socket", sockets);
  count_text(member_number(machine, "threads_per_core"), "thread", threads);
  count_text(member_number(machine, "memory_nodes"), "memory node", nodes);
  answer(to, MARK_NONE, "Processors: %s, %s, %s a core, %s%s.", count, sockets, threads, nodes,
         json_is_true(member(machine, "virtual"))
         ? "; as shown by the virtual machine, which may not be the real layout" : "");
}

static void ask_stolen(answers *to, const json_t *host)
{
  const double part = member_number(host, "stolen_part");
  if (isfinite(part))
    answer(to, part > 0.01 ? MARK_WARNING : MARK_GOOD,
           "Steal: the host took %.2g %% of the processors' time during the runs.", 100 * part);
  else answer(to, MARK_UNKNOWN, "Steal: whether a host took processor time is not known.");
}

void fairness_ask_machine(answers *to, const json_t *host)
{
  const json_t *machine = member(host, "machine");
  if (!machine) return; /* results of an earlier version */
  ask_virtual(to, host, machine);
  ask_chip(to, host, machine);
  ask_layout(to, host, machine);
  ask_stolen(to, host);
}
