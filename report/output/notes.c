#include "report/output/provenance.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/formats/safetensors.h"
#include "model/text/lines.h"
#include "model/text/quote.h"
#include "render/notes.h"
#include "report/output/export.h"
#include "report/output/note_text.h"
#include "report/output/npy.h"
#include "report/output/zip_archive.h"

/* Kinds --------------------------------------------------------------------------------------- */

enum kind { NOTE_OF_OTHERS, NOTE_TEXT, NOTE_JSON };

static enum kind kind_of(const char *key)
{
    for (const struct note_key *known = provenance_keys; known->name; known++)
        if (strcmp(known->name, key) == 0)
            return known->json ? NOTE_JSON : NOTE_TEXT;
    for (int side = 0; side < ORIGINS_MOST; side++)
        if (strcmp(provenance_sides[side], key) == 0)
            return NOTE_JSON;
    return NOTE_OF_OTHERS;
}

/* Skips other programs' notes. A note that is not what its key promises is left out; whoever needs
 * it finds it missing. */
static void add_note(json_t *notes, const char *key, const char *text)
{
    enum kind kind = kind_of(key);
    if (kind != NOTE_OF_OTHERS)
        json_object_set_new(notes, key,
                            kind == NOTE_JSON ? json_loads(text, JSON_DECODE_ANY, NULL)
                                              : json_string(text));
}

/* Adds a text that note_write has written. */
static void add_written(json_t *notes, const char *key, const char *written)
{
    char *text = kind_of(key) == NOTE_TEXT ? note_read(written) : NULL;
    add_note(notes, key, text ? text : written);
    free(text);
}

/* Adds the members of an object that is JSON already. */
static void add_object(json_t *notes, json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) json_object_set(notes, key, value);
}

#define MARKDOWN_BEGIN "<!-- "
#define MARKDOWN_END " -->"

/* Formats -------------------------------------------------------------------------------------- */

static FILE *open_file(const char *path, struct status *status)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        status_fail(status, STATUS_IO, "%s", strerror(errno));
    return file;
}

static bool read_figure(const char *path, json_t *notes,
                        bool (*read)(FILE *, struct figure_notes *, struct status *),
                        struct status *status)
{
    struct figure_notes found;
    FILE *file = open_file(path, status);
    bool ok = file && read(file, &found, status);
    for (int i = 0; ok && i < found.count; i++)
        add_written(notes, found.notes[i].key, found.notes[i].text);
    if (ok)
        figure_notes_free(&found);
    if (file)
        fclose(file);
    return ok;
}

static bool read_png(const char *path, json_t *notes, struct status *status)
{
    return read_figure(path, notes, figure_read_png_notes, status);
}

static bool read_pdf(const char *path, json_t *notes, struct status *status)
{
    return read_figure(path, notes, figure_read_pdf_notes, status);
}

static bool read_svg(const char *path, json_t *notes, struct status *status)
{
    return read_figure(path, notes, figure_read_svg_notes, status);
}

/* Removes the end of a Markdown comment and decodes its references, in place. */
static void read_references(char *text)
{
    size_t length = strlen(text), end = strlen(MARKDOWN_END);
    if (length >= end && strcmp(text + length - end, MARKDOWN_END) == 0)
        text[length - end] = '\0';
    char *to = text;
    for (; *text; to++) {
        bool greater = strncmp(text, "&gt;", 4) == 0, ampersand = strncmp(text, "&amp;", 5) == 0;
        *to = greater ? '>' : *text;
        text += greater ? 4 : ampersand ? 5 : 1;
    }
    *to = '\0';
}

/* Reads the lines of `begin` and "KEY: TEXT" before the table. */
static bool read_comments(const char *path, const char *begin, json_t *notes, struct status *status)
{
    struct line line = {0};
    FILE *file = open_file(path, status);
    enum line_result read = LINE_END;
    size_t length = strlen(begin);
    while (file && (read = line_read(file, &line, status)) == LINE_READ &&
           strncmp(line.text, begin, length) == 0) {
        char *colon = strstr(line.text, ": ");
        if (!colon)
            break;
        *colon = '\0';
        if (strcmp(begin, MARKDOWN_BEGIN) == 0)
            read_references(colon + 2);
        add_written(notes, line.text + length, colon + 2);
    }
    free(line.text);
    if (file)
        fclose(file);
    return file && read != LINE_FAILED;
}

static bool read_table(const char *path, json_t *notes, struct status *status)
{
    return read_comments(path, "# ", notes, status);
}

static bool read_tex(const char *path, json_t *notes, struct status *status)
{
    return read_comments(path, "% ", notes, status);
}

static bool read_md(const char *path, json_t *notes, struct status *status)
{
    return read_comments(path, MARKDOWN_BEGIN, notes, status);
}

static bool read_json(const char *path, json_t *notes, struct status *status)
{
    json_error_t error;
    FILE *file = open_file(path, status);
    if (!file)
        return false;
    json_t *object = json_loadf(file, 0, &error);
    fclose(file);
    if (!object)
        return status_fail(status, STATUS_INVALID, "no valid JSON: %s", QUOTED(error.text));
    add_object(notes, json_object_get(object, "provenance"));
    json_decref(object);
    return true;
}

static char *read_member(const char *path, const char *name, size_t *size, struct status *status)
{
    enum { BYTES_MOST = 64 << 20 };
    FILE *file = open_file(path, status);
    return file ? zip_member_read(file, name, BYTES_MOST, size, status) : NULL;
}

static bool read_npz(const char *path, json_t *notes, struct status *status)
{
    json_error_t error = {.text = "no array of text"};
    struct status unused;
    size_t size = 0, length = 0;
    char *array = read_member(path, NPZ_PROVENANCE, &size, status);
    char *before = array ? NULL : read_member(path, NPZ_PROVENANCE_BEFORE, NULL, &unused);
    if (!array && !before)
        return false;
    const char *text = array ? npy_text(array, size, &length) : before;
    length = before ? strlen(before) : length;
    json_t *object = text ? json_loadb(text, length, 0, &error) : NULL;
    free(array);
    free(before);
    if (!object)
        return status_fail(status, STATUS_INVALID, NPZ_PROVENANCE ": no valid JSON: %s",
                           QUOTED(error.text));
    add_object(notes, object);
    json_decref(object);
    return true;
}

static bool read_tensors(const char *path, json_t *notes, struct status *status)
{
    struct safetensors *file = safetensors_open(path, status);
    if (!file)
        return false;
    for (const struct note_key *known = provenance_keys; known->name; known++) {
        const char *text = safetensors_metadata(file, known->name);
        if (text)
            add_note(notes, known->name, text);
    }
    safetensors_close(file);
    return true;
}

static const struct {
    const char *extension;
    bool (*read)(const char *path, json_t *notes, struct status *status);
    bool names_itself; // its messages begin with the path
} formats[] = {
    {"png", read_png, false},   {"pdf", read_pdf, false},
    {"svg", read_svg, false},   {"csv", read_table, false},
    {"tsv", read_table, false}, {"tex", read_tex, false},
    {"md", read_md, false},     {"json", read_json, false},
    {"npz", read_npz, false},   {"safetensors", read_tensors, true},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static int find_format(const char *path)
{
    int i = 0;
    while (i < FORMATS && strcasecmp(export_extension(path), formats[i].extension) != 0)
        i++;
    return i;
}

json_t *notes_read(const char *path, struct status *status)
{
    int format = find_format(path);
    if (format == FORMATS) {
        status_fail(status, STATUS_INVALID,
                    "%s: expected an exported file that can say how it was made, such as .png",
                    QUOTED_PATH(path));
        return NULL;
    }
    json_t *notes = json_object();
    bool ok = notes && formats[format].read(path, notes, status);
    if (ok && json_object_size(notes))
        return notes;
    json_decref(notes);
    if (ok)
        status_fail(status, STATUS_INVALID, "%s: does not say how it was made", QUOTED_PATH(path));
    else if (!formats[format].names_itself)
        status_prefix(status, "%s", QUOTED_PATH(path));
    return NULL;
}
