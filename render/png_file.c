#include "render/png_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>
#include <png.h>

#include "render/output.h"

#define METRES_PER_INCH 0.0254

/* The data of png_write, in one place because no local variable may change between setjmp and
 * longjmp. */
struct writer {
    png_structp png;
    png_infop info;
    const struct png_page *page;
    FILE *file;
    png_text *texts;
    int text_count;
    unsigned char *row;
    char error[200];
    int code; // errno of a failed write
};

/* Leaves libpng: png_error does not return. */
static void keep_error(png_structp png, png_const_charp message)
{
    struct writer *writer = png_get_error_ptr(png);
    g_strlcpy(writer->error, message, sizeof writer->error);
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void write_bytes(png_structp png, png_bytep bytes, size_t count)
{
    struct writer *writer = png_get_io_ptr(png);
    if (fwrite(bytes, 1, count, writer->file) == count)
        return;
    writer->code = errno;
    png_error(png, "write");
}

static void flush_bytes(png_structp png)
{
    (void)png; // png_file_write flushes and checks the result
}

/* Notes ---------------------------------------------------------------------------------------- */

static void free_texts(struct writer *writer)
{
    for (int i = 0; i < writer->text_count; i++)
        g_free(writer->texts[i].text);
    free(writer->texts);
}

/* Only iTXt is UTF-8, but many tools know only tEXt, which is enough for ASCII. */
static int chunk_kind(const char *text)
{
    return g_str_is_ascii(text) ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE;
}

static bool take_notes(struct writer *writer, const struct figure_note *notes, int count,
                       struct status *status)
{
    writer->texts = memory_new((size_t)count, sizeof *writer->texts, status);
    if (!writer->texts)
        return false;
    for (int i = 0; i < count; i++) {
        png_text *text = &writer->texts[i];
        text->key = (char *)notes[i].key;
        text->text = g_utf8_make_valid(notes[i].text, -1);
        text->compression = chunk_kind(text->text);
        text->lang = text->lang_key = (char *)"";
        writer->text_count++;
    }
    return true;
}

/* Pixels --------------------------------------------------------------------------------------- */

static void write_header(struct writer *writer)
{
    const struct png_page *page = writer->page;
    png_uint_32 per_metre = (png_uint_32)(page->dpi / METRES_PER_INCH + 0.5);
    png_set_IHDR(writer->png, writer->info, (png_uint_32)page->width, (png_uint_32)page->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(writer->png, writer->info, PNG_sRGB_INTENT_RELATIVE);
    png_set_pHYs(writer->png, writer->info, per_metre, per_metre, PNG_RESOLUTION_METER);
    if (writer->text_count)
        png_set_text(writer->png, writer->info, writer->texts, writer->text_count);
    png_write_info(writer->png, writer->info);
}

static bool write_rows(struct writer *writer, struct status *status)
{
    const struct png_page *page = writer->page;
    for (int y = 0; y < page->height; y++) {
        const uint32_t *pixels = page->row(page->context, y, status);
        unsigned char *out = writer->row;
        if (!pixels)
            return false;
        for (int x = 0; x < page->width; x++) {
            *out++ = (unsigned char)(pixels[x] >> 16);
            *out++ = (unsigned char)(pixels[x] >> 8);
            *out++ = (unsigned char)pixels[x];
        }
        png_write_row(writer->png, writer->row);
    }
    return true;
}

static bool write_png(struct writer *writer, struct status *status)
{
    if (setjmp(png_jmpbuf(writer->png)))
        return writer->code ? output_fail_write(writer->code, status)
                            : status_fail(status, STATUS_MEMORY, "PNG: %s", writer->error);
    png_set_write_fn(writer->png, writer, write_bytes, flush_bytes);
    // A user's notes may exceed the limit that libpng sets for untrusted files.
    png_set_chunk_malloc_max(writer->png, 0);
    // Most rows equal the row above: the differences are zeros, which the lowest level packs well.
    png_set_filter(writer->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
    png_set_compression_level(writer->png, 1);
    // Smaller tables than usual: zlib moves them every 32 KB, which took a fifth of its time.
    png_set_compression_mem_level(writer->png, 6);
    write_header(writer);
    if (!write_rows(writer, status))
        return false;
    png_write_end(writer->png, NULL);
    return true;
}

static bool write_file(struct writer *writer, struct status *status)
{
    errno = 0;
    if (!write_png(writer, status))
        return false;
    if (fflush(writer->file) != 0)
        return output_fail_write(errno, status);
    return true;
}

bool png_file_write(const struct png_page *page, const struct figure_note *notes, int note_count,
                    FILE *file, struct status *status)
{
    struct writer writer = {.page = page, .file = file};
    writer.png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer, keep_error, ignore_warning);
    writer.info = writer.png ? png_create_info_struct(writer.png) : NULL;
    writer.row = memory_new((size_t)page->width, 3, status);
    bool ok = writer.row != NULL;
    if (ok && !writer.info)
        ok = status_no_memory(status);
    ok = ok && take_notes(&writer, notes, note_count, status) && write_file(&writer, status);
    free_texts(&writer);
    free(writer.row);
    png_destroy_write_struct(&writer.png, &writer.info);
    return ok;
}
