/* apng.c - frames as libpng encodes them, put into one file chunk by chunk. */
#include <config.h>

#include "io/apng.h"

#ifdef HAVE_LIBPNG

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "io/file.h"

enum { CACHED = 4096, CLEAR = 0 /* the palette's first entry: as the frame before */ };

struct trm_apng {
  trm_file *file;
  size_t width, height, frames, added;
  unsigned second;
  uint32_t sequence;           /* of the next fcTL or fdAT */
  png_color palette[256];
  int colours;                 /* with CLEAR */
  uint8_t *last, *next;        /* indices into the palette */
  uint32_t cached[CACHED];     /* a colour, as 0x1rrggbb */
  uint8_t index[CACHED];
  uint8_t *png;                /* a frame as libpng wrote it */
  size_t bytes, room;
  trm_status status;
};

typedef struct rectangle { size_t x, y, width, height; } rectangle;

/* ---- chunks ------------------------------------------------------------------------------- */

static void put32(uint8_t *to, uint32_t value)
{
  for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t get32(const uint8_t *from)
{
  return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

/* A chunk whose data is in two parts, the first of which may be empty. */
static trm_status put_chunk(trm_apng *apng, const char *name, const uint8_t *first, size_t count,
                            const uint8_t *rest, size_t more)
{
  uint8_t word[4];
  uLong sum = crc32(crc32(0, Z_NULL, 0), (const Bytef *)name, 4);
  sum = crc32(sum, first, (uInt)count);
  if (more) sum = crc32(sum, rest, (uInt)more);
  put32(word, (uint32_t)(count + more));
  TRM_TRY(trm_file_write(apng->file, word, 4));
  TRM_TRY(trm_file_write(apng->file, name, 4));
  TRM_TRY(trm_file_write(apng->file, first, count));
  if (more) TRM_TRY(trm_file_write(apng->file, rest, more));
  put32(word, (uint32_t)sum);
  return trm_file_write(apng->file, word, 4);
}

static trm_status put_begin(trm_apng *apng)
{
  static const uint8_t signature[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10}, clear[1] = {0};
  uint8_t head[13], animation[8], palette[768];
  put32(head, (uint32_t)apng->width);
  put32(head + 4, (uint32_t)apng->height);
  memcpy(head + 8, (const uint8_t[]){8, PNG_COLOR_TYPE_PALETTE, 0, 0, 0}, 5);
  put32(animation, (uint32_t)apng->frames);
  put32(animation + 4, 0);                           /* for ever */
  for (int i = 0; i < apng->colours; i++)
    memcpy(palette + 3 * i, (const uint8_t[]){apng->palette[i].red, apng->palette[i].green,
                                              apng->palette[i].blue}, 3);
  TRM_TRY(trm_file_write(apng->file, signature, sizeof signature));
  TRM_TRY(put_chunk(apng, "IHDR", head, sizeof head, NULL, 0));
  TRM_TRY(put_chunk(apng, "acTL", animation, sizeof animation, NULL, 0));
  TRM_TRY(put_chunk(apng, "PLTE", palette, 3 * (size_t)apng->colours, NULL, 0));
  return put_chunk(apng, "tRNS", clear, 1, NULL, 0);
}

static trm_status put_control(trm_apng *apng, const rectangle *r)
{
  uint8_t control[26] = {0};
  put32(control, apng->sequence++);
  put32(control + 4, (uint32_t)r->width);
  put32(control + 8, (uint32_t)r->height);
  put32(control + 12, (uint32_t)r->x);
  put32(control + 16, (uint32_t)r->y);
  control[21] = 1;                                   /* 1 / second */
  control[22] = (uint8_t)(apng->second >> 8);
  control[23] = (uint8_t)apng->second;
  control[25] = apng->added > 0;                     /* over what is there, else in its place */
  return put_chunk(apng, "fcTL", control, sizeof control, NULL, 0);
}

/* ---- a frame by libpng -------------------------------------------------------------------- */

static void receive(png_structp png, png_bytep bytes, size_t count)
{
  trm_apng *apng = png_get_io_ptr(png);
  if (apng->bytes + count > apng->room) {
    const size_t room = 2 * (apng->bytes + count);
    uint8_t *grown = realloc(apng->png, room);
    if (!grown) png_error(png, "no memory");
    apng->png = grown;
    apng->room = room;
  }
  memcpy(apng->png + apng->bytes, bytes, count);
  apng->bytes += count;
}

static void flush(png_structp png) { (void)png; }

static void fail(png_structp png, png_const_charp message)
{
  trm_apng *apng = png_get_error_ptr(png);
  apng->status = TRM_FAIL(NO_HOST_MEMORY, "libpng cannot write a frame: %s", message);
  png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message)
{
  (void)png;
  (void)message;
}

static void encode_rows(png_structp png, png_infop info, const trm_apng *apng, const rectangle *r)
{
  if (setjmp(png_jmpbuf(png))) return;
  png_set_IHDR(png, info, (png_uint_32)r->width, (png_uint_32)r->height, 8,
               PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_set_PLTE(png, info, apng->palette, apng->colours);
  png_set_compression_level(png, 9);
  png_write_info(png, info);
  for (size_t row = 0; row < r->height; row++)
    png_write_row(png, apng->next + (r->y + row) * apng->width + r->x);
  png_write_end(png, info);
}

static trm_status encode(trm_apng *apng, const rectangle *r)
{
  apng->bytes = 0;
  apng->status = TRM_OK;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, apng, fail, ignore);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (info) {
    png_set_write_fn(png, apng, receive, flush);
    encode_rows(png, info, apng, r);
  } else {
    apng->status = TRM_FAIL(NO_HOST_MEMORY, "libpng has no memory for a frame");
  }
  png_destroy_write_struct(&png, &info);
  return apng->status;
}

/* The data of the encoded frame: IDAT of the first, fdAT with a number of its own of the others. */
static trm_status put_data(trm_apng *apng)
{
  for (size_t at = 8; at + 12 <= apng->bytes;) {
    const uint8_t *chunk = apng->png + at;
    const size_t count = get32(chunk);
    uint8_t number[4];
    at += 12 + count;
    if (memcmp(chunk + 4, "IDAT", 4) != 0) continue;
    if (apng->added == 0) TRM_TRY(put_chunk(apng, "IDAT", chunk + 8, count, NULL, 0));
    else {
      put32(number, apng->sequence++);
      TRM_TRY(put_chunk(apng, "fdAT", number, 4, chunk + 8, count));
    }
  }
  return TRM_OK;
}

/* ---- colours ------------------------------------------------------------------------------ */

static uint8_t nearest(const trm_apng *apng, const uint8_t rgb[3])
{
  int best = 1, least = INT32_MAX;
  for (int i = 1; i < apng->colours; i++) {
    const png_color *c = &apng->palette[i];
    const int r = c->red - rgb[0], g = c->green - rgb[1], b = c->blue - rgb[2];
    const int distance = r * r + g * g + b * b;
    if (distance < least) least = distance, best = i;
  }
  return (uint8_t)best;
}

static uint8_t index_of(trm_apng *apng, const uint8_t rgb[3])
{
  const uint32_t key = 1u << 24 | (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
  const size_t slot = (key * 2654435761u) >> 20 & (CACHED - 1);
  if (apng->cached[slot] != key) {
    apng->cached[slot] = key;
    apng->index[slot] = nearest(apng, rgb);
  }
  return apng->index[slot];
}

/* The rectangle that has all pixels that changed; at least one pixel. */
static rectangle changed(const trm_apng *apng)
{
  size_t left = apng->width, right = 0, top = apng->height, bottom = 0;
  for (size_t y = 0; y < apng->height; y++)
    for (size_t x = 0; x < apng->width; x++) {
      if (apng->last[y * apng->width + x] == apng->next[y * apng->width + x]) continue;
      if (x < left) left = x;
      if (x >= right) right = x + 1;
      if (y < top) top = y;
      bottom = y + 1;
    }
  if (right == 0) return (rectangle){0, 0, 1, 1};
  return (rectangle){left, top, right - left, bottom - top};
}

/* ---- the file ----------------------------------------------------------------------------- */

trm_status trm_apng_create(const char *path, size_t width, size_t height, size_t frames,
                           unsigned second, const uint8_t (*palette)[3], size_t colours,
                           trm_apng **out)
{
  size_t bytes;
  if (!width || !height || width > 65535 || height > 65535 || !frames || frames > INT32_MAX ||
      !second || second > 65535 || !colours || colours > 255)
    return TRM_FAIL(INVALID, "a moving picture of %zu x %zu pixels, %zu frames, %u a second and "
                    "%zu colours", width, height, frames, second, colours);
  TRM_TRY(trm_size_mul(width, height, "a frame", &bytes));
  trm_apng *apng = calloc(1, sizeof *apng);
  if (!apng) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a moving picture");
  apng->width = width;
  apng->height = height;
  apng->frames = frames;
  apng->second = second;
  apng->colours = (int)colours + 1;
  for (size_t i = 0; i < colours; i++)
    apng->palette[i + 1] = (png_color){palette[i][0], palette[i][1], palette[i][2]};
  apng->last = malloc(bytes);
  apng->next = malloc(bytes);
  trm_status status = apng->last && apng->next ? trm_file_create(path, &apng->file)
                      : TRM_FAIL(NO_HOST_MEMORY, "no memory for a moving picture");
  if (status == TRM_OK) status = put_begin(apng);
  if (status == TRM_OK) *out = apng;
  else trm_apng_discard(&apng);
  return status;
}

trm_status trm_apng_add(trm_apng *apng, const trmi_image *frame)
{
  const size_t count = apng->width * apng->height;
  if (frame->width != apng->width || frame->height != apng->height ||
      apng->added == apng->frames)
    return TRM_FAIL(INVALID, "frame %zu of %zu has %zu x %zu pixels, the moving picture %zu x %zu",
                    apng->added + 1, apng->frames, frame->width, frame->height, apng->width,
                    apng->height);
  for (size_t i = 0; i < count; i++) apng->next[i] = index_of(apng, frame->pixels + 3 * i);
  const rectangle r = apng->added ? changed(apng)
                                  : (rectangle){0, 0, apng->width, apng->height};
  for (size_t i = 0; i < count && apng->added; i++) {
    const uint8_t now = apng->next[i];
    if (now == apng->last[i]) apng->next[i] = CLEAR;
    apng->last[i] = now;
  }
  if (!apng->added) memcpy(apng->last, apng->next, count);
  TRM_TRY(encode(apng, &r));
  TRM_TRY(put_control(apng, &r));
  TRM_TRY(put_data(apng));
  apng->added++;
  return TRM_OK;
}

trm_status trm_apng_commit(trm_apng **handle, const char *cure)
{
  trm_apng *apng = *handle;
  trm_status status = apng->added == apng->frames ? TRM_OK
    : TRM_FAIL(INVALID, "a moving picture of %zu frames has %zu", apng->frames, apng->added);
  if (status == TRM_OK) status = put_chunk(apng, "IEND", (const uint8_t *)"", 0, NULL, 0);
  if (status == TRM_OK) status = trm_file_commit_new(&apng->file, cure);
  trm_apng_discard(handle);
  return status;
}

void trm_apng_discard(trm_apng **handle)
{
  if (!handle || !*handle) return;
  trm_file_discard(&(*handle)->file);
  free((*handle)->last);
  free((*handle)->next);
  free((*handle)->png);
  free(*handle);
  *handle = NULL;
}

#else

trm_status trm_apng_create(const char *path, size_t width, size_t height, size_t frames,
                           unsigned second, const uint8_t (*palette)[3], size_t colours,
                           trm_apng **out)
{
  (void)width, (void)height, (void)frames, (void)second, (void)palette, (void)colours, (void)out;
  return TRM_FAIL(UNSUPPORTED,
                  "cannot write the moving picture '%s': this build has no libpng; install "
                  "libpng-dev, configure and build again, or choose --to=mp4", path);
}

trm_status trm_apng_add(trm_apng *apng, const trmi_image *frame)
{
  (void)apng, (void)frame;
  return TRM_FAIL(INVALID, "there is no moving picture");
}

trm_status trm_apng_commit(trm_apng **apng, const char *cure)
{
  (void)apng;
  (void)cure;
  return TRM_FAIL(INVALID, "there is no moving picture");
}

void trm_apng_discard(trm_apng **apng) { (void)apng; }

#endif
