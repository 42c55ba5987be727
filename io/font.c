/* font.c - text in the system's sans-serif font; in the bitmap font if the system has none. */
#include <config.h>

#include "io/image.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DOT = 2 };              /* pixels of a dot, in either size */

#ifdef HAVE_FONTS

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include FT_FREETYPE_H

enum { MOST_BYTES = 4 << 20 }; /* of a configuration; Debian's has 3 KB */
static const unsigned pixels[TRMI_SIZES] = {14, 19};

struct trmi_font {
  FT_Library library;
  FT_Face face[TRMI_SIZES];    /* NULL: the bitmap font */
};

static int open_faces(trmi_font *font, const char *file, int index)
{
  for (int i = 0; i < TRMI_SIZES; i++)
    if (FT_New_Face(font->library, file, index, &font->face[i]) != 0 ||
        FT_Set_Pixel_Sizes(font->face[i], 0, pixels[i]) != 0)
      return 0;
  return 1;
}

static void drop_faces(trmi_font *font)
{
  for (int i = 0; i < TRMI_SIZES; i++) {
    if (font->face[i]) FT_Done_Face(font->face[i]);
    font->face[i] = NULL;
  }
}

/* A device, a pipe, a file too large for a configuration. */
static int is_endless(const char *folder, size_t length, const char *name)
{
  const char *root = getenv("FONTCONFIG_SYSROOT");
  char path[PATH_MAX];
  struct stat about;
  const int bytes = snprintf(path, sizeof path, "%s%.*s%s%s", root ? root : "", (int)length, folder,
                             length > 0 ? "/" : "", name);
  if (bytes < 0 || (size_t)bytes >= sizeof path || stat(path, &about) != 0) return 0;
  return !S_ISREG(about.st_mode) || about.st_size > MOST_BYTES;
}

/* fontconfig reads what its variables name to an end that may never come, so that is looked at
 * first. (What lies in the home folder is not read at all: trmi_font_open.) */
static int is_configured(void)
{
  const char *name = getenv("FONTCONFIG_FILE"), *folders = getenv("FONTCONFIG_PATH");
  if (!name || !*name) name = "fonts.conf";
  if (name[0] == '/') return !is_endless("", 0, name);
  for (size_t length; folders && *folders; folders += length + (folders[length] == ':')) {
    length = strcspn(folders, ":");
    if (length < PATH_MAX && is_endless(folders, length, name)) return 0;
  }
  return !is_endless("/etc/fonts", strlen("/etc/fonts"), name);
}

/* Opens what fontconfig knows by "sans-serif". */
static void find_font(trmi_font *font)
{
  FcPattern *wanted = FcNameParse((const FcChar8 *)"sans-serif:scalable=true");
  FcPattern *found = NULL;
  FcResult result;
  FcChar8 *file = NULL;
  int index = 0;
  if (wanted && FcConfigSubstitute(NULL, wanted, FcMatchPattern)) {
    FcDefaultSubstitute(wanted);
    found = FcFontMatch(NULL, wanted, &result);
  }
  if (found && FcPatternGetString(found, FC_FILE, 0, &file) == FcResultMatch) {
    (void)FcPatternGetInteger(found, FC_INDEX, 0, &index);
    if (!open_faces(font, (const char *)file, index)) drop_faces(font);
  }
  if (found) FcPatternDestroy(found);
  if (wanted) FcPatternDestroy(wanted);
}

trm_status trmi_font_open(trmi_font **out)
{
  trmi_font *font = calloc(1, sizeof *font);
  if (!font) return TRM_FAIL(NO_HOST_MEMORY, "no memory for the font of a picture");
  (void)FcConfigEnableHome(FcFalse); /* a pipe there, named as a font, is waited for */
  if (FT_Init_FreeType(&font->library) == 0 && is_configured()) find_font(font);
  *out = font;
  return TRM_OK;
}

void trmi_font_close(trmi_font **font)
{
  if (!*font) return;
  drop_faces(*font);
  if ((*font)->library) FT_Done_FreeType((*font)->library);
  free(*font);
  *font = NULL;
}

const char *trm_font_missing(void)
{
  trmi_font *font = NULL;
  if (!is_configured())
    return "FONTCONFIG_FILE, FONTCONFIG_PATH or FONTCONFIG_SYSROOT does not name a file of at "
           "most 4 MiB, so texts in pictures are drawn in the bitmap font; unset it, or give it a "
           "configuration of fontconfig";
  if (trmi_font_open(&font) != TRM_OK) return NULL;
  const int is_there = font->face[TRMI_SMALL] != NULL;
  trmi_font_close(&font);
  return is_there ? NULL : "fontconfig finds no font on this machine, so texts in pictures are "
                           "drawn in the bitmap font; install fonts-dejavu-core, or any other font";
}

static int has_font(const trmi_font *font) { return font->face[TRMI_SMALL] != NULL; }

static size_t font_height(const trmi_font *font, trmi_size size)
{
  const FT_Size_Metrics *metrics = &font->face[size]->size->metrics;
  return (size_t)((metrics->ascender - metrics->descender + 63) >> 6);
}

/* NULL: the font has no such character. */
static FT_GlyphSlot render(const trmi_font *font, trmi_size size, char c)
{
  const FT_ULong code = c < 32 || c > 126 ? '?' : (FT_ULong)c;
  if (FT_Load_Char(font->face[size], code, FT_LOAD_RENDER | FT_LOAD_TARGET_LIGHT) != 0)
    return NULL;
  FT_GlyphSlot glyph = font->face[size]->glyph;
  return glyph->bitmap.pixel_mode == FT_PIXEL_MODE_GRAY ? glyph : NULL;
}

static void blend(trmi_image *image, int64_t x, int64_t y, unsigned cover)
{
  if (x < 0 || y < 0 || x >= (int64_t)image->width || y >= (int64_t)image->height) return;
  uint8_t *at = image->pixels + 3 * ((size_t)y * image->width + (size_t)x);
  for (int i = 0; i < 3; i++) at[i] = (uint8_t)((at[i] * (255 - cover) + 32 * cover + 127) / 255);
}

static void font_draw(const trmi_font *font, trmi_size size, trmi_image *image, int64_t x,
                      int64_t y, const char *text)
{
  const int64_t base = y + ((font->face[size]->size->metrics.ascender + 63) >> 6);
  for (; *text; text++) {
    const FT_GlyphSlot glyph = render(font, size, *text);
    if (!glyph) continue;
    const FT_Bitmap *map = &glyph->bitmap;
    for (unsigned row = 0; row < map->rows; row++)
      for (unsigned column = 0; column < map->width; column++)
        blend(image, x + glyph->bitmap_left + column, base - glyph->bitmap_top + row,
              map->buffer[(long)row * map->pitch + (long)column]);
    x += glyph->advance.x >> 6;
  }
}

static size_t font_width(const trmi_font *font, trmi_size size, const char *text)
{
  int64_t width = 0;
  for (; *text; text++) {
    const FT_GlyphSlot glyph = render(font, size, *text);
    if (glyph) width += glyph->advance.x >> 6;
  }
  return width > 0 ? (size_t)width : 0;
}

#else

struct trmi_font { char none; };

trm_status trmi_font_open(trmi_font **out)
{
  *out = calloc(1, sizeof **out);
  return *out ? TRM_OK : TRM_FAIL(NO_HOST_MEMORY, "no memory for the font of a picture");
}

void trmi_font_close(trmi_font **font)
{
  free(*font);
  *font = NULL;
}

const char *trm_font_missing(void)
{
  return NULL;                 /* configure said so */
}

#endif

size_t trmi_line_height(const trmi_font *font, trmi_size size)
{
#ifdef HAVE_FONTS
  if (has_font(font)) return font_height(font, size);
#endif
  (void)font, (void)size;
  return (size_t)(TRMI_BITMAP_FONT_HEIGHT + 1) * DOT;
}

size_t trmi_text_width(trmi_font *font, trmi_size size, const char *text)
{
#ifdef HAVE_FONTS
  if (has_font(font)) return font_width(font, size, text);
#endif
  (void)font, (void)size;
  return strlen(text) * TRMI_BITMAP_FONT_WIDTH * DOT;
}

void trmi_text_draw(trmi_font *font, trmi_size size, trmi_image *image, size_t x, size_t y,
                    const char *text)
{
#ifdef HAVE_FONTS
  if (has_font(font)) {
    font_draw(font, size, image, (int64_t)x, (int64_t)y, text);
    return;
  }
#endif
  (void)font, (void)size;
  for (; *text; text++, x += (size_t)TRMI_BITMAP_FONT_WIDTH * DOT)
    trmi_bitmap_font_draw(image, x, y, DOT, *text);
}
