/* machine.h - properties that a machine shows: whether it is virtual, its sockets, threads of a
 * core, memory nodes, and its last cache with the processors that share it.
 *
 * A virtual machine shows the layout that its host chose, which may not be the real one. */
#ifndef TRIREME_RUN_MACHINE_H
#define TRIREME_RUN_MACHINE_H

#include <jansson.h>

/* root: of the system's files, "" for the real one. Members that cannot be read are null. */
json_t *machine_json(const char *root);

/* Seconds of all processors together since the machine's start. stolen: the host used them for
 * other machines (the 8th number of `cpu` in /proc/stat, proc(5)). 0: the file does not tell. */
int machine_seconds(const char *root, double *all, double *stolen);

#endif
