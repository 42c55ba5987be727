/* node.h - the energy of the whole machine for the timed steps of runs: the packages of all
 * processors, their memory, and every board of NVIDIA. Power supply, fans and disks have no
 * counter here. A part without one keeps the reason. */
#ifndef TRIREME_RUN_NODE_H
#define TRIREME_RUN_NODE_H

#include <jansson.h>

#include "core/trireme.h"
#include "run/measure/nvml.h"
#include "run/measure/powercap.h"

typedef enum node_part { NODE_PACKAGES, NODE_MEMORY, NODE_BOARDS, NODE_PARTS } node_part;
enum { NODE_BOARD_LIMIT = 16, NODE_WHY = 400 };

typedef struct node_meter {
  energy_zone zones[2][ENERGY_ZONES]; /* of packages, of memory */
  size_t zone_count[2];
  nvml *boards[NODE_BOARD_LIMIT];
  size_t board_count;
  double last[NODE_BOARD_LIMIT];
  double joules[NODE_PARTS], seconds; /* of the timed steps since node_reset */
  double idle[NODE_PARTS];     /* watts before the runs; NaN: not measured */
  double idle_seconds;
  double begin;
  char missing[NODE_PARTS][NODE_WHY];
  int is_running;
} node_meter;

/* The joules that the runs of one side took. */
typedef struct node_taken {
  double joules[NODE_PARTS], seconds, updates;
  size_t runs;
  int has_others;              /* 1: other machines took part, whose counters nobody read */
} node_taken;

/* powercap: "/sys/class/powercap". Close it in any case. */
void node_open(node_meter *node, const char *powercap);
void node_close(node_meter *node);
int node_has_counters(const node_meter *node);

/* As energy_begin and its like; node may be NULL. */
void node_begin(node_meter *node);
void node_update(node_meter *node);
void node_pause(node_meter *node);
void node_reset(node_meter *node);
/* The power of an idle machine, over so many seconds. */
void node_measure_idle(node_meter *node, double seconds);
/* Adds the present run. */
void node_add(node_taken *to, const node_meter *node, double updates);

/* Whether one of the devices is of another machine than `here`. */
int node_has_others(const trm_device_part *parts, size_t count, const char *here);

/* {"joules_per_update", "packages", "memory", "boards", "idle_part", "missing", "sampling"} */
json_t *node_json(const node_meter *node, const node_taken *taken);

#endif
