/* profile_parts.h - shared by the files of the profile. */
#ifndef TRIREME_RUN_PROFILE_PARTS_H
#define TRIREME_RUN_PROFILE_PARTS_H

#include "run/measure/profile.h"

/* Commands of one kind, kernel or buffer, and extent (of a copy or fill: bytes). */
typedef struct profile_entry {
  trm_command command;         /* the first of them; its handles live as long as the solver */
  char name[PROFILE_NAME];
  uint64_t calls;
  uint64_t timed, timed_cold;  /* cold: in the first batch */
  double seconds, seconds_cold;    /* of those, floors included */
  uint64_t pending;            /* timed in this batch, not yet read */
  uint64_t seen;               /* in this batch, carried out one by one because of the profile */
} profile_entry;

/* How often each entry occurs in a recorded sequence. */
typedef struct profile_recipe {
  uint64_t number;             /* the sequence's */
  size_t *entries;             /* count pairs: entry, times */
  size_t *times;
  size_t count;
} profile_recipe;

typedef struct profile_span { size_t entry, begin, end; } profile_span;

enum { PROFILE_EVENTS = 1024 };

struct profile {
  trm_device *device;
  trmi_trace_hooks trace;
  double floor;                /* seconds that a timed kernel shows too much */
  double launch;               /* of a kernel without work, in a replay */
  trm_buffer *filled;          /* to get ahead of the device; NULL on a host */
  int fills;
  double ahead;                /* its seconds */
  profile_entry *entries;
  size_t entry_count, entry_capacity;
  profile_recipe *recipes;
  size_t recipe_count, recipe_capacity;
  trm_event *events[PROFILE_EVENTS];
  size_t event_count;          /* used in this batch */
  profile_span spans[PROFILE_EVENTS];
  size_t span_count;
  size_t current;              /* the entry of the command between the hooks before and after */
  int is_timed;                /* whether that command is timed */
  int is_chained;              /* the last event is the device's last command */
  uint64_t transfers;          /* transfers of the device when that event was recorded */
  int is_cold;
  int has_seen;                /* one replay of this batch ran command by command */
  size_t in_replay;            /* remaining commands of that replay */
  size_t untimed;              /* the first of these commands, not timed while caches fill again */
  size_t replayed_spans, other_spans;  /* timed in this batch, in that replay and outside it */
  double device_seconds;       /* of all batches */
  double elapsed;              /* seconds of the run so far, without its first batch */
  double expected;             /* of the whole run; 0: not known */
  double spent;                /* seconds spent on timing */
};

/* Fills in floor, launch and the fills that get ahead of the device; the events must exist. */
trm_status profile_measure_floor(profile *made);

/* Gives the device work for some milliseconds, so that it is busy when the next command is
 * enqueued. */
trm_status profile_get_ahead(profile *made);

/* Mean seconds of a call without the events' own time; NaN: none was timed. */
double profile_mean(const profile *made, const profile_entry *entry);

#endif
