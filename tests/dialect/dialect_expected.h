/* dialect_expected.h - what the tests' kernels compute, in plain loops over dense fields. Included
 * once a precision by dialect_expected.c, with real, R() and NAME() defined. */

typedef struct NAME(params) {
  DIALECT_MEMBERS(DIALECT_MEMBER)
} NAME(params);
typedef struct NAME(mixed) {
  DIALECT_MIXED_MEMBERS(DIALECT_MEMBER)
} NAME(mixed);

static size_t NAME(make_params)(const dialect_params *from, void *to)
{
  NAME(params) made;
  memset(&made, 0, sizeof made);
#define COPY_MEMBER(type, name) made.name = (type)from->name;
  DIALECT_MEMBERS(COPY_MEMBER)
#undef COPY_MEMBER
  memcpy(to, &made, sizeof made);
  return sizeof made;
}

static size_t NAME(make_mixed)(const dialect_mixed *from, void *to)
{
  NAME(mixed) made;
  memset(&made, 0, sizeof made);
  for (int k = 0; k < 3; k++) made.weights[k] = (real)from->weights[k];
  for (int k = 0; k < 3; k++) made.shape[k] = from->shape[k];
  made.scale = (real)from->scale;
  made.flag = from->flag;
  made.last = from->last;
  memcpy(to, &made, sizeof made);
  return sizeof made;
}

static void NAME(numbers)(void *to, size_t count, unsigned seed)
{
  real *v = to;
  for (size_t i = 0; i < count; i++) v[i] = (real)dialect_number(i, seed);
}

/* Halves of both signs, zeros of both signs, a subnormal; then numbers. */
static void NAME(operands)(void *to, size_t count)
{
  static const real special[] = { R(0.5), R(1.5), R(2.5), R(-0.5), R(-1.5), R(-2.5), R(0.0),
                                  R(-0.0), R(8388609.5), R(-3.7), R(0.49999997), SUBNORMAL };
  real *v = to;
  for (size_t i = 0; i < 2 * count; i++) v[i] = (real)dialect_number(i, 5);
  for (size_t i = 0; i < count && i < sizeof special / sizeof *special; i++) v[i] = special[i];
}

/* ---- rows -------------------------------------------------------------------------------- */

static void NAME(line)(const void *from, void *to, int nx, double a)
{
  const real *f = from, factor = (real)a;
  real *g = to;
  for (int x = 0; x < nx; x++) g[x] = factor * f[x] + (real)x;
}

/* Cell (x, y) of a periodic plane. */
static real NAME(at)(const real *f, int nx, int ny, int x, int y)
{
  return f[(y + 2 * ny) % ny * nx + (x + 2 * nx) % nx];
}

static void NAME(smooth)(const void *from, void *to, int nx, int ny, double a)
{
  const real *f = from, factor = (real)a;
  real *g = to;
  for (int y = 0; y < ny; y++)
    for (int x = 0; x < nx; x++) {
      const real c = NAME(at)(f, nx, ny, x, y);
      const real around = (NAME(at)(f, nx, ny, x - 1, y) + NAME(at)(f, nx, ny, x + 1, y)) +
                          (NAME(at)(f, nx, ny, x, y - 1) + NAME(at)(f, nx, ny, x, y + 1));
      g[y * nx + x] = c + factor * (around - R(4.0) * c);
    }
}

static void NAME(wide)(const void *from, void *to, int nx, int ny)
{
  const real *f = from;
  real *g = to;
  for (int y = 0; y < ny; y++)
    for (int x = 0; x < nx; x++) {
      const real first = R(0.0625) * NAME(at)(f, nx, ny, x, y - 2) +
                         R(0.25) * NAME(at)(f, nx, ny, x - 1, y - 1);
      const real second = R(0.375) * NAME(at)(f, nx, ny, x, y) +
                          R(0.25) * NAME(at)(f, nx, ny, x + 1, y + 1);
      const real middle = first + second;
      g[y * nx + x] = middle + R(0.0625) * NAME(at)(f, nx, ny, x, y + 2);
    }
}

static void NAME(space)(const void *from, void *to, int nx, int ny, int nz)
{
  const real *f = from;
  real *g = to;
  for (int z = 0; z < nz; z++)
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++) {
        const real *plane = f + z * ny * nx;
        const real *below = f + (z + nz - 1) % nz * ny * nx, *above = f + (z + 1) % nz * ny * nx;
        const real along_x = R(0.5) * NAME(at)(plane, nx, ny, x - 1, y) +
                             R(0.25) * NAME(at)(plane, nx, ny, x + 1, y);
        const real along_y = R(0.125) * NAME(at)(plane, nx, ny, x, y - 1) +
                             R(0.3) * NAME(at)(plane, nx, ny, x, y + 1);
        const real along_z = R(0.7) * below[y * nx + x] + R(0.9) * above[y * nx + x];
        g[(z * ny + y) * nx + x] = (along_x + along_y) + along_z;
      }
}

static void NAME(reach)(const void *from, void *to, int nx, int ny, int nz)
{
  const real *f = from;
  real *g = to;
  for (int z = 0; z < nz; z++)
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++) {
        const real *plane = f + z * ny * nx, *below = f + (z + 2 * nz - 2) % nz * ny * nx;
        const real *above = f + (z + 2) % nz * ny * nx;
        const real along_x = R(0.5) * NAME(at)(plane, nx, ny, x - 2, y) +
                             R(0.25) * NAME(at)(plane, nx, ny, x + 2, y);
        const real along_z = R(0.7) * NAME(at)(below, nx, ny, x - 2, y - 2) +
                             R(0.9) * NAME(at)(above, nx, ny, x + 2, y + 2);
        g[(z * ny + y) * nx + x] = along_x + along_z;
      }
}

/* Leaves of 32 values, folded by halves; values beyond the row are +0. */
static real NAME(leaf)(const real *v, int count)
{
  real s[32];
  for (int i = 0; i < 32; i++) s[i] = i < count ? v[i] : R(0.0);
  for (int half = 16; half > 0; half /= 2)
    for (int i = 0; i < half; i++) s[i] = s[i] + s[i + half];
  return s[0];
}

static void NAME(sums)(const void *from, const uchar *flags, void *to, void *open_to,
                       void *square_to, int nx, int ny, double b)
{
  const int leaves = (nx + 31) / 32;
  const real *f = from;
  real *g = to, *open = open_to, *square = square_to;
  for (int y = 0; y < ny; y++)
    for (int l = 0; l < leaves; l++) {
      real values[32], squares[32];
      int count = 0;
      for (; count < 32 && 32 * l + count < nx; count++) {
        const int cell = y * nx + 32 * l + count;
        g[cell] = flags[cell] ? (real)b : f[cell];
        values[count] = flags[cell] ? R(0.0) : f[cell];
        squares[count] = f[cell] * f[cell];
      }
      open[y * leaves + l] = NAME(leaf)(values, count);
      square[y * leaves + l] = NAME(leaf)(squares, count);
    }
}

static void NAME(functions)(const void *from, void *to, int nx, double a_given)
{
  const real *f = from, a = (real)a_given;
  real *g = to;
  for (int x = 0; x < nx; x++) {
    const real u = f[x], v = f[nx + x];
    const real product = u * v, sum = u + v;
    const real results[DIALECT_FUNCTIONS] = {
      MATH(sqrt)(MATH(fabs)(u)), MATH(fma)(u, v, a), product + a, MATH(rint)(u), MATH(floor)(u),
      MATH(fabs)(u), u / v, u < v ? u : v, sum - u, u / R(3.0), (real)((int)u / 3 + (int)u % 5),
    };
    for (int k = 0; k < DIALECT_FUNCTIONS; k++) g[k * nx + x] = results[k];
  }
}

static void NAME(literals)(void *to, int nx)
{
  static const real values[] = { R(1.00000017881393432617187499), R(0.1),
                                 R(-0.1666666666666666666667), R(1e-40), R(3.0e38) };
  real *g = to;
  for (int k = 0; k < 5; k++)
    for (int x = 0; x < nx; x++) g[k * nx + x] = values[k];
}

static void NAME(count_up)(void *to, int nx, int ny)
{
  real *g = to;
  for (int y = 0; y < ny; y++)
    for (int x = 0; x < nx; x++) g[y * nx + x] = (real)x;
}

static void NAME(arity)(const void *arrays, int inputs, void *to, int n, double a)
{
  const real *in = arrays;
  real *g = to;
  for (int x = 0; x < n; x++) {
    real sum = (real)a + (real)x;
    for (int k = 0; k < inputs; k++) sum += (real)(1 << k) * in[k * n + x];
    g[x] = sum;
  }
}

/* ---- groups ------------------------------------------------------------------------------ */

static void NAME(group_numbers)(void *to, int nx, int ny, int nz, int count, int base)
{
  real *g = to;
  for (int z = 0; z < nz; z++)
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++)
        for (int i = 0; i < count; i++)
          *g++ = (real)(base == 1000  ? x + 1000 * i
                        : base == 100 ? x + 100 * y + 10000 * i
                                      : x + 10 * y + 100 * z + 1000 * i);
}

static void NAME(transpose)(const void *from, void *to, int across, int down)
{
  const real *f = from;
  real *g = to;
  for (int y = 0; y < down; y++)
    for (int x = 0; x < across; x++) g[x * down + y] = f[y * across + x];
}

static void NAME(scan)(const void *from, void *to, int groups, int count)
{
  const real *f = from;
  real *g = to;
  memcpy(g, f, (size_t)(groups * count) * sizeof *g);
  for (int group = 0; group < groups; group++, g += count)
    for (int by = 1; by < count; by *= 2)
      for (int i = count - 1; i >= by; i--) g[i] = g[i] + g[i - by];
}

static void NAME(pairs)(const void *from, void *to, int n)
{
  const real *f = from;
  real *g = to;
  for (int t = 0; t < n; t++) {
    real sum = R(0.0);
    for (int j = 0; j < n; j++) {
      const real d = f[j] - f[t], squared = d * d;
      sum += d / (squared + R(0.125));
    }
    g[t] = sum;
  }
}

static void NAME(backwards)(const void *from, void *to, int groups, int count)
{
  const real *f = from;
  real *g = to;
  for (int group = 0; group < groups; group++)
    for (int i = 0; i < count; i++) g[group * count + i] = f[group * count + count - 1 - i];
}

static double NAME(difference)(const void *left, const void *right, size_t count)
{
  const real *a = left, *b = right;
  double largest = 0.0;
  for (size_t i = 0; i < count; i++) {
    const double d = fabs((double)a[i] - (double)b[i]);
    if (!(d <= largest)) largest = d; /* a NaN stays */
  }
  return largest;
}
