/* Fields seen from outside: silhouettes, values and light of shapes that are known. */
#include <config.h>

#include "tests/harness.h"

#include <math.h>
#include <stdlib.h>

#include "io/render.h"

enum { N = 40, CELLS = N * N * N };

typedef struct box {
  float value[CELLS];
  uint8_t solid[CELLS];
} box;

/* A ball of radius 10 in the middle: solid, or all that is not. The value is x, or 99 in solids. */
static box *with_ball(int is_body)
{
  box *b = calloc(1, sizeof *b);
  assert_non_null(b);
  for (int i = 0; i < CELLS; i++) {
    const double x = i % N + 0.5 - N / 2, y = i / N % N + 0.5 - N / 2, z = i / N / N + 0.5 - N / 2;
    b->solid[i] = (x * x + y * y + z * z < 100) == is_body;
    b->value[i] = b->solid[i] ? 99 : (float)(i % N) + 0.5f;
  }
  return b;
}

static trm_rendered seen(const box *b, trm_view_mode mode, double azimuth, double elevation,
                         double side)
{
  const trm_array field = {"t", "K", TRM_TYPE_F32, 1, N, N, N, b->value};
  const trm_array solid = {"solid", "1", TRM_TYPE_U8, 1, N, N, N, b->solid};
  const trm_view_of view = {.field = &field, .solid = &solid, .mode = mode, .azimuth = azimuth,
                            .elevation = elevation, .side = {side, side, side}, .width = 160};
  trm_rendered image;
  TEST_OK(trm_render(&view, &image));
  assert_int_equal(image.width, 160);
  return image;
}

static float middle(const trm_rendered *image, const float *of)
{
  return of[image->height / 2 * image->width + image->width / 2];
}

/* From anywhere, of any unit of length, a ball is a disc of its section. */
static void a_ball_is_a_disc_from_everywhere(void)
{
  static const double from[][3] = {{0, 0, 1}, {-60, 25, 1e-3}, {200, -70, 30}, {45, 90, 1}};
  for (int is_body = 0; is_body < 2; is_body++)
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
      box *b = with_ball(is_body);
      const double side = from[i][2];
      trm_rendered image = seen(b, is_body ? TRM_VIEW_BODY : TRM_VIEW_LUMEN, from[i][0], from[i][1],
                                side);
      double area = 0, least = 1, most = 0;
      for (size_t p = 0; p < image.width * image.height; p++) {
        if (image.values[p] == -INFINITY) continue;
        area += image.pixel * image.pixel / (side * side);
        least = fmin(least, (double)image.light[p]);
        most = fmax(most, (double)image.light[p]);
        assert_true(image.values[p] > 8 && image.values[p] < 32);  /* the fluid's, not 99 */
      }
      assert_true(fabs(area / (acos(-1.0) * 100) - 1) < 0.05);
      assert_true(least >= 0.3 && least < 0.5 && most > 0.97 && most <= 1);
      trm_rendered_free(&image);
      free(b);
    }
}

/* What is beside the wall that one looks at: x is small in the west, large in the east. */
static void a_wall_has_the_value_of_the_fluid_on_its_side(void)
{
  box *b = with_ball(1);
  trm_rendered east = seen(b, TRM_VIEW_BODY, 0, 0, 1), west = seen(b, TRM_VIEW_BODY, 180, 0, 1);
  assert_true(fabs((double)middle(&east, east.values) - 30.5) < 1.5);
  assert_true(fabs((double)middle(&west, west.values) - 9.5) < 1.5);
  trm_rendered_free(&east);
  trm_rendered_free(&west);
  free(b);
}

static void the_greatest_value_shines_through_from_everywhere(void)
{
  box *b = with_ball(0);                               /* in the ball, x; at its middle 500 */
  b->value[(N / 2 * N + N / 2) * N + N / 2] = 500;
  for (int i = 0; i < 8; i++) {
    trm_rendered image = seen(b, TRM_VIEW_GREATEST, 45 * i + 3, 20 * i - 70, 2);
    size_t bright = 0;
    for (size_t p = 0; p < image.width * image.height; p++) {
      bright += image.values[p] == 500;
      assert_true(image.values[p] != 99 && image.light[p] == 1);
    }
    const double cells = (double)bright * image.pixel * image.pixel / 4;
    assert_true(cells > 0.5 && cells < 2.2);           /* a cube's shadow: 1 to 1.73 of its side */
    trm_rendered_free(&image);
  }
  free(b);
}

static void several_components_have_a_magnitude_and_wrong_values_show(void)
{
  const float both[4] = {3, INFINITY, 4, 0};           /* two cells, (3, 4) and (inf, 0) */
  const trm_array field = {"u", "1", TRM_TYPE_F32, 2, 2, 1, 1, both};
  const trm_view_of view = {.field = &field, .mode = TRM_VIEW_GREATEST, .azimuth = -90,
                            .side = {1, 1, 1}, .width = 2};
  trm_rendered image;
  TEST_OK(trm_render(&view, &image));
  assert_int_equal(image.height, 1);
  assert_true(image.values[0] == 5 && image.values[1] == INFINITY);
  assert_true(trm_render_bytes(&view) == 2 * sizeof(float) * (2 + 2));
  trm_rendered_free(&image);
}

static void what_cannot_be_seen_is_refused(void)
{
  const float value[2] = {1, 2};
  const uint8_t flags[2] = {0, 1};
  const trm_array field = {"u", "1", TRM_TYPE_F32, 1, 2, 1, 1, value};
  const trm_array wrong = {"solid", "1", TRM_TYPE_U8, 1, 1, 2, 1, flags};
  trm_view_of view = {.field = &field, .mode = TRM_VIEW_BODY, .side = {1, 1, 1}};
  trm_rendered image;
  TEST_FAILS(trm_render(&view, &image), TRM_ERROR_INVALID, "no solid cells");
  view.solid = &wrong;
  TEST_FAILS(trm_render(&view, &image), TRM_ERROR_INVALID, "do not belong");
  view = (trm_view_of){.field = &field, .mode = TRM_VIEW_GREATEST, .side = {1, 0, 1}};
  TEST_FAILS(trm_render(&view, &image), TRM_ERROR_INVALID, "a side of 0");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(a_ball_is_a_disc_from_everywhere),
    TEST_HOST(a_wall_has_the_value_of_the_fluid_on_its_side),
    TEST_HOST(the_greatest_value_shines_through_from_everywhere),
    TEST_HOST(several_components_have_a_magnitude_and_wrong_values_show),
    TEST_HOST(what_cannot_be_seen_is_refused)};
  return TEST_RUN(argc, argv, cases);
}
