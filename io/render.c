/* render.c - a field in three dimensions seen from outside: lines of sight through its cells.
 *
 * Walls are where a smoothed share of cells is one half; its gradient is their normal. */
#include <config.h>

#include "io/render.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { LONGEST = 800 };

typedef struct scene {
  const trm_view_of *view;
  long n[3];                   /* cells */
  float *value;                /* a cell; NaN: solid */
  float *share;                /* for each cell: smoothed fraction of lit cells */
  float *depth;                /* with lines, a pixel: how far from the viewer what is seen is */
  double toward[3], right[3], up[3]; /* to the viewer, and on the image */
  double extent[3];            /* of the box along x, y, z */
  double half[2];              /* of the image */
} scene;

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static size_t at(const scene *s, long x, long y, long z)
{
  return ((size_t)z * (size_t)s->n[1] + (size_t)y) * (size_t)s->n[0] + (size_t)x;
}

/* ---- what is seen ------------------------------------------------------------------------- */

static void take_values(const scene *s)
{
  const trm_array *f = s->view->field;
  const uint8_t *solid = s->view->solid ? s->view->solid->data : NULL;
  const size_t cells = f->nx * f->ny * f->nz;
  for (size_t i = 0; i < cells; i++) {
    double sum = 0, v = trm_array_value(f, i);
    for (size_t c = 0; f->components > 1 && c < (size_t)f->components; c++) {
      const double part = trm_array_value(f, c * cells + i);
      sum += part * part;
    }
    if (f->components > 1) v = sqrt(sum);
    s->value[i] = solid && solid[i] ? NAN : isfinite(v) ? (float)v : INFINITY;
  }
}

/* Along one axis by 1/4, 1/2, 1/4; nothing lies beyond the box. */
static void smooth(const scene *s, int axis)
{
  const size_t step[3] = {1, (size_t)s->n[0], (size_t)s->n[0] * (size_t)s->n[1]};
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  for (long j = 0; j < s->n[b]; j++)
    for (long k = 0; k < s->n[c]; k++) {
      float *line = s->share + (size_t)j * step[b] + (size_t)k * step[c], before = 0;
      for (long i = 0; i < s->n[axis]; i++) {
        float *here = line + (size_t)i * step[axis];
        const float old = *here, next = i + 1 < s->n[axis] ? here[step[axis]] : 0;
        *here = 0.25f * before + 0.5f * old + 0.25f * next;
        before = old;
      }
    }
}

static void take_share(const scene *s)
{
  const uint8_t *solid = s->view->solid->data;
  const size_t cells = (size_t)s->n[0] * (size_t)s->n[1] * (size_t)s->n[2];
  for (size_t i = 0; i < cells; i++)
    s->share[i] = (solid[i] != 0) == (s->view->mode == TRM_VIEW_BODY);
  for (int pass = 0; pass < 2; pass++)
    for (int axis = 0; axis < 3; axis++) smooth(s, axis);
}

/* ---- a line of sight ---------------------------------------------------------------------- */

/* The fraction of a cell; 0 beyond the box. */
static double share_of(const scene *s, long x, long y, long z)
{
  const int is_in = x >= 0 && y >= 0 && z >= 0 && x < s->n[0] && y < s->n[1] && z < s->n[2];
  return is_in ? (double)s->share[at(s, x, y, z)] : 0;
}

/* p: in cells, their centres at halves. */
static double share_at(const scene *s, const double p[3])
{
  double sum = 0, part[3];
  long low[3];
  for (int a = 0; a < 3; a++) {
    low[a] = (long)floor(p[a] - 0.5);
    part[a] = p[a] - 0.5 - (double)low[a];
  }
  for (int i = 0; i < 8; i++) {
    const int dx = i & 1, dy = i >> 1 & 1, dz = i >> 2;
    sum += (dx ? part[0] : 1 - part[0]) * (dy ? part[1] : 1 - part[1]) *
           (dz ? part[2] : 1 - part[2]) * share_of(s, low[0] + dx, low[1] + dy, low[2] + dz);
  }
  return sum;
}

static long clamp(const scene *s, int axis, double p)
{
  const long i = (long)floor(p);
  return i < 0 ? 0 : i >= s->n[axis] ? s->n[axis] - 1 : i;
}

/* The fluid's value at a wall: of the cells around the place that are fluid, nearer ones more. */
static float value_near(const scene *s, const double p[3])
{
  for (long reach = 1; reach <= 3; reach++) {
    double sum = 0, weights = 0;
    long c[3];
    for (int a = 0; a < 3; a++) c[a] = clamp(s, a, p[a]);
    for (long z = c[2] - reach; z <= c[2] + reach; z++)
      for (long y = c[1] - reach; y <= c[1] + reach; y++)
        for (long x = c[0] - reach; x <= c[0] + reach; x++) {
          if (x < 0 || y < 0 || z < 0 || x >= s->n[0] || y >= s->n[1] || z >= s->n[2]) continue;
          const double v = (double)s->value[at(s, x, y, z)];
          const double d[3] = {(double)x + 0.5 - p[0], (double)y + 0.5 - p[1],
                               (double)z + 0.5 - p[2]};
          const double weight = 1 / (0.25 + dot(d, d) * dot(d, d));
          if (isnan(v)) continue;
          sum += weight * v;
          weights += weight;
        }
    if (weights > 0) return isfinite(sum) ? (float)(sum / weights) : INFINITY;
  }
  return INFINITY;
}

static float light_at(const scene *s, const double p[3])
{
  double normal[3], lamp[3];
  for (int a = 0; a < 3; a++) {
    double q[3] = {p[0], p[1], p[2]}, r[3] = {p[0], p[1], p[2]};
    q[a] += 1;
    r[a] -= 1;
    normal[a] = (share_at(s, r) - share_at(s, q)) / s->view->side[a];
    lamp[a] = s->toward[a] + 0.5 * s->up[a] - 0.4 * s->right[a];
  }
  const double length = sqrt(dot(normal, normal) * dot(lamp, lamp));
  const double facing = length > 0 ? dot(normal, lamp) / length : 1;
  return (float)(0.3 + 0.7 * fmax(facing, 0));
}

/* Where the line enters and leaves the box; 0: it does not. from: on the plane of the image, which
 * goes through the middle of the box. */
static int crosses(const scene *s, const double from[3], double *near, double *far)
{
  *near = -(double)INFINITY;
  *far = (double)INFINITY;
  for (int a = 0; a < 3; a++) {
    const double d = -s->toward[a];
    if (fabs(d) < 1e-12) {
      if (from[a] < 0 || from[a] >= s->extent[a]) return 0;
      continue;
    }
    const double t = (0 - from[a]) / d, u = (s->extent[a] - from[a]) / d;
    *near = fmax(*near, fmin(t, u));
    *far = fmin(*far, fmax(t, u));
  }
  return *near < *far;
}

static void place(const scene *s, const double from[3], double t, double p[3])
{
  for (int a = 0; a < 3; a++) p[a] = (from[a] - t * s->toward[a]) / s->view->side[a];
}

static double finest(const scene *s)
{
  return fmin(s->view->side[0], fmin(s->view->side[1], s->view->side[2]));
}

static float greatest(const scene *s, const double from[3], double near, double far)
{
  const double step = 0.5 * finest(s);
  float most = -INFINITY;
  double p[3];
  for (double t = near + 0.5 * step; t < far; t += step) {
    place(s, from, t, p);
    const float v = s->value[at(s, clamp(s, 0, p[0]), clamp(s, 1, p[1]), clamp(s, 2, p[2]))];
    if (v > most) most = v;    /* NaN is not */
  }
  return most;
}

/* The first wall; its place is found by halving the last step. */
static float wall(const scene *s, const double from[3], double near, double far, float *light,
                  float *depth)
{
  const double step = 0.6 * finest(s);
  double p[3];
  for (double t = near - step; t < far + step; t += step) {
    place(s, from, t, p);
    if (share_of(s, (long)floor(p[0]), (long)floor(p[1]), (long)floor(p[2])) < 0.2 ||
        share_at(s, p) < 0.5)
      continue;
    double outside = t - step, inside = t;
    for (int i = 0; i < 12; i++) {
      const double middle = 0.5 * (outside + inside);
      place(s, from, middle, p);
      *(share_at(s, p) < 0.5 ? &outside : &inside) = middle;
    }
    place(s, from, inside, p);
    *light = light_at(s, p);
    if (!s->view->lines) return value_near(s, p);
    if (s->view->mode == TRM_VIEW_BODY) *depth = (float)inside;
    *light = 1.0f + 0.9f * *light; /* of grey */
    return NAN;
  }
  return -INFINITY;
}

/* ---- the image ---------------------------------------------------------------------------- */

static void aim_view(scene *s)
{
  const double degree = acos(-1.0) / 180;
  const double a = s->view->azimuth * degree, e = s->view->elevation * degree;
  const double toward[3] = {cos(e) * cos(a), cos(e) * sin(a), sin(e)};
  const double right[3] = {-sin(a), cos(a), 0};
  const double up[3] = {-sin(e) * cos(a), -sin(e) * sin(a), cos(e)};
  s->half[0] = s->half[1] = 0;
  for (int i = 0; i < 3; i++) {
    s->toward[i] = toward[i];
    s->right[i] = right[i];
    s->up[i] = up[i];
    s->extent[i] = (double)s->n[i] * s->view->side[i];
    s->half[0] += 0.5 * s->extent[i] * fabs(right[i]);
    s->half[1] += 0.5 * s->extent[i] * fabs(up[i]);
  }
}

static void size_it(const scene *s, trm_rendered *out)
{
  const double longest = 2 * fmax(s->half[0], s->half[1]);
  out->pixel = s->view->width ? 2 * s->half[0] / (double)s->view->width : longest / LONGEST;
  out->width = (size_t)fmax(1, ceil(2 * s->half[0] / out->pixel - 1e-6));
  out->height = (size_t)fmax(1, ceil(2 * s->half[1] / out->pixel - 1e-6));
}

/* ---- lines -------------------------------------------------------------------------------- */

/* Where a point is on the image, in pixels, and how far from the viewer. */
static void project(const scene *s, const trm_rendered *out, const float point[3], double p[3])
{
  double off[3];
  for (int a = 0; a < 3; a++) off[a] = (double)point[a] * s->view->side[a] - 0.5 * s->extent[a];
  p[0] = (dot(off, s->right) + s->half[0]) / out->pixel;
  p[1] = (dot(off, s->up) + s->half[1]) / out->pixel;
  p[2] = -dot(off, s->toward);
}

static size_t index_of(const scene *s, const double p[3])
{
  return at(s, clamp(s, 0, p[0]), clamp(s, 1, p[1]), clamp(s, 2, p[2]));
}

static float value_on(const scene *s, const float point[3])
{
  const double p[3] = {(double)point[0], (double)point[1], (double)point[2]};
  const float v = s->value[index_of(s, p)];
  return isnan(v) ? value_near(s, p) : v;
}

/* A piece of a tube, lit from the viewer. */
static void draw_piece(const scene *s, trm_rendered *out, const double a[3], const double b[3],
                       double radius, float value)
{
  const double dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
  const double low[2] = {fmin(a[0], b[0]) - radius, fmin(a[1], b[1]) - radius};
  const double high[2] = {fmax(a[0], b[0]) + radius, fmax(a[1], b[1]) + radius};
  for (size_t y = (size_t)fmax(low[1], 0); y < out->height && (double)y <= high[1]; y++)
    for (size_t x = (size_t)fmax(low[0], 0); x < out->width && (double)x <= high[0]; x++) {
      const double px = (double)x + 0.5 - a[0], py = (double)y + 0.5 - a[1];
      const double part = square > 0 ? fmin(fmax((px * dx + py * dy) / square, 0), 1) : 0;
      const double ox = px - part * dx, oy = py - part * dy;
      const double off = (ox * ox + oy * oy) / (radius * radius);
      const size_t i = y * out->width + x;
      if (off > 1) continue;
      const double facing = sqrt(1 - off);
      const float depth = (float)(a[2] + part * (b[2] - a[2]) - facing * radius * out->pixel);
      if (!(depth < s->depth[i])) continue;
      s->depth[i] = depth;
      out->values[i] = value;
      out->light[i] = (float)(0.45 + 0.55 * facing);
    }
}

static void draw_lines(const scene *s, trm_rendered *out)
{
  const trm_streams *lines = s->view->lines;
  const double radius = fmax(0.3 * finest(s) / out->pixel, 1.2);
  for (size_t line = 0; line < lines->count; line++)
    for (size_t i = lines->first[line]; i + 1 < lines->first[line + 1]; i++) {
      double a[3], b[3];
      project(s, out, lines->at[i], a);
      project(s, out, lines->at[i + 1], b);
      draw_piece(s, out, a, b, radius, value_on(s, lines->at[i]));
    }
}

/* ---- all ---------------------------------------------------------------------------------- */

static void draw(const scene *s, trm_rendered *out)
{
  for (size_t y = 0; y < out->height; y++)
    for (size_t x = 0; x < out->width; x++) {
      const double across = ((double)x + 0.5) * out->pixel - s->half[0];
      const double above = ((double)y + 0.5) * out->pixel - s->half[1];
      float *value = out->values + y * out->width + x, *light = out->light + y * out->width + x;
      double from[3], near, far;
      float depth = INFINITY;
      for (int a = 0; a < 3; a++)
        from[a] = 0.5 * s->extent[a] + across * s->right[a] + above * s->up[a];
      *light = 1;
      *value = !crosses(s, from, &near, &far) ? -INFINITY
             : s->view->mode != TRM_VIEW_GREATEST ? wall(s, from, near, far, light, &depth)
             : s->view->lines ? -INFINITY : greatest(s, from, near, far);
      if (s->depth) s->depth[y * out->width + x] = depth;
    }
  if (s->view->lines) draw_lines(s, out);
}

static trm_status check(const trm_view_of *view)
{
  const trm_array *f = view->field, *s = view->solid;
  TRM_TRY(trm_array_elements(f, NULL));
  if (s && (s->type != TRM_TYPE_U8 || s->nx != f->nx || s->ny != f->ny || s->nz != f->nz))
    return TRM_FAIL(INVALID, "the flags '%s' do not belong to the cells of '%s'", s->name, f->name);
  if (!s && view->mode != TRM_VIEW_GREATEST)
    return TRM_FAIL(INVALID, "'%s' has no solid cells to be looked at", f->name);
  for (int a = 0; a < 3; a++)
    if (!(view->side[a] > 0) || !isfinite(view->side[a]))
      return TRM_FAIL(INVALID, "a cell of '%s' has a side of %g", f->name, view->side[a]);
  return TRM_OK;
}

static void begin(const trm_view_of *view, scene *s, trm_rendered *out)
{
  *s = (scene){.view = view, .n = {(long)view->field->nx, (long)view->field->ny,
                                   (long)view->field->nz}};
  *out = (trm_rendered){0};
  aim_view(s);
  size_it(s, out);
}

double trm_render_bytes(const trm_view_of *view)
{
  scene s;
  trm_rendered image;
  begin(view, &s, &image);
  const double pixels = (double)image.width * (double)image.height;
  return sizeof(float) * (2 * ((double)s.n[0] * (double)s.n[1] * (double)s.n[2] + pixels) +
                          (view->lines ? pixels : 0));
}

trm_status trm_render(const trm_view_of *view, trm_rendered *out)
{
  scene s;
  TRM_TRY(check(view));
  begin(view, &s, out);
  const size_t cells = view->field->nx * view->field->ny * view->field->nz;
  s.value = calloc(cells, sizeof *s.value);
  s.share = calloc(cells, sizeof *s.share);
  out->values = calloc(out->width * out->height, sizeof *out->values);
  out->light = calloc(out->width * out->height, sizeof *out->light);
  if (view->lines) s.depth = calloc(out->width * out->height, sizeof *s.depth);
  trm_status status = TRM_OK;
  if (!s.value || !s.share || !out->values || !out->light || (view->lines && !s.depth)) {
    trm_rendered_free(out);
    status = TRM_FAIL(NO_HOST_MEMORY, "no memory to look at '%s'", view->field->name);
  } else {
    take_values(&s);
    if (view->mode != TRM_VIEW_GREATEST) take_share(&s);
    draw(&s, out);
  }
  free(s.value);
  free(s.share);
  free(s.depth);
  return status;
}

void trm_rendered_free(trm_rendered *image)
{
  free(image->values);
  free(image->light);
  *image = (trm_rendered){0};
}
