/* compressible_units.c - a flow is the same in any units: scaled by powers of two to the bit, by
 * others but for rounding. A case is written with three units, of density, velocity and length. */
#include "tests/solvers/compressible/fv_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 64, LENGTH = 512, FLOWS = 5 };

typedef struct units { const char *name; double density, velocity, length; int is_exact; } units;

static const units scales[] = {
  { "thin gas, in powers of two", 0x1p-60, 0x1p9, 0x1p20, 1 },
  { "dense gas, in powers of two", 0x1p30, 0x1p-12, 0x1p-14, 1 },
  { "SI", 1.2, 340.3, 0.02, 0 },
  { "cgs", 1.2e-3, 34030, 2, 0 },
  { "between the stars", 1e-21, 1e4, 1e16, 0 },
  { "a nebula in f32, too", 1e-12, 1e3, 1e6, 0 },
};

/* A text with D, V and L in it: units of density, velocity and length, or of what is named. */
typedef struct key { const char *name, *text; double d, v, l; } key;

#define GAS \
  { "grid.nx", "32", 0, 0, 0 }, { "grid.ny", "32", 0, 0, 0 }, \
  { "compressible.length_x", "%.17g", 0, 0, 1 }, \
  { "initial.density", "%.17g*(1 + 0.3*sin(2*pi*x/%.17g))", 1, 0, 0 }, \
  { "initial.velocity_x", "%.17g*(0.3 + 0.2*sin(2*pi*y/%.17g))", 0, 1, 0 }, \
  { "initial.velocity_y", "%.17g*0.2*cos(4*pi*x/%.17g)", 0, 1, 0 }, \
  { "initial.pressure", "%.17g*(1 + 0.2*(x > 0.3*%.17g ? 1 : 0))", 1, 2, 0 }
#define FAR(side) \
  { "boundary." side, "farfield", 0, 0, 0 }, { "boundary." side "_density", "%.17g", 1, 0, 0 }, \
  { "boundary." side "_pressure", "%.17g", 1, 2, 0 }, \
  { "boundary." side "_velocity", "%.17g 0 0", 0, 1, 0 }
#define FRICTION { "compressible.viscosity", "%.17g", 1, 1, 1 }
#define SHARP { "compressible.slopes", "van-albada", 0, 0, 0 }
#define END { NULL, NULL, 0, 0, 0 }

static const struct { const char *name; key keys[32]; } flows[FLOWS] = {
  { "van Albada's slopes, far fields",
    { GAS, SHARP, { "compressible.flux", "hllc", 0, 0, 0 }, FAR("west"), FAR("east"),
      { "boundary.south", "symmetry", 0, 0, 0 }, { "boundary.north", "symmetry", 0, 0, 0 }, END } },
  { "friction between walls, levels, AUSM+",
    { GAS, FRICTION, SHARP, { "compressible.flux", "ausm+", 0, 0, 0 },
      { "boundary.south", "wall", 0, 0, 0 }, { "boundary.north", "isothermal", 0, 0, 0 },
      { "boundary.north_temperature", "%.17g", 0, 2, 0 }, { "grid.levels", "1", 0, 0, 0 },
      { "mesh.refine", "density 0.05; reach 4", 0, 0, 0 }, END } },
  { "Sutherland's law, central slopes",
    { GAS, FRICTION, { "compressible.sutherland", "0.4", 0, 0, 0 },
      { "compressible.viscosity_at", "%.17g", 0, 2, 0 }, END } },
  { "a cylinder",
    { GAS, FRICTION, FAR("west"), FAR("east"),
      { "bodies.shapes", "cylinder %.17g 0 0.15 wall", 0, 0, 1 }, END } },
  { "a sponge before a far field",
    { GAS, FAR("west"), FAR("east"), { "boundary.east_sponge", "%.17g", 0, 0, 1 },
      { "compressible.sponge_density", "%.17g", 1, 0, 0 },
      { "compressible.sponge_pressure", "%.17g", 1, 2, 0 },
      { "compressible.sponge_velocity", "%.17g 0 0", 0, 1, 0 },
      { "compressible.sponge_strength", "%.17g", 0, 1, -1 }, END } },
};

/* Friction is 1/200 of the units', a cylinder stands in the middle. */
static void write_key(const key *k, const units *u, char text[LENGTH])
{
  double unit = pow(u->density, k->d) * pow(u->velocity, k->v) * pow(u->length, k->l);
  if (strcmp(k->name, "compressible.viscosity") == 0) unit /= 128;
  if (strcmp(k->name, "bodies.shapes") == 0)
    snprintf(text, LENGTH, "cylinder %.17g %.17g %.17g wall", 0.5 * unit, 0.5 * unit,
             0.15625 * unit);
  else if (strchr(k->text, '%') == NULL) snprintf(text, LENGTH, "%s", k->text);
  else {
    const char *second = strstr(strchr(k->text, '%') + 1, "%.17g");
    const int first = second ? (int)(second - k->text) : (int)strlen(k->text);
    char head[64];
    snprintf(head, sizeof head, "%.*s", (int)(strchr(k->text, '%') - k->text), k->text);
    int used = snprintf(text, LENGTH, "%s%.17g%.*s", head, unit,
                        first - (int)strlen(head) - 5, k->text + strlen(head) + 5);
    if (second) snprintf(text + used, (size_t)(LENGTH - used), "%.17g%s", u->length, second + 5);
  }
}

static fv_run run_in(trm_device *device, trm_precision precision, const key *keys, const units *u)
{
  static char texts[TEXTS][LENGTH];
  const char *sets[2 * TEXTS + 1];
  int count = 0;
  for (; keys[count].name; count++) {
    write_key(&keys[count], u, texts[count]);
    sets[2 * count] = keys[count].name;
    sets[2 * count + 1] = texts[count];
  }
  sets[2 * count] = NULL;
  fv_run run = fv_run_begin(device, precision, sets);
  fv_run_advance(&run, INFINITY, 24, 24);
  return run;
}

/* The farthest that a field comes from the same in other units, of its largest value. */
static double off(const fv_run *a, const fv_run *b, const char *field, double unit)
{
  double *v = fv_run_values(a, field), *w = fv_run_values(b, field), most = 0, size = 0;
  const trm_field *first = a->solver->fields;
  const size_t cells = first->nx * first->ny * first->nz;
  assert_true(first->nx == b->solver->fields->nx);
  for (size_t i = 0; i < cells; i++) {
    assert_true(isfinite(v[i]) && isfinite(w[i]));
    most = fmax(most, fabs(w[i] / unit - v[i]));
    size = fmax(size, fabs(v[i]));
  }
  free(v);
  free(w);
  return most / size;
}

static void compare(trm_device *device, trm_precision precision)
{
  static const units own = { "", 1, 1, 1, 1 };
  for (size_t f = 0; f < FLOWS; f++) {
    fv_run base = run_in(device, precision, flows[f].keys, &own);
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
      const units *u = &scales[s];
      if (precision == TRM_F32 && u->density < 1e-19) continue; /* its squares are no numbers */
      fv_run other = run_in(device, precision, flows[f].keys, u);
      const double rho = off(&base, &other, "density", u->density);
      const double e = off(&base, &other, "energy", u->density * u->velocity * u->velocity);
      const double most = u->is_exact ? 0 : precision == TRM_F64 ? 1e-11 : 2e-4;
      if (!(rho <= most && e <= most))
        fail_msg("%s, %s: density off by %.1e, energy by %.1e", flows[f].name, u->name, rho, e);
      fv_run_end(&other);
    }
    fv_run_end(&base);
  }
}

static void a_flow_is_the_same_in_any_units(trm_device *device)
{
  test_is_long_elsewhere(device);
  test_needs_f64(device);
  compare(device, TRM_F64);
}

static void so_it_is_in_f32(trm_device *device)
{
  test_is_long_elsewhere(device);
  compare(device, TRM_F32);
}

/* A side's density, pressure or temperature is 1 unless it is given: told where the gas of the
 * start has other units. */
static void a_default_of_other_units_is_told(trm_device *device)
{
#define AIR "grid.nx", "16", "grid.ny", "16", "initial.density", "1.2", \
            "initial.pressure", "101325", "boundary.west", "inflow", "boundary.east", "outflow"
#define IN "boundary.west_velocity", "500 0 0", "boundary.west_density", "1.2"
  static const struct { const char *sets[24], *part; } cases[] = {
    { { AIR, IN, NULL },
      "boundary.west_pressure is 1, as it is unless it is given, where the gas" },
    { { AIR, IN, "boundary.west_pressure", "101325", NULL }, NULL },
    { { AIR, IN, "boundary.west_pressure", "101325", "boundary.south", "isothermal",
        "boundary.north", "wall", NULL }, "boundary.south_temperature is 1" },
    { { "grid.nx", "16", "grid.ny", "16", "boundary.west", "farfield", "boundary.east", "farfield",
        "initial.pressure", "1 + x", NULL }, NULL } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fv_run run = fv_run_begin(device, TRM_F32, cases[i].sets);
    const char *said = run.solver->caution;
    if (cases[i].part ? !said || !strstr(said, cases[i].part) : said != NULL)
      fail_msg("case %zu: %s", i, said ? said : "nothing is said");
    fv_run_end(&run);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_DEVICE(a_flow_is_the_same_in_any_units),
    TEST_DEVICE(so_it_is_in_f32),
    TEST_DEVICE(a_default_of_other_units_is_told),
  };
  return TEST_RUN(argc, argv, cases);
}
