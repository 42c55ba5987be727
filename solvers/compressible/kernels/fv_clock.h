/* The layout of the clock, which stays on the device: element numbers of its reals and of its
 * integers. Included by the kernels and by the host side. */
#define FV_TIME 0             /* time of the state, and the part of it that was rounded off */
#define FV_TIME_REST 1
#define FV_DT 2               /* length of the next step */
#define FV_LIVE 3             /* 1: there is a next step, 2: it is the last; 0: at the end, steps
                               * change nothing */
#define FV_END 4              /* where the run ends, and its rest */
#define FV_END_REST 5
#define FV_AVERAGE_FROM 6     /* means over time begin there */
#define FV_SIDE 8             /* six sides, west to top, of so many values: */
#define FV_SIDE_VALUES 6      /* u, v, w, rho, gamma p, and T of an isothermal wall */

/* Dual time (fv_dual.h), behind the sides. First 1 while the step goes on; the weights of the
 * state, of the state at the step's begin and of the state before it in the derivative by time; the
 * last step's length (0: none); the residual at the step's begin and the latest. Then, of the case:
 * the residual to reach; most cycles; the length asked for (0: by cells that waves pass); those
 * cells; 1 / volume; 1 where a step is a cycle towards a steady flow. */
#define FV_DUAL (FV_SIDE + 6 * FV_SIDE_VALUES)
#define FV_GOES FV_DUAL
#define FV_PER_DT (FV_DUAL + 1)
#define FV_AHEAD (FV_DUAL + 2)
#define FV_BEHIND (FV_DUAL + 3)
#define FV_LAST_DT (FV_DUAL + 4)
#define FV_FIRST (FV_DUAL + 5)
#define FV_LATEST (FV_DUAL + 6)
#define FV_GIVEN (FV_DUAL + 7)
#define FV_TOLERANCE FV_GIVEN
#define FV_MOST (FV_GIVEN + 1)
#define FV_ASKED_DT (FV_GIVEN + 2)
#define FV_ASKED_CFL (FV_GIVEN + 3)
#define FV_PER_VOLUME (FV_GIVEN + 4)
#define FV_STEADY (FV_GIVEN + 5)
#define FV_GIVEN_REALS 6

/* Far fields (fv_far.h), by axis: how much of the way to the pressure outside is drawn in a cell of
 * level 0 where gas leaves; below 0: no wave comes in. */
#define FV_DRAW (FV_GIVEN + FV_GIVEN_REALS)
#define FV_CLOCK_REALS (FV_DRAW + 3)

#define FV_SLOT 0             /* steps since the batch began */
#define FV_CYCLES 1           /* of the step, in dual time */
#define FV_TALLY_INTS 4

#define FV_SERIES 3           /* numbers kept of each step: dt, time, rate */
#define FV_SUMS 3             /* and, by fv_integrals.h, sums over the gas */
#define FV_DUAL_SERIES 3      /* and of dual time: residual at begin and end, cycles */
#define FV_CHUNK 1024         /* values that a group of fv_peak folds */

/* Kinds of sides. Those up to FV_CLOSED let no mass through. */
#define FV_PERIODIC 0
#define FV_SYMMETRY 1
#define FV_ADIABATIC 2
#define FV_ISOTHERMAL 3
#define FV_CLOSED 3
#define FV_INFLOW 4           /* supersonic: all is given */
#define FV_OUTFLOW 5          /* supersonic: nothing is */
#define FV_SUBSONIC_INFLOW 6  /* the pressure comes from inside */
#define FV_SUBSONIC_OUTFLOW 7 /* all but the pressure does */
#define FV_FARFIELD 8         /* by characteristics */

/* Numbers of a block that is no leaf (trm_ghost): slot, eight sources, part, cells from and to. */
#define FV_GHOST_PART 9
#define FV_GHOST_FROM 12
#define FV_GHOST_TO 15
#define FV_GHOST_EDGE 18      /* by axis the entry of fv_edges that has the side's values, or -1 */
#define FV_GHOST_BESIDE 21    /* of one beyond a side: what lies beside its source, west to top: */
#define FV_BESIDE_NONE (-1)   /*   no cells that are known by then, or what lies beyond a side */
#define FV_BESIDE_IMAGE (-2)  /*   a closed side, beyond which its own cells are mirrored */
#define FV_GHOST_LEVEL 27     /* its level, from level 0 of the finest grid on (fv_multigrid.h) */
#define FV_GHOST_INTS 28

/* Values by formula (fv_edges.h). An entry has: side, level, first cell by axis; along the normal,
 * the side's plane. For each cell's face it gets, for both layers beyond it, a side's values, gamma
 * p and gamma T among them, and the kind of side there. `codes` begins with these numbers for each
 * side: the first entry and the number of entries of its formulas, the last of which selects its
 * other kind; these two kinds; the first point and the number of points of its table; `numbers`
 * begins with the grid's corner and a cell's side at level 0. */
#define FV_EDGE_INTS 5
#define FV_EDGE_VALUES (FV_SIDE_VALUES + 1)
#define FV_EDGE_REALS (2 * FV_EDGE_VALUES) /* in each of the two layers of cells beyond it */
#define FV_CODE_KINDS (2 * FV_EDGE_VALUES)
#define FV_CODE_TABLE (FV_CODE_KINDS + 2)
#define FV_CODE_SIDE (FV_CODE_TABLE + 2)
#define FV_CODE_FIRST (6 * FV_CODE_SIDE)
#define FV_NUMBER_FIRST 4

/* Numbers of the leaf in a slot: the 27 slots about it; its level; the flux that each side keeps at
 * an interface, -1: none; 1 where it lies in a body that stays: then a stage leaves it alone. The
 * last one of slot i is not its leaf's: it is the slot of leaf i in Morton order, by which sums go.
 * For a coarser leaf at interfaces: its slot; for each side its own flux and those of the finer
 * leaves there. */
#define FV_LEVEL 27
#define FV_KEPT 28
#define FV_IN_BODY 34
#define FV_SLOT_OF 35
#define FV_NEAR_INTS 36
#define FV_INTERFACE_INTS 31

/* Adaptation (fv_adapt.h): what is looked at; numbers of a new leaf's move and its kinds. */
#define FV_INDICATOR_DENSITY 0
#define FV_INDICATOR_PRESSURE 1
#define FV_INDICATOR_VELOCITY 2
#define FV_INDICATOR_VORTICITY 3
#define FV_INDICATORS 4
#define FV_RESIDUAL 2         /* p.is_last of a stage that leaves residuals, no state (fv_dual.h) */
#define FV_FAMILY_INTS 9      /* numbers of a leaf of a coarser grid (fv_multigrid.h) */
#define FV_PARENT_INTS 2      /* numbers of a leaf of the finer grid */
#define FV_SUB_BLOCK 4        /* cells along an axis for which fv_indicator gives one number */
#define FV_MOVE_INTS 10
#define FV_MOVE_COPY 0
#define FV_MOVE_SPLIT 1
#define FV_MOVE_MERGE 2

/* Sources inside (fv_source.h): numbers of a block. Then, for all blocks: a cell's side at level 0;
 * the box's length by axis; the acceleration; the width of each side's sponge; their strength; the
 * conserved state to which they draw. */
#define FV_SOURCE_INTS 5
#define FV_SOURCE_H 0
#define FV_SOURCE_LENGTH 1
#define FV_FORCE 4
#define FV_SPONGE_WIDTH 7
#define FV_SPONGE_STRENGTH 13
#define FV_SPONGE_STATE 14
#define FV_SOURCE_REALS (FV_SPONGE_STATE + 5)

/* The lists about walls (fv_unit.h): items of a group; walls whose forces a group sums; numbers of
 * a face and of a wall; groups that treat a block (fv_cut_update); numbers of a slope; numbers of a
 * wall's force and heat, and of all its results; numbers of a turn, and the kinds of slopes.
 * FV_STENCIL_WEIGHT: in units of FV_CUT_GROUP. */
#define FV_CUT_GROUP 64
#define FV_CUT_CHUNK 512
#define FV_FACE_SIZES 8
#define FV_FACE_AXIS 3        /* of a face's first number; its flags: */
#define FV_FACE_WHOLE 4       /* it is all open, between the middles of whole cells: no sizes */
#define FV_FACE_CENTRAL 8     /* both sides' slopes are central */
#define FV_FACE_LEVEL 15      /* of its last one; the rest is by 16 the number of its sizes */
#define FV_CUT_SIZES 16
#define FV_CUT_UPDATERS(p, planes) ((planes) == 1 || (p).begins || (p).is_last ? 1 : 4)
#define FV_FORCES 11
#define FV_FELT 7
#define FV_CUT_SLOPES 18
#define FV_STENCIL_INTS 8
#define FV_STENCIL_NUMBER 0
#define FV_STENCIL_CELL 1
#define FV_STENCIL_FIRST 2    /* its first */
#define FV_STENCIL_WEIGHT 3   /* its first */
#define FV_STENCIL_ROOM 4     /* rows that it has for looks */
#define FV_STENCIL_WALLS 5    /* how many it looks at */
#define FV_STENCIL_KIND 6
#define FV_STENCIL_FLAGS 7
#define FV_STENCIL_HEAT 1     /* one of its walls has a temperature */
#define FV_STENCIL_GROUP 2    /* its unit has several cells */
#define FV_STENCIL_CENTRAL 0
#define FV_STENCIL_PLAIN 1    /* least squares without walls */
#define FV_STENCIL_WALLED 2
#define FV_STENCIL_CELLS(planes) ((planes) == 1 ? 8 : 26) /* that it looks at, at most */
#define FV_CUT_SLIP 0         /* kinds of walls, as fv_wall */
#define FV_CUT_ADIABATIC 1
#define FV_CUT_ISOTHERMAL 2

/* Cells at walls (fv_cut_stencils.h): kinds of cells beside records; numbers of a record. Its
 * flags: its wall holds the gas fast; it lies in a gap; it does not touch its master. Reasons for
 * missing slopes. */
#define FV_KIND_WHOLE (-1)
#define FV_KIND_SOLID (-2)
#define FV_RECORD_MASTER 0
#define FV_RECORD_NEXT 1
#define FV_RECORD_WALL 2
#define FV_RECORD_FLAGS 3
#define FV_RECORD_INTS 4
#define FV_CUT_FAST 1
#define FV_CUT_GAP 2
#define FV_CUT_CHAIN 4
#define FV_STENCIL_BEYOND 1   /* a unit beside it is of another size, or beyond the grid */
#define FV_STENCIL_FEW 2      /* its neighbours lie in a plane or a line */

/* The variant: flat, two dimensions. */
#if defined(TRM_VARIANT_flat)
#define FV_IS_FLAT 1
#else
#define FV_IS_FLAT 0
#endif

/* Bits of p.form, which every variant knows: slopes by van Albada; a viscosity that depends on the
 * temperature, by Sutherland; the flux; steps in dual time. Where the text is compiled for the run,
 * FV_FORM has them. */
#define FV_LIMITED 1
#define FV_SUTHERLAND 2
#define FV_BY_PLUS 4
#define FV_BY_HLLC 8
#define FV_IN_DUAL 16
#ifdef FV_FORM
#define FV_FORM_OF(p) FV_FORM
#else
#define FV_FORM_OF(p) ((p).form)
#endif

/* Cells along a block's axes, in two dimensions and in three: 8 or 16. Flows have the same bits
 * with either where their grids are the same cells (tests/solvers/compressible/block_sides.sh). */
#define FV_FLAT_SIDE 16
#define FV_SOLID_SIDE 8
#define FV_MOST_SIDE (FV_FLAT_SIDE > FV_SOLID_SIDE ? FV_FLAT_SIDE : FV_SOLID_SIDE)
#define FV_VALUES 5 /* of a cell */
#if FV_IS_FLAT
#define FV_SX FV_FLAT_SIDE
#define FV_SZ 1
#else
#define FV_SX FV_SOLID_SIDE
#define FV_SZ FV_SX
#endif
#define FV_SY FV_SX
#define FV_CELLS (FV_SX * FV_SY * FV_SZ)
#define FV_PARTS (FV_SZ > 1 ? 8 : 4) /* cells, or leaves, in the place of a coarser one */
#define FV_BLOCK (FV_VALUES * FV_CELLS) /* reals of a slot */
#define FV_FACES (FV_SX * FV_SZ) /* of a side */
#define FV_CUT_BESIDE (FV_SZ > 1 ? 6 : 4) /* cells beside one */
