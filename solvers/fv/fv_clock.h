/* What lies where in the clock, which stays on the device: element numbers of its reals and of its
 * integers. Included by the kernels and by the host side. */
#define FV_TIME 0             /* time of the state, and the part of it that was rounded off */
#define FV_TIME_REST 1
#define FV_DT 2               /* length of the next step */
#define FV_LIVE 3             /* 1: there is a next step, 2: it is the last; 0: at the end, steps
                               * change nothing */
#define FV_END 4              /* where the run ends, and its rest */
#define FV_END_REST 5
#define FV_CLOCK_REALS 8

#define FV_SLOT 0             /* steps since the batch began */
#define FV_TALLY_INTS 4

#define FV_SERIES 3           /* numbers kept of each step: dt, time, rate */
#define FV_CHUNK 1024         /* values that a group of fv_peak folds */

/* Cells of a block: 8^3, or in two dimensions 16 x 16 (the variant `flat`). Five values a cell. */
#define FV_VALUES 5
#ifdef TRM_VARIANT_flat
#define FV_SX 16
#define FV_SY 16
#define FV_SZ 1
#else
#define FV_SX 8
#define FV_SY 8
#define FV_SZ 8
#endif
#define FV_CELLS (FV_SX * FV_SY * FV_SZ)
#define FV_BLOCK (FV_VALUES * FV_CELLS) /* reals of a slot */
