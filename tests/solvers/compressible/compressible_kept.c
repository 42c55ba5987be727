/* compressible_kept.c - what tables of walls keep from step to step: they are those that would be
 * made anew from where the bodies are. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect_same_record(const fv_cut_record *kept, const fv_cut_record *anew)
{
  assert_int_equal(kept->cell, anew->cell);
  assert_int_equal(kept->master, anew->master);
  assert_int_equal(kept->body, anew->body);
  assert_int_equal(kept->is_gap, anew->is_gap);
  assert_memory_equal(kept->to, anew->to, sizeof kept->to);
  assert_memory_equal(&kept->cut, &anew->cut, sizeof kept->cut);
  assert_memory_equal(&kept->total, &anew->total, sizeof kept->total);
  assert_memory_equal(kept->centre, anew->centre, sizeof kept->centre);
}

/* In which turn a cell's slopes are computed. */
static void expect_same_turn(const fv_cut_tables *kept, const fv_cut_tables *anew, int32_t number,
                             int32_t other)
{
  const int32_t *turn = kept->turn + FV_STENCIL_INTS * number;
  const int32_t *wanted = anew->turn + FV_STENCIL_INTS * other;
  assert_true(number >= 0);
  assert_int_equal(turn[FV_STENCIL_CELL], wanted[FV_STENCIL_CELL]);
  assert_int_equal(turn[FV_STENCIL_KIND], wanted[FV_STENCIL_KIND]);
  assert_int_equal(turn[FV_STENCIL_WALLS], wanted[FV_STENCIL_WALLS]);
  assert_int_equal(turn[FV_STENCIL_FLAGS], wanted[FV_STENCIL_FLAGS]);
  assert_int_equal(kept->spot[turn[FV_STENCIL_NUMBER]], turn[FV_STENCIL_CELL]);
}

static void *copy_of(trm_buffer *buffer, size_t *bytes)
{
  *bytes = trm_buffer_bytes(buffer);
  void *copy = malloc(*bytes);
  assert_non_null(copy);
  TEST_OK(trm_buffer_read(buffer, 0, *bytes, copy));
  return copy;
}

/* What slopes look at, their factors, and how much steeper they are at walls: all made again. */
static void expect_same_stencils(fv_solver *fv)
{
  trm_buffer *const buffers[] = { fv->walls.stencils, fv->walls.weights, fv->walls.sizes };
  enum { COUNT = sizeof buffers / sizeof *buffers };
  void *kept[COUNT];
  size_t bytes;
  for (int i = 0; i < COUNT; i++) kept[i] = copy_of(buffers[i], &bytes);
  TEST_OK(fv_renew_stencils(fv->cut));
  assert_true(fv->cut->renewed_count > 100);
  fv->has_stencils = 0;
  TEST_OK(fv_launch_stencils(fv));
  TEST_OK(fv_check_stencils(fv));
  for (int i = 0; i < COUNT; i++) {
    void *anew = copy_of(buffers[i], &bytes);
    assert_memory_equal(kept[i], anew, bytes);
    free(anew);
    free(kept[i]);
  }
}

/* Returns how many cells are cut. */
static size_t expect_same_cells(const fv_solver *fv)
{
  const fv_cut_tables *kept = fv->cut;
  fv_cut_tables *anew;
  TEST_OK(fv_cut_create(fv->base.device, &fv->bodies, fv->forest, fv->h, fv->origin, NULL, 0,
                        &anew));
  for (size_t i = 0; i < fv->forest->blocks.count * fv->block; i++) {
    const int32_t kind = fv_cut_kind_of(kept, fv->block, i / fv->block, i % fv->block);
    const int32_t other = fv_cut_kind_of(anew, fv->block, i / fv->block, i % fv->block);
    if (other < 0) assert_int_equal(kind, other);
    else assert_true(kind >= 0);
    if (kind >= 0) expect_same_record(&kept->record[kind], &anew->record[other]);
    const int32_t near = kept->near[i / fv->block], number = anew->near[i / fv->block];
    if (number < 0 || anew->turn_of[(size_t)number * fv->block + i % fv->block] < 0) continue;
    expect_same_turn(kept, anew, kept->turn_of[(size_t)near * fv->block + i % fv->block],
                     anew->turn_of[(size_t)number * fv->block + i % fv->block]);
  }
  const size_t cuts = anew->cuts;
  fv_cut_destroy(&anew);
  return cuts;
}

static void expect_kept(trm_device *device, const char *const *sets, int steps)
{
  fv_run run = fv_run_begin(device, TRM_F64, sets);
  for (int i = 0; i < steps; i++) {
    fv_run_advance(&run, INFINITY, 1, 1);
    assert_true(expect_same_cells((const fv_solver *)run.solver) > 50);
    expect_same_stencils((fv_solver *)run.solver);
  }
  fv_run_end(&run);
}

/* A cylinder that comes, passes and leaves; a box and a profile that turn; one that rests, then
 * sets out beside another. */
static void tables_of_flat_bodies_are_those_made_anew(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const cases[][12] = {
    { "bodies.shapes", "cylinder 0.25 0.5 0.1; cylinder 0.7 0.68 0.05; tube 0.5 0.5 0.45",
      "bodies.motion", "0.3*t, 0; ; ", "compressible.viscosity", "0.001", NULL },
    { "bodies.shapes", "box 0.2 0.4 0.2 0.35; naca 0040 0.3 0.7 0.5 5",
      "bodies.motion", "0.02*t, 0.1*t, 0.5*t; 0, 0.05*t", NULL },
    { "bodies.shapes", "box 0.25 0.45 0.3 0.7 slides; box 0.45 0.7 0.4 0.6 slides",
      "bodies.motion", "0, 0.1*t; 0.02*(t - 0.1 + abs(t - 0.1)), 0", NULL } };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *sets[20] = { "grid.nx", "64", "grid.ny", "64" };
    for (size_t k = 0; k < 12 && cases[i][k]; k++) sets[4 + k] = cases[i][k];
    print_message("# case %zu\n", i + 1);
    expect_kept(device, sets, 60);
  }
}

/* A piston goes back and forth, a valve rests, then opens; one turns beside a sphere at rest. */
static void tables_of_surfaces_are_those_made_anew(trm_device *device)
{
  test_is_long_elsewhere(device);
  static const char *const cases[][20] = {
    { "case", "piston", "bodies.motion",
      "; 0.15*(1 - cos(2*t)), 0, 0; 0.05*(t - 0.2 + abs(t - 0.2)), 0, 0", NULL },
    { "case", "piston", "grid.nx", "32", "grid.ny", "32", "grid.nz", "32", "compressible.length_x",
      "1.6", "bodies.shapes", "stl piston 0.5 0.3 0.3 1; sphere 0.3 0.3 0.3 0.12",
      "bodies.motion", "0.03*sin(t), 0, 0.02*t, 0.1*t about 0.75 0.8 0.8 along 3 2 10; ",
      NULL } };
  test_needs_f64(device);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) expect_kept(device, cases[i], 40);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(tables_of_flat_bodies_are_those_made_anew),
    TEST_DEVICE(tables_of_surfaces_are_those_made_anew),
  };
  return TEST_RUN(argc, argv, cases);
}
