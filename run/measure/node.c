/* node.c - all counters of energy of a machine, read together. */
#include "run/measure/node.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "run/measure/clock.h"
#include "run/text/json.h"

static const char *const part_names[NODE_PARTS] = {"packages", "memory", "boards"};
/* NVIDIA renews its counter about ten times a second. Ten periods make an error of a tenth. */
static const double least_seconds = 1.0;

void node_open(node_meter *node, const char *powercap)
{
  *node = (node_meter){0};
  for (int part = 0; part < NODE_PARTS; part++) node->idle[part] = NAN;
  for (int part = NODE_PACKAGES; part <= NODE_MEMORY; part++)
    node->zone_count[part] = powercap_find(powercap, part == NODE_MEMORY ? "dram" : "package",
                                           node->zones[part], node->missing[part], NODE_WHY);
  char *why = node->missing[NODE_BOARDS];
  while (node->board_count < NODE_BOARD_LIMIT) {
    nvml *board = nvml_open_at((unsigned)node->board_count, why, NODE_WHY);
    if (!board) break;
    node->boards[node->board_count++] = board;
    if (!nvml_energy(board, &node->last[node->board_count - 1], why, NODE_WHY)) break;
  }
  if (node->board_count == 0 && !why[0]) snprintf(why, NODE_WHY, "no board of NVIDIA");
}

void node_close(node_meter *node)
{
  for (size_t i = 0; i < node->board_count; i++) nvml_close(&node->boards[i]);
  node->board_count = 0;
}

int node_has_counters(const node_meter *node)
{
  for (int part = 0; part < NODE_PARTS; part++)
    if (!node->missing[part][0]) return 1;
  return 0;
}

static void look(node_meter *node, int is_first)
{
  for (int part = NODE_PACKAGES; part <= NODE_MEMORY; part++)
    if (!node->missing[part][0])
      (void)powercap_take(node->zones[part], node->zone_count[part], is_first,
                          &node->joules[part], node->missing[part], NODE_WHY);
  for (size_t i = 0; i < node->board_count && !node->missing[NODE_BOARDS][0]; i++) {
    double now;
    if (!nvml_energy(node->boards[i], &now, node->missing[NODE_BOARDS], NODE_WHY)) return;
    if (!is_first) node->joules[NODE_BOARDS] += now - node->last[i];
    node->last[i] = now;
  }
}

void node_begin(node_meter *node)
{
  if (!node || node->is_running) return;
  node->is_running = 1;
  look(node, 1);
  node->begin = clock_now();
}

void node_update(node_meter *node)
{
  if (node && node->is_running) look(node, 0);
}

void node_pause(node_meter *node)
{
  if (!node || !node->is_running) return;
  look(node, 0);
  node->seconds += clock_now() - node->begin;
  node->is_running = 0;
}

void node_reset(node_meter *node)
{
  memset(node->joules, 0, sizeof node->joules);
  node->seconds = 0;
}

void node_measure_idle(node_meter *node, double seconds)
{
  const struct timespec rest = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
  node_reset(node);
  node_begin(node);
  nanosleep(&rest, NULL);
  node_pause(node);
  for (int part = 0; part < NODE_PARTS; part++)
    node->idle[part] = node->missing[part][0] ? (double)NAN : node->joules[part] / node->seconds;
  node->idle_seconds = node->seconds;
  node_reset(node);
}

void node_add(node_taken *to, const node_meter *node, double updates)
{
  for (int part = 0; part < NODE_PARTS; part++) to->joules[part] += node->joules[part];
  to->seconds += node->seconds;
  to->updates += updates;
  to->runs++;
}

int node_has_others(const trm_device_part *parts, size_t count, const char *here)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(parts[i].node, here) != 0) return 1;
  return 0;
}

json_t *node_json(const node_meter *node, const node_taken *taken)
{
  json_t *out = json_object(), *missing = json_object();
  const int is_long = taken->seconds >= least_seconds;
  double all = 0, idle = 0;
  int parts = 0;
  for (int part = 0; part < NODE_PARTS; part++) {
    const char *why = taken->has_others ? "other machines took part in the run, and their "
                                          "counters are not read" : node->missing[part];
    const int is_short = !why[0] && (!is_long || !(taken->joules[part] > 0));
    const int is_known = !why[0] && !is_short;
    json_object_set_new(out, part_names[part],
                        json_number(is_known ? taken->joules[part] / taken->updates
                                             : (double)NAN));
    if (why[0]) json_object_set_new(missing, part_names[part], json_text(why));
    else if (is_short)
      json_object_set_new(missing, part_names[part],
                          json_text(is_long ? "the counter stood still"
                                            : "the timed steps are too few for the counters of a "
                                              "whole machine, which take 1 s; run more steps"));
    if (!is_known) continue;
    parts++;
    all += taken->joules[part];
    if (isfinite(node->idle[part])) idle += node->idle[part] * taken->seconds;
  }
  json_object_set_new(out, "joules_per_update",
                      json_number(parts > 0 ? all / taken->updates : (double)NAN));
  json_object_set_new(out, "idle_part", json_number(parts > 0 && node->idle_seconds > 0
                                                    ? idle / all : (double)NAN));
  json_object_set_new(out, "idle_seconds", json_number(node->idle_seconds));
  json_object_set_new(out, "seconds", json_number(taken->seconds));
  json_object_set_new(out, "runs", json_integer((json_int_t)taken->runs));
  json_object_set_new(out, "missing", missing);
  json_object_set_new(out, "sampling", json_text("packages and memory: renewed about every 1 ms; "
                                                 "boards: about every 100 ms"));
  return out;
}
