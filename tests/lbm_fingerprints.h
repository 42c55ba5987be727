/* The cases that the lattice-Boltzmann tests share, and what a strict run of each leaves on every
 * backend: fingerprint of the state and hash of the series, in f32 and in f64.
 *
 * A test that fails prints the figures that it found. They change when the kernel's arithmetic
 * does, and may be put here only when tests/lbm_physics and tests/lbm_bristol, which know nothing
 * of them, pass. */
/* id, nx, ny, steps, solids, lbm.accel (NULL: the default),
 *       f32: state, series,
 *       f64: state, series */
LBM_CASE(ODD, 97, 61, 999, ROCKS, "0.01",
         "413d5b8de13c9eb8d1ca10e0ea7b8de7", "d20be4030d4fc6ed",
         "b2e4e3273267b406573cea374abb6566", "98c0fc1bf0081440")
LBM_CASE(ODD_BOX, 130, 67, 1001, BOX, NULL,
         "cbe3c1792223ed37a7fd3ae62f8ce763", "92fa8156ed35d39b",
         "00af0a60704a2a9c42106a51cbea9966", "050447f731a8ba71")
LBM_CASE(ONE_STEP, 97, 61, 1, ROCKS, "0.01",
         "52850f7c4df08ba68f0745d2d0a269e0", "63ee8e0b1619edba",
         "dca887cf89b8b7e987b08ef3b5287f7f", "19d5e4f35477f941")
LBM_CASE(EVEN, 96, 40, 2000, ROCKS, NULL,
         "d2254a8c9aee3d0d872ae16d6917c88d", "1897c1da07ffd286",
         "71fe4f09bd527aa209fcddb1f3ef3ed6", "d88f7607ac827b0a")
LBM_CASE(TINY, 3, 3, 200, OPEN, NULL,
         "2985a8092b997cc2f3db6e20e35ce591", "784e12bd1eac19ae",
         "2bb997d84d2fd84aae52a0e4c064d283", "94ae469bd6fc7d24")
LBM_CASE(NARROW, 3, 64, 300, ROCKS, "0.01",
         "6fe8d3035017d3577a33101aaa7ab63f", "8bcafaed07364c98",
         "df34b610672565a996895a4a650f6b95", "0c3951ad040ae6ab")
LBM_CASE(SHORT_ROWS, 31, 9, 500, ROCKS, NULL,
         "ab575fb8c2b5a73cd81a9449b8e4c9b6", "4f3ab10026a80ebe",
         "873bbcc3badf60589ccef83291c0055f", "f3ba86bfdb86bc08")
LBM_CASE(FLAT, 33, 3, 500, OPEN, NULL,
         "4d39d5fcb158f42f8c5a4096f2abe771", "1cd794f6911c8c46",
         "bd116e65204199734225527f1829e793", "6a500380fabeaec8")
LBM_CASE(FLAT_ROCKS, 130, 4, 500, ROCKS, NULL,
         "4c2cb7cfe9b16bb7fdbadde7744b9a51", "132489502fe61fc2",
         "a569c3db719d5a53e31233d239f3b61c", "c64ea616dbd4cddb")
LBM_CASE(LONG_ROWS, 513, 6, 300, ROCKS, NULL,
         "115f5d8704af8d8720cdf7f297ceae1c", "bf6b6ea48d877975",
         "e2301e1866a0166f8cbe8a9130decc10", "7cd58182db5f6cf5")
LBM_CASE(WIDE, 1030, 70, 150, ROCKS, NULL,
         "e60e84e400e298cb0acbdb46e4fa0f90", "d363bb23f83e4d80",
         "da2228985b29f54d3a658c27232708b0", "cd4294b7ae3c22b3")
LBM_CASE(CHANNEL, 70, 18, 500, CHANNEL, NULL,
         "10cc54ec0d40a2b4bec269d14bd4305b", "1009d3174bdda05b",
         "d8ea9330ea506a78b9ad9e9dda885bdb", "0d02af600f7ad4b9")
LBM_CASE(COURSE_START, 128, 128, 2001, COURSE, NULL,
         "5665ef33af80b4af087b8c59d6cc90db", "42e630028ed459f4",
         "eed974a111b8d2ccf52399b8e5634dfd", "857336c30bbb6368")
LBM_CASE(COURSE_TALL_START, 128, 256, 2001, COURSE, NULL,
         "c26d017873e0650f9a671071760fb8dc", "b7a6217850e3f9c1",
         "9b50f371f2e740d6b8b5043dc2a06ce7", "06f4904433abcb3b")
LBM_CASE(COURSE, 128, 128, 40000, COURSE, NULL,
         "2ece9b974ce50742fd8a2c8272dcfe89", "a56617f0df42d54c",
         "71a7c591926f8007b2d22e723864466a", "4c8a9e304ab75780")
LBM_CASE(COURSE_TALL, 128, 256, 40000, COURSE, NULL,
         "1e0f9e6253761905beb2af4acd4d3e0c", "6bea285d77073f36",
         "42e9f274129df39271798904770a9ffa", "dba75016d96e52b3")
