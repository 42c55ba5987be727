/* The cases that the lattice-Boltzmann tests share. tests/data/fingerprints.csv has, for each, the
 * fingerprint of the state and the hash of the series that a strict run leaves on every backend.
 * These change when the kernel's arithmetic does: `tests/run --bless` may write them only when
 * tests/solvers/lbm/lbm_physics and tests/solvers/lbm/lbm_bristol, which know nothing of them,
 * pass. */
/* id, nx, ny, steps, solids, lbm.accel (NULL: the default) */
LBM_CASE(ODD, 97, 61, 999, ROCKS, "0.01")
LBM_CASE(ODD_BOX, 130, 67, 1001, BOX, NULL)
LBM_CASE(ONE_STEP, 97, 61, 1, ROCKS, "0.01")
LBM_CASE(EVEN, 96, 40, 2000, ROCKS, NULL)
LBM_CASE(TINY, 3, 3, 200, OPEN, NULL)
LBM_CASE(NARROW, 3, 64, 300, ROCKS, "0.01")
LBM_CASE(SHORT_ROWS, 31, 9, 500, ROCKS, NULL)
LBM_CASE(FLAT, 33, 3, 500, OPEN, NULL)
LBM_CASE(FLAT_ROCKS, 130, 4, 500, ROCKS, NULL)
LBM_CASE(LONG_ROWS, 513, 6, 300, ROCKS, NULL)
LBM_CASE(WIDE, 1030, 70, 150, ROCKS, NULL)
LBM_CASE(CHANNEL, 70, 18, 500, CHANNEL, NULL)
LBM_CASE(COURSE_START, 128, 128, 2001, COURSE, NULL)
LBM_CASE(COURSE_TALL_START, 128, 256, 2001, COURSE, NULL)
LBM_CASE(COURSE, 128, 128, 40000, COURSE, NULL)
LBM_CASE(COURSE_TALL, 128, 256, 40000, COURSE, NULL)
