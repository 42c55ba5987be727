/* chart_map.c - where in the plane two fields differ, by how much, in ten colours.
 *
 * Cells of one colour are one path, so that a map is some tens of kilobytes at most. */
#include <math.h>
#include <string.h>

#include "cli/report/chart_parts.h"
#include "io/colours.h"

enum { SIDE = 384, LEFT = 12, TOP = 12, LEGEND = 430 };

/* Every stretch of the letter, as one path. */
static void draw_letter(FILE *out, const char *const *rows, size_t height, char letter, double cell,
                        const char *fill)
{
  int begun = 0;
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; rows[y][x];) {
      size_t length = 0;
      while (rows[y][x + length] == letter) length++;
      if (length == 0) {
        x++;
        continue;
      }
      if (!begun++) fprintf(out, "<path %s d=\"", fill);
      fprintf(out, "M%.4g %.4gh%.4gv%.4gh-%.4gz", LEFT + cell * (double)x,
              TOP + cell * (double)(height - 1 - y), cell * (double)length, cell,
              cell * (double)length);
      x += length;
    }
  if (begun) fputs("\"/>", out);
}

static void fill_of(char letter, char *fill, size_t bytes)
{
  uint8_t rgb[3];
  if (letter == '=') snprintf(fill, bytes, "class=\"empty\" stroke=\"none\"");
  else if (letter == '!') snprintf(fill, bytes, "fill=\"#ff00ff\"");
  else {
    trm_colour(TRM_COLOURS_VIRIDIS, (letter - '0') / 9.0, rgb);
    snprintf(fill, bytes, "fill=\"#%02x%02x%02x\"", rgb[0], rgb[1], rgb[2]);
  }
}

static void letter_text(char letter, double largest, char *text, size_t bytes)
{
  const double below = pow(10, -0.5 * ('9' - letter));
  if (letter == '=') snprintf(text, bytes, "equal in every bit");
  else if (letter == '!') snprintf(text, bytes, "not finite");
  else if (letter == '0') snprintf(text, bytes, "at most %.2g", largest * below);
  else snprintf(text, bytes, "%.2g to %.2g", largest * below / sqrt(10), largest * below);
}

char *chart_map(const char *const *rows, size_t height, double largest)
{
  static const char letters[] = "!9876543210=";
  chart c;
  char fill[64], text[64];
  size_t width = 1;
  for (size_t y = 0; y < height; y++) width = strlen(rows[y]) > width ? strlen(rows[y]) : width;
  const double cell = SIDE / (double)(width > height ? width : height);
  if (!chart_begin(&c, fmax(TOP + cell * (double)height, TOP + 12 * 22.0) + 12)) return NULL;
  for (size_t i = 0; letters[i]; i++) {
    fill_of(letters[i], fill, sizeof fill);
    draw_letter(c.out, rows, height, letters[i], cell, fill);
    letter_text(letters[i], largest, text, sizeof text);
    fprintf(c.out, "<rect %s x=\"%d\" y=\"%.0f\" width=\"16\" height=\"16\"/>", fill, LEGEND,
            TOP + 22.0 * (double)i);
    chart_text(c.out, LEGEND + 24, TOP + 13 + 22.0 * (double)i, "", "start", text, 40);
  }
  fprintf(c.out, "<rect class=\"edge\" x=\"%d\" y=\"%d\" width=\"%.4g\" "
                 "height=\"%.4g\"/>", LEFT, TOP,
          cell * (double)width, cell * (double)height);
  return chart_end(&c);
}
