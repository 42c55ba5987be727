/* lbm3d_periodic.c - bodies across periodic sides: the flow about one is the flow about the same
 * body in the middle, moved along; and bodies that the grid would not have. */
#include "tests/solvers/flow_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 16 };

/* ---- moved along ------------------------------------------------------------------------- */

/* Cell by cell: the same bits, `by` cells on; or, of what is computed from places, to rounding. */
static void hold_moved(flow_run *from, flow_run *to, const char *name, const int by[3],
                       double rounding)
{
  const trm_field *field = from->solver->fields;
  while (strcmp(field->name, name) != 0) field++;
  const size_t nx = field->nx, ny = field->ny, nz = field->nz, finer = nx / N;
  double *a = flow_values(from, name), *b = flow_values(to, name), most = 0;
  for (size_t c = 0; c < (size_t)field->components; c++)
    for (size_t z = 0; z < nz; z++)
      for (size_t y = 0; y < ny; y++)
        for (size_t x = 0; x < nx; x++) {
          const size_t tx = (x + (size_t)by[0] * finer) % nx, ty = (y + (size_t)by[1] * finer) % ny;
          const size_t tz = (z + (size_t)by[2] * finer) % nz;
          const double is = b[((c * nz + tz) * ny + ty) * nx + tx];
          const double was = a[((c * nz + z) * ny + y) * nx + x];
          if (rounding > 0 ? !(fabs(is - was) <= rounding * fabs(was))
                           : memcmp(&is, &was, sizeof is) != 0)
            fail_msg("%s moved by %d %d %d: %.17g for %.17g at %zu %zu %zu", name, by[0], by[1],
                     by[2], is, was, tx, ty, tz);
          most = fmax(most, fabs(is));
        }
  assert_true(most > 0);
  free(a);
  free(b);
}

/* shapes: printed with the places of the bodies, moved. */
static void place_bodies(char *text, size_t bytes, const int by[3])
{
  double s[] = {8.25 + by[0], 7.5 + by[1], 8.625 + by[2]};
  double b[] = {3.25 + by[0], 9.125 + by[1], 2.5 + by[2]};
  for (int a = 0; a < 3; a++) { /* some of each is in the box */
    if (s[a] >= N + 3) s[a] -= N;
    if (b[a] >= N) b[a] -= N;
  }
  snprintf(text, bytes, "bodies.shapes=sphere %g %g %g 3.3; box %g %g %g %g %g %g", s[0], s[1],
           s[2],
           b[0], b[1], b[2], b[0] + 2.125, b[1] + 4.25, b[2] + 3.5);
}

static void hold_bodies(trm_device *device, trm_precision precision, const char *how,
                        const int by[3])
{
  static const int none[3];
  char settings[2][700], bodies[300];
  flow_run run[2];
  for (int i = 0; i < 2; i++) {
    place_bodies(bodies, sizeof bodies, i ? by : none);
    snprintf(settings[i], sizeof settings[i], "grid.nx=16|grid.ny=16|grid.nz=16|lbm.viscosity=0.05|"
             "body_force=1e-4 0 5e-5|%s|%s", how, bodies);
    flow_begin(&run[i], device, precision, settings[i]);
    flow_steps(&run[i], 40, 0);
  }
  hold_moved(&run[0], &run[1], "velocity", by, 0);
  hold_moved(&run[0], &run[1], "density", by, 0);
  hold_moved(&run[0], &run[1], "wall_shear", by,
             precision == TRM_F64 ? 1e-12 : 1e-4);
  hold_moved(&run[0], &run[1], "solid", by, 0);
  for (int a = 0; a < 3; a++) {
    static const char *const names[] = {"force_x", "force_y", "force_z"};
    const double is = flow_series(&run[1], names[a])[39], was = flow_series(&run[0], names[a])[39];
    assert_true(fabs(is - was) < (precision == TRM_F64 ? 1e-14 : 1e-6));
  }
  flow_end(&run[0]);
  flow_end(&run[1]);
}

/* One side of each axis, an edge, the corner, from both ends; the bodies reach over each. */
static void a_body_goes_on_across_a_periodic_side(trm_device *device)
{
  test_is_spared(device);
  static const int moves[][3] = {{8, 0, 0}, {0, 6, 0}, {0, 0, 7}, {-8, -5, 0}, {-7, -8, -8},
                                 {8, 7, 8}};
  for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
    int by[3];
    for (int a = 0; a < 3; a++) by[a] = (moves[i][a] + N) % N; /* from its other end */
    hold_bodies(device, TRM_F32, "lbm.bounce_back=interpolated", i < 3 ? moves[i] : by);
  }
  hold_bodies(device, TRM_F32, "lbm.bounce_back=halfway", moves[5]);
  hold_bodies(device, TRM_F32, "lbm.collision=cumulant|lbm.lattice=d3q27", moves[5]);
  hold_bodies(device, TRM_F32, "lbm.streaming=in-place", moves[5]);
  if (trm_device_describe(device)->has_f64)
    hold_bodies(device, TRM_F64, "lbm.collision=trt", moves[5]);
}

static void a_body_goes_on_across_a_side_of_levels(trm_device *device)
{
  test_is_spared(device);
  static const int corner[] = {8, 8, 8}, side[] = {0, 8, 0};
  hold_bodies(device, TRM_F32, "grid.levels=1|mesh.refine=wall 8", corner);
  hold_bodies(device, TRM_F32, "lbm.blocks=true", side);
}

/* A plate as long as the box, drawn to its ends or past them, has no ends: nothing varies along
 * it; its top cuts links in a quarter of their length. */
static void a_plate_as_long_as_the_box_has_no_ends(trm_device *device)
{
  test_is_spared(device);
  static const char *const plates[] = {"0 2.25 0 12 4.75 8", "-3 2.25 -1 15 4.75 9",
                                       "0 2.25 -100 12 4.75 100"};
  char first[33], print[33];
  for (int i = 0; i < 3; i++) {
    char settings[400];
    flow_run run;
    snprintf(settings, sizeof settings, "grid.nx=12|grid.ny=10|grid.nz=8|lbm.viscosity=0.1|"
             "body_force=1e-4 0 0|boundary.south=wall|boundary.north=wall|bodies.shapes=box %s",
                 plates[i]);
    flow_begin(&run, device, TRM_F32, settings);
    flow_steps(&run, 200, 0);
    double *u = flow_values(&run, "velocity");
    for (int z = 0; z < 8; z++)
      for (int y = 0; y < 10; y++)
        for (int x = 0; x < 12; x++)
          assert_true(u[(z * 10 + y) * 12 + x] == u[y * 12]);
    assert_true(u[8 * 12] > 1e-3);
    free(u);
    flow_print(&run, i ? print : first);
    if (i) assert_string_equal(first, print);
    flow_end(&run);
  }
}

/* Poiseuille flow between the plate's two faces, which the box's ends do not part: the velocity in
 * the middle is a (h / 2)^2 / (2 nu) for a gap of h = 12 - 2.5, to what is in the cell's middle. */
static void a_gap_across_a_side_is_poiseuilles(trm_device *device)
{
  test_is_spared(device);
  flow_run run;
  double off = 0, most = 0;
  test_needs_f64(device);
  flow_begin(&run, device, TRM_F64, "grid.nx=3|grid.ny=12|grid.nz=3|lbm.viscosity=0.1|"
             "body_force=1e-5 0 0|bodies.shapes=box 0 -1.3 0 3 1.2 3");
  flow_steps(&run, 2500, 0);
  double *u = flow_values(&run, "velocity");
  for (int y = 2; y < 10; y++) {
    const double low = 1.2, high = 12 - 1.3, at = y + 0.5;
    const double is = 1e-5 / 0.2 * (at - low) * (high - at);
    off = fmax(off, fabs(u[y * 3] - is));
    most = fmax(most, is);
  }
  print_message("# off by %g of %g\n", off, most);
  assert_true(off < 0.02 * most);
  free(u);
  flow_end(&run);
}

/* ---- bodies that the grid would not have ------------------------------------------------- */

#define GRID "grid.nx=16|grid.ny=16|grid.nz=16|lbm.viscosity=0.1|"

static void refuse_and_cure(trm_device *device, const char *body, const char *part,
                            const char *cure)
{
  char settings[400];
  flow_run run;
  snprintf(settings, sizeof settings, GRID "bodies.shapes=sphere 4 4 4 2; %s", body);
  flow_refused(device, settings, part);
  snprintf(settings, sizeof settings, GRID "bodies.shapes=%s; sphere 4 4 4 2", cure);
  flow_begin(&run, device, TRM_F32, settings);
  flow_end(&run);
}

static void a_body_without_a_cell_is_refused_by_name(trm_device *device)
{
  refuse_and_cure(device, "box 9.6 0 0 9.9 16 16", "body 2 of bodies.shapes, 'box 9.6 0 0 9.9 16 "
                                                   "16', holds no cell's "
                                                   "centre", "box 9.3 0 0 9.9 16 16");
  refuse_and_cure(device, "sphere 10 10 10 0.3", "body 2 of bodies.shapes, 'sphere 10 10 10 0.3'",
                  "sphere 10 10 10 0.9");
  refuse_and_cure(device, "box 20 2 2 24 6 6", "'box 20 2 2 24 6 6', stands outside the box",
                  "box 12 2 2 16 6 6");
  flow_refused(device, GRID "boundary.west=wall|boundary.east=wall|bodies.shapes=box 0 0 0 0.4 "
                            "16 16; sphere 8 8 8 3", "body 1 of bodies.shapes");
  flow_refused(device, GRID "grid.levels=1|mesh.refine=0 8 0 8 0 8|bodies.shapes=sphere 4 4 4 1.2; "
               "sphere 12 12 12 0.4", "body 2 of bodies.shapes");
}

/* Level 0 holds no centre of it, the cells that are there do. */
static void a_body_of_the_finer_cells_is_there(trm_device *device)
{
  flow_run run;
  flow_begin(&run, device, TRM_F32, GRID "grid.levels=2|mesh.refine=wall 4|"
             "bodies.shapes=sphere 8 8 8 0.8");
  double *solid = flow_values(&run, "solid"), count = 0;
  for (int i = 0; i < 64 * 64 * 64; i++) count += solid[i];
  print_message("# %g solid cells of %g\n", count, 4.0 / 3 * 3.14159 * pow(3.2, 3));
  assert_true(count > 0);
  free(solid);
  flow_end(&run);
}

/* ---- surfaces ---------------------------------------------------------------------------- */

static void write_brick(FILE *file, const char *name, const double low[3], const double high[3])
{
  fprintf(file, "solid %s\n", name);
  for (int face = 0; face < 6; face++)
    for (int half = 0; half < 2; half++) {
      const int a = face / 2, b = (a + 1) % 3, c = (a + 2) % 3, is_high = face % 2;
      static const int corners[2][3][2] = {{{0, 0}, {1, 0}, {1, 1}}, {{0, 0}, {1, 1}, {0, 1}}};
      fprintf(file, "facet normal 0 0 0\nouter loop\n");
      for (int i = 0; i < 3; i++) {
        const int *at = corners[half][is_high ? i : 2 - i];
        double v[3];
        v[a] = is_high ? high[a] : low[a];
        v[b] = at[0] ? high[b] : low[b];
        v[c] = at[1] ? high[c] : low[c];
        fprintf(file, "vertex %.9g %.9g %.9g\n", v[0], v[1], v[2]);
      }
      fprintf(file, "endloop\nendfacet\n");
    }
  fprintf(file, "endsolid %s\n", name);
}

/* A block and a baffle, in one file: 12 cells along each axis. */
static const char *write_bricks(double thick)
{
  static char path[4096];
  snprintf(path, sizeof path, "%s/bricks.stl", test_folder());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  write_brick(file, "block", (const double[]){0, 0, 0}, (const double[]){4, 12, 12});
  write_brick(file, "baffle", (const double[]){12 - thick, 0, 0}, (const double[]){12, 12, 12});
  fclose(file);
  return path;
}

static void a_part_of_a_surface_without_a_cell_is_refused_by_name(trm_device *device)
{
  static const char *const grids[] = {"", "|grid.levels=1|mesh.refine=0 16 0 16 0 16"};
  static const double thin[] = {0.3, 0.2};
  flow_run run;
  for (int i = 0; i < 2; i++) {
    char settings[4400];
    snprintf(settings, sizeof settings, GRID "lbm.fluid=outside|bodies.stl_cell=1|"
             "bodies.stl=%s%s",
             write_bricks(thin[i]), grids[i]);
    flow_refused(device, settings, "in solid 'baffle' at cell (13.");
    snprintf(settings, sizeof settings, GRID "lbm.fluid=outside|bodies.stl_cell=1|"
             "bodies.stl=%s%s",
             write_bricks(0.8), grids[i]);
    flow_begin(&run, device, TRM_F32, settings);
    flow_end(&run);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_body_goes_on_across_a_periodic_side),
    TEST_DEVICE(a_body_goes_on_across_a_side_of_levels),
    TEST_DEVICE(a_plate_as_long_as_the_box_has_no_ends),
    TEST_DEVICE(a_gap_across_a_side_is_poiseuilles),
    TEST_DEVICE(a_body_without_a_cell_is_refused_by_name),
    TEST_DEVICE(a_body_of_the_finer_cells_is_there),
    TEST_DEVICE(a_part_of_a_surface_without_a_cell_is_refused_by_name),
  };
  flow_solver = "lbm3d";
  return TEST_RUN(argc, argv, cases);
}
