/* Notes of PDF and SVG files, as output_pdf.c and output_svg.c write them. */
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "base/system.h"
#include "render/notes.h"

enum { LONGEST_FILE = 256 << 20 };

/* Files ---------------------------------------------------------------------------------------- */

/* Reads all of a file and adds a NUL; freed with g_string_free. */
static GString *read_all(FILE *file, struct status *status)
{
    GString *text = g_string_new(NULL);
    char buffer[1 << 16];
    size_t count;
    while ((count = fread(buffer, 1, sizeof buffer, file)) > 0 && text->len < LONGEST_FILE)
        g_string_append_len(text, buffer, (gssize)count);
    if (!ferror(file) && text->len < LONGEST_FILE)
        return text;
    g_string_free(text, TRUE);
    status_fail(status, STATUS_INVALID, "cannot be read, or is longer than %d bytes", LONGEST_FILE);
    return NULL;
}

/* Returns the first or last (`last`) occurrence of a text in a file that may hold NULs; NULL:
 * none. */
static const char *find(const GString *text, const char *what, bool last)
{
    const char *found = NULL, *end = text->str + text->len;
    for (const char *at = text->str; at < end; at++) {
        if (!(at = memory_find(at, (size_t)(end - at), what, strlen(what))))
            break;
        found = at;
        if (!last)
            break;
    }
    return found;
}

/* Copies both, with invalid bytes replaced so that they are UTF-8. */
static bool add_note(struct figure_notes *notes, const char *key, const char *text,
                     struct status *status)
{
    if (!memory_grow((void **)&notes->notes, &notes->capacity, (size_t)notes->count + 1,
                     sizeof *notes->notes, status))
        return false;
    struct figure_found *note = &notes->notes[notes->count];
    char *valid_key = g_utf8_make_valid(key, -1), *valid = g_utf8_make_valid(text, -1);
    note->key = strdup(valid_key);
    note->text = strdup(valid);
    g_free(valid_key);
    g_free(valid);
    notes->count++;
    return (note->key && note->text) || status_no_memory(status);
}

/* PDF ------------------------------------------------------------------------------------------ */

/* <FEFF…>: UTF-16, high bytes first. */
static char *read_hexadecimal(const char *at)
{
    GString *units = g_string_new(NULL);
    for (int high, low;
         (high = g_ascii_xdigit_value(at[0])) >= 0 && (low = g_ascii_xdigit_value(at[1])) >= 0;
         at += 2)
        g_string_append_c(units, (char)(high << 4 | low));
    char *text = NULL;
    if (units->len >= 2 && memcmp(units->str, "\xfe\xff", 2) == 0)
        text = g_convert(units->str + 2, (gssize)units->len - 2, "UTF-8", "UTF-16BE", NULL, NULL,
                         NULL);
    g_string_free(units, TRUE);
    return text;
}

/* (…): ASCII, with \( \) \\. */
static char *read_literal(const char *at)
{
    GString *text = g_string_new(NULL);
    for (; *at && *at != ')'; at++) {
        at += *at == '\\' && at[1];
        g_string_append_c(text, *at);
    }
    return g_string_free(text, FALSE);
}

/* Reads "uXXXX", and the second half "\uXXXX" if it is the first of two surrogates. *at moves to
 * the last digit. Returns 0 if this is no character. */
static gunichar read_number(const char **at)
{
    unsigned code, low;
    const char *c = *at;
    if (strlen(c) <= 4 || sscanf(c + 1, "%4x", &code) != 1)
        return 0;
    if (code >= 0xd800 && code < 0xdc00 && strlen(c) > 10 && sscanf(c + 5, "\\u%4x", &low) == 1 &&
        low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        c += 6;
    }
    if (!g_unichar_validate(code))
        return 0;
    *at = c + 4;
    return code;
}

/* Reads a JSON string at *at and moves behind it. NULL: there is none. Freed with g_free. */
static char *read_string(const char **at)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    if (**at != '"')
        return NULL;
    GString *text = g_string_new(NULL);
    const char *c = *at + 1;
    for (; *c && *c != '"'; c++) {
        const char *letter;
        gunichar code;
        if (*c != '\\')
            g_string_append_c(text, *c);
        else if (*++c == 'u' && (code = read_number(&c)))
            g_string_append_unichar(text, code);
        else if (*c && (letter = strchr(letters, *c)))
            g_string_append_c(text, meant[letter - letters]);
        else if (*c)
            g_string_append_c(text, *c);
        else
            break;
    }
    const bool ended = *c == '"';
    *at = c + ended;
    return g_string_free(text, !ended);
}

/* {"KEY":"TEXT",…} */
static bool add_object(struct figure_notes *notes, const char *at, struct status *status)
{
    bool ok = *at++ == '{', failed = false;
    while (ok && *at != '}') {
        char *key = read_string(&at), *text = key && *at == ':' ? (at++, read_string(&at)) : NULL;
        ok = text != NULL;
        failed = ok && !add_note(notes, key, text, status);
        ok = ok && !failed;
        g_free(key);
        g_free(text);
        at += *at == ',';
    }
    return ok || failed ? ok : status_fail(status, STATUS_INVALID, "broken keywords");
}

static bool end_reading(struct figure_notes *notes, bool ok)
{
    if (!ok)
        figure_notes_free(notes);
    return ok;
}

bool figure_read_pdf_notes(FILE *file, struct figure_notes *notes, struct status *status)
{
    static const char field[] = "/Keywords ";
    *notes = (struct figure_notes){0};
    GString *pdf = read_all(file, status);
    if (!pdf)
        return false;
    bool ok = strncmp(pdf->str, "%PDF-", 5) == 0 ||
              status_fail(status, STATUS_INVALID, "no valid PDF: it does not begin like one");
    const char *at = ok ? find(pdf, field, true) : NULL;
    char *keywords = NULL;
    if (at) {
        at += strlen(field);
        keywords = *at == '<' ? read_hexadecimal(at + 1) : *at == '(' ? read_literal(at + 1) : NULL;
    }
    // Other programs' keywords are not an object.
    if (keywords && *keywords == '{')
        ok = add_object(notes, keywords, status);
    g_free(keywords);
    g_string_free(pdf, TRUE);
    return end_reading(notes, ok);
}

/* SVG ------------------------------------------------------------------------------------------ */

static char *unescape(const char *begin, const char *end)
{
    static const struct {
        const char *name;
        char meant;
    } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#13;", '\r'}};
    enum { ENTITIES = sizeof entities / sizeof *entities };
    GString *text = g_string_new(NULL);
    while (begin < end) {
        int i = 0;
        while (i < ENTITIES && strncmp(begin, entities[i].name, strlen(entities[i].name)) != 0)
            i++;
        g_string_append_c(text, i < ENTITIES ? entities[i].meant : *begin);
        begin += i < ENTITIES ? strlen(entities[i].name) : 1;
    }
    return g_string_free(text, FALSE);
}

bool figure_read_svg_notes(FILE *file, struct figure_notes *notes, struct status *status)
{
    static const char begin[] = "<a:note key=\"", middle[] = "\">", end[] = "</a:note>";
    *notes = (struct figure_notes){0};
    GString *svg = read_all(file, status);
    if (!svg)
        return false;
    bool ok = find(svg, "<svg ", false) ||
              status_fail(status, STATUS_INVALID, "no valid SVG: no <svg> in it");
    const char *at = svg->str;
    while (ok && (at = strstr(at, begin))) {
        const char *key = at + strlen(begin), *text = strstr(key, middle);
        const char *last = text ? strstr(text, end) : NULL;
        if (!last)
            break;
        char *plain_key = unescape(key, text), *plain = unescape(text + strlen(middle), last);
        ok = add_note(notes, plain_key, plain, status);
        g_free(plain_key);
        g_free(plain);
        at = last;
    }
    g_string_free(svg, TRUE);
    return end_reading(notes, ok);
}
