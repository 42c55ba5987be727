/* lists.c - numbers inside the lists of every solver's keys. Each is a finite decimal number that
 * ends its word. Every key refuses anything else. */
#include "tests/harness.h"

#include "core/number.h"
#include "solvers/registry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A case of a solver, and a key's text with '#' where the number stands. */
typedef struct list { const char *solver, *base, *key, *text, *good; } list;

#define SEA "grid.nx=8|grid.ny=8|grid.dx=1|shallow.bed_formula=-1|initial.surface=0"
#define CHANNEL "lbm.flow=channel|grid.nx=24|grid.ny=16|lbm.viscosity=0.05|lbm.speed=0.05"
#define BOX "grid.nx=16|grid.ny=16|grid.nz=16|lbm.viscosity=0.05"
#define GAS "grid.nx=32|grid.ny=32"
#define FINE "|grid.levels=1"
#define MORE "|compressible.viscosity=0.01"
#define BODY(more) "bodies.shapes", "cylinder 0.5 0.5 0.2" more
static const list lists[] = {
  { "shallow", SEA, "probes", "a # 2.5", "3.5" },
  { "shallow", SEA, "probes", "a 1 1; b 2.5 #", "3.5" },
  { "lbm", CHANNEL, "bodies.shapes", "cylinder # 8 3", "8.5" },
  { "lbm", CHANNEL, "bodies.shapes", "box 8 4 10 #", "9.5" },
  { "lbm", CHANNEL, "bodies.shapes", "polygon 8 4 12 4 10 #", "9.5" },
  { "lbm", CHANNEL, "probes", "4 #", "5" },
  { "lbm3d", BOX, "bodies.shapes", "sphere 8 # 8 3", "8.5" },
  { "lbm3d", BOX, "bodies.shapes", "box 4 4 4 8 8 #", "9.5" },
  { "lbm3d", BOX FINE, "mesh.refine", "0 8 0 8 0 #", "8.5" },
  { "lbm3d", BOX FINE "|boundary.south=wall|boundary.north=wall", "mesh.refine", "wall #", "2.5" },
  { "lbm3d", BOX, "probes", "a point 4 # 4", "5.5" },
  { "lbm3d", BOX, "probes", "a plane x #", "5.5" },
  { "lbm3d", BOX, "probes", "a plane x 5 1 1 7 #", "6.5" },
  { "lbm3d", BOX, "average_from", "#", "1.5" },
  { "compressible", GAS FINE, "mesh.refine", "0.2 0.8 0.2 #", "0.75" },
  { "compressible", GAS FINE, "mesh.refine", "0 0.1 0 0.1, 0.2 0.8 0.2 #", "0.75" },
  { "compressible", GAS FINE, "mesh.refine", "density #", "0.05" },
  { "compressible", GAS FINE, "mesh.refine", "density 0.1; reach #", "4" },
  { "compressible", GAS FINE "|boundary.south=wall|boundary.north=wall", "mesh.refine", "wall #",
    "0.1" },
  { "compressible", GAS FINE "|boundary.south=wall|boundary.north=wall", "mesh.refine",
    "distance wall #", "3.5" },
  { "compressible", GAS, "bodies.shapes", "cylinder 0.5 0.5 #", "0.2" },
  { "compressible", GAS, "bodies.shapes", "tube 0.5 # 0.4", "0.5" },
  { "compressible", GAS, "bodies.shapes", "box 0.3 0.7 0.3 #", "0.7" },
  { "compressible", GAS, "bodies.shapes", "naca 0024 0.25 0.5 0.5 #", "0.5" },
  { "compressible", GAS MORE, BODY(" isothermal #"), "1.5" },
  { "compressible", GAS MORE, BODY(" spin #"), "0.5" },
  { "compressible", GAS MORE, BODY(" spin # isothermal 1"), "0.5" },
  { "compressible", "grid.nx=16|grid.ny=16|grid.nz=16", "bodies.shapes",
    "sphere 0.5 0.5 # 0.3", "0.5" },
  { "compressible", GAS "|bodies.shapes=box 0.4 0.6 0.4 0.6", "bodies.motion",
    "0, 0, 0.1*t about 0.5 #", "0.5" },
  { "compressible", GAS, "body_force", "0 # 0", "0.5" },
  { "compressible", GAS, "probes", "a 0.5 #", "0.5" },
  { "compressible", GAS "|boundary.west=inflow|boundary.east=outflow", "boundary.west_velocity",
    "# 0 0", "1.5" },
  { "compressible", GAS "|boundary.west=outflow|boundary.east=outflow|boundary.east_sponge=0.2|"
    "compressible.sponge_strength=1|compressible.sponge_density=1|compressible.sponge_pressure=1",
    "compressible.sponge_velocity", "0 # 0", "0.5" },
};

static const trm_solver_type *type_of(const char *name)
{
  for (const trm_solver_type *const *type = trm_solver_types(); *type; type++)
    if (strcmp((*type)->name, name) == 0) return *type;
  fail_msg("there is no solver %s", name);
  return NULL;
}

/* Makes the case with this number, as far as it can be made. */
static trm_status try(trm_device *device, const list *of, const char *number)
{
  const trm_solver_type *type = type_of(of->solver);
  const trm_option *const tables[] = { type->options };
  const size_t counts[] = { type->option_count };
  const trm_solver_options how = { .precision = TRM_F32 };
  const int before = (int)(strchr(of->text, '#') - of->text);
  trm_config *config = NULL;
  trm_solver *solver = NULL;
  char *base = strdup(of->base), *rest = NULL, text[200];
  assert_non_null(base);
  TEST_OK(trm_config_create(tables, counts, 1, &config));
  for (char *one = strtok_r(base, "|", &rest); one; one = strtok_r(NULL, "|", &rest)) {
    char *value = strchr(one, '=');
    *value++ = 0;
    TEST_OK(trm_config_set(config, one, value, "the test"));
  }
  snprintf(text, sizeof text, "%.*s%s%s", before, of->text, number, of->text + before + 1);
  trm_status status = trm_config_set(config, of->key, text, "the test");
  if (status == TRM_OK) status = trm_config_check(config);
  if (status == TRM_OK) status = type->create(device, config, &how, &solver);
  type->destroy(&solver);
  trm_config_destroy(&config);
  free(base);
  return status;
}

/* The host reads the words, before a program is built for the device. */
static void a_number_in_a_list_ends_its_word(trm_device *device)
{
  test_is_spared(device);
  static const char *const behind[] = { "x", ".25", ",5", "-1", "+1", "e", "_", "/2" };
  static const char *const none[] = { "", "x", "0x1", "-0x1p3", "nan", "inf", "-inf", "1e999",
                                      "--1", "one" };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const list *of = &lists[i];
    if (try(device, of, of->good) != TRM_OK)
      fail_msg("%s: %s = '%s' with %s: %s", of->solver, of->key, of->text, of->good,
               trm_error_last()->text);
    for (size_t k = 0; k < sizeof behind / sizeof *behind; k++) {
      char number[32];
      /* 5.25 is a number */
      snprintf(number, sizeof number, "%s%s%s", of->good,
               behind[k][0] == '.' && !strchr(of->good, '.') ? ".0" : "", behind[k]);
      if (try(device, of, number) != TRM_ERROR_INPUT)
        fail_msg("%s: %s = '%s' takes %s", of->solver, of->key, of->text, number);
    }
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
      if ((*none[k] || *of->text != '#') && try(device, of, none[k]) != TRM_ERROR_INPUT)
        fail_msg("%s: %s = '%s' takes '%s'", of->solver, of->key, of->text, none[k]);
  }
}

/* A word that only begins like a shape, or has the next one joined to it. */
static void words_are_whole(trm_device *device)
{
  test_is_spared(device);
  static const list wrong[] = {
    { "lbm3d", BOX, "bodies.shapes", "spheres 8 8 8 #", "3" },
    { "lbm3d", BOX, "bodies.shapes", "sphere8 8 8 #", "3" },
    { "lbm3d", BOX, "probes", "a points 4 4 #", "4" },
    { "compressible", GAS, "bodies.shapes", "cylinder0.5 0.5 #", "0.2" },
    { "compressible", GAS, "bodies.shapes", "cylinder 0.5 0.5 #slip", "0.2" },
    { "compressible", GAS, "bodies.shapes", "cylinder 0.5 0.5 # slipwall", "0.2" },
    { "compressible", GAS, "bodies.shapes", "naca 23012 0.25 0.5 0.5 #", "0" },
    { "compressible", GAS, "bodies.shapes", "naca -012 0.25 0.5 0.5 #", "0" },
    { "compressible", GAS, "probes", "sixteen_letters_ 0.5 #", "0.5" } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (try(device, &wrong[i], wrong[i].good) != TRM_ERROR_INPUT)
      fail_msg("%s = '%s' is taken", wrong[i].key, wrong[i].text);
}

static void words_are_read_by_a_pattern(void)
{
  trm_words w = trm_words_read("  box 1 -2.5e-1\t.5  ", "box # # #");
  char name[4];
  assert_int_equal(w.used, 20);
  assert_true(w.number[0] == 1 && w.number[1] == -0.25 && w.number[2] == 0.5);
  w = trm_words_read("a plane x 3; next", "@ plane @ #");
  assert_int_equal(w.used, 11);
  assert_true(w.number[0] == 3 && w.length[0] == 1 && *w.word[1] == 'x');
  assert_true(trm_words_take(&w, 0, name, sizeof name) && strcmp(name, "a") == 0);
  w = trm_words_read("long 1", "@ #");
  assert_false(trm_words_take(&w, 0, name, sizeof name));
  assert_int_equal(trm_words_read("box 1 2", "box # # #").used, 0);
  assert_int_equal(trm_words_read("", "#").used, 0);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(words_are_read_by_a_pattern),
    TEST_DEVICE(a_number_in_a_list_ends_its_word),
    TEST_DEVICE(words_are_whole),
  };
  return TEST_RUN(argc, argv, cases);
}
