/* Parameters of the maps over cells that bodies of facets cut (fv_volumes_find.h), and the places
 * of numbers in their arrays. Lengths are in cells of the finest level, where all walls are. A grid
 * in two dimensions is one layer of cells, and no leaf lies below or above another along z. So no
 * cell has a face across z. */
typedef struct fv_volumes_params {
  int bodies;
  int leaves;                  /* near walls: three numbers each, their place in leaves */
  int side[3];                 /* cells of a leaf */
  int listed;                  /* cells that facets may meet, and cells of gas beside these */
  int volumes;                 /* control volumes of these */
  int faces;                   /* face parts of these */
  int follows;                 /* whether the step before had the same leaves */
  int is_whole;                /* whether all gas of the leaves is listed */
  int trees;                   /* listed cells of kind FV_FOUND_TREE */
  int turns;                   /* whether a body turns */
  int sheet, layer;            /* volumes of sheets, and a layer of these (fv_volumes_sheets.h) */
  int outer;                   /* cells beyond the list that it looks at (fv_volumes_outer.h) */
  int gaps;                    /* volumes with a lack (fv_volumes_gaps.h) */
} fv_volumes_params;

/* A bit of fv_params.form beside those of fv_clock.h: reals of blocks are trm_single. */
#define FV_IN_SINGLE 32

/* Reals of a body, at the begin and at the end of a step. A place in the grid is given by the cell
 * that the body's place is in, in whole numbers, and the rest. In the body's frame it is
 * turn (place - body's place), row by row. */
#define FV_SHAPE_CELL 0        /* three numbers */
#define FV_SHAPE_REST 3        /* three at the begin, three at the end */
#define FV_SHAPE_TURN 9        /* nine at the begin, nine at the end */
#define FV_SHAPE_SWELL 27      /* how far a cell may stray in the frame between begin and end */
#define FV_SHAPE_LOW 28        /* of the bins, and how many a length (bodies/facets.h) */
#define FV_SHAPE_PER 31
#define FV_SHAPE_SLACK 32      /* corners that are beyond a plane by less are on it, to rounding */
#define FV_SHAPE_SPIN 33       /* three numbers: the angle of the step along its axis */
#define FV_SHAPE_HEAT 36       /* T = gamma p / rho of its walls, 0: no heat passes */
#define FV_SHAPE_SLIDE 37      /* its walls turn about the z axis through its place: rad by time */
#define FV_SHAPE_REALS 38
/* Whole numbers of a body: bins along each axis, then where lists of bodies/facets.h begin.
 * Corners, planes and boxes lie among the reals, the others among the whole numbers. Then whether
 * the solid is outside of the facets, and whether the body is at rest in this step and the one
 * before. Last the kind of all cells that several planes of it cut: FV_FOUND_CONVEX,
 * FV_FOUND_HOLLOW, or FV_FOUND_TREE where cells differ. */
#define FV_SHAPE_BINS 0
#define FV_SHAPE_CORNERS 3
#define FV_SHAPE_PLANES 4
#define FV_SHAPE_FACETS 5
#define FV_SHAPE_FIRST 6
#define FV_SHAPE_LIST 7
#define FV_SHAPE_IS_OUTSIDE 8
#define FV_SHAPE_KEEPS 9
#define FV_SHAPE_BOXES 10
#define FV_SHAPE_KIND 11
#define FV_SHAPE_GRIPS 12      /* whether its walls hold the gas fast */
#define FV_SHAPE_INTS 13

/* The kinds of cells in a step. A listed cell's number is its kind, and above it its place in the
 * list. */
#define FV_FOUND_GAS 0
#define FV_FOUND_SOLID 1
#define FV_FOUND_PLANE 2       /* the solid is on one side of a plane */
#define FV_FOUND_CONVEX 3      /* the solid is inside of all planes */
#define FV_FOUND_HOLLOW 4      /* the gas is outside of all planes */
#define FV_FOUND_TREE 5        /* anything else, or two bodies */
#define FV_FOUND_KIND(number) ((number) & 7)
#define FV_FOUND_PLACE(number) ((number) >> 3)

/* Whole numbers of a listed cell: body, how many planes, their numbers. */
#define FV_FOUND_PLANES 20     /* as many as a cell can be clipped by (fv_convex.h) */
#define FV_FOUND_FACETS 24     /* of several planes; a cell with more is FV_FOUND_TREE */
#define FV_FOUND_INTS (2 + FV_FOUND_PLANES)
#define FV_NEAR_PLANES 40      /* as many as a body may have in a cell of kind FV_FOUND_TREE */
#define FV_NEAR_FACETS 62
/* A cell of kind FV_FOUND_TREE has the first of its bodies and no planes. Then follow: its place in
 * the list of such cells, how many parts its gas has, and how many bodies. */
#define FV_FOUND_TREE_PLACE 2
#define FV_FOUND_TREE_PARTS 3
#define FV_FOUND_TREE_BODIES 4

/* Reals of a listed cell. First the gas at the begin and at the end: volume, and moments about the
 * cell's middle. Then the mean openings of its upper faces. Their moments are about the face's
 * middle in mid-step, along the next axis, the axis after that, and time. */
#define FV_GAS_BEGIN 0
#define FV_GAS_END 4
#define FV_GAS_FACES 8
#define FV_GAS_REALS 20
#define FV_CUT_ITEMS 4         /* of a listed cell in the map `cut`: both ends, then each face */

/* Reals of a listed cell's wall, the means over the step. The vector points into the solid; its
 * size is an area. The centroid is about the cell's middle in mid-step. The velocity is in cells a
 * step. The gas gains the swept volume. The arm is the centroid from the body's place in mid-step.
 * The wall's body stands in a list of its own. */
#define FV_WALL_VECTOR 0
#define FV_WALL_CENTROID 3
#define FV_WALL_VELOCITY 6
#define FV_WALL_SWEPT 9
#define FV_WALL_ARM 10
#define FV_WALL_REALS 13
#define FV_NO_WALL -1
#define FV_OPEN_WALL -2        /* an opening is not known: no lower leaf */
#define FV_SEVERAL_WALLS -3    /* of several bodies, or less: FV_SEVERAL_OF */

/* The walls of all control volumes: one each, then FV_TREE_WALLS of each tree. The walls of a
 * volume follow each other. A volume of several bodies has several: their first place and count
 * stand in the list of bodies. The last two are the walls' begin and end by that list's number. */
#define FV_TREE_WALLS 16
#define FV_SEVERAL_OF(first, count) (FV_SEVERAL_WALLS - (FV_TREE_WALLS * (first) + (count) - 1))
#define FV_WALLS_FIRST(v, body) \
  ((body) > FV_SEVERAL_WALLS ? (int)(v) : (FV_SEVERAL_WALLS - (body)) / FV_TREE_WALLS)
#define FV_WALLS_END(v, body) \
  ((body) > FV_SEVERAL_WALLS ? (int)(v) + ((body) >= 0) \
                             : (FV_SEVERAL_WALLS - (body)) / FV_TREE_WALLS + \
                                 (FV_SEVERAL_WALLS - (body)) % FV_TREE_WALLS + 1)

/* Whole numbers of a listed cell: the part of the gas beyond each of its planes, -1 where none is.
 * Reals of a control volume: the gas of one part at both ends, as in a cell's first numbers. */
#define FV_CELL_PARTS 8
#define FV_VOLUME_REALS 8

/* Where several bodies reach a cell, a volume with less gas has none. Its walls would push it by
 * more than it can bear, by rounding alone. */
#define FV_DUST R(1e-12)

/* Whole numbers of a face part: the control volume below it and above it, and the axis. A volume
 * -1 - i is outer cell i (fv_volumes_outer.h). Outer cells have states behind all volumes. Its
 * reals are an opening and its moments, as in a cell's numbers. A cell has eight upper face parts
 * along each axis at most, then a lower one along each axis where the cell below is not listed. */
#define FV_FACE_PARTS 8
#define FV_LOWER_FACES (3 * FV_FACE_PARTS)
#define FV_CELL_FACES (FV_LOWER_FACES + 3)
#define FV_JOIN_LOW 0
#define FV_JOIN_HIGH 1
#define FV_JOIN_AXIS 2
#define FV_JOIN_INTS 3
#define FV_VOLUME_AXES (FV_SZ > 1 ? 3 : 2)
#define FV_STATE_OF(volumes, joined) ((joined) < 0 ? (volumes) - 1 - (joined) : (joined))
#define FV_OUTER_FACES (FV_FLAT_SIDE > 8 ? 32 : 8) /* of outer cells, whose fluxes a group makes */
#define FV_OPENING_REALS 4

/* Whole numbers of a listed cell: its sides, low and high of each axis. A side has face parts that
 * follow each other. Its number is the first one, times 8, plus how many follow; -1: none. */
#define FV_CELL_SIDES 6
#define FV_SIDE_FIRST(side) ((side) < 0 ? 0 : (side) >> 3)
#define FV_SIDE_END(side) ((side) < 0 ? 0 : ((side) >> 3) + ((side) & 7) + 1)

/* Reals of a control volume in a gap (fv_volumes_gaps.h): the share of its openings that is open.
 * Then the area of the gap that shuts or opens there in this step, and the gas that shutting takes
 * at the step's end, in cells. Its lack is a volume and moments, as in a cell's numbers. */
#define FV_GAP_OPEN 0
#define FV_GAP_CLOSES 1
#define FV_GAP_OPENS 2
#define FV_GAP_TAKES 3
#define FV_GAP_REALS 4
#define FV_LACK_REALS 4

/* Reals of a control volume, by the bodies that its walls see. First comes the sum of the walls'
 * sizes, then whether the gas is thin. Last is the gas that the gap gains where bodies part. */
#define FV_SIGHT_SIZE 0
#define FV_SIGHT_KIND 1
#define FV_SIGHT_PARTS 2
#define FV_SIGHT_REALS 3
#define FV_SIGHT_WIDE 0
#define FV_SIGHT_THIN 1        /* it shuts among others that shut */
#define FV_SIGHT_SHUTS 2

/* Numbers of a step. First come volumes that shut, their area, and the gas taken from them. Then
 * volumes that open, and their area. Last are volumes that are shut at the end, and the least cell
 * in leaves whose gap shuts or opens. */
#define FV_GAP_CLOSED 0
#define FV_GAP_CLOSED_AREA 1
#define FV_GAP_TAKEN 2
#define FV_GAP_OPENED 3
#define FV_GAP_OPENED_AREA 4
#define FV_GAP_SHUT 5
#define FV_GAP_AT 6
#define FV_GAP_COUNTS 7

/* Reals of a control volume: its need, and the share that it asks at an opening of 1. Dust asks
 * nothing: below 0, less the share that it gives at an opening of 1. */
#define FV_ASK_NEED 0
#define FV_ASK_RATE 1
#define FV_ASK_REALS 2

/* Reals of a control volume: the part that it gives of each share asked, and its own share. */
#define FV_GIVE_PART 0
#define FV_GIVE_OWN 1
#define FV_GIVE_REALS 2

/* Reals of a control volume's neighbourhood: how much of the volume is its own, need, and the size
 * of walls. Then the gas at both ends, as in a volume's numbers, with moments about the middle of
 * the volume's own cell. */
#define FV_HOOD_OWN 0
#define FV_HOOD_NEED 1
#define FV_HOOD_WALL 2
#define FV_HOOD_BEGIN 3
#define FV_HOOD_END 7
#define FV_HOOD_REALS 11

/* Reals of a face part: the share that the volume below takes of the volume above, and the share
 * that the volume above takes of the volume below. */
#define FV_SHARE_REALS 2

/* Whole numbers of a control volume: how many neighbours, then each. A neighbour's number is its
 * volume times 64, plus the place of its cell beside the own one: x + 1 in the lowest two bits,
 * then y + 1 and z + 1. */
#define FV_NEAR_MOST 39
#define FV_NEAR_LIST_INTS (1 + FV_NEAR_MOST)
#define FV_NEAR_PLACES 64
#define FV_NEAR_OWN_CELL 21
#define FV_NEAR_VOLUME(near) ((near) >> 6)
#define FV_NEAR_PLACE(near) ((near) & 63)
#define FV_NEAR_WAY(near, axis) (((near) >> 2 * (axis) & 3) - 1)

/* Whole numbers of a listed cell that the next step asks: the cell, its first control volume and
 * how many, its body, and how many planes. Then each plane's number, and each plane's part. */
#define FV_KEPT_CELL 0
#define FV_KEPT_FIRST 1
#define FV_KEPT_COUNT 2
#define FV_KEPT_BODY 3
#define FV_KEPT_PLANES 4
#define FV_KEPT_PLANE 5        /* without planes: the place of the cell's tree, if it has a body */
#define FV_KEPT_PART (FV_KEPT_PLANE + FV_FOUND_PLANES)
#define FV_KEPT_INTS (FV_KEPT_PART + FV_FOUND_PLANES)

/* Whole numbers of a control volume: how many volumes of the step before are in it, then each. */
#define FV_OLD_INTS (1 + FV_CELL_PARTS)

/* Whole numbers of a cell of kind FV_FOUND_TREE. First: was there room for all, does a body turn,
 * do all rest. Then how many planes, nodes and leaves, and these. A plane is a body, a number, and
 * the plane of an earlier body that it is one with, or -1. A node keeps the places beyond a plane,
 * or inside of it, of another node, its parent. A leaf is a node that is gas, and its part of the
 * gas: see fv_volumes_tree.h. */
#define FV_TREE_STATE 0        /* 0: all is there */
#define FV_TREE_TURNS 1
#define FV_TREE_RESTS 2
#define FV_TREE_PLANES 3
#define FV_TREE_NODES 4
#define FV_TREE_LEAVES 5
#define FV_TREE_CELL 6         /* three numbers: its place in the grid */
#define FV_TREE_PLANE 9
#define FV_TREE_PLANE_INTS 3
#define FV_TREE_NODE (FV_TREE_PLANE + FV_TREE_PLANE_INTS * FV_MOST_PLANES)
#define FV_TREE_LEAF (FV_TREE_NODE + FV_MOST_NODES)
#define FV_TREE_INTS (FV_TREE_LEAF + FV_MOST_LEAVES)
#define FV_MOST_PLANES 96
#define FV_MOST_NODES 960
#define FV_MOST_LEAVES 128
#define FV_NO_ROOM 1           /* FV_TREE_STATE: more facets, leaves or corners than have room */
#define FV_NO_ROOM_FACES 2     /* more parts of a face than have room */
#define FV_NO_ROOM_WALLS 3     /* more than FV_TREE_WALLS */
#define FV_NOT_CLOSED 4        /* walls and face parts do not close a part, or do not sweep it */
#define FV_NODE(plane, is_beyond, parent) ((plane) | (is_beyond) << 8 | ((parent) + 1) << 9)
#define FV_NODE_PLANE(node) ((node) & 255)
#define FV_NODE_BEYOND(node) ((node) >> 8 & 1)
#define FV_NODE_PARENT(node) (((node) >> 9) - 1)
#define FV_LEAF(node, part) ((node) | (part) << 16)
#define FV_LEAF_NODE(leaf) ((leaf) & 65535)
#define FV_LEAF_PART(leaf) ((leaf) >> 16)

/* A number beyond all words: code * 2^32 + cell. */
#define FV_BEYOND_WORDS R(9007199254740992.0)

/* Whole numbers of a tree's wall, which is of one part of the gas and one body: the control volume,
 * -1 where none is, and the body. */
#define FV_OWNER_VOLUME 0
#define FV_OWNER_BODY 1
#define FV_OWNER_INTS 2

/* Numbers of a body: the impulse by pressure, the moment about the body's place in mid-step, the
 * work that the gas does, the impulse by friction, and heat. Moment and work are of both impulses.
 * All are the gas's loss in the step, in the units of the state and of cells. */
#define FV_FLOW_IMPULSE 0
#define FV_FLOW_MOMENT 3
#define FV_FLOW_WORK 6
#define FV_FLOW_FRICTION 7
#define FV_FLOW_HEAT 10
#define FV_FLOW_FORCES 11
#define FV_FLOW_CHUNK 512      /* walls, or volumes, that a group adds up */
#define FV_FLOW_GRADIENTS 12   /* of u, v, w and T, three each */
#define FV_FLOW_GRIP 8         /* of a wall: impulse, conductance kappa m, its velocity, heat */
#define FV_GRIP_HEAT 7

/* A volume's fresh number: it holds gas; none, and no value yet; or none, with its neighbours'. */
#define FV_FLOW_HOLDS 0
#define FV_FLOW_EMPTY 1
#define FV_FLOW_FILLED 2
