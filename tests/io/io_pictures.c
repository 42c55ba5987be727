/* Pictures: what is drawn where, read back with libpng. */
#include <config.h>

#include "tests/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/colours.h"
#include "io/plane.h"
#include "io/png.h"
#include "io/scale.h"

#ifdef HAVE_LIBPNG
#include <png.h>

static const uint8_t grey[3] = {128, 128, 128}, magenta[3] = {255, 0, 255};

typedef struct image {
  size_t width, height;
  uint8_t *pixels;
} image;

static image read_png(const char *path)
{
  png_image png = {.version = PNG_IMAGE_VERSION};
  assert_int_equal(png_image_begin_read_from_file(&png, path), 1);
  png.format = PNG_FORMAT_RGB;
  image out = {png.width, png.height, malloc(PNG_IMAGE_SIZE(png))};
  assert_int_equal(png_image_finish_read(&png, NULL, out.pixels, 0, NULL), 1);
  return out;
}

static void pixel_is(const image *i, size_t x, size_t y, const uint8_t rgb[3])
{
  assert_true(x < i->width && y < i->height);
  assert_memory_equal(i->pixels + 3 * (y * i->width + x), rgb, 3);
}

static image draw(const trm_picture *picture)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/picture.png", test_folder());
  TEST_OK(trm_png_write(path, picture));
  return read_png(path);
}

static trm_picture plain(const trm_array *field)
{
  return (trm_picture){.plane = {.field = field, .normal = 2}, .minimum = (double)NAN,
                       .maximum = (double)NAN, .plain = 1};
}

static void small_grids_are_enlarged_and_y_points_up(void)
{
  const float values[6] = {0.0f, 0.5f, 9.0f, (float)NAN, 1.0f, 0.25f};   /* 3 x 2 */
  const uint8_t flags[6] = {0, 0, 1, 0, 0, 0};
  const trm_array field = {"speed", "1", TRM_TYPE_F32, 1, 3, 2, 1, values};
  const trm_array solid = {"solid", "1", TRM_TYPE_U8, 1, 3, 2, 1, flags};
  trm_picture picture = plain(&field);
  uint8_t rgb[3];
  picture.plane.solid = &solid;
  image i = draw(&picture);
  assert_int_equal(i.width, 3 * 171);                /* the first whole factor that reaches 512 */
  assert_int_equal(i.height, 2 * 171);
  trm_colour(TRM_COLOURS_VIRIDIS, 0.0, rgb);
  pixel_is(&i, 0, i.height - 1, rgb);                /* cell (0, 0) lies bottom left */
  pixel_is(&i, 170, i.height - 171, rgb);
  trm_colour(TRM_COLOURS_VIRIDIS, 0.5, rgb);
  pixel_is(&i, 171, i.height - 1, rgb);
  pixel_is(&i, i.width - 1, i.height - 1, grey);     /* the obstacle's 9 does not enter the range */
  pixel_is(&i, 0, 0, magenta);
  trm_colour(TRM_COLOURS_VIRIDIS, 1.0, rgb);
  pixel_is(&i, 171, 0, rgb);
  free(i.pixels);
}

static void logarithmic_colours_go_by_powers_of_ten(void)
{
  const float values[4] = {0.0f, 1.0f, 10.0f, 100.0f};
  const trm_array field = {"density", "1", TRM_TYPE_F32, 1, 4, 1, 1, values};
  trm_picture picture = plain(&field);
  uint8_t rgb[3];
  picture.logarithmic = 1;
  image i = draw(&picture);
  const size_t cell = i.width / 4;
  for (size_t x = 0; x < 4; x++) {                   /* nothing has the colour of the least */
    trm_colour(TRM_COLOURS_VIRIDIS, x ? (double)(x - 1) / 2.0 : 0.0, rgb);
    pixel_is(&i, x * cell, 0, rgb);
  }
  free(i.pixels);
}

static void logarithmic_colours_span_four_powers_of_ten(void)
{
  const float values[4] = {1e-9f, 0.1f, 10.0f, 1000.0f};
  const trm_array field = {"density", "1", TRM_TYPE_F32, 1, 4, 1, 1, values};
  trm_picture picture = plain(&field);
  uint8_t rgb[3];
  picture.logarithmic = 1;
  image i = draw(&picture);
  const size_t cell = i.width / 4;
  for (size_t x = 0; x < 4; x++) {
    trm_colour(TRM_COLOURS_VIRIDIS, x ? (double)(x - 1) / 2.0 : 0.0, rgb);
    pixel_is(&i, x * cell, 0, rgb);
  }
  free(i.pixels);
}

static void a_few_extremes_need_not_set_the_colours(void)
{
  float values[1000];
  for (int x = 0; x < 1000; x++) values[x] = (float)(x % 100);
  values[400] = 1e6f;
  values[600] = -1e6f;
  const trm_array field = {"vorticity", "1", TRM_TYPE_F32, 1, 1000, 1, 1, values};
  trm_picture picture = plain(&field);
  uint8_t rgb[3];
  image i = draw(&picture);
  trm_colour(TRM_COLOURS_VIRIDIS, 0.5, rgb);
  pixel_is(&i, 99, 0, rgb);                          /* all the rest is one colour */
  free(i.pixels);
  picture.bulk = 1;
  i = draw(&picture);
  for (size_t x = 0; x < 100; x += 33) {
    trm_colour(TRM_COLOURS_VIRIDIS, (double)x / 99.0, rgb);
    pixel_is(&i, x, 0, rgb);
  }
  trm_colour(TRM_COLOURS_VIRIDIS, 1.0, rgb);
  pixel_is(&i, 400, 0, rgb);
  trm_colour(TRM_COLOURS_VIRIDIS, 0.0, rgb);
  pixel_is(&i, 600, 0, rgb);
  free(i.pixels);
}

static void cells_without_a_value_have_no_colour(void)
{
  const float values[4] = {-1.0f, 0.0f, 10.0f, 20.0f};
  const trm_array field = {"arrival", "s", TRM_TYPE_F32, 1, 4, 1, 1, values};
  const uint8_t none[3] = {240, 240, 240};
  trm_picture picture = plain(&field);
  uint8_t rgb[3];
  picture.plane.has_none = 1;
  image i = draw(&picture);
  const size_t cell = i.width / 4;
  pixel_is(&i, 0, 0, none);
  for (size_t x = 1; x < 4; x++) {
    trm_colour(TRM_COLOURS_VIRIDIS, (double)(x - 1) / 2.0, rgb);
    pixel_is(&i, x * cell, 0, rgb);
  }
  free(i.pixels);
}

static void large_grids_are_averaged(void)
{
  const size_t nx = 5000, ny = 10;
  double *values = malloc(nx * ny * sizeof *values);
  uint8_t rgb[3];
  for (size_t y = 0; y < ny; y++)
    for (size_t x = 0; x < nx; x++) values[y * nx + x] = (double)((x % 3 + y) % 2);
  const trm_array field = {"checks", "1", TRM_TYPE_F64, 1, nx, ny, 1, values};
  const trm_picture picture = plain(&field);
  image i = draw(&picture);
  assert_int_equal(i.width, 1667);                   /* 3 cells a pixel, the last one of 2 */
  assert_int_equal(i.height, 4);
  trm_colour(TRM_COLOURS_VIRIDIS, 4.0 / 9.0, rgb);
  pixel_is(&i, 0, 3, rgb);
  free(i.pixels);
  free(values);
}

static void vectors_show_their_magnitude_in_the_chosen_plane(void)
{
  const double values[] = {0, 0, 3, 0, 0, 0, 4, 0};  /* u_x of 2 x 1 x 2 cells, then u_y */
  const trm_array field = {"velocity", "1", TRM_TYPE_F64, 2, 2, 1, 2, values};
  trm_picture picture = plain(&field);
  uint8_t rgb[3];
  picture.minimum = 0.0;
  picture.maximum = 10.0;
  picture.plane.index = 1;
  image i = draw(&picture);
  trm_colour(TRM_COLOURS_VIRIDIS, 0.5, rgb);
  pixel_is(&i, 0, 0, rgb);
  trm_colour(TRM_COLOURS_VIRIDIS, 0.0, rgb);
  pixel_is(&i, i.width - 1, 0, rgb);
  free(i.pixels);
}

static void a_uniform_field_and_one_without_values_are_drawn(void)
{
  const float same[4] = {2.0f, 2.0f, 2.0f, 2.0f}, none[4] = {(float)NAN, (float)NAN, (float)NAN,
                                                             (float)INFINITY};
  const trm_array a = {"same", "1", TRM_TYPE_F32, 1, 2, 2, 1, same};
  const trm_array b = {"none", "1", TRM_TYPE_F32, 1, 2, 2, 1, none};
  uint8_t rgb[3];
  trm_picture picture = plain(&a);
  image i = draw(&picture);
  trm_colour(TRM_COLOURS_VIRIDIS, 0.0, rgb);
  pixel_is(&i, 5, 5, rgb);
  free(i.pixels);
  picture = plain(&b);
  i = draw(&picture);
  pixel_is(&i, 5, 5, magenta);
  free(i.pixels);
}

static int is_pixel(const image *i, size_t x, size_t y, const uint8_t rgb[3])
{
  return memcmp(i->pixels + 3 * (y * i->width + x), rgb, 3) == 0;
}

/* How many pixels of a rectangle have that colour. */
static size_t count_of(const image *i, size_t x0, size_t x1, size_t y0, size_t y1,
                       const uint8_t rgb[3])
{
  size_t count = 0;
  for (size_t y = y0; y < y1 && y < i->height; y++)
    for (size_t x = x0; x < x1 && x < i->width; x++) count += (size_t)is_pixel(i, x, y, rgb);
  return count;
}

/* The first pixel from the left, in the row of the middle of the cells, that has the colour. */
static size_t first_of(const image *i, size_t y, const uint8_t rgb[3])
{
  size_t x = 0;
  while (x < i->width && !is_pixel(i, x, y, rgb)) x++;
  return x;
}

static void title_axes_and_colour_bar_stand_around_the_cells(void)
{
  static const uint8_t white[3] = {255, 255, 255}, ink[3] = {32, 32, 32};
  const float values[4] = {0.0f, 1.0f, 2.0f, 3.0f};
  const trm_array field = {"speed", "lattice", TRM_TYPE_F32, 1, 2, 2, 1, values};
  trm_picture picture = plain(&field);
  image bare = draw(&picture);
  picture.plain = 0;
  image without = draw(&picture);
  picture.title = "box: speed [lattice]";
  picture.subtitle = "t = 2 s, step 4";
  image i = draw(&picture);
  assert_true(i.width > bare.width + 60 && i.height > bare.height + 60);
  uint8_t rgb[3];
  trm_colour(TRM_COLOURS_VIRIDIS, 0.0, rgb);
  const size_t bottom = i.height - 60, left = first_of(&i, bottom - 200, rgb);
  assert_in_range(left, 30, 80);                     /* a scale stands on its left */
  assert_int_equal(count_of(&i, left, left + 256, 0, i.height, rgb), 256 * 256);
  const size_t right = left + 512;
  size_t top = 0;
  while (!is_pixel(&i, left, top, rgb)) top++;
  top -= 256;                                        /* of the cells */
  assert_int_equal(count_of(&i, left - 1, left, top - 1, top + 513, ink), 514); /* the frame */
  assert_true(count_of(&i, 0, left - 6, 0, i.height, white) < (left - 6) * i.height);
  assert_true(count_of(&i, right + 10, i.width, 0, i.height, rgb) >= 20);  /* the bar's lower end */
  pixel_is(&i, i.width - 1, i.height - 1, white);
  assert_true(count_of(&without, 0, without.width, 0, 24, white) == without.width * 24);
  assert_true(count_of(&i, 0, i.width, 0, 24, white) < i.width * 24);      /* the title */
  free(without.pixels);
  free(i.pixels);
  free(bare.pixels);
}

static void signed_fields_have_two_colours_around_their_middle(void)
{
  const float values[4] = {0.5f, 1.0f, 1.5f, 3.0f};
  const trm_array field = {"surface", "m", TRM_TYPE_F32, 1, 4, 1, 1, values};
  trm_picture picture = plain(&field);
  double low, high;
  trm_colours colours;
  uint8_t rgb[3];
  picture.is_signed = 1;
  picture.middle = 1;
  TEST_OK(trm_picture_range(&picture, &low, &high, &colours));
  assert_true(low == -1 && high == 3 && colours == TRM_COLOURS_DIVERGING);
  image i = draw(&picture);
  const size_t cell = i.width / 4;
  static const double parts[] = {0.375, 0.5, 0.625, 1};
  for (size_t x = 0; x < 4; x++) {
    trm_colour(TRM_COLOURS_DIVERGING, parts[x], rgb);
    pixel_is(&i, x * cell, 0, rgb);
  }
  free(i.pixels);
  picture.minimum = 0;                               /* the middle value keeps the middle colour */
  i = draw(&picture);
  trm_colour(TRM_COLOURS_DIVERGING, 0.25, rgb);
  pixel_is(&i, 0, 0, rgb);
  trm_colour(TRM_COLOURS_DIVERGING, 0.5, rgb);
  pixel_is(&i, cell, 0, rgb);
  free(i.pixels);
  picture.minimum = (double)NAN;
  picture.middle = 0;                                /* all values lie on one side of it */
  TEST_OK(trm_picture_range(&picture, &low, &high, &colours));
  assert_true(low == 0.5 && high == 3 && colours == TRM_COLOURS_VIRIDIS);
}

/* Where the cells lie in a picture that has something around them. */
static void find_cells(const image *whole, const image *bare, size_t *left, size_t *top)
{
  const size_t bytes = 3 * bare->width;
  for (*top = 0; *top + bare->height < whole->height; ++*top)
    for (*left = 0; *left + bare->width < whole->width; ++*left) {
      size_t y = 0;
      while (y < bare->height &&
             memcmp(whole->pixels + 3 * ((*top + y) * whole->width + *left),
                    bare->pixels + bytes * y, bytes) == 0)
        y++;
      if (y == bare->height) return;
    }
  fail_msg("the cells are not in the picture");
}

/* A cell has the colour that the bar has at its value, or at the end beyond which it lies. */
static void cells_and_bar_agree(trm_colours colours, double middle, double low, double high)
{
  float values[64];
  const trm_array field = {"vorticity", "1", TRM_TYPE_F32, 1, 8, 8, 1, values};
  const double parts[] = {-2, -0.01, 0.02, 0.3, 0.9, 1.01, 3};
  for (int i = 0; i < 64; i++)                   /* some just beside the middle, and across all */
    values[i] = (float)(i % 8 ? low + parts[i % 8 - 1] * (high - low)
                              : middle + (i / 8 - 3.5) * 2e-3 * (high - low));
  trm_picture picture = plain(&field);
  picture.colours = colours;
  picture.is_signed = 1;
  picture.middle = middle;
  picture.minimum = low;
  picture.maximum = high;
  image bare = draw(&picture);
  picture.plain = 0;
  image i = draw(&picture);
  size_t left = 0, top = 0;
  find_cells(&i, &bare, &left, &top);
  const size_t side = bare.width / 8, bar = left + bare.width + 30, last = bare.height - 1;
  for (int c = 0; c < 64; c++) {
    const double at = (1 - ((double)values[c] - low) / (high - low)) * (double)bare.height;
    const size_t row = at < 0 ? 0 : at > (double)last ? last : (size_t)at;
    const uint8_t *cell = bare.pixels + 3 * ((size_t)(7 - c / 8) * side * bare.width +
                                             (size_t)(c % 8) * side);
    for (int k = 0; k < 3; k++) {
      const uint8_t *there = i.pixels + 3 * ((top + row) * i.width + bar) + k;
      assert_in_range(cell[k] + 5, *there, *there + 10); /* a pixel of the bar, a step of the map */
    }
  }
  free(i.pixels);
  free(bare.pixels);
}

static void the_bar_has_the_colour_of_each_value(void)
{
  cells_and_bar_agree(TRM_COLOURS_VIRIDIS, 0, -1, 1);
  cells_and_bar_agree(TRM_COLOURS_VIRIDIS, 0, -1, 3);
  cells_and_bar_agree(TRM_COLOURS_VIRIDIS, 0, 0, 1);
  cells_and_bar_agree(TRM_COLOURS_VIRIDIS, 2, 0, 2);
  cells_and_bar_agree(TRM_COLOURS_VIRIDIS, 0, 1, 3);
  cells_and_bar_agree(TRM_COLOURS_DIVERGING, 0, 1, 3);
  cells_and_bar_agree(TRM_COLOURS_DIVERGING, 0, -3, -1);
}

/* An arrowhead at an end of the bar says that values lie beyond it. */
static void colours_that_are_clipped_are_marked(void)
{
  static const uint8_t white[3] = {255, 255, 255};
  float values[64];
  for (int x = 0; x < 64; x++) values[x] = (float)(x / 8);
  const trm_array field = {"speed", "1", TRM_TYPE_F32, 1, 8, 8, 1, values};
  static const struct { double low, high; int below, above; } ranges[] = {
    {0, 7, 0, 0}, {1, 7, 1, 0}, {0, 6, 0, 1}, {1, 6, 1, 1}, {-1, 9, 0, 0}};
  for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
    trm_picture picture = {.plane = {.field = &field, .normal = 2}, .minimum = ranges[r].low,
                           .maximum = ranges[r].high};
    uint8_t low[3], high[3];
    image i = draw(&picture);
    trm_colour(TRM_COLOURS_VIRIDIS, 0, low);
    trm_colour(TRM_COLOURS_VIRIDIS, 1, high);
    size_t bar = i.width - 1, top = 0, bottom = i.height - 1;
    while (count_of(&i, bar, bar + 1, 0, i.height, white) > i.height - 400) bar--;
    bar -= 10;                                       /* in the bar */
    while (is_pixel(&i, bar, top, white)) top++;
    while (is_pixel(&i, bar, bottom, white)) bottom--;
    assert_int_equal(bottom - top + 1, 512 + 11 * (ranges[r].above + ranges[r].below));
    free(i.pixels);
  }
}

static void what_the_bar_does_not_have_stands_in_a_key(void)
{
  const float values[4] = {0.0f, 1.0f, 2.0f, -1.0f};
  const uint8_t flags[4] = {0, 1, 0, 0};
  const uint8_t none[3] = {240, 240, 240};
  const trm_array field = {"arrival", "s", TRM_TYPE_F32, 1, 2, 2, 1, values};
  const trm_array solid = {"land", "1", TRM_TYPE_U8, 1, 2, 2, 1, flags};
  trm_picture picture = plain(&field);
  picture.plain = 0;
  image bare = draw(&picture);
  picture.plane.solid = &solid;
  picture.plane.has_none = 1;
  image i = draw(&picture);
  assert_true(i.height > bare.height);
  assert_in_range(count_of(&i, 0, i.width, bare.height - 8, i.height, grey), 80, 400);
  assert_in_range(count_of(&i, 0, i.width, bare.height - 8, i.height, none), 80, 400);
  free(i.pixels);
  free(bare.pixels);
}

static void a_width_is_kept_and_cells_have_their_shape(void)
{
  const float values[6] = {0, 1, 2, 3, 4, 5};
  const trm_array field = {"h", "m", TRM_TYPE_F32, 1, 3, 2, 1, values};
  trm_picture picture = plain(&field);
  uint8_t rgb[3];
  picture.width = 100;
  picture.side[0] = 1;
  picture.side[1] = 2;
  image i = draw(&picture);
  assert_int_equal(i.width, 100);
  assert_int_equal(i.height, 133);
  trm_colour(TRM_COLOURS_VIRIDIS, 1.0, rgb);
  pixel_is(&i, 99, 0, rgb);
  trm_colour(TRM_COLOURS_VIRIDIS, 0.2, rgb);
  pixel_is(&i, 50, 132, rgb);
  free(i.pixels);
}

static void pictures_that_cannot_be_are_refused(void)
{
  const float values[1] = {0.0f};
  trm_array field = {"speed", "1", TRM_TYPE_F32, 1, 1, 1, 1, values};
  trm_picture picture = plain(&field);
  assert_true(trm_png_available());
  TEST_FAILS(trm_png_write("no-folder/a.png", &picture), TRM_ERROR_IO, "make the folder first");
  picture.plane.index = 1;
  TEST_FAILS(trm_png_write("a.png", &picture), TRM_ERROR_INVALID,
             "plane 1 of 'speed', which has 1");
  field.nx = 0;
  TEST_FAILS(trm_png_write("a.png", &picture), TRM_ERROR_INVALID, "is empty");
}

#define PICTURES \
  TEST_HOST(small_grids_are_enlarged_and_y_points_up), TEST_HOST(large_grids_are_averaged), \
  TEST_HOST(logarithmic_colours_go_by_powers_of_ten), \
  TEST_HOST(a_few_extremes_need_not_set_the_colours), \
  TEST_HOST(cells_without_a_value_have_no_colour), \
  TEST_HOST(logarithmic_colours_span_four_powers_of_ten), \
  TEST_HOST(vectors_show_their_magnitude_in_the_chosen_plane), \
  TEST_HOST(a_uniform_field_and_one_without_values_are_drawn), \
  TEST_HOST(title_axes_and_colour_bar_stand_around_the_cells), \
  TEST_HOST(signed_fields_have_two_colours_around_their_middle), \
  TEST_HOST(colours_that_are_clipped_are_marked), \
  TEST_HOST(the_bar_has_the_colour_of_each_value), \
  TEST_HOST(what_the_bar_does_not_have_stands_in_a_key), \
  TEST_HOST(a_width_is_kept_and_cells_have_their_shape), \
  TEST_HOST(pictures_that_cannot_be_are_refused)

#else

static void without_libpng_a_picture_is_refused(void)
{
  const float values[1] = {0.0f};
  const trm_array field = {"speed", "1", TRM_TYPE_F32, 1, 1, 1, 1, values};
  const trm_picture picture = {.plane = {.field = &field, .normal = 2}};
  assert_false(trm_png_available());
  TEST_FAILS(trm_png_write("a.png", &picture), TRM_ERROR_UNSUPPORTED, "install libpng-dev");
}

#define PICTURES TEST_HOST(without_libpng_a_picture_is_refused)

#endif

int main(int argc, char **argv)
{
  static const test_case cases[] = {PICTURES};
  return TEST_RUN(argc, argv, cases);
}
