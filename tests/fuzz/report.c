/* Files of results: whatever members one has, it is refused or becomes a page, whose text has no
 * element that came from the file. */
#include <stdlib.h>
#include <string.h>

#include "cli/report/report_data.h"
#include "cli/report/sections.h"
#include "tests/fuzz/fuzz.h"

/* A coordinate that is none; text cannot look like it, since its quotes are escaped. */
static int has_wild_number(const char *svg)
{
  static const char *const wild[] = {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf", "=\"Mnan",
                                     "=\"M-nan", "=\"Minf", "=\"M-inf"};
  for (size_t i = 0; i < sizeof wild / sizeof *wild; i++)
    if (strstr(svg, wild[i])) return 1;
  return 0;
}

/* The page's forms; every table is full, every figure one element. */
static void write_page(const page *made)
{
  char *html = page_html(made), *markdown = page_markdown(made, "report");
  FUZZ_CHECK(!made->failed && html && markdown);
  FUZZ_CHECK(!strstr(html, "<script"));
  for (size_t i = 0; i < made->count; i++) {
    const page_block *block = &made->blocks[i];
    if (block->kind == BLOCK_TABLE) {
      FUZZ_CHECK(block->columns > 0 && block->cell_count % block->columns == 0);
      free(page_csv(block));
    } else if (block->kind == BLOCK_FIGURE) {
      FUZZ_CHECK(strncmp(block->svg, "<svg ", 5) == 0 && !has_wild_number(block->svg));
      free(page_svg(made, block));
    }
  }
  free(html);
  free(markdown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *path = fuzz_file("run.json", data, size);
  report_data all;
  if (fuzz_accepted(report_data_read(&all, &path, 1, 0))) {
    page made;
    sections_compose(&made, &all);
    write_page(&made);
    page_clear(&made);
  }
  report_data_clear(&all);
  free(path);
  return 0;
}
