/* A given discharge through an edge's face (README.md), and the book of the water that passes the
 * edges. */

/* Flow through a face: discharge a metre, and momentum across it less the pressure g h^2 / 2 of the
 * cell inside; both positive inwards. */
typedef struct shallow_passage { real mass, push; } shallow_passage;

/* x^0.3 for 0 < x <= 1 (below 1e-9: for 1e-9): roots come near, Newton's rounds for y^10 = x^3
 * square the error. */
TRM_INLINE real shallow_three_tenths(const real x)
{
  const real base = trm_max(x, R(1e-9)), cube = base * base * base;
  const real fourth = trm_sqrt(trm_sqrt(base));
  const real thirty_second = trm_sqrt(trm_sqrt(trm_sqrt(fourth)));
  real y = fourth * thirty_second * trm_sqrt(thirty_second);
  for (int i = 0; i < 5; i++) {
    const real y2 = y * y, y4 = y2 * y2, y8 = y4 * y4;
    y = y - R(0.1) * y * (R(1.0) - cube / (y8 * y2));
  }
  return y;
}

/* The speed of waves at the face, k = sqrt(g h*), where discharge q comes in: u* - 2k is that of
 * the cell, `leaves`, and u* = gq / k^2. Newton's method from the critical speed on: the function
 * is convex and falls, so each round stays on one side. */
TRM_INLINE real shallow_wave_speed_in(const real gq, const real leaves, const real critical)
{
  real k = critical;
  for (int i = 0; i < 12; i++) {
    const real u = gq / (k * k);
    k = k + (u - R(2.0) * k - leaves) / (R(2.0) * u / k + R(2.0));
  }
  return k;
}

/* The same where gq < 0: water leaves; from rest on, down to the critical speed `least`. */
TRM_INLINE real shallow_wave_speed_out(const real gq, const real leaves, const real least)
{
  real k = R(-0.5) * leaves;
  for (int i = 0; i < 20; i++) {
    const real u = gq / (k * k);
    k = trm_max(k + (u - R(2.0) * k - leaves) / trm_max(R(2.0) * u / k + R(2.0), R(1e-6)), least);
  }
  return k;
}

/* The depth where water comes in. Where the cell leaves a choice, it follows from u - 2c of the
 * cell. Else the flow is critical, or Manning's uniform flow where the bed falls inwards so steeply
 * (slope > 0) that this is shallower. critical: sqrt(g h) of critical flow. */
TRM_INLINE real shallow_depth_in(const shallow_numbers n, const real q, const real critical,
                                 const real slope, const real h, const real c, const real leaves)
{
  const real lowest = critical * critical / n.g;
  real depth = lowest;
  if (h > n.dry && leaves <= -critical) {
    const real k = shallow_wave_speed_in(n.g * q, leaves, critical);
    depth = shallow_depth_of(n.g, h, c, k);
  } else if (n.friction > R(0.0) && slope * shallow_cbrt(lowest) > n.friction)
    depth = lowest * shallow_three_tenths(n.friction / (slope * shallow_cbrt(lowest)));
  return depth;
}

/* The face of an edge through which q comes in (q < 0: leaves), from the cell's state at the face:
 * depth h, velocity u inwards. An inflow is q exactly. An outflow is at most the critical flow that
 * the cell's u - 2c allows. Where it leaves faster than waves run, all water leaves; where the cell
 * is dry, nothing leaves. q = 0: a wall. */
TRM_INLINE shallow_passage shallow_given(const shallow_numbers n, const real q, const real lowest,
                                         const real slope, const real h, const real u)
{
  const int is_wet = h > n.dry;
  const real c = trm_sqrt(n.g * trm_max(h, R(0.0))), leaves = u - R(2.0) * c;
  const real limit = trm_max(-leaves / R(3.0), R(0.0)); /* critical flow outwards */
  const real most = limit * limit * limit / n.g;
  real mass = q, depth = R(0.0);
  if (q > R(0.0))
    depth = shallow_depth_in(n, q, trm_sqrt(n.g * lowest), slope, h, c, leaves);
  else if (q == R(0.0))
    depth = is_wet ? shallow_depth_of(n.g, h, c, c - R(0.5) * u) : h;
  else if (!is_wet || !(limit > R(0.0)))
    mass = R(0.0);
  else if (u <= -c) {
    mass = h * u;
    depth = h;
  } else if (-q >= most) {
    mass = -most;
    depth = limit * limit / n.g;
  } else
    depth = shallow_depth_of(n.g, h, c, shallow_wave_speed_out(n.g * q, leaves, limit));
  const real carried = mass == R(0.0) ? R(0.0) : mass * (mass / depth);
  const shallow_passage face = { mass, carried + n.half_g * ((depth - h) * (depth + h)) };
  return face;
}

/* ---- the book --------------------------------------------------------------
 *
 * Each face of the edges has a sum and a rest (two-sum) of the water that passed it northwards or
 * eastwards. It is the depth that the water makes in a cell. From row 0 on, each row has its
 * western and eastern face; row 0 also has the faces of the southern edge, the last row those of
 * the northern edge. */
#define SHALLOW_BOOK_ROW(y) (4 * (trm_index)(y) + ((y) > 0 ? 2 * (trm_index)p.nx : 0))
#define SHALLOW_BOOK_WEST(y) SHALLOW_BOOK_ROW(y)
#define SHALLOW_BOOK_EAST(y) (SHALLOW_BOOK_ROW(y) + 2)
#define SHALLOW_BOOK_SOUTH(x) (4 + 2 * (trm_index)(x))
#define SHALLOW_BOOK_NORTH(x) (SHALLOW_BOOK_ROW(p.ny - 1) + 4 + 2 * (trm_index)(x))

TRM_INLINE void shallow_book(TRM_OUT(real) entry, const real rate, const real mass)
{
  const real share = R(0.5) * rate; /* a step is the mean of two stages */
  const real passed = share * mass, rounded = trm_fma(share, mass, -passed);
  const real old = entry[0], sum = old + passed, part = sum - old;
  entry[1] += ((old - (sum - part)) + (passed - part)) + rounded;
  entry[0] = sum;
}
