/* view.h - `trireme run --view`: a page on 127.0.0.1 that shows a run while it goes on.
 *
 * The run serves the view at ends of batches, if a page has asked within two seconds and has
 * fetched the last picture. At most 5 % of the time goes into pictures. If no page is open nothing
 * is done, and the bits never change. One thread of libmicrohttpd answers requests from the data
 * that the run left. */
#ifndef TRIREME_CLI_VIEW_H
#define TRIREME_CLI_VIEW_H

#include "run/run.h"

typedef struct view view;

/* Opens a socket on 127.0.0.1 (port "": any that is free) and looks into the run from now on. */
trm_status view_open(trm_run *run, const char *port, view **out);
/* "http://127.0.0.1:PORT/?key=...": with it one may look and give commands. */
const char *view_address(const view *v);
void view_close(view **handle);

#endif
