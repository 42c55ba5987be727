/* The cases that the lattice-Boltzmann tests share, and what a strict run of each leaves on every
 * backend: fingerprint of the state and hash of the series, in f32 and in f64.
 *
 * A test that fails prints the figures that it found. They change when the kernel's arithmetic
 * does, and may be put here only when tests/solvers/lbm/lbm_physics and
 * tests/solvers/lbm/lbm_bristol, which know nothing of them, pass. */
/* id, nx, ny, steps, solids, lbm.accel (NULL: the default),
 *       f32: state, series,
 *       f64: state, series */
LBM_CASE(ODD, 97, 61, 999, ROCKS, "0.01",
         "c2e524cfc6b37aa5409796a6074a8348", "7e2fb0ec75fdc192",
         "20c1c7742db580a9782d313887606222", "729596b9ffc533cf")
LBM_CASE(ODD_BOX, 130, 67, 1001, BOX, NULL,
         "2590df533f1d0870735dd80daba0c615", "157ea1ea739e770e",
         "40e1388471c4c6999916d42883704f2e", "23c1729b448d1ccb")
LBM_CASE(ONE_STEP, 97, 61, 1, ROCKS, "0.01",
         "d628d37280af2e0c5358157d48ac9533", "727d51bf3a1c672f",
         "4e802e1aac81aed2b717399c6c1dbd9e", "5a95f7daf9f28da4")
LBM_CASE(EVEN, 96, 40, 2000, ROCKS, NULL,
         "0c42d43dd470be0a3a3651151fc58e18", "6f05980018182422",
         "86863044b798a1c8d30e735f46316d4b", "76871b48e91ab8e9")
LBM_CASE(TINY, 3, 3, 200, OPEN, NULL,
         "e50c90da4f4d42949f02543f94234945", "0fb58f7b758f3fcd",
         "961e40dfa78195c07ba790a3c4e24d80", "6fae0d1aa2fc773a")
LBM_CASE(NARROW, 3, 64, 300, ROCKS, "0.01",
         "0c06e98a523078372b141716678be1e8", "35dade953573ec2d",
         "eca17b3e7f369cf7699ca82401cfff41", "30db15a62cf88091")
LBM_CASE(SHORT_ROWS, 31, 9, 500, ROCKS, NULL,
         "a8c4591c2f8e40095ec150fb7eeb4def", "b21c054112a11b7f",
         "78d7c4afe2b96d6ada68a501a7360407", "cf5d20c75113c506")
LBM_CASE(FLAT, 33, 3, 500, OPEN, NULL,
         "c5d885abcc3b20505589bf464df4f801", "3afca8e768f14d58",
         "88ccb92a64d53c38e47d1e6788b0c813", "f67384dd2c3f92dd")
LBM_CASE(FLAT_ROCKS, 130, 4, 500, ROCKS, NULL,
         "4b68aae0a9854c96d8a3fecba43770bd", "e1d2c34b98c43556",
         "ad8d6a5ad4d2529901da23cb33743923", "a2a3c1893a45a3e1")
LBM_CASE(LONG_ROWS, 513, 6, 300, ROCKS, NULL,
         "660fb1042e36af7c82b68f1ae51fc33c", "b5590c516d24fedd",
         "1be0102a7df8a4fa8c6b960405c4a896", "eb7967a8f152b16e")
LBM_CASE(WIDE, 1030, 70, 150, ROCKS, NULL,
         "0dce01ae178d77c41ad6a3e426970771", "c8e55edfdc7e4236",
         "402f691b5729c8f88c5548b8e2d124c7", "9c85a6932872ae89")
LBM_CASE(CHANNEL, 70, 18, 500, CHANNEL, NULL,
         "b6c8a5c7ebdb6f7fe14d8eab813e66f7", "9936f1083f318db2",
         "f12a195cdf68f3de238633f6a609ea1f", "136ccb7f163f6cf2")
LBM_CASE(COURSE_START, 128, 128, 2001, COURSE, NULL,
         "e056c8a538a7466a619cdcbf4123aa65", "343806ff1452c0ee",
         "ed0d76831f449311f8c4dab2233e0ecb", "dda32fef265d5820")
LBM_CASE(COURSE_TALL_START, 128, 256, 2001, COURSE, NULL,
         "6e943ddf097fc51db38dd271677e982d", "7702556e9c7ece58",
         "9713a146152fa2a4c81d0b7385f44f6c", "3d5773894a3ddf7c")
LBM_CASE(COURSE, 128, 128, 40000, COURSE, NULL,
         "6f49fa005acef18f3b2db6797abc8409", "867dce99b42953c1",
         "8caa7e8bb002b7c3c2a45e3d49c351b0", "6ff8d5d3871f7d42")
LBM_CASE(COURSE_TALL, 128, 256, 40000, COURSE, NULL,
         "b4ff9cde9a0dcfc8babfb4f223dda151", "4d889eec5d2461d8",
         "fb86507fb3a0c47a227cc5e838324614", "0b80259d5efc206b")
