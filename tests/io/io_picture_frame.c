/* io_picture_frame.c - what stands around the cells of a picture: title, axes, the bar of colours,
 * the key of what the bar does not have. */
#include "tests/io/drawn.h"

#include <stdlib.h>
#include <string.h>

static const uint8_t white[3] = {255, 255, 255};

/* How many pixels of a rectangle have that colour. */
static size_t count_of(const image *i, size_t x0, size_t x1, size_t y0, size_t y1,
                       const uint8_t rgb[3])
{
  size_t count = 0;
  for (size_t y = y0; y < y1 && y < i->height; y++)
    for (size_t x = x0; x < x1 && x < i->width; x++) count += (size_t)is_pixel(i, x, y, rgb);
  return count;
}

static void lines_show_on_dark_and_on_bright_cells(void)
{
  static const uint8_t ink[3] = {32, 32, 32}, pale[3] = {144, 144, 144};
  static const uint8_t none[2] = {0, 0}, west[2] = {1, 1};
  const float values[2] = {0.0f, 1.0f};             /* dark violet, yellow */
  const trm_array field = {"speed", "lattice", TRM_TYPE_F32, 1, 2, 1, 1, values};
  trm_picture picture = plain(&field);
  picture.plain = 0;
  picture.edges = none;
  image without = draw(&picture);
  picture.edges = west;
  image with = draw(&picture);
  size_t more[2];
  for (int i = 0; i < 2; i++) {
    const uint8_t *rgb = i == 0 ? ink : pale;
    more[i] = count_of(&with, 0, with.width, 0, with.height, rgb) -
              count_of(&without, 0, with.width, 0, with.height, rgb);
  }
  assert_true(more[0] > 0 && more[0] == more[1]);
  free(with.pixels);
  free(without.pixels);
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
  static const uint8_t ink[3] = {32, 32, 32};
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

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(title_axes_and_colour_bar_stand_around_the_cells),
    TEST_HOST(lines_show_on_dark_and_on_bright_cells),
    TEST_HOST(colours_that_are_clipped_are_marked),
    TEST_HOST(the_bar_has_the_colour_of_each_value),
    TEST_HOST(what_the_bar_does_not_have_stands_in_a_key),
  };
  return TEST_RUN(argc, argv, cases);
}
