/* plan_adding.h - a launch that is added to a plan (plan.c), and how it is cut (plan_adding.c). */
#ifndef TRIREME_DOMAIN_PLAN_ADDING_H
#define TRIREME_DOMAIN_PLAN_ADDING_H

#include "core/domain/near.h"
#include "core/domain/plan.h"

typedef struct held {
  domain_rows rows;
  int is_free;                  /* the buffer is gone */
  domain_span *valid, *then;    /* domain_plan_spans; then: once the pieces have moved */
  domain_near *near;            /* NULL: it has no table of neighbours */
  int has_slabs;                /* rows that are near go in parts */
} held;

/* The rows that a launch covers, and their grain. Rows 0: it is not cut. by_blocks: a launch of
 * groups over blocks of planes. */
typedef struct cut {
  size_t rows, grain;
  int by_blocks;
} cut;

/* A launch that is being added. */
typedef struct adding {
  domain_plan *plan;
  const trm_command *command;
  const trm_sharing *how;
  cut by;
  size_t deep;                  /* for how many launches rows are fetched at once */
  size_t buffers[TRM_MAX_BUFFERS]; /* numbers */
} adding;

/* Who carries it out. */
typedef enum workers {
  EACH_WHOLE,                   /* each part, all of it */
  FIRST_ALONE,                  /* part 0 */
  EACH_ITS_ROWS,
  EACH_ITS_COPY,                /* of the rows that are valid there then */
  ONE_ALONE,                    /* part `one`: a launch over one row */
  EACH_WITH_ROW,                /* each part with that row */
  EACH_ITS_DERIVED              /* derived rows that its own rows read */
} workers;

struct domain_plan {
  size_t parts, share;
  double *sums;                 /* of weights (domain_add_weights) */
  held *buffers;
  size_t buffer_count, buffer_room;
  domain_piece *pieces;         /* before the launch that was added last */
  size_t piece_count, piece_room;
  domain_span *more;            /* of each part: rows before and after its own that it computes */
  adding last;                  /* the launch that was added last */
  workers who;
  size_t one;
};

/* Argument i of the launch. */
held *adding_buffer(const adding *a, uint32_t i);
const domain_rows *adding_rows(const adding *a, uint32_t i);
int adding_writes(const adding *a, uint32_t i);

int adding_is_group(const adding *a);
/* A row kernel over a list of items beside rows, which are counted in the rows of this buffer. */
int adding_is_list(const adding *a);
const domain_rows *adding_items(const adding *a);

/* Whether a buffer is cut as the launch is. */
int adding_is_like(const domain_rows *b, const cut *by);
/* The cut of a launch over so many rows, or over the rows of the first buffer that it writes. All
 * buffers that a launch writes are cut alike, or the launch is not cut. */
cut adding_find_cut(const adding *a, size_t rows);
cut adding_cut_written(const adding *a);

/* Rows of a plane; planes, or rows, that the launch reads beyond its own, -1: any. */
size_t adding_plane(const adding *a);
int adding_halo(const adding *a);
/* Planes, or rows, beside its own: a part computes so many at least, and needs so many for that. */
size_t adding_beside(const adding *a);
size_t adding_reach(const adding *a);

/* plan_near.c: rows that part m needs by the table of argument i. Then a launch of derived rows,
 * and a launch of part 0 alone that reads the sources of a derived row. */
trm_status adding_need_near(const adding *a, uint32_t i, size_t m);
trm_status adding_derived(const adding *a);
trm_status adding_gathered(const adding *a);
/* The table by which a launch computes derived rows. */
const domain_near *adding_near_written(const adding *a);
/* Own rows before the first that reads rows of others by a table. */
size_t adding_inner(const adding *a, size_t m);

/* plan.c: these rows, or all rows, are to be valid on part m. */
trm_status adding_need(domain_plan *plan, size_t number, size_t m, domain_span rows);
trm_status adding_need_all(domain_plan *plan, size_t number, size_t m);
/* Rows that part m lacks come to it, and do not become valid; or this run comes. */
trm_status adding_missing(domain_plan *plan, size_t number, size_t m, domain_span left,
                          const trm_slab *slab);
trm_status adding_run(domain_plan *plan, size_t number, size_t m, const domain_run *run,
                      const trm_slab *slab);
int adding_has(const held *b, size_t m, domain_span rows);
void adding_move(domain_plan *plan);
/* Part 0 then has all rows that the launch writes, and no other part has any. */
void adding_written_alone(const adding *a);

/* Whether part m has this row of all buffers that are cut, and the other buffers in whole. */
int adding_has_row(const adding *a, size_t m, size_t row);

#endif
