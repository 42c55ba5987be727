/* What lies where in the arrays of fv_geometry.k; for the kernels and the host. */
#define FV_LEAF_INTS 5        /* slot, level, place */
#define FV_COUNTS 4
#define FV_ROUNDED 1024       /* numbers that a group rounds */
#define FV_BODY_REALS 41      /* numbers of a body, by their places: */
#define FV_BODY_SHAPE 0       /* as fv_body has it */
#define FV_BODY_AT 1
#define FV_BODY_SIZE 4
#define FV_BODY_ENDS 7
#define FV_BODY_MOVED 13
#define FV_BODY_STEP 16
#define FV_BODY_CENTRE 19
#define FV_BODY_AXIS 22
#define FV_BODY_COSINE 25
#define FV_BODY_SINE 26
#define FV_BODY_TURNS 27      /* it has an angle by time */
#define FV_BODY_TURNED 28
#define FV_BODY_SLIDES 29
#define FV_BODY_WALL 30
#define FV_BODY_TEMPERATURE 31
#define FV_BODY_SPIN 32
#define FV_BODY_OUTLINE 33    /* of a profile: where its corners begin, and how many they are; of a
                               * surface: its tree, and how many nodes that has */
#define FV_BODY_CORNERS 34
#define FV_BODY_HERE 35       /* where its place is now */
#define FV_BODY_LEAST 38
#define FV_BODY_HOLLOW 39
#define FV_BODY_SURFACE 40    /* which of the bodies that are surfaces it is; -1: it is none */
#define FV_SHAPE_SPHERE 0
#define FV_SHAPE_CYLINDER 1
#define FV_SHAPE_TUBE 2
#define FV_SHAPE_BOX 3
#define FV_SHAPE_PROFILE 4
#define FV_SHAPE_SURFACE 5
/* Of a surface's tree, as io/stl.h has it. */
#define FV_TREE_NODE 9
#define FV_NODE_FIRST 6
#define FV_NODE_COUNT 7
#define FV_NODE_SECOND 8
#define FV_TREE_FACET 14
#define FV_FACET_NORMAL 9
#define FV_FACET_SQUARE 12
#define FV_FACET_INWARDS 13

/* Totals, the first whole numbers of all; four of each scan. */
#define FV_TOTAL_FAULT 0      /* 1: the host has to make this step's lists */
#define FV_TOTAL_CUTS 4       /* records of cut cells */
#define FV_TOTAL_MASTERS 8    /* whole cells that have records behind them */
#define FV_TOTAL_UNITS 12
#define FV_TOTAL_OTHERS 16    /* units beside those, which have slopes; blocks that have marks */
#define FV_TOTAL_WALLED 17
#define FV_TOTAL_FACES 20     /* faces, those with sizes, joins */
#define FV_TOTAL_SIZED 21
#define FV_TOTAL_JOINS 22
#define FV_TOTAL_TURNS 24     /* of each kind (FV_ORDER_...) */
#define FV_TOTAL_FROMS 28
#define FV_TOTAL_SLOPED 32    /* all with slopes, for scans */
#define FV_TOTAL_SEEN 40      /* of bodies, sixteen at most: 1, a wall of it cuts a cell */
#define FV_TOTALS 64

#define FV_CHOICES 6          /* rounds of choosing masters, of chains, of rests */
#define FV_CHAIN_ROUNDS 7     /* a chain reaches no farther than a block's side */
#define FV_REST_ROUNDS 2

/* Turns of slopes, by kind: walled with few walls and with many, plain, central. */
#define FV_ORDER_HARD 0
#define FV_ORDER_WALLED 1
#define FV_ORDER_PLAIN 2
#define FV_ORDER_CENTRAL 3
#define FV_SPARE_WALLS 3
#define FV_MOST_WALLS 100
/* Rows of looks of a group of them, without how many they are, and rows of factors. */
#define FV_ORDER_ROWS(kind, planes) \
  ((kind) == FV_ORDER_CENTRAL ? ((planes) == 1 ? 4 : 6) \
     : FV_STENCIL_CELLS(planes) + ((kind) == FV_ORDER_PLAIN ? 0 : (kind) == FV_ORDER_WALLED \
                                                                  ? FV_SPARE_WALLS : FV_MOST_WALLS))
#define FV_ORDER_STENCILS(kind, planes) (FV_ORDER_ROWS(kind, planes) + ((kind) != FV_ORDER_CENTRAL))
#define FV_ORDER_FACTORS(kind, planes) \
  ((kind) == FV_ORDER_CENTRAL ? 0 : (kind) == FV_ORDER_PLAIN ? 3 * FV_ORDER_ROWS(kind, planes) \
     : 7 * FV_ORDER_ROWS(kind, planes) - FV_STENCIL_CELLS(planes))

/* Numbers of cells: whole ones ... */
#define FV_CELL_KIND 0        /* two: now, and before the step */
#define FV_CELL_UNIT 2
#define FV_CELL_SLOPE 3
#define FV_CELL_BESIDE 4      /* it or a cell beside it is not whole */
#define FV_CELL_OTHER 5       /* a unit beside those that are listed */
#define FV_CELL_FACE 6        /* three: of the faces behind it along each axis */
#define FV_CELL_HEIRS 9       /* of a covered cell: units that share its gas */
#define FV_CELL_INTS 10
/* ... and reals. */
#define FV_CELL_HELD 0        /* two: gas in it, now and before */
#define FV_CELL_ROOM 2        /* of a covered cell: the most that a unit beside it has */
#define FV_CELL_REALS 3

/* Numbers of records. */
#define FV_R_CELL 0
#define FV_R_MASTER 1
#define FV_R_NEXT 2
#define FV_R_BODY 3
#define FV_R_TO 4             /* three */
#define FV_R_GAP 7
#define FV_R_FACE 8           /* two, by rounds: beyond which its master lies, or FV_FACE_... */
#define FV_R_WHOLE 10         /* a bit for each face: a whole cell that it may join lies beyond */
#define FV_R_FOLLOWS 11       /* the group's next piece */
#define FV_R_LEADS 12         /* 1: it is its group's first; 3: and its master needs a record */
#define FV_R_ROUND 13         /* in which it joined a chain; 0: it has a master; FV_ROUND_NONE */
#define FV_R_CHAINED 14       /* of a master: the last round in which chains joined it */
#define FV_R_SLOPE 15         /* two: of its group, now and before */
#define FV_R_INTS 17
#define FV_FACE_OPEN (-2)     /* not known yet */
#define FV_FACE_NONE (-1)     /* nobody */
#define FV_FACE_LARGE (-3)    /* it is no small piece */
#define FV_ROUND_NONE 99
#define FV_R_OFF 0            /* two of three: from its group's centroid to its own */
#define FV_R_VALUE 6          /* six: how much a face counts */
#define FV_R_TOTAL 12
#define FV_R_CENTRE 13        /* three */
#define FV_R_CUT 16           /* FV_CUT_REALS of each record, behind all of these */
/* Of a cut cell, as fv_cut has it. */
#define FV_CUT_VOLUME 0
#define FV_CUT_CENTROID 1
#define FV_CUT_OPEN 4
#define FV_CUT_FACE 10
#define FV_CUT_WALL_AREA 28
#define FV_CUT_WALL_AT 31
#define FV_CUT_WALL_TURN 34
#define FV_CUT_REALS 40
#define FV_RECORD_REALS (FV_R_CUT + FV_CUT_REALS)

/* Numbers of units: whole ones ... */
#define FV_U_OWNS 0           /* cells that it has gas of */
#define FV_U_WALLS 1          /* it has a wall */
#define FV_U_BESIDE 2         /* units with walls beside it */
#define FV_U_FAR 3            /* by rounds: how far those are that it asks, or hands its rest to; 0:
                               * there are none; and how many they are */
#define FV_U_COUNT (FV_U_FAR + FV_REST_ROUNDS)
#define FV_U_FIRST (FV_U_COUNT + FV_REST_ROUNDS) /* its first entry */
#define FV_U_COVERS (FV_U_FIRST + 1) /* it shares the gas of a cell that walls covered */
#define FV_U_CALLED (FV_U_COVERS + 1) /* by one that begins, then by rounds: it is asked, or handed
                               * something */
#define FV_U_SEEN (FV_U_CALLED + 1 + FV_REST_ROUNDS) /* thirteen: its faces by sides, its joins */
#define FV_U_HANDED (FV_U_SEEN + 13) /* entries of what it is handed, but for what levels */
#define FV_U_WALLED (FV_U_HANDED + 1) /* units with walls beside it, of so many at most */
#define FV_MOST_WALLED 24
#define FV_U_INTS (FV_U_WALLED + FV_MOST_WALLED)
/* ... and reals. */
#define FV_U_OWN 0
#define FV_U_KEPT 1
#define FV_U_HAS 2
#define FV_U_SWEEP 3
#define FV_U_REST 4
#define FV_U_ASKED 5
/* Of a unit that begins, then by rounds of rests: what it can spare; what those whom it asks can
 * spare together, 0: it asks nobody; for how much it asks, or less what it hands over. */
#define FV_U_SPARE 6
#define FV_U_ALL (FV_U_SPARE + 1 + FV_REST_ROUNDS)
#define FV_U_PART (FV_U_ALL + 1 + FV_REST_ROUNDS)
#define FV_U_SCALE (FV_U_PART + 1 + FV_REST_ROUNDS) /* by rounds: the part that it gives of what is
                               * asked */
#define FV_U_REALS (FV_U_SCALE + FV_REST_ROUNDS)
