#include "model/text/quote.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model/text/text.h"

enum { NAME_BYTES = 60, PATH_BYTES = 200, ESCAPE_BYTES = 6 };

/* Bytes of the valid UTF-8 character at `text`, or 0. */
static size_t character_bytes(const char *text, size_t bytes)
{
    unsigned char lead = (unsigned char)*text;
    size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return length <= bytes && utf8_invalid(text, length) < 0 ? length : 0;
}

/* U+0000-1F and U+007F-9F. */
static int control_code(const char *text, size_t length)
{
    unsigned char first = (unsigned char)text[0];
    if (length == 1 && (first < 0x20 || first == 0x7F))
        return first;
    if (length == 2 && first == 0xC2 && (unsigned char)text[1] < 0xA0)
        return (unsigned char)text[1];
    return -1;
}

/* Escapes into out->text from `used` on, up to `limit` bytes in all and the mark of a cut. */
static void escape(struct quoted *out, size_t used, size_t limit, const char *text, size_t bytes)
{
    while (bytes > 0) {
        char piece[ESCAPE_BYTES + 1] = "";
        size_t length = character_bytes(text, bytes);
        int control = length ? control_code(text, length) : -1;
        if (length == 0)
            snprintf(piece, sizeof piece, "\\x%02X", (unsigned)(unsigned char)*text);
        else if (control >= 0)
            snprintf(piece, sizeof piece, "\\u%04X", (unsigned)control & 0xFFFF);
        else
            memcpy(piece, text, length);
        size_t written = strlen(piece);
        if (used + written > limit) {
            strcpy(out->text + used, "…");
            return;
        }
        memcpy(out->text + used, piece, written);
        used += written;
        text += length ? length : 1;
        bytes -= length ? length : 1;
    }
    out->text[used] = '\0';
}

const char *quote_bytes(struct quoted *out, const char *text, size_t bytes)
{
    escape(out, 0, NAME_BYTES, text, bytes);
    return out->text;
}

const char *quote_text(struct quoted *out, const char *text)
{
    return quote_bytes(out, text, strlen(text));
}

const char *quote_message(struct quoted *out, const char *message)
{
    escape(out, 0, sizeof out->text - sizeof "…", message, strlen(message));
    return out->text;
}

const char *quote_path(struct quoted *out, const char *path)
{
    if (*path == '\0')
        path = "(no name)";
    size_t bytes = strlen(path);
    size_t used = 0;
    if (bytes > PATH_BYTES) {
        path += bytes - PATH_BYTES;
        while (((unsigned char)*path & 0xC0) == 0x80)
            path++;
        strcpy(out->text, "…");
        used = strlen(out->text);
    }
    escape(out, used, sizeof out->text - sizeof "…", path, strlen(path));
    return out->text;
}
