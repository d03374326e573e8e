#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cairo-pdf.h>
#include <glib.h>

#include "base/outlet.h"
#include "render/draw.h"
#include "render/output.h"

#define POINTS (72.0 / VECTOR_DPI) // in a pixel of the layout

/* Writing -------------------------------------------------------------------------------------- */

/* cairo reports only that a write failed. */
struct sink {
    const struct figure_output *output;
    struct status *status;
    bool failed;
};

static cairo_status_t write_bytes(void *context, const unsigned char *bytes, unsigned count)
{
    struct sink *sink = context;
    if (sink->failed)
        return CAIRO_STATUS_WRITE_ERROR;
    errno = 0;
    if (!output_proceed(sink->output->style->watch, 0, sink->status))
        sink->failed = true;
    else if (fwrite(bytes, 1, count, sink->output->file) != count)
        sink->failed = !output_fail_write(errno, sink->status);
    return sink->failed ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

/* Notes ---------------------------------------------------------------------------------------- */

static void put_json_string(GString *out, const char *raw)
{
    char *text = g_utf8_make_valid(raw, -1);
    g_string_append_c(out, '"');
    for (const char *at = text; *at; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        char escape[OUTLET_ESCAPE_BYTES];
        if (c == '"' || c == '\\')
            g_string_append_c(out, '\\');
        if (outlet_bars(OUTLET_ESCAPED, c))
            g_string_append(out, outlet_escape(c, escape));
        else
            g_string_append_unichar(out, c);
    }
    g_string_append_c(out, '"');
    g_free(text);
}

/* Returns all notes as a JSON object, freed with g_free. */
static char *notes_json(const struct figure_output *output)
{
    GString *out = g_string_new("{");
    for (int i = 0; i < output->note_count; i++) {
        if (i)
            g_string_append_c(out, ',');
        put_json_string(out, output->notes[i].key);
        g_string_append_c(out, ':');
        put_json_string(out, output->notes[i].text);
    }
    g_string_append_c(out, '}');
    return g_string_free(out, FALSE);
}

static const char *find_note(const struct figure_output *output, const char *key)
{
    for (int i = 0; i < output->note_count; i++)
        if (strcmp(output->notes[i].key, key) == 0)
            return output->notes[i].text;
    return NULL;
}

static void set_text(cairo_surface_t *surface, cairo_pdf_metadata_t field, const char *raw)
{
    if (!raw || !*raw)
        return;
    char *text = g_utf8_make_valid(raw, -1);
    GString *clean = g_string_new(NULL);
    for (const char *at = text; *at; at = g_utf8_next_char(at))
        g_string_append_unichar(clean, outlet_character(OUTLET_SHOWN, g_utf8_get_char(at)));
    cairo_pdf_surface_set_metadata(surface, field, clean->str);
    g_string_free(clean, TRUE);
    g_free(text);
}

/* True if the text looks like a date: cairo copies its letters into the file unchecked. */
static bool is_date(const char *text)
{
    return text && strlen(text) >= 10 && strlen(text) <= 25 &&
           strspn(text, "0123456789-+:TZ") == strlen(text);
}

/* Sets the date to ours: cairo would take the clock's, and no two files would be equal. */
static void set_metadata(cairo_surface_t *surface, const struct figure_output *output)
{
    const char *title = find_note(output, "title"), *date = find_note(output, "date");
    set_text(surface, CAIRO_PDF_METADATA_TITLE, title ? title : output->figure->title);
    set_text(surface, CAIRO_PDF_METADATA_AUTHOR, find_note(output, "author"));
    set_text(surface, CAIRO_PDF_METADATA_CREATOR, find_note(output, "program"));
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE,
                                   is_date(date) ? date : NULL);
    if (!output->note_count)
        return;
    char *notes = notes_json(output);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_KEYWORDS, notes);
    g_free(notes);
}

/* The page ------------------------------------------------------------------------------------- */

static bool draw_nothing_yet(void *context, const struct work_progress *unused)
{
    struct status status;
    (void)unused;
    return output_proceed(context, 0,
                          &status); // drawing only records: the file is written at the end
}

static bool draw_page(cairo_surface_t *surface, const struct figure_output *output,
                      struct status *status)
{
    const struct watch *asked = output->style->watch;
    struct watch watch = {draw_nothing_yet, (void *)asked};
    cairo_t *cairo = cairo_create(surface);
    cairo_scale(cairo, POINTS, POINTS);
    bool whole =
        draw_figure(cairo, output->figure, output->layout, output->text, asked ? &watch : NULL);
    cairo_show_page(cairo);
    cairo_destroy(cairo);
    return whole || status_fail(status, STATUS_CANCELLED, "interrupted");
}

static bool finish(cairo_surface_t *surface, const struct sink *sink)
{
    cairo_surface_finish(surface);
    cairo_status_t written = cairo_surface_status(surface);
    if (sink->failed)
        return false;
    if (written != CAIRO_STATUS_SUCCESS)
        return status_fail(sink->status, STATUS_MEMORY, "PDF: %s", cairo_status_to_string(written));
    errno = 0;
    return fflush(sink->output->file) == 0 || output_fail_write(errno, sink->status);
}

bool output_pdf(const struct figure_output *output, struct status *status)
{
    struct sink sink = {output, status, false};
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(
        write_bytes, &sink, output->layout->width * POINTS, output->layout->height * POINTS);
    // The oldest version that all programs read; in it, they find the notes without unpacking.
    cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4);
    set_metadata(surface, output);
    bool ok = draw_page(surface, output, status);
    sink.failed |= !ok; // destroying the surface writes in any case
    ok = finish(surface, &sink) && ok;
    cairo_surface_destroy(surface);
    return ok;
}
