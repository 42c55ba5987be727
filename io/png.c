/* png.c - writes a drawn picture through libpng, into a file that appears whole or not at all. */
#include <config.h>

#include "io/png.h"

#include "io/file.h"

#ifdef HAVE_LIBPNG

#include <png.h>
#include <setjmp.h>

int trm_png_available(void) { return 1; }

typedef struct sink {
  trm_file *file;
  trm_status status;
} sink;

static void put(png_structp png, png_bytep bytes, size_t count)
{
  sink *s = png_get_io_ptr(png);
  s->status = trm_file_write(s->file, bytes, count);
  if (s->status != TRM_OK) png_error(png, "write");
}

static void flush(png_structp png) { (void)png; }

/* libpng leaves by longjmp; what put recorded already says more than its message. */
static void fail(png_structp png, png_const_charp message)
{
  sink *s = png_get_error_ptr(png);
  if (s->status == TRM_OK) s->status = TRM_FAIL(IO, "libpng cannot write a picture: %s", message);
  png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message)
{
  (void)png;
  (void)message;
}

static void encode(png_structp png, png_infop info, const trmi_image *image)
{
  if (setjmp(png_jmpbuf(png))) return;
  png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (size_t row = 0; row < image->height; row++)
    png_write_row(png, image->pixels + 3 * row * image->width);
  png_write_end(png, info);
}

static trm_status write_image(const trmi_image *image, trm_file *file)
{
  sink s = {file, TRM_OK};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &s, fail, ignore);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (info) {
    png_set_write_fn(png, &s, put, flush);
    encode(png, info, image);
  } else {
    s.status = TRM_FAIL(NO_HOST_MEMORY, "libpng has no memory for a picture");
  }
  png_destroy_write_struct(&png, &info);
  return s.status;
}

trm_status trm_png_write(const char *path, const trm_picture *picture)
{
  trmi_image image;
  trm_file *file = NULL;
  TRM_TRY(trm_picture_draw(picture, &image));
  trm_status status = trm_file_create(path, &file);
  if (status == TRM_OK) status = write_image(&image, file);
  trmi_image_free(&image);
  if (status == TRM_OK) return trm_file_commit(&file);
  trm_file_discard(&file);
  return status;
}

#else

int trm_png_available(void) { return 0; }

trm_status trm_png_write(const char *path, const trm_picture *picture)
{
  (void)picture;
  return TRM_FAIL(UNSUPPORTED,
                  "cannot write the picture '%s': this build has no libpng; install "
                  "libpng-dev, configure and build again, or leave png out of output.formats",
                  path);
}

#endif
