/* io_streams.c - lines along a velocity: circles stay circles, lines end at walls and sides, files
 * hold what was traced, and places that are none are refused. */
#include "tests/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"
#include "io/streams.h"

enum { N = 16, CELLS = N * N * N };

static float velocity[3 * CELLS];
static uint8_t solid[CELLS];
static const trm_array field = {"velocity", "m/s", TRM_TYPE_F32, 3, N, N, N, velocity};
static const trm_array flags = {"solid", "1", TRM_TYPE_U8, 1, N, N, N, solid};
static const trm_stream_flow flow = {&field, &flags, {1, 2, 3}, {0.5, 0.5, 0.5}};

/* A wheel about the middle, and up at `rise`; a wall of cells from `wall` on along x. */
static void fill(double turn, double ahead, double rise, size_t wall)
{
  for (size_t i = 0; i < CELLS; i++) {
    const double x = (double)(i % N) + 0.5 - N / 2.0, y = (double)(i / N % N) + 0.5 - N / 2.0;
    solid[i] = i % N >= wall;
    velocity[i] = solid[i] ? 0 : (float)(ahead - turn * y);
    velocity[CELLS + i] = solid[i] ? 0 : (float)(turn * x);
    velocity[2 * CELLS + i] = solid[i] ? 0 : (float)rise;
  }
}

/* The flow is linear, so the interpolation adds nothing: what is left is the method's. */
static void circles_stay_circles(void)
{
  double place[1][3] = {{12, 8, 8}};
  trm_streams lines;
  fill(1, 0, 0, N);
  TEST_OK(trm_streams_trace(&flow, place, 1, &lines));
  assert_int_equal(lines.count, 1);
  assert_int_equal(lines.first[1], lines.points);
  double off = 0, length = 0;
  for (size_t i = 0; i < lines.points; i++) {
    const double x = (double)lines.at[i][0] - 8, y = (double)lines.at[i][1] - 8;
    off = fmax(off, fabs(sqrt(x * x + y * y) - 4));
    if (i) length += hypot((double)(lines.at[i][0] - lines.at[i - 1][0]),
                           (double)(lines.at[i][1] - lines.at[i - 1][1]));
    assert_true(fabs((double)lines.speed[i] - 4) < 1e-3);
  }
  print_message("# radius off by %.1e, length %g\n", off, length);
  assert_true(off < 1e-4 && length > 300);
  trm_streams_free(&lines);
}

static void lines_end_at_walls_and_sides(void)
{
  double places[2][3] = {{4.5, 8, 8}, {12.5, 8, 8}};
  trm_streams lines;
  fill(0, 1, 0, 12);
  TEST_OK(trm_streams_trace(&flow, places, 2, &lines));
  assert_int_equal(lines.count, 1); /* the second begins in the wall */
  const float *first = lines.at[0], *last = lines.at[lines.points - 1];
  assert_true(first[0] >= 0 && first[0] < 0.6f && last[0] < 12 && last[0] > 11.4f);
  assert_true(lines.time[0] < 0 && lines.time[lines.points - 1] > 0);
  /* half a length a second, in cells of half a length; slower only before the wall */
  const size_t seed = (size_t)((4.5 - (double)first[0]) / 0.5 + 0.5);
  TEST_CLOSE(lines.time[seed + 4], 2 * 0.5, 1e-5);
  trm_streams_free(&lines);
}

static void a_file_holds_the_lines(void)
{
  double (*places)[3];
  size_t count, bytes;
  trm_streams lines;
  char *text, path[256];
  fill(0, 1, 0, N);
  snprintf(path, sizeof path, "%s/lines.vtp", getenv("TRIREME_TEST_STATE"));
  TEST_OK(trm_streams_seed(&flow, "line 2 3 4 2 9 4 3", "the test", &places, &count));
  assert_int_equal(count, 3);
  TEST_CLOSE(places[1][1], (6.0 - 2) / 0.5, 1e-12);
  TEST_OK(trm_streams_trace(&flow, places, count, &lines));
  TEST_OK(trm_streams_write(path, &flow, &lines, 7, 0.25));
  TEST_OK(trm_file_load(path, SIZE_MAX, &text, &bytes));
  char head[96];
  snprintf(head, sizeof head, "NumberOfPoints=\"%zu\" NumberOfLines=\"3\"", lines.points);
  assert_non_null(strstr(text, head));
  const char *raw = strstr(text, "<AppendedData encoding=\"raw\">\n_");
  assert_non_null(raw);
  raw = strchr(raw, '_') + 1;
  float at[3];
  memcpy(at, raw + sizeof(uint64_t), sizeof at);
  for (int a = 0; a < 3; a++)
    TEST_CLOSE(at[a], flow.origin[a] + 0.5 * (double)lines.at[0][a], 1e-6);
  const size_t rest = lines.points * (3 * 4 + 8 + 4 + 4) + 3 * 8 + 5 * 8;
  assert_int_equal(bytes,
                   (size_t)(raw - text) + rest + strlen("\n  </AppendedData>\n</VTKFile>\n"));
  free(text);
  free(places);
  trm_streams_free(&lines);
}

static void places_are_in_the_fluid(void)
{
  double (*places)[3];
  size_t count;
  fill(0, 1, 0, 4);
  TEST_OK(trm_streams_seed(&flow, "count 50", "the test", &places, &count));
  assert_int_equal(count, 50);
  for (size_t i = 0; i < count; i++) assert_true(places[i][0] < 4);
  free(places);
  TEST_FAILS(trm_streams_seed(&flow, "box 8 3 4 9 9 9 5", "the test", &places, &count),
             TRM_ERROR_INPUT, "no place of 'box 8 3 4 9 9 9 5' is in the fluid");
  static const char *const none[] = {"", "count", "count 0", "count -3", "count 5 5",
                                     "line 1 2 3 4", "box 1 2 3 4 5 6", "ring 1 2 3 4 5 6 7",
                                     "count 999999999"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    TEST_FAILS(trm_streams_seed(&flow, none[i], "the test", &places, &count), TRM_ERROR_INPUT,
               "is no place for streamlines");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(circles_stay_circles),
    TEST_HOST(lines_end_at_walls_and_sides),
    TEST_HOST(a_file_holds_the_lines),
    TEST_HOST(places_are_in_the_fluid),
  };
  return TEST_RUN(argc, argv, cases);
}
