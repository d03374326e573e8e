#include <stdlib.h>
#include <string.h>

#include <glib.h>
#include <png.h>

#include "render/notes.h"

enum { SIGNATURE = 8, LONGEST_CHUNK = 64 << 20, LARGEST_BLOCK = LONGEST_CHUNK + (1 << 20) };

/* The data of the reader, in one place because no local variable may change between setjmp and
 * longjmp. */
struct reader {
    png_structp png;
    png_infop info;
    char error[200];
};

static void keep_error(png_structp png, png_const_charp message)
{
    struct reader *reader = png_get_error_ptr(png);
    g_strlcpy(reader->error, message, sizeof reader->error);
    png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* For a chunk of text longer than png_set_chunk_malloc_max, libpng only warns, then allocates and
 * clears all of it. This allocator refuses. */
static png_voidp allocate(png_structp png, png_alloc_size_t bytes)
{
    (void)png;
    return bytes <= LARGEST_BLOCK ? malloc(bytes) : NULL;
}

static void release(png_structp png, png_voidp block)
{
    (void)png;
    free(block);
}

static bool fail(const char *message, struct status *status)
{
    return status_fail(status, STATUS_INVALID, "no valid PNG: %s", message);
}

static bool read_header(struct reader *reader, FILE *file, struct status *status)
{
    unsigned char signature[SIGNATURE];
    if (fread(signature, 1, SIGNATURE, file) != SIGNATURE ||
        png_sig_cmp(signature, 0, SIGNATURE) != 0)
        return fail("it does not begin like one", status);
    if (setjmp(png_jmpbuf(reader->png)))
        return fail(reader->error, status);
    png_init_io(reader->png, file);
    png_set_sig_bytes(reader->png, SIGNATURE);
    png_set_chunk_malloc_max(reader->png, LONGEST_CHUNK);
    png_read_info(reader->png, reader->info);
    return true;
}

static bool add_note(struct figure_notes *notes, const png_text *text, struct status *status)
{
    bool utf8 = text->compression >= PNG_ITXT_COMPRESSION_NONE;
    if (!memory_grow((void **)&notes->notes, &notes->capacity, (size_t)notes->count + 1,
                     sizeof *notes->notes, status))
        return false;
    // tEXt is Latin 1, iTXt UTF-8.
    char *valid = utf8 ? g_utf8_make_valid(text->text, -1)
                       : g_convert(text->text, -1, "UTF-8", "ISO-8859-1", NULL, NULL, NULL);
    struct figure_found *note = &notes->notes[notes->count];
    note->key = strdup(text->key);
    note->text = valid ? strdup(valid) : NULL;
    g_free(valid);
    notes->count++;
    return (note->key && note->text) || status_no_memory(status);
}

static bool take_notes(const struct reader *reader, struct figure_notes *notes,
                       struct status *status)
{
    png_textp texts = NULL;
    int count = 0;
    png_get_text(reader->png, reader->info, &texts, &count);
    for (int i = 0; i < count; i++)
        if (!add_note(notes, &texts[i], status)) {
            figure_notes_free(notes);
            return false;
        }
    return true;
}

bool figure_read_png_notes(FILE *file, struct figure_notes *notes, struct status *status)
{
    struct reader reader = {0};
    *notes = (struct figure_notes){0};
    reader.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &reader, keep_error,
                                          ignore_warning, NULL, allocate, release);
    reader.info = reader.png ? png_create_info_struct(reader.png) : NULL;
    bool ok = reader.info ? read_header(&reader, file, status) && take_notes(&reader, notes, status)
                          : status_no_memory(status);
    png_destroy_read_struct(&reader.png, &reader.info, NULL);
    return ok;
}

void figure_notes_free(struct figure_notes *notes)
{
    for (int i = 0; i < notes->count; i++) {
        free(notes->notes[i].key);
        free(notes->notes[i].text);
    }
    free(notes->notes);
    *notes = (struct figure_notes){0};
}
