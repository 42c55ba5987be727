/* Moving pictures: read back frame by frame, each as a picture of its own that libpng decodes. */
#include <config.h>

#include "tests/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/apng.h"
#include "io/file.h"

enum { WIDTH = 40, HEIGHT = 30, FRAMES = 5 };

static const uint8_t palette[4][3] = {{255, 255, 255}, {32, 32, 32}, {180, 4, 38}, {59, 76, 192}};

#ifdef HAVE_LIBPNG
#include <png.h>
#include <zlib.h>

/* White, with a red square that moves; frame 3 is frame 2 again. */
static void draw(size_t frame, trmi_image *drawing)
{
  TEST_OK(trmi_image_create(WIDTH, HEIGHT, drawing));
  trmi_image_fill(drawing, 2, 3, 9, 4, palette[1]);
  trmi_image_fill(drawing, 5 * (frame == 3 ? 2 : frame) + 4, 12, 7, 9, palette[2]);
}

static const char *path_of(const char *name)
{
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  return path;
}

static uint32_t get32(const uint8_t *at)
{
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put32(uint8_t *to, uint32_t value)
{
  for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (24 - 8 * i));
}

typedef struct bytes { uint8_t *data; size_t count; } bytes;

static void add_chunk(bytes *to, const char *name, const uint8_t *data, size_t count)
{
  uint8_t *at = to->data + to->count;
  put32(at, (uint32_t)count);
  memcpy(at + 4, name, 4);
  if (count) memcpy(at + 8, data, count);
  put32(at + 8 + count, (uint32_t)crc32(0, at + 4, (uInt)count + 4));
  to->count += 12 + count;
}

/* Decodes a picture that was put together of chunks, over the image at (x, y). */
static void show(const bytes *png, trmi_image *drawing, size_t x, size_t y, size_t width,
                 size_t height)
{
  png_image image = {.version = PNG_IMAGE_VERSION};
  assert_int_equal(png_image_begin_read_from_memory(&image, png->data, png->count), 1);
  assert_true(image.width == width && image.height == height);
  image.format = PNG_FORMAT_RGBA;
  uint8_t *pixels = malloc(PNG_IMAGE_SIZE(image));
  assert_int_equal(png_image_finish_read(&image, NULL, pixels, 0, NULL), 1);
  for (size_t row = 0; row < height; row++)
    for (size_t column = 0; column < width; column++) {
      const uint8_t *rgba = pixels + 4 * (row * width + column);
      if (rgba[3]) trmi_image_fill(drawing, x + column, y + row, 1, 1, rgba);
    }
  free(pixels);
}

/* Plays the file onto an image and compares each frame with what was drawn; how many there are. */
static size_t play(const char *path, unsigned second)
{
  static const uint8_t signature[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
  char *text;
  size_t count, frames = 0, promised = 0, sequence = 0, left = 0, top = 0, width = 0, height = 0;
  uint8_t head[13], colours[1024], clear[256];
  size_t colour_bytes = 0, clear_bytes = 0;
  bytes png = {malloc(1 << 20), 0};
  trmi_image drawing, drawn;
  TEST_OK(trm_file_load(path, 1 << 20, &text, &count));
  TEST_OK(trmi_image_create(WIDTH, HEIGHT, &drawing));
  assert_memory_equal(text, signature, 8);
  for (size_t at = 8; at < count;) {
    const uint8_t *chunk = (const uint8_t *)text + at, *data = chunk + 8;
    const size_t length = get32(chunk);
    assert_true(at + 12 + length <= count);
    assert_int_equal(get32(data + length), (uint32_t)crc32(0, chunk + 4, (uInt)length + 4));
    const int is_control = memcmp(chunk + 4, "fcTL", 4) == 0;
    const int is_end = memcmp(chunk + 4, "IEND", 4) == 0;
    if ((is_control && frames) || is_end) {
      add_chunk(&png, "IEND", NULL, 0);
      show(&png, &drawing, left, top, width, height);
      draw(frames - 1, &drawn);
      assert_memory_equal(drawing.pixels, drawn.pixels, 3 * WIDTH * HEIGHT);
      trmi_image_free(&drawn);
    }
    if (memcmp(chunk + 4, "IHDR", 4) == 0) memcpy(head, data, sizeof head);
    if (memcmp(chunk + 4, "acTL", 4) == 0) promised = get32(data);
    if (memcmp(chunk + 4, "PLTE", 4) == 0) memcpy(colours, data, colour_bytes = length);
    if (memcmp(chunk + 4, "tRNS", 4) == 0) memcpy(clear, data, clear_bytes = length);
    if (is_control) {
      assert_int_equal(get32(data), sequence++);
      width = get32(data + 4), height = get32(data + 8);
      left = get32(data + 12), top = get32(data + 16);
      assert_true(left + width <= WIDTH && top + height <= HEIGHT);
      assert_int_equal(data[20] << 8 | data[21], 1);
      assert_int_equal(data[22] << 8 | data[23], second);
      frames++;
      png.count = 0;
      memcpy(png.data, signature, png.count = 8);
      memcpy(head, data + 4, 8);
      add_chunk(&png, "IHDR", head, sizeof head);
      add_chunk(&png, "PLTE", colours, colour_bytes);
      add_chunk(&png, "tRNS", clear, clear_bytes);
    }
    if (memcmp(chunk + 4, "IDAT", 4) == 0) {
      assert_int_equal(frames, 1);
      add_chunk(&png, "IDAT", data, length);
    }
    if (memcmp(chunk + 4, "fdAT", 4) == 0) {
      assert_int_equal(get32(data), sequence++);
      add_chunk(&png, "IDAT", data + 4, length - 4);
    }
    at += 12 + length;
  }
  assert_int_equal(frames, promised);
  trmi_image_free(&drawing);
  free(png.data);
  free(text);
  return frames;
}

static trm_apng *begin(const char *name)
{
  trm_apng *apng = NULL;
  TEST_OK(trm_apng_create(path_of(name), WIDTH, HEIGHT, FRAMES, 300, palette, 4, &apng));
  return apng;
}

static void add(trm_apng *apng, size_t frame)
{
  trmi_image drawing;
  draw(frame, &drawing);
  TEST_OK(trm_apng_add(apng, &drawing));
  trmi_image_free(&drawing);
}

static void each_frame_reads_back_as_it_was_drawn(void)
{
  trm_apng *apng = begin("a.png");
  for (size_t i = 0; i < FRAMES; i++) add(apng, i);
  TEST_OK(trm_apng_commit(&apng, NULL));
  assert_null(apng);
  assert_int_equal(play(path_of("a.png"), 300), FRAMES);
  char *text;
  size_t count;
  TEST_OK(trm_file_load(path_of("a.png"), 1 << 20, &text, &count));
  assert_true(count < 2000);                         /* what did not change is not kept */
  free(text);
}

static void programs_that_know_no_frames_show_the_first(void)
{
  trm_apng *apng = begin("first.png");
  trmi_image drawn;
  for (size_t i = 0; i < FRAMES; i++) add(apng, i);
  TEST_OK(trm_apng_commit(&apng, NULL));
  png_image image = {.version = PNG_IMAGE_VERSION};
  assert_int_equal(png_image_begin_read_from_file(&image, path_of("first.png")), 1);
  image.format = PNG_FORMAT_RGB;
  uint8_t *pixels = malloc(PNG_IMAGE_SIZE(image));
  assert_int_equal(png_image_finish_read(&image, NULL, pixels, 0, NULL), 1);
  draw(0, &drawn);
  assert_memory_equal(pixels, drawn.pixels, 3 * WIDTH * HEIGHT);
  trmi_image_free(&drawn);
  free(pixels);
}

static void colours_become_the_nearest_of_the_palette(void)
{
  static const uint8_t reddish[3] = {170, 20, 40};
  trm_apng *apng = NULL;
  trmi_image drawing;
  TEST_OK(trmi_image_create(8, 8, &drawing));
  trmi_image_fill(&drawing, 0, 0, 8, 8, reddish);
  TEST_OK(trm_apng_create(path_of("near.png"), 8, 8, 1, 1, palette, 4, &apng));
  TEST_OK(trm_apng_add(apng, &drawing));
  TEST_OK(trm_apng_commit(&apng, NULL));
  trmi_image_free(&drawing);
  png_image image = {.version = PNG_IMAGE_VERSION};
  assert_int_equal(png_image_begin_read_from_file(&image, path_of("near.png")), 1);
  image.format = PNG_FORMAT_RGB;
  uint8_t pixels[3 * 64];
  assert_int_equal(png_image_finish_read(&image, NULL, pixels, 0, NULL), 1);
  assert_memory_equal(pixels + 3 * 35, palette[2], 3);
}

static void a_file_without_all_its_frames_does_not_appear(void)
{
  trm_apng *apng = begin("short.png");
  char *text;
  add(apng, 0);
  TEST_FAILS(trm_apng_commit(&apng, NULL), TRM_ERROR_INVALID, "of 5 frames has 1");
  assert_null(apng);
  assert_int_not_equal(trm_file_load(path_of("short.png"), 1 << 20, &text, NULL), TRM_OK);
  apng = begin("other.png");
  trmi_image drawing;
  TEST_OK(trmi_image_create(WIDTH, HEIGHT + 1, &drawing));
  TEST_FAILS(trm_apng_add(apng, &drawing), TRM_ERROR_INVALID, "40 x 31 pixels");
  trmi_image_free(&drawing);
  trm_apng_discard(&apng);
  TEST_FAILS(trm_apng_create(path_of("none.png"), 8, 8, 0, 1, palette, 4, &apng),
             TRM_ERROR_INVALID, "0 frames");
}

#define CASES \
  TEST_HOST(each_frame_reads_back_as_it_was_drawn), \
  TEST_HOST(programs_that_know_no_frames_show_the_first), \
  TEST_HOST(colours_become_the_nearest_of_the_palette), \
  TEST_HOST(a_file_without_all_its_frames_does_not_appear)

#else

static void without_libpng_it_is_refused(void)
{
  trm_apng *apng = NULL;
  TEST_FAILS(trm_apng_create("a.png", WIDTH, HEIGHT, FRAMES, 10, palette, 4, &apng),
             TRM_ERROR_UNSUPPORTED, "install libpng-dev");
}

#define CASES TEST_HOST(without_libpng_it_is_refused)

#endif

int main(int argc, char **argv)
{
  static const test_case cases[] = {CASES};
  return TEST_RUN(argc, argv, cases);
}
