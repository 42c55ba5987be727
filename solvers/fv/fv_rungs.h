/* What the rungs' kernels (fv_rungs.k) and their host side (rungs.c) agree on. */
#ifndef TRIREME_FV_RUNGS_H
#define TRIREME_FV_RUNGS_H

#define FV_LISTED 32          /* faces of a group, of one axis: the list has a multiple of them */

#endif
