/* tree_node.h - the tree in memory, for the kernels that grow it (nbody_tree.k) and the one that
 * walks it (nbody_walk.k). Included by kernel texts only.
 *
 * Eight neighbours on the curve are a leaf, four nodes the node above. Nodes are numbered from the
 * root down, level by level, the root 3 and the children of node i from 4 (i - 2) on: so no node
 * needs a link, and its children lie side by side. Levels above the leaves are as wide as they may
 * be; what no body is in does not act and is not touched, but for the siblings of the last node. */

typedef struct TRM_ALIGNED(16) tree_body { real x, y, z, mu; } tree_body; /* mu = G m */

#define TREE_LEAF 8     /* bodies */
#define TREE_FAN 4      /* children */
#define TREE_BLOCK 32   /* targets that share a walk: the bodies of a node above the leaves */
#define TREE_ROOT 3
#define TREE_CHILD(i) (TREE_FAN * ((i) - 2))
#define TREE_PARENT(i) ((i) / TREE_FAN + 2)

/* What a walk asks of a node: its centre of mass, and how far that must be from the targets,
 * squared; below 0 where there are no bodies. */
typedef struct TRM_ALIGNED(16) tree_gate { real x, y, z, open2; } tree_gate;

/* What an accepted node acts with: G m, and half of its quadrupole G sum m (3 r r - r^2). */
typedef struct TRM_ALIGNED(16) tree_moments { real mu, xx, xy, xz, yy, yz, zz, none; } tree_moments;

typedef struct tree_box { real x0, y0, z0, x1, y1, z1; } tree_box;
