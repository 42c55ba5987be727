/* What stands behind pictures: colour maps, planes through grids and the scales of bars. */
#include "tests/harness.h"

#include <math.h>
#include <string.h>

#include "io/colours.h"
#include "io/plane.h"
#include "io/scale.h"

static void viridis_is_the_published_table(void)
{
  uint8_t rgb[3];
  static const struct { double t; uint8_t rgb[3]; } expected[] = {
    {0.0, {68, 1, 84}}, {1.0, {253, 231, 37}}, {-5.0, {68, 1, 84}}, {7.0, {253, 231, 37}},
    {0.5, {33, 145, 140}}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    trm_colour(TRM_COLOURS_VIRIDIS, expected[i].t, rgb);
    assert_memory_equal(rgb, expected[i].rgb, 3);
  }
}

/* What "perceptually uniform" needs at least: the lightness rises all the way. */
static void viridis_grows_lighter(void)
{
  double last = -1.0;
  for (int i = 0; i < 256; i++) {
    uint8_t rgb[3];
    trm_colour(TRM_COLOURS_VIRIDIS, i / 255.0, rgb);
    const double light = 0.2126 * pow(rgb[0] / 255.0, 2.2) + 0.7152 * pow(rgb[1] / 255.0, 2.2) +
                         0.0722 * pow(rgb[2] / 255.0, 2.2);
    assert_true(light > last - 1e-3);
    last = light;
  }
}

static void each_map_goes_where_its_name_says(void)
{
  const uint8_t (*inferno)[3] = trm_colours_table(TRM_COLOURS_INFERNO);
  const uint8_t (*both)[3] = trm_colours_table(TRM_COLOURS_DIVERGING);
  assert_in_range(inferno[0][0] + inferno[0][1] + inferno[0][2], 0, 8);    /* black */
  assert_int_equal(inferno[255][1], 255);
  assert_true(both[0][2] > 2 * both[0][0] && both[255][0] > 2 * both[255][2]);
  for (int i = 0; i < 3; i++) assert_in_range(both[128][i], 216, 224);     /* light grey */
}

static void planes_lie_across_each_axis(void)
{
  float values[2 * 3 * 4];                             /* 4 x 3 x 2 cells: zyx as digits */
  for (int z = 0; z < 2; z++)
    for (int y = 0; y < 3; y++)
      for (int x = 0; x < 4; x++) values[(z * 3 + y) * 4 + x] = (float)(100 * z + 10 * y + x);
  const trm_array field = {"t", "K", TRM_TYPE_F32, 1, 4, 3, 2, values};
  static const struct { int normal; size_t index, width, height; double corner; } planes[] = {
    {2, 1, 4, 3, 123}, {1, 2, 4, 2, 123}, {0, 3, 3, 2, 123}};
  for (size_t i = 0; i < 3; i++) {
    const trm_plane plane = {.field = &field, .normal = planes[i].normal,
                             .index = planes[i].index};
    size_t width, height;
    TEST_OK(trm_plane_size(&plane, &width, &height));
    assert_int_equal(width, planes[i].width);
    assert_int_equal(height, planes[i].height);
    assert_true(trm_plane_mean(&plane, width - 1, width, height - 1, height) == planes[i].corner);
  }
  const trm_plane beyond = {.field = &field, .normal = 0, .index = 4};
  size_t width, height;
  TEST_FAILS(trm_plane_size(&beyond, &width, &height), TRM_ERROR_INVALID, "choose 0 to 3");
}

static void a_plane_is_reduced_by_means_that_leave_out_what_has_no_value(void)
{
  const double values[] = {1, 3, 5, -1, 9,  2, 4, 8, -1, (double)NAN};
  const uint8_t flags[] = {0, 0, 1, 0, 1,  0, 0, 1, 0, 0};
  const trm_array field = {"arrival", "s", TRM_TYPE_F64, 1, 5, 2, 1, values};
  const trm_array solid = {"land", "1", TRM_TYPE_U8, 1, 5, 2, 1, flags};
  const trm_plane plane = {.field = &field, .solid = &solid, .normal = 2, .has_none = 1};
  size_t cells, width, height;
  float out[3];
  TEST_OK(trm_plane_fit(&plane, 3, 9, &cells, &width, &height));
  assert_int_equal(cells, 2);
  assert_int_equal(width, 3);
  assert_int_equal(height, 1);
  TEST_OK(trm_plane_reduce(&plane, cells, out));
  assert_true(out[0] == 2.5f);
  assert_true(isinf(out[1]) && out[1] < 0);            /* no value yet, beside an obstacle */
  assert_true(isinf(out[2]) && out[2] > 0);            /* a value that is not finite */
  assert_true(isnan(trm_plane_mean(&plane, 2, 3, 0, 2)));
}

static void scales_have_round_numbers(void)
{
  static const struct { trmi_scale scale; size_t most; const char *labels; } scales[] = {
    {{0, 128, 0}, 8, "0 20 40 60 80 100 120 "},
    {{-0.034, 0.034, 0}, 8, "-0.03 -0.02 -0.01 0 0.01 0.02 0.03 "},
    {{3.1, 3.4, 0}, 4, "3.1 3.2 3.3 3.4 "}, {{1e-4, 1, 1}, 8, "1e-4 0.001 0.01 0.1 1 "},
    {{3, 40, 1}, 8, "5 10 20 "},
    {{0.0333333, 0.0333334, 0}, 3, "0.0333333 0.03333335 0.0333334 "},
    {{0, 3e7, 0}, 3, "0 1e+07 2e+07 3e+07 "}, {{5, 5, 0}, 8, ""},
    {{0, (double)INFINITY, 0}, 8, ""}};
  for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
    trmi_tick ticks[TRMI_TICKS];
    char text[256] = "";
    const size_t count = trmi_scale_ticks(&scales[s].scale, scales[s].most, ticks);
    for (size_t t = 0; t < count; t++) {
      strcat(strcat(text, ticks[t].label), " ");
      assert_true(ticks[t].part > -1e-9 && ticks[t].part < 1 + 1e-9);
    }
    assert_string_equal(text, scales[s].labels);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(viridis_is_the_published_table),
    TEST_HOST(viridis_grows_lighter),
    TEST_HOST(each_map_goes_where_its_name_says),
    TEST_HOST(planes_lie_across_each_axis),
    TEST_HOST(scales_have_round_numbers),
    TEST_HOST(a_plane_is_reduced_by_means_that_leave_out_what_has_no_value),
  };
  return TEST_RUN(argc, argv, cases);
}
