/* tree_node.h - the tree in memory, for the kernels that grow it (nbody_tree.k) and the one that
 * walks it (nbody_walk.k). Included by kernel texts only.
 *
 * Eight neighbours on the curve are a leaf, four nodes the node above. Nodes are numbered from the
 * root down, level by level: the root is 3, and the children of node i begin at 4 (i - 2). So no
 * node needs a link, and its children lie side by side. Levels above the leaves have their full
 * width. Nodes without bodies do not act and are not touched, except the siblings of the last
 * node. */

typedef struct TRM_ALIGNED(16) tree_body { real x, y, z, mu; } tree_body; /* mu = G m */

#define TREE_LEAF 8     /* bodies */
#define TREE_FAN 4      /* children */
#define TREE_BLOCK 32   /* targets that share a walk: the bodies of a node above the leaves */
#define TREE_ROOT 3
#define TREE_CHILD(i) (TREE_FAN * ((i) - 2))
#define TREE_PARENT(i) ((i) / TREE_FAN + 2)

/* The test data of a node for a walk: its centre of mass, and the squared distance that the targets
 * must exceed. It is below 0 where the node has no bodies. */
typedef struct TRM_ALIGNED(16) tree_gate { real x, y, z, open2; } tree_gate;

/* The attraction of an accepted node: G m, and half of its quadrupole G sum m (3 r r - r^2). */
typedef struct TRM_ALIGNED(16) tree_moments { real mu, xx, xy, xz, yy, yz, zz, none; } tree_moments;

typedef struct tree_box { real x0, y0, z0, x1, y1, z1; } tree_box;
