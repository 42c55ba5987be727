/* read_back.c - prints what the readers make of files: for each line "KIND PATH" on standard input
 * the line "ok" with numbers, or "refused". For made_files.py. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/grid.h"
#include "io/stl.h"
#include "solvers/nbody/nbody.h"

static int put_grid(const char *path)
{
  trm_grid grid;
  if (trm_grid_read(path, "", &grid) != TRM_OK) return 0;
  printf("ok %zu %zu %.17g %.17g %.17g %.17g", grid.nx, grid.ny, grid.x0, grid.y0, grid.dx,
         grid.dy);
  for (size_t i = 0; i < grid.nx * grid.ny; i++) printf(" %.17g", grid.values[i]);
  trm_grid_free(&grid);
  return 1;
}

static int put_surface(const char *path)
{
  trm_stl stl;
  if (trm_stl_read(path, &stl) != TRM_OK) return 0;
  printf("ok %zu", stl.count);
  for (size_t i = 0; i < 9 * stl.count; i++) printf(" %.17g", stl.corners[i]);
  trm_stl_free(&stl);
  return 1;
}

static int put_bodies(const char *path)
{
  nbody_bodies bodies = { 0 };
  const int is_good = nbody_read(path, "", &bodies) == TRM_OK;
  if (is_good) printf("ok %zu", bodies.count);
  for (size_t i = 0; is_good && i < bodies.count; i++)
    for (int c = 0; c < 7; c++) printf(" %.17g", bodies.value[c][i]);
  nbody_bodies_free(&bodies);
  return is_good;
}

int main(void)
{
  char line[4096];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    char *path = strchr(line, ' ');
    if (!path) return 2;
    *path++ = '\0';
    const int is_good = strcmp(line, "grid") == 0 ? put_grid(path)
                      : strcmp(line, "stl") == 0 ? put_surface(path) : put_bodies(path);
    puts(is_good ? "" : "refused");
  }
  return 0;
}
