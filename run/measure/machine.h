/* machine.h - what a machine shows of itself: whether it is virtual, its sockets, threads of a core
 * and memory nodes, and the last cache beside the processors that share it.
 *
 * A virtual machine shows the layout that its host chose, which may not be the real one. */
#ifndef TRIREME_RUN_MACHINE_H
#define TRIREME_RUN_MACHINE_H

#include <jansson.h>

/* root: of the system's files, "" for the real one. Members that cannot be read are null. */
json_t *machine_json(const char *root);

/* Processor seconds of all processors since the start: in all, and those that a host took for other
 * machines (steal: the 8th number of `cpu` in /proc/stat, proc(5)). 0: the file does not tell. */
int machine_seconds(const char *root, double *all, double *stolen);

#endif
