/* cut_cell.c - see cut_cell.h. The gas is bounded by polygons in the cell's faces and by triangles
 * from the wall's edges to their middle, one for each part of the body, which an edge of a box may
 * leave several of. Its volume and centroid are those of pyramids over them, whose tip is the
 * cell's least corner. */
#include "solvers/compressible/cutcells/cut_cell.h"

#include <math.h>
#include <string.h>

/* The corners of a face, round +axis. */
static void corners_of_face(int axis, int side, int corner[4])
{
  const int b = 1 << (axis + 1) % 3, c = 1 << (axis + 2) % 3, base = side << axis;
  const int round[4] = { base, base | b, base | b | c, base | c };
  memcpy(corner, round, sizeof round);
}

/* Whether a face has gas at two opposite corners, the body at the others. The gas is joined across
 * it then: an edge of a body reaches the face with its tip. (By what a bilinear surface has between
 * them a turned box left gas in two parts in one of 200 cells at its edges.) */
static int is_crossed(const double *distance, int axis, int side)
{
  int corner[4], is_gas[4];
  corners_of_face(axis, side, corner);
  for (int k = 0; k < 4; k++) is_gas[k] = distance[corner[k]] > 0;
  return is_gas[0] == is_gas[2] && is_gas[1] == is_gas[3] && is_gas[0] != is_gas[1];
}

/* Gives all corners that are joined to corner i, over edges and across faces, its part's number. */
static void join(const double *distance, int i, int number, int part[8])
{
  const int is_gas = distance[i] > 0;
  part[i] = number;
  for (int bit = 1; bit < 8; bit *= 2) {
    const int j = i ^ bit;
    if (part[j] < 0 && (distance[j] > 0) == is_gas) join(distance, j, number, part);
  }
  for (int axis = 0; axis < 3; axis++) {
    const int j = i ^ 7 ^ 1 << axis;
    if (is_gas && part[j] < 0 && is_crossed(distance, axis, i >> axis & 1))
      join(distance, j, number, part);
  }
}

/* The parts of gas and body on the cell's surface that corners lie in, from 0. Returns whether the
 * gas is torn: has several, or the body runs through the cell from face to face with no more than
 * its tip, as a profile's tail may. */
static int is_torn(const double *distance, int part[8])
{
  int count[2] = { 0, 0 }, is_cut = 0;
  memset(part, -1, 8 * sizeof *part);
  for (int i = 0; i < 8; i++)
    if (part[i] < 0) join(distance, i, count[distance[i] > 0]++, part);
  for (int axis = 0; axis < 3; axis++)
    is_cut |= is_crossed(distance, axis, 0) && is_crossed(distance, axis, 1) &&
              (distance[0] > 0) == (distance[1 << axis] > 0);
  return count[1] > 1 || is_cut;
}

/* Where the wall meets the edge between two corners; from the lower one, whoever asks. */
static void cross(const double *distance, int i, int j, double at[3])
{
  const int low = i < j ? i : j, high = i < j ? j : i;
  const double t = distance[low] / (distance[low] - distance[high]);
  for (int a = 0; a < 3; a++)
    at[a] = (high ^ low) >> a & 1 ? t : (double)(low >> a & 1);
}

/* Where the gas's outline in a face leaves along the wall of a part of the body and comes back. */
typedef struct edge {
  double at[2][3];
  int part;
} edge;

/* The gas's polygon in a face, round +axis. Returns how many edges there are. */
static int cut_face(const double *distance, const int part[8], int axis, int side, fv_cut *out,
                    edge edges[2])
{
  const int b = (axis + 1) % 3, c = (axis + 2) % 3, f = 2 * axis + side;
  double points[8][3], area = 0, moment[2] = { 0, 0 };
  int corner[4], count = 0, leaves = 0, returns = 0;
  corners_of_face(axis, side, corner);
  const int is_late = distance[corner[0]] <= 0; /* the first edge seen is one's end */
  for (int k = 0; k < 4; k++) {
    const int i = corner[k], j = corner[(k + 1) & 3];
    if (distance[i] > 0) {
      for (int a = 0; a < 3; a++) points[count][a] = i >> a & 1;
      count++;
    }
    if ((distance[i] > 0) == (distance[j] > 0)) continue;
    cross(distance, i, j, points[count]);
    if (distance[i] > 0) {
      edges[leaves].part = part[j];
      memcpy(edges[leaves++].at[0], points[count], sizeof points[count]);
    } else {
      memcpy(edges[returns++].at[1], points[count], sizeof points[count]);
    }
    count++;
  }
  if (is_late && leaves == 2) { /* that of the last, then */
    edge first = edges[0];
    memcpy(edges[0].at[1], edges[1].at[1], sizeof first.at[1]);
    memcpy(edges[1].at[1], first.at[1], sizeof first.at[1]);
  }
  for (int k = 0; k < count; k++) {
    const double *p = points[k], *q = points[(k + 1) % count];
    const double piece = p[b] * q[c] - q[b] * p[c];
    area += piece;
    moment[0] += (p[b] + q[b]) * piece;
    moment[1] += (p[c] + q[c]) * piece;
  }
  const int is_any = area > 1e-30;
  out->open[f] = is_any ? 0.5 * area : 0.0;
  out->face[f][axis] = side;
  out->face[f][b] = is_any ? fmin(fmax(moment[0] / (3 * area), 0), 1) : 0.5;
  out->face[f][c] = is_any ? fmin(fmax(moment[1] / (3 * area), 0), 1) : 0.5;
  if (count == 4 && !leaves) {
    out->open[f] = 1;
    out->face[f][b] = out->face[f][c] = 0.5;
  }
  return leaves;
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

static void add_faces(const double *distance, const int part[8], fv_cut *out, sums *s)
{
  enum { PARTS = 4 };          /* of the body, at most: every other corner */
  double middle[PARTS][3] = { { 0 } };
  edge edges[6][2];
  int meets[6], count[PARTS] = { 0 };
  for (int f = 0; f < 6; f++) {
    meets[f] = cut_face(distance, part, f / 2, f % 2, out, edges[f]);
    for (int e = 0; e < meets[f]; e++) {
      const edge *one = &edges[f][e];
      for (int a = 0; a < 3; a++) middle[one->part][a] += one->at[0][a] + one->at[1][a];
      count[one->part] += 2;
    }
    if (f % 2 == 0) continue; /* a pyramid over a face at its own tip is flat */
    s->volume += out->open[f] / 3;
    for (int a = 0; a < 3; a++) s->moment[a] += out->open[f] / 4 * out->face[f][a];
  }
  for (int i = 0; i < PARTS; i++)
    for (int a = 0; a < 3 && count[i]; a++) middle[i][a] /= count[i];
  for (int f = 0; f < 6; f++)
    for (int e = 0; e < meets[f]; e++)
      add_triangle(s, edges[f][e].at[f % 2], edges[f][e].at[1 - f % 2], middle[edges[f][e].part]);
}

fv_cut_kind fv_cut_cell(const double distance[8], fv_cut *out)
{
  int gas = 0, part[8];
  sums s = { 0 };
  for (int i = 0; i < 8; i++) gas += distance[i] > 0;
  memset(out, 0, sizeof *out);
  if (gas == 0) return FV_CUT_SOLID;
  if (is_torn(distance, part)) return FV_CUT_TORN;
  add_faces(distance, part, out, &s);
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
