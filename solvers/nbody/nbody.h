/* nbody.h - the N-body solver's own object, shared by its files: nbody.c (options, life),
 * programs.c (kernels and memory), declarations.c, traffic.c (bytes and operations of kernels),
 * load.c (a case's bodies), check.c (its numbers), steps.c (advance), tree.c (Barnes and Hut's
 * force), initial.c (generators), random.c (random numbers), bodies.c (bodies in host memory),
 * files.c, density.c (the picture). */
#ifndef TRIREME_NBODY_H
#define TRIREME_NBODY_H

#include "solvers/framework/memory.h"
#include "solvers/framework/program.h"
#include "solvers/nbody/kernels/nbody_params.h"
#include "solvers/nbody/kernels/tree_params.h"

enum {
  NBODY_TILE = 256,          /* of nbody.k */
  NBODY_MEASURES = 12,       /* numbers of a body that nbody_measure writes */
  NBODY_SERIES = 14,         /* rows that nbody_deposit writes */
  NBODY_ENERGY_SERIES = 2,   /* energy and energy_drift come first: not without the potential */
  NBODY_SLOTS = 64,          /* steps whose measures wait to be folded, at most */
  NBODY_BATCH_LIMIT = 65536, /* steps whose series fit their buffer */
  NBODY_BLOCK = 4,           /* groups of bodies that several devices are not cut between */
  NBODY_KERNELS = 14,        /* of a step, at most */
  NBODY_BUFFERS = 25
};

/* Kernels by their numbers in trm_framework_program: of nbody.k, nbody_hermite.k and nbody_tree.k;
 * nbody_force.k and nbody_walk.k have one each. */
enum { MOVE_DRIFT, MOVE_EXPLICIT, MOVE_KICK, MOVE_MEASURE, MOVE_DEPOSIT, MOVE_PACK };
enum { HERMITE_FORCE, HERMITE_PREDICT, HERMITE_CORRECT, HERMITE_FOLD };
enum { GROW_KEYS, GROW_GATHER, GROW_LEAVES, GROW_LEVEL, GROW_SCATTER };

/* In the order of the choices of nbody.initial and nbody.integrator. */
typedef enum nbody_initial {
  NBODY_PLUMMER, NBODY_COLLAPSE, NBODY_GALAXIES, NBODY_CUBE, NBODY_BOX, NBODY_EIGHT, NBODY_FIVE,
  NBODY_KEPLER, NBODY_FILE
} nbody_initial;

typedef enum nbody_integrator {
  NBODY_LEAPFROG, NBODY_KICK_DRIFT, NBODY_EXPLICIT, NBODY_YOSHIDA, NBODY_HERMITE
} nbody_integrator;

enum {
  TREE_LEAF = 8, TREE_FAN = 4, TREE_BLOCK = 32, TREE_ROOT = 3, /* of tree_node.h */
  TREE_NODE = 18, /* reals of a gate, moments and a box */
  SORT_TILE = 2048, SORT_DIGITS = 16, /* of core/kernels/sort.k, for the traffic */
  TREE_LEVELS = 14, /* of 8 * 4^13 bodies, as many as there may be */
  TREE_LONG_KEYS = 1 << 18, /* so many bodies have keys of two words */
  TREE_WORDS = 3  /* of a key, at most: ten bits of each coordinate a word */
};

/* Barnes and Hut's force: kernels and buffers of nbody_tree.k and nbody_walk.k. */
typedef struct nbody_tree {
  trm_framework_program grower, walker;
  trm_sort *sort;
  trm_reduction *lowest, *highest;
  trm_buffer *lows, *highs;  /* of x, y, z */
  trm_buffer *keys;          /* words of the keys, the uppermost first, and body numbers */
  trm_buffer *sorted;        /* bodies in the order of the curve */
  trm_buffer *gates, *moments, *boxes; /* of nodes */
  trm_buffer *walked;        /* several devices: sums in the order of the curve */
  trm_buffer *tally;         /* of each block of bodies: how much acted on each */
  int levels, first[TREE_LEVELS], count[TREE_LEVELS], words;
  double theta;
} nbody_tree;

/* Bodies in host memory, in double precision, component by component: x, y, z, vx, vy, vz, m.
 * Places are relative to a middle, also on the device; output adds the middle again. */
typedef struct nbody_bodies {
  size_t count;
  double *value[7];
  double middle[3];
} nbody_bodies;

typedef struct nbody_solver {
  trm_solver base;           /* first, as solver.h asks */
  trm_precision precision;
  nbody_integrator integrator;
  int count;                 /* N */
  int stride, length, segments, segments_each, rows, targets, slots;
  int loads;                 /* nbody.loads: 16, 4; 0: as the force kernel has it */
  int full;                  /* the potential is summed: series of energy; or eps = 0 */
  int with_energy;
  int with_tree;
  int is_shared;             /* several devices share the bodies */
  int is_moved;              /* the middle is not the origin */
  double middle[3];          /* from which the device counts places */
  double softening, gravity, dt, total_mass;
  int picture_width;         /* cells of the projected density along each side */
  double extent, rms_speed;  /* root mean squares of the start: distance from the middle; speed, or
                              * that of a fall */
  double picture_span;       /* length of a side, around the middle; 0: the extent of the bodies at
                              * the start */
  int picture_axes[2];
  int light_only;            /* bodies of at most the mean mass are in the picture, no others */
  const char *length_unit, *mass_unit, *time_unit;
  char units[8][48];         /* texts that series and fields point to */
  char caution[512];

  trm_framework_program moves; /* of nbody.k */
  trm_framework_program forces; /* of nbody_force.k, or nbody_hermite.k; none with a tree */
  trm_buffer *old, *found;   /* Hermite: x, v before the step; a, phi, jerk where predicted */
  nbody_tree tree;
  trm_buffer *bodies;        /* x, y, z, G m: a row of `stride` each */
  trm_buffer *packed;        /* nbody.loads = 16: the same, the four of a body side by side */
  trm_buffer *motion;        /* vx, vy, vz */
  trm_buffer *pull;          /* ax, ay, az, phi, and for Hermite the jerk */
  trm_buffer *mass;
  trm_buffer *part;          /* partial sums of the force */
  trm_buffer *leaves;        /* slots x measures x stride */
  trm_buffer *sums;          /* slots x measures */
  trm_buffer *series_rows;   /* NBODY_SERIES rows of NBODY_BATCH_LIMIT */
  trm_buffer *place;         /* elements of the series that the batch has filled */
  trm_buffer *origin;        /* the energy at the start */
  trm_buffer *density;       /* picture_width^2 */
  trm_buffer *places;        /* x, y, z with the middle, in f64, where it is not the origin */
  trm_framework_buffer memory[NBODY_BUFFERS]; /* all of these and the tree's */
  size_t memory_count;
  trm_reduction *fold;
  trm_sequence *sequence;    /* of `slots` steps; made when first needed */

  trm_field fields[8];
  trm_kept kept[6];
  trm_series series[NBODY_SERIES];
  trm_traffic traffic[NBODY_KERNELS];
  trm_result results[5];
} nbody_solver;

/* programs.c: kernels, and the sizes that follow from them; every buffer. */
trm_status nbody_build(nbody_solver *nbody, const trm_config *config,
                       const trm_solver_options *run);
trm_status nbody_allocate(nbody_solver *nbody);
/* So many bodies stay together: several devices are not cut between them. */
int nbody_block(const nbody_solver *nbody);
/* Lists the buffers of so many bodies, rows and slots as *nbody has, and asks the device for room;
 * nothing is allocated. */
trm_status nbody_check_room(nbody_solver *nbody);
/* Adds one to the list. Reals begin as zeros. */
void nbody_list(nbody_solver *nbody, trm_buffer **buffer, const char *name, size_t count,
                trm_type type);

/* load.c: the case's bodies, checked, as the run's precision holds them; then to the device. */
/* Where the bodies come from, for messages: their file, or the origin of nbody.initial. */
const char *nbody_bodies_origin(const trm_config *config);
trm_status nbody_load(nbody_solver *nbody, const trm_config *config, nbody_bodies *bodies);
trm_status nbody_upload(nbody_solver *nbody, const nbody_bodies *bodies);

/* check.c: refuses numbers that the precision cannot hold or compute with. It adds a caution where
 * the method cannot follow the bodies: steps too long for an orbit, a softening too wide for a
 * pair. */
trm_status nbody_check_numbers(nbody_solver *nbody, const trm_config *config,
                               const nbody_bodies *bodies);

/* declarations.c */
void nbody_declare(nbody_solver *nbody);

/* traffic.c: forces: how many a step finds */
void nbody_declare_traffic(nbody_solver *nbody, double forces);

/* steps.c */
trm_status nbody_start(nbody_solver *nbody); /* forces and measures of the initial state */
trm_status nbody_advance(trm_solver *solver, uint64_t max_steps, double t_end, int sync_state,
                         uint64_t *done);
trm_status nbody_restore(trm_solver *solver, uint64_t step, double time);

/* tree.c: what the case sets is in tree.theta; the sums go to nbody->part. First how many words
 * the keys of these bodies need, then programs, then buffers. */
trm_status nbody_tree_choose_keys(nbody_solver *nbody, const nbody_bodies *bodies);
trm_status nbody_tree_build(nbody_solver *nbody, const trm_solver_options *run);
/* Levels and buffers of nbody->count bodies, into the list; bytes beside them in *more. */
void nbody_tree_list(nbody_solver *nbody, uint64_t *more);
trm_status nbody_tree_allocate(nbody_solver *nbody); /* what is not a buffer */
void nbody_tree_destroy(nbody_tree *tree);
trm_status nbody_tree_force(nbody_solver *nbody);
/* Nodes and bodies that acted on a body in the last force, on average. Waits for the device. */
trm_status nbody_tree_tally(const nbody_solver *nbody, double *interactions);

/* bodies.c: a set of `count` bodies at rest at the origin without mass; free clears it. */
trm_status nbody_bodies_create(size_t count, nbody_bodies *out);
void nbody_bodies_free(nbody_bodies *bodies);
/* Makes places relative to a middle if they lie so far from the origin that f32 would lose digits.
 * The middle is then on a grid of a power of two, about as wide as the set. Else it stays 0. */
void nbody_bodies_centre(nbody_bodies *bodies);
/* Counts them from the origin again. */
void nbody_bodies_place(nbody_bodies *bodies);
/* Finite values, no negative mass, some mass, two bodies at least, none on top of another where
 * there is no softening. `origin` begins messages. */
trm_status nbody_bodies_check(const nbody_bodies *bodies, double softening, const char *origin);

/* files.c: text and CSV (x y z vx vy vz m in a line, a heading allowed), .npy (N x 7 or 7 x N) and
 * binary sets (NAME_f32.bin: x y z m; NAME_f64.bin: x y z vx vy vz ax ay az, all masses from
 * `masses`, a set of f32). */
trm_status nbody_read(const char *path, const char *masses, nbody_bodies *out);
trm_status nbody_write(const char *path, const nbody_bodies *bodies, trm_precision precision);

/* initial.c: bodies from the generator that the case names. */
trm_status nbody_generate(const trm_config *config, double gravity, nbody_bodies *out);
/* How many bodies that generator makes. */
size_t nbody_generated(const trm_config *config);

/* density.c */
trm_status nbody_project(nbody_solver *nbody);
/* The field position, where the state's places are from a middle. */
trm_status nbody_place(nbody_solver *nbody);
trm_status nbody_read_state(const nbody_solver *nbody, nbody_bodies *out);

/* random.c: Philox4x32-10 (Salmon et al. 2011): four words for a counter and a key. */
typedef struct nbody_random { uint64_t seed, body; uint32_t draw, word[4]; int left; } nbody_random;
/* The sequence of one body: numbers do not depend on how many another body drew. */
nbody_random nbody_random_for(uint64_t seed, uint64_t body);
double nbody_random_uniform(nbody_random *random); /* in (0, 1), 53 bits */
void nbody_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
/* random() of the GNU C library after srandom(seed), as the studies' programs drew it. */
typedef struct nbody_glibc { uint32_t state[34]; int at; } nbody_glibc;
void nbody_glibc_seed(nbody_glibc *generator, uint32_t seed);
uint32_t nbody_glibc_next(nbody_glibc *generator);

TRM_API extern const trm_solver_type trm_solver_nbody;

#endif
