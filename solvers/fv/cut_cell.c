/* cut_cell.c - see cut_cell.h. The gas is bounded by polygons in the cell's faces and by triangles
 * from the wall's edges to their middle; its volume and centroid are those of pyramids over them,
 * whose tip is the cell's least corner. */
#include "solvers/fv/cut_cell.h"

#include <math.h>
#include <string.h>

/* Marks what is joined to corner i over edges whose corners have one sign; returns how many. */
static int join(const double *distance, int i, int *seen)
{
  int count = 1;
  *seen |= 1 << i;
  for (int bit = 1; bit < 8; bit *= 2) {
    const int j = i ^ bit;
    if (!(*seen & 1 << j) && (distance[j] > 0) == (distance[i] > 0))
      count += join(distance, j, seen);
  }
  return count;
}

static int is_torn(const double *distance)
{
  int seen = 0, parts[2] = { 0, 0 };
  for (int i = 0; i < 8; i++)
    if (!(seen & 1 << i)) {
      join(distance, i, &seen);
      parts[distance[i] > 0]++;
    }
  for (int a = 0; a < 3; a++) /* a face with gas at two opposite corners alone */
    for (int side = 0; side < 2; side++) {
      const int b = 1 << (a + 1) % 3, c = 1 << (a + 2) % 3, at = side << a;
      const int is[4] = { distance[at] > 0, distance[at | b] > 0, distance[at | b | c] > 0,
                          distance[at | c] > 0 };
      if (is[0] == is[2] && is[1] == is[3] && is[0] != is[1]) return 1;
    }
  return parts[0] > 1 || parts[1] > 1;
}

/* Where the wall meets the edge between two corners; from the lower one, whoever asks. */
static void cross(const double *distance, int i, int j, double at[3])
{
  const int low = i < j ? i : j, high = i < j ? j : i;
  const double t = distance[low] / (distance[low] - distance[high]);
  for (int a = 0; a < 3; a++)
    at[a] = (high ^ low) >> a & 1 ? t : (double)(low >> a & 1);
}

/* The gas's polygon in a face, round +axis; `edge`: where it leaves along the wall and comes back.
 * Returns whether the wall meets the face. */
static int cut_face(const double *distance, int axis, int side, fv_cut *out, double edge[2][3])
{
  const int b = (axis + 1) % 3, c = (axis + 2) % 3, base = side << axis, f = 2 * axis + side;
  const int corner[4] = { base, base | 1 << b, base | 1 << b | 1 << c, base | 1 << c };
  double points[8][3], area = 0, moment[2] = { 0, 0 };
  int count = 0, meets = 0;
  for (int k = 0; k < 4; k++) {
    const int i = corner[k], j = corner[(k + 1) & 3];
    if (distance[i] > 0) {
      for (int a = 0; a < 3; a++) points[count][a] = i >> a & 1;
      count++;
    }
    if ((distance[i] > 0) != (distance[j] > 0)) {
      cross(distance, i, j, points[count]);
      memcpy(edge[distance[i] > 0 ? 0 : 1], points[count], sizeof points[count]);
      count++;
      meets = 1;
    }
  }
  for (int k = 0; k < count; k++) {
    const double *p = points[k], *q = points[(k + 1) % count];
    const double part = p[b] * q[c] - q[b] * p[c];
    area += part;
    moment[0] += (p[b] + q[b]) * part;
    moment[1] += (p[c] + q[c]) * part;
  }
  const int is_any = area > 1e-30;
  out->open[f] = is_any ? 0.5 * area : 0.0;
  out->face[f][axis] = side;
  out->face[f][b] = is_any ? fmin(fmax(moment[0] / (3 * area), 0), 1) : 0.5;
  out->face[f][c] = is_any ? fmin(fmax(moment[1] / (3 * area), 0), 1) : 0.5;
  if (count == 4 && !meets) {
    out->open[f] = 1;
    out->face[f][b] = out->face[f][c] = 0.5;
  }
  return meets;
}

typedef struct sums { double volume, moment[3], wall_area, wall[3], turn[3]; } sums;

/* A triangle of the wall, round its normal out of the gas. */
static void add_triangle(sums *s, const double *p, const double *q, const double *r)
{
  double cross_pq[3], normal[3], area = 0, volume = 0;
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    cross_pq[a] = p[b] * q[c] - p[c] * q[b];
    normal[a] = (q[b] - p[b]) * (r[c] - p[c]) - (q[c] - p[c]) * (r[b] - p[b]);
    area += normal[a] * normal[a];
    volume += cross_pq[a] * r[a] / 6;
  }
  area = 0.5 * sqrt(area);
  s->volume += volume;
  s->wall_area += area;
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    s->turn[a] += ((p[b] + q[b] + r[b]) * normal[c] - (p[c] + q[c] + r[c]) * normal[b]) / 6;
    s->moment[a] += volume * (p[a] + q[a] + r[a]) / 4;
    s->wall[a] += area * (p[a] + q[a] + r[a]) / 3;
  }
}

static void add_faces(const double *distance, fv_cut *out, sums *s)
{
  double edges[6][2][3], middle[3] = { 0, 0, 0 };
  int meets[6], count = 0;
  for (int f = 0; f < 6; f++) {
    meets[f] = cut_face(distance, f / 2, f % 2, out, edges[f]);
    for (int a = 0; a < 3 && meets[f]; a++) middle[a] += edges[f][0][a] + edges[f][1][a];
    count += 2 * meets[f];
    if (f % 2 == 0) continue; /* a pyramid over a face at its own tip is flat */
    s->volume += out->open[f] / 3;
    for (int a = 0; a < 3; a++) s->moment[a] += out->open[f] / 4 * out->face[f][a];
  }
  for (int a = 0; a < 3 && count; a++) middle[a] /= count;
  for (int f = 0; f < 6; f++)
    if (meets[f]) add_triangle(s, edges[f][f % 2], edges[f][1 - f % 2], middle);
}

fv_cut_kind fv_cut_cell(const double distance[8], fv_cut *out)
{
  int gas = 0;
  sums s = { 0 };
  for (int i = 0; i < 8; i++) gas += distance[i] > 0;
  memset(out, 0, sizeof *out);
  if (gas == 0) return FV_CUT_SOLID;
  if (gas < 8 && is_torn(distance)) return FV_CUT_TORN;
  add_faces(distance, out, &s);
  out->volume = gas == 8 ? 1 : fmax(s.volume, 0);
  for (int a = 0; a < 3; a++) {
    const int is_tiny = s.volume < 1e-12;
    out->centroid[a] = gas == 8 ? 0.5 : is_tiny ? s.wall[a] / s.wall_area
                                                : fmin(fmax(s.moment[a] / s.volume, 0), 1);
    out->wall[a] = -(out->open[2 * a + 1] - out->open[2 * a]);
    out->turn[a] = s.turn[a];
    out->at[a] = s.wall_area > 0 ? s.wall[a] / s.wall_area : 0.5;
  }
  return gas == 8 ? FV_CUT_WHOLE : FV_CUT_PART;
}
