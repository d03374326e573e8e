#include "model/text/quote.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/outlet.h"
#include "model/text/text.h"
#include "model/text/utf8.h"

enum { NAME_BYTES = 60, PATH_BYTES = 200, ESCAPE_BYTES = 12 };

/* Returns the bytes of the valid UTF-8 character at `text`, or 0. */
static size_t character_bytes(const char *text, size_t bytes)
{
    unsigned char lead = (unsigned char)*text;
    size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return length <= bytes && utf8_invalid(text, length) < 0 ? length : 0;
}

/* Escapes into out->text from `used` on, up to `limit` bytes in all plus the mark of a cut. */
static void escape(struct quoted *out, size_t used, size_t limit, const char *text, size_t bytes)
{
    while (bytes > 0) {
        char piece[ESCAPE_BYTES + 1] = "";
        size_t length = character_bytes(text, bytes);
        uint32_t character = length ? utf8_decode(text, &length) : 0;
        if (length == 0)
            snprintf(piece, sizeof piece, "\\x%02X", (unsigned)(unsigned char)*text);
        else if (outlet_bars(OUTLET_ESCAPED, character))
            snprintf(piece, sizeof piece, "\\u%04X", (unsigned)character & 0xFFFFFF);
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
