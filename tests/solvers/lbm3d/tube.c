/* tube.c - writes the surface of a straight tube. */
#include "tests/solvers/lbm3d/tube.h"

#include <math.h>
#include <stdio.h>

#include "tests/harness.h"

static const double pi = 3.14159265358979323846;

void write_facet(FILE *file, const char *solid, const double *a, const double *b,
                        const double *c)
{
  fprintf(file, "solid %s\nfacet normal 0 0 0\nouter loop\n", solid);
  fprintf(file, "vertex %.9g %.9g %.9g\nvertex %.9g %.9g %.9g\nvertex %.9g %.9g %.9g\n", a[0],
          a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]);
  fprintf(file, "endloop\nendfacet\nendsolid\n");
}

const char *write_tube(double length, double angle, int has_end)
{
  static char path[1200];
  const double cy = cos(angle), sy = sin(angle), cz = cos(0.6 * angle), sz = sin(0.6 * angle);
  double ring[2][96][3];
  const double ends[2][3] = {{0, 0, 0}, {length * cy * cz, length * sy, length * cy * sz}};
  snprintf(path, sizeof path, "%s/tube%d.stl", test_folder(), has_end);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < 2 * 96; i++) {
    double *at = ring[i / 96][i % 96];
    const double y = 0.5 * cos(2 * pi * (i % 96) / 96), z = 0.5 * sin(2 * pi * (i % 96) / 96);
    at[0] = ends[i / 96][0] - y * sy * cz - z * sz;
    at[1] = ends[i / 96][1] + y * cy;
    at[2] = ends[i / 96][2] - y * sy * sz + z * cz;
  }
  for (int i = 0; i < 96; i++) {
    const int j = (i + 1) % 96;
    write_facet(file, "inlet", ends[0], ring[0][j], ring[0][i]);
    if (has_end) write_facet(file, "outlet", ends[1], ring[1][i], ring[1][j]);
    write_facet(file, "wall", ring[0][i], ring[0][j], ring[1][j]);
    write_facet(file, "wall", ring[0][i], ring[1][j], ring[1][i]);
  }
  assert_int_equal(fclose(file), 0);
  return path;
}
