/* io_pictures.c - pictures of fields: what is drawn where, and which colour a value has. */
#include "tests/io/drawn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/mask.h"
#include "io/plane.h"
#include "io/png.h"

static const uint8_t magenta[3] = {255, 0, 255};

/* Four cells in a row. */
static void row_shows(const image *i, trm_colours colours, const double parts[4])
{
  for (size_t x = 0; x < 4; x++) pixel_shows(i, x * (i->width / 4), 0, colours, parts[x]);
}

static void small_grids_are_enlarged_and_y_points_up(void)
{
  const float values[6] = {0.0f, 0.5f, 9.0f, (float)NAN, 1.0f, 0.25f};   /* 3 x 2 */
  const uint8_t flags[6] = {0, 0, 1, 0, 0, 0};
  const trm_array field = {"speed", "1", TRM_TYPE_F32, 1, 3, 2, 1, values};
  const trm_array solid = {"solid", "1", TRM_TYPE_U8, 1, 3, 2, 1, flags};
  trm_picture picture = plain(&field);
  picture.plane.solid = &solid;
  image i = draw(&picture);
  assert_int_equal(i.width, 3 * 171);                /* the first whole factor that reaches 512 */
  assert_int_equal(i.height, 2 * 171);
  pixel_shows(&i, 0, i.height - 1, TRM_COLOURS_VIRIDIS, 0.0); /* cell (0, 0) lies bottom left */
  pixel_shows(&i, 170, i.height - 171, TRM_COLOURS_VIRIDIS, 0.0);
  pixel_shows(&i, 171, i.height - 1, TRM_COLOURS_VIRIDIS, 0.5);
  pixel_is(&i, i.width - 1, i.height - 1, grey); /* the obstacle's 9 does not enter the range */
  pixel_is(&i, 0, 0, magenta);
  pixel_shows(&i, 171, 0, TRM_COLOURS_VIRIDIS, 1.0);
  free(i.pixels);
}

static void large_grids_are_averaged(void)
{
  const size_t nx = 5000, ny = 10;
  double *values = malloc(nx * ny * sizeof *values);
  for (size_t y = 0; y < ny; y++)
    for (size_t x = 0; x < nx; x++) values[y * nx + x] = (double)((x % 3 + y) % 2);
  const trm_array field = {"checks", "1", TRM_TYPE_F64, 1, nx, ny, 1, values};
  const trm_picture picture = plain(&field);
  image i = draw(&picture);
  assert_int_equal(i.width, 1667);                   /* 3 cells a pixel, the last one of 2 */
  assert_int_equal(i.height, 4);
  pixel_shows(&i, 0, 3, TRM_COLOURS_VIRIDIS, 4.0 / 9.0);
  free(i.pixels);
  free(values);
}

/* Of four values the second is where the range begins, and the last where it ends. */
static void expect_logarithmic(const float values[4])
{
  static const double parts[] = {0, 0, 0.5, 1}; /* nothing has the colour of the least */
  const trm_array field = {"density", "1", TRM_TYPE_F32, 1, 4, 1, 1, values};
  trm_picture picture = plain(&field);
  picture.logarithmic = 1;
  image i = draw(&picture);
  row_shows(&i, TRM_COLOURS_VIRIDIS, parts);
  free(i.pixels);
}

static void logarithmic_colours_go_by_powers_of_ten(void)
{
  expect_logarithmic((const float[]) {0.0f, 1.0f, 10.0f, 100.0f});
}

static void a_few_extremes_need_not_set_the_colours(void)
{
  float values[1000];
  for (int x = 0; x < 1000; x++) values[x] = (float)(x % 100);
  values[400] = 1e6f;
  values[600] = -1e6f;
  const trm_array field = {"vorticity", "1", TRM_TYPE_F32, 1, 1000, 1, 1, values};
  trm_picture picture = plain(&field);
  image i = draw(&picture);
  pixel_shows(&i, 99, 0, TRM_COLOURS_VIRIDIS, 0.5); /* all the rest is one colour */
  free(i.pixels);
  picture.bulk = 1;
  i = draw(&picture);
  for (size_t x = 0; x < 100; x += 33)
    pixel_shows(&i, x, 0, TRM_COLOURS_VIRIDIS, (double)x / 99.0);
  pixel_shows(&i, 400, 0, TRM_COLOURS_VIRIDIS, 1.0);
  pixel_shows(&i, 600, 0, TRM_COLOURS_VIRIDIS, 0.0);
  free(i.pixels);
}

static void cells_without_a_value_have_no_colour(void)
{
  const float values[4] = {-1.0f, 0.0f, 10.0f, 20.0f};
  const trm_array field = {"arrival", "s", TRM_TYPE_F32, 1, 4, 1, 1, values};
  const uint8_t none[3] = {240, 240, 240};
  trm_picture picture = plain(&field);
  picture.plane.has_none = 1;
  image i = draw(&picture);
  const size_t cell = i.width / 4;
  pixel_is(&i, 0, 0, none);
  for (size_t x = 1; x < 4; x++)
    pixel_shows(&i, x * cell, 0, TRM_COLOURS_VIRIDIS, (double)(x - 1) / 2.0);
  free(i.pixels);
}

static void logarithmic_colours_span_four_powers_of_ten(void)
{
  expect_logarithmic((const float[]) {1e-9f, 0.1f, 10.0f, 1000.0f});
}

static void vectors_show_their_magnitude_in_the_chosen_plane(void)
{
  const double values[] = {0, 0, 3, 0, 0, 0, 4, 0};  /* u_x of 2 x 1 x 2 cells, then u_y */
  const trm_array field = {"velocity", "1", TRM_TYPE_F64, 2, 2, 1, 2, values};
  trm_picture picture = plain(&field);
  picture.minimum = 0.0;
  picture.maximum = 10.0;
  picture.plane.index = 1;
  image i = draw(&picture);
  pixel_shows(&i, 0, 0, TRM_COLOURS_VIRIDIS, 0.5);
  pixel_shows(&i, i.width - 1, 0, TRM_COLOURS_VIRIDIS, 0.0);
  free(i.pixels);
}

static void a_uniform_field_and_one_without_values_are_drawn(void)
{
  const float same[4] = {2.0f, 2.0f, 2.0f, 2.0f}, none[4] = {(float)NAN, (float)NAN, (float)NAN,
                                                             (float)INFINITY};
  const trm_array a = {"same", "1", TRM_TYPE_F32, 1, 2, 2, 1, same};
  const trm_array b = {"none", "1", TRM_TYPE_F32, 1, 2, 2, 1, none};
  trm_picture picture = plain(&a);
  image i = draw(&picture);
  pixel_shows(&i, 5, 5, TRM_COLOURS_VIRIDIS, 0.0);
  free(i.pixels);
  picture = plain(&b);
  i = draw(&picture);
  pixel_is(&i, 5, 5, magenta);
  free(i.pixels);
}

static void signed_fields_have_two_colours_around_their_middle(void)
{
  const float values[4] = {0.5f, 1.0f, 1.5f, 3.0f};
  const trm_array field = {"surface", "m", TRM_TYPE_F32, 1, 4, 1, 1, values};
  trm_picture picture = plain(&field);
  double low, high;
  trm_colours colours;
  picture.is_signed = 1;
  picture.middle = 1;
  TEST_OK(trm_picture_range(&picture, &low, &high, &colours));
  assert_true(low == -1 && high == 3 && colours == TRM_COLOURS_DIVERGING);
  image i = draw(&picture);
  static const double parts[] = {0.375, 0.5, 0.625, 1};
  row_shows(&i, TRM_COLOURS_DIVERGING, parts);
  free(i.pixels);
  picture.minimum = 0;                               /* the middle value keeps the middle colour */
  i = draw(&picture);
  pixel_shows(&i, 0, 0, TRM_COLOURS_DIVERGING, 0.25);
  pixel_shows(&i, i.width / 4, 0, TRM_COLOURS_DIVERGING, 0.5);
  free(i.pixels);
  picture.minimum = (double)NAN;
  picture.middle = 0;                                /* all values lie on one side of it */
  TEST_OK(trm_picture_range(&picture, &low, &high, &colours));
  assert_true(low == 0.5 && high == 3 && colours == TRM_COLOURS_VIRIDIS);
}

static void a_width_is_kept_and_cells_have_their_shape(void)
{
  const float values[6] = {0, 1, 2, 3, 4, 5};
  const trm_array field = {"h", "m", TRM_TYPE_F32, 1, 3, 2, 1, values};
  trm_picture picture = plain(&field);
  picture.width = 100;
  picture.side[0] = 1;
  picture.side[1] = 2;
  image i = draw(&picture);
  assert_int_equal(i.width, 100);
  assert_int_equal(i.height, 133);
  pixel_shows(&i, 99, 0, TRM_COLOURS_VIRIDIS, 1.0);
  pixel_shows(&i, 50, 132, TRM_COLOURS_VIRIDIS, 0.2);
  free(i.pixels);
}

static void pictures_that_cannot_be_are_refused(void)
{
  const float values[1] = {0.0f};
  trm_array field = {"speed", "1", TRM_TYPE_F32, 1, 1, 1, 1, values};
  trm_picture picture = plain(&field);
  if (!trm_png_available()) {
    TEST_FAILS(trm_png_write("a.png", &picture), TRM_ERROR_UNSUPPORTED, "install libpng-dev");
    return;
  }
  TEST_FAILS(trm_png_write("no-folder/a.png", &picture), TRM_ERROR_IO, "make the folder first");
  picture.plane.index = 1;
  TEST_FAILS(trm_png_write("a.png", &picture), TRM_ERROR_INVALID,
             "plane 1 of 'speed', which has 1");
  field.nx = 0;
  TEST_FAILS(trm_png_write("a.png", &picture), TRM_ERROR_INVALID, "is empty");
}

/* Pictures of 16 grey tones from black to white, grey or coloured, of 8 and 16 bits, with and
 * without an opacity: what is darker than the middle is solid. */
static void masks_of_16_bits_are_as_those_of_8(void)
{
  static const struct { int bits; size_t count; const char *bytes; } all[] = {
    { 8, 83,
      "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x10\x00\x00"
      "\x00\x01\x08\x00\x00\x00\x00\xf2\x12\x71\x83\x00\x00\x00\x1a\x49\x44\x41\x54\x78\xda\x63"
      "\x60\x10\x54\x32\x76\x09\x4d\x2b\xef\x98\xb9\x6a\xf7\x99\xbb\xef\xfe\x03\x00\x2d\x39\x07"
      "\xf9\x07\x4a\x22\xfb\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82" },
    { 16, 99,
      "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x10\x00\x00"
      "\x00\x01\x10\x00\x00\x00\x00\xa2\x82\xad\xc0\x00\x00\x00\x2a\x49\x44\x41\x54\x78\xda\x63"
      "\x60\x60\x10\x14\x54\x52\x32\x36\x76\x71\x09\x0d\x4d\x4b\x2b\x2f\xef\xe8\x98\x39\x73\xd5"
      "\xaa\xdd\xbb\xcf\x9c\xb9\x7b\xf7\xdd\xbb\xff\xff\x01\xac\xc9\x0f\xf1\xcc\x10\x66\x45\x00"
      "\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82" },
    { 8, 117,
      "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x10\x00\x00"
      "\x00\x01\x08\x02\x00\x00\x00\x58\x1b\xb9\x08\x00\x00\x00\x3c\x49\x44\x41\x54\x78\xda\x01"
      "\x31\x00\xce\xff\x00\x00\x00\x00\x11\x11\x11\x22\x22\x22\x33\x33\x33\x44\x44\x44\x55\x55"
      "\x55\x66\x66\x66\x77\x77\x77\x88\x88\x88\x99\x99\x99\xaa\xaa\xaa\xbb\xbb\xbb\xcc\xcc\xcc"
      "\xdd\xdd\xdd\xee\xee\xee\xff\xff\xff\x7e\xc0\x17\xe9\xe3\xbb\xe0\x20\x00\x00\x00\x00\x49"
      "\x45\x4e\x44\xae\x42\x60\x82" },
    { 16, 107,
      "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x10\x00\x00"
      "\x00\x01\x10\x02\x00\x00\x00\x08\x8b\x65\x4b\x00\x00\x00\x32\x49\x44\x41\x54\x78\xda\x63"
      "\x60\x00\x03\x41\x30\x50\x02\x03\x63\x30\x70\x01\x83\x50\x30\x48\x03\x83\x72\x30\xe8\x00"
      "\x83\x99\x60\xb0\x0a\x0c\x76\x83\xc1\x19\x30\xb8\x0b\x06\xef\xc0\xe0\x3f\x18\x00\x00\xe2"
      "\xc4\x2f\xd1\x85\xa9\xfb\x84\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82" },
    { 16, 119,
      "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x10\x00\x00"
      "\x00\x01\x10\x04\x00\x00\x00\x2d\xe0\x3a\x97\x00\x00\x00\x3e\x49\x44\x41\x54\x78\xda\x1d"
      "\xc1\x81\x10\x00\x21\x00\x00\xb0\x14\x52\x48\x21\x85\x14\x52\x48\x21\x85\x14\x52\x48\x21"
      "\x85\x14\x52\x48\x61\x7f\xf7\x5b\x08\x81\x18\x49\x89\x9c\x29\x85\x5a\x69\x8d\xde\x19\x83"
      "\x39\x59\x8b\xbd\x39\x87\x7b\x79\xcf\xef\x03\x4d\xe4\x2f\xd1\x1d\xc4\x1e\xee\x00\x00\x00"
      "\x00\x49\x45\x4e\x44\xae\x42\x60\x82" },
    { 16, 120,
      "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x10\x00\x00"
      "\x00\x01\x10\x06\x00\x00\x00\x87\xe9\xf2\x1c\x00\x00\x00\x3f\x49\x44\x41\x54\x78\xda\x3d"
      "\xc1\xd1\x14\x84\x50\x00\x40\xc1\xa7\xb0\x0a\x29\xa4\x90\xc2\x2a\xa4\x90\x42\x0a\x29\xa4"
      "\xb0\x0a\xab\x90\x42\x0a\xd3\x39\xf7\xa3\x99\x31\xc2\x27\x4c\x61\x0e\x4b\xf8\x86\x35\x6c"
      "\x61\x0f\x47\x38\xc3\x2f\xfc\xc3\x15\xee\x78\x3d\xa9\xaa\x4f\xb1\x10\x59\xa9\xfb\x00\x00"
      "\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82" },
  };
  if (!trm_png_available()) TEST_SKIP("this build has no libpng");
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    uint8_t solid[16] = { 0 };
    char path[1024];
    snprintf(path, sizeof path, "%s/mask.png", test_folder());
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(all[i].bytes, 1, all[i].count, file), all[i].count);
    assert_int_equal(fclose(file), 0);
    TEST_OK(trm_mask_read(path, 16, 1, 0, solid));
    for (int x = 0; x < 16; x++)
      if (solid[x] != (x < 8))
        fail_msg("%d bits, picture %zu: tone %d is %d", all[i].bits, i, x, solid[x]);
  }
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(small_grids_are_enlarged_and_y_points_up),
    TEST_HOST(large_grids_are_averaged),
    TEST_HOST(logarithmic_colours_go_by_powers_of_ten),
    TEST_HOST(a_few_extremes_need_not_set_the_colours),
    TEST_HOST(cells_without_a_value_have_no_colour),
    TEST_HOST(logarithmic_colours_span_four_powers_of_ten),
    TEST_HOST(vectors_show_their_magnitude_in_the_chosen_plane),
    TEST_HOST(a_uniform_field_and_one_without_values_are_drawn),
    TEST_HOST(signed_fields_have_two_colours_around_their_middle),
    TEST_HOST(a_width_is_kept_and_cells_have_their_shape),
    TEST_HOST(pictures_that_cannot_be_are_refused),
    TEST_HOST(masks_of_16_bits_are_as_those_of_8),
  };
  return TEST_RUN(argc, argv, cases);
}
