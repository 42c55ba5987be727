/* view_parts.h - a view as its two files see it: view.c fills it at ends of batches, view_http.c
 * serves it. */
#ifndef TRIREME_CLI_VIEW_PARTS_H
#define TRIREME_CLI_VIEW_PARTS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/view/view.h"

enum { VIEW_WIDTH = 960, VIEW_HEIGHT = 540 };

/* The orders of the page. */
typedef struct view_orders {
  int pause, stop;             /* 1: wanted */
  unsigned steps;              /* while paused: one step each */
  char field[64];              /* "": the first one */
  int has_range;
  double low, high;
  unsigned changed;            /* counts orders that change the picture */
} view_orders;

struct view {
  trm_run *run;
  void *server;                /* MHD_Daemon */
  struct view_guest *guests;   /* its connections without a key, the oldest first; its thread's */
  unsigned guest_count;
  unsigned port;
  char key[33], address[96];
  pthread_mutex_t lock;        /* of all that follows */
  view_orders orders;
  double asked;                /* when the state was asked for last, on the clock; 0: never */
  int fetched;                 /* 1: the last picture was */
  uint64_t frame;              /* its number */
  char *state;                 /* JSON */
  uint8_t *levels;             /* of the picture: 0 to 252, or VIEW_... */
  size_t width, height;
  double shown, cost;          /* the run's own: when, and how long the last picture took */
};

/* An order of the page: "pause", "go", "step", "stop", "field NAME", "range LOW HIGH" or "range
 * auto". 0: it is no order. The caller has the lock. */
int view_take_order(view_orders *orders, const char *text);

trm_status view_serve(view *v, const char *port);
void view_end_serving(view *v);

extern const char view_page[], view_script[];

#endif
