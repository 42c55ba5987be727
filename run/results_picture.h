/* results_picture.h - the picture of a field of a run, by the keys output.colours, output.range,
 * output.plane, output.rendering, output.from, output.grid and output.width. */
#ifndef TRIREME_RUN_RESULTS_PICTURE_H
#define TRIREME_RUN_RESULTS_PICTURE_H

#include "run/results.h"
#include "io/picture.h"
#include "io/render.h"

/* A picture with the texts that it refers to. */
typedef struct run_picture {
  trm_picture picture;
  char title[160], subtitle[160];
  trm_rendered rendered;       /* for an output.rendering other than plane, with the array
                                * that holds it */
  trm_array image;
  uint8_t *edges;              /* outlines of blocks */
} run_picture;

/* Whether a field has a picture: one of real numbers on a grid. */
static inline int results_has_picture(const trm_field *field)
{
  return (field->type == TRM_TYPE_F32 || field->type == TRM_TYPE_F64) &&
         !(field->flags & TRM_FIELD_LIST);
}

/* Refuses values of these keys that no picture of this solver can have. */
trm_status results_picture_check_keys(const run_case *chosen, const session *run);

/* Refuses values of these keys that a picture of this field cannot have. */
trm_status results_picture_check(const run_case *chosen, const session *run,
                                 const trm_field *field);

/* The values of a picture. In three dimensions they are a plane alone. With several devices rows of
 * two dimensions are read when they are drawn. */
typedef struct run_shown {
  trm_array field, solid;      /* solid: flags of its obstacles, if it has some */
  int has_solid, is_window;
  trm_plane_window window;
} run_shown;
trm_status results_shown_read(const run_case *chosen, session *run, const trm_field *field,
                              run_shown *out);
void results_shown_free(run_shown *shown);
/* The bytes of the values, and of a rendering. */
double results_picture_bytes(const run_case *chosen, const session *run, const trm_field *field);

/* The picture of it. *out refers to it. */
void results_picture(const run_case *chosen, const session *run, const trm_field *field,
                     run_shown *shown, run_picture *out);

/* Renders the picture by output.rendering; for a plane it does nothing. lines: streamlines drawn in
 * it, or NULL. Free it with trm_rendered_free(&out->rendered). */
trm_status results_picture_render(const run_case *chosen, const session *run,
                                  const trm_field *field, const trm_streams *lines,
                                  run_picture *out);

/* Outlines of the field's blocks for the picture of a plane, if output.grid is set. Free them with
 * free(out->edges). */
trm_status results_picture_grid(const run_case *chosen, const trm_field *field, run_picture *out);

/* Obstacles in the pictures of a field: the first field of flags with one component and the same
 * shape; NULL: no such field. */
const trm_field *results_solid(const session *run, const trm_field *field);

#endif
