/* shapes.h - obstacles described by shapes, in cells: which cell centres lie inside, and where the
 * line from one cell to the next meets a shape.
 *
 *   cylinder X Y RADIUS; box X0 Y0 X1 Y1; polygon X0 Y0 X1 Y1 X2 Y2 ...
 *
 * The centre of cell (i, j) is (i + 1/2, j + 1/2). A cell is inside where
 * its centre is, strictly. */
#ifndef TRIREME_LBM_SHAPES_H
#define TRIREME_LBM_SHAPES_H

#include "core/trireme.h"

typedef enum shape_kind { SHAPE_CYLINDER, SHAPE_BOX, SHAPE_POLYGON } shape_kind;

typedef struct shape {
  shape_kind kind;
  size_t count;              /* of numbers */
  double *numbers;
} shape;

typedef struct shape_list {
  size_t count;
  shape *items;
  double period[2];          /* shapes stand there again after that; 0: they do not */
  uint8_t *holds;            /* of each shape: a cell of the grid (shapes_fill) */
} shape_list;

/* text "" gives none. origin is for messages. */
trm_status shapes_parse(const char *text, const char *origin, shape_list *out);
void shapes_free(shape_list *list);

/* Sets the cells of a grid to 1 that lie in a shape, and list->holds. */
void shapes_fill(shape_list *list, int nx, int ny, uint8_t *cells);

/* The part of the way from (x, y), outside, to (x + dx, y + dy) at which the first shape begins; 1
 * where none does. */
double shapes_distance(const shape_list *list, double x, double y, double dx, double dy);

/* The smallest box around one shape: x0, y0, x1, y1. */
void shape_bounds(const shape *one, double bounds[4]);

#endif
