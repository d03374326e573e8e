/* Quotes text from files, arguments and checkpoints in one-line messages.
 *
 * Characters not allowed in messages (OUTLET_ESCAPED) and invalid UTF-8 become escapes; long text
 * is cut and ends in "…".
 */
#ifndef ATTNSCOPE_QUOTE_H
#define ATTNSCOPE_QUOTE_H

#include <stddef.h>

struct quoted {
    char text[320];
};

/* The first 60 bytes or so of `text`. Returns out->text. */
const char *quote_bytes(struct quoted *out, const char *text, size_t bytes);

/* The same for all of `text`, NUL-terminated. Returns out->text. */
const char *quote_text(struct quoted *out, const char *text);

/* A message that may repeat a file's bytes: 300 bytes or so. Returns out->text. */
const char *quote_message(struct quoted *out, const char *message);

/* A path; a long one is cut at its beginning, because its end distinguishes files. Returns
 * out->text. */
const char *quote_path(struct quoted *out, const char *path);

/* For printf arguments; live as long as the enclosing block. */
#define QUOTED(text) quote_text(&(struct quoted){""}, text)
#define QUOTED_PATH(path) quote_path(&(struct quoted){""}, path)

#endif
