/* markup.h - plain text in HTML, SVG and Markdown. Text is clean (text_clean). */
#ifndef TRIREME_CLI_MARKUP_H
#define TRIREME_CLI_MARKUP_H

#include <stdio.h>

/* With the characters of XML escaped. NULL: nothing. */
void html_text(FILE *out, const char *text);
/* With those escaped that Markdown or HTML would take for their own. */
void markdown_text(FILE *out, const char *text);
/* A block of code, in a fence that no line of it ends. */
void markdown_code(FILE *out, const char *language, const char *text);

#endif
