#include "report/output/npy.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#define MAGIC "\x93NUMPY"

/* Arrays begin at multiples of this, so that they can be mapped. */
enum { ALIGNMENT = 64, PREAMBLE = 10 };

static void write_little(FILE *stream, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(value >> (8 * i) & 0xFF), stream);
}

/* Writes a Python dictionary, padded with blanks, with a final line break. */
void npy_write_header(FILE *stream, const char *type, int dimensions, const size_t *shape)
{
    char header[96 + NPY_DIMENSIONS_MOST * 24];
    int used =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (int i = 0; i < dimensions; i++)
        used += snprintf(header + used, sizeof header - used, i ? ", %zu" : "%zu", shape[i]);
    // A tuple of one element needs a comma.
    used += snprintf(header + used, sizeof header - used, dimensions == 1 ? "," : "");
    used += snprintf(header + used, sizeof header - used, "), }");
    int padding = ALIGNMENT - (PREAMBLE + used + 1) % ALIGNMENT;
    padding = padding == ALIGNMENT ? 0 : padding;
    fwrite(MAGIC "\x01\x00", 1, 8, stream);
    write_little(stream, (uint64_t)(used + padding + 1), 2);
    fprintf(stream, "%s%*s\n", header, padding, "");
}

void npy_write_text(FILE *stream, const char *text)
{
    char type[40];
    snprintf(type, sizeof type, "|S%zu", strlen(text));
    npy_write_header(stream, type, 0, NULL);
    fputs(text, stream);
}

const char *npy_text(const char *file, size_t bytes, size_t *length)
{
    if (bytes < PREAMBLE || memcmp(file, MAGIC, strlen(MAGIC)) != 0)
        return NULL;
    size_t begin = PREAMBLE + (unsigned char)file[8] + 256 * (size_t)(unsigned char)file[9];
    if (begin > bytes)
        return NULL;
    *length = bytes - begin;
    return file + begin;
}

size_t npy_count(int dimensions, const size_t *shape)
{
    size_t count = 1;
    for (int i = 0; i < dimensions; i++)
        count *= shape[i];
    return count;
}

static bool write_floats(FILE *stream, const float *values, size_t count, struct pace *pace)
{
    enum { STEP = 1 << 16 };
    for (size_t i = 0; i < count; i++) {
        if (i % STEP == 0 && !pace_step(pace, count - i < STEP ? count - i : STEP))
            return false;
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        write_little(stream, bits, 4);
    }
    return true;
}

bool npy_write_stack(FILE *stream, const float *const *parts, int count, int dimensions,
                     const size_t *shape, struct pace *pace)
{
    size_t full[NPY_DIMENSIONS_MOST] = {(size_t)count};
    bool ok = true;
    memcpy(full + 1, shape, (size_t)dimensions * sizeof *shape);
    npy_write_header(stream, "<f4", dimensions + (count > 0), count > 0 ? full : shape);
    for (int i = 0; ok && i < (count > 0 ? count : 1); i++)
        ok = write_floats(stream, parts[i], npy_count(dimensions, shape), pace);
    return ok;
}

void npy_write_reals(FILE *stream, const double *values, int count)
{
    npy_write_header(stream, "<f8", 1, (size_t[]){(size_t)count});
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        write_little(stream, bits, 8);
    }
}

void npy_write_integers(FILE *stream, const int64_t *values, int dimensions, const size_t *shape)
{
    size_t count = npy_count(dimensions, shape);
    npy_write_header(stream, "<i8", dimensions, shape);
    for (size_t i = 0; i < count; i++)
        write_little(stream, (uint64_t)values[i], 8);
}

/* Returns the next character of a text; 0 at the end, without advancing. */
static uint32_t next_character(const char **text)
{
    utf8proc_int32_t character;
    if (!**text)
        return 0;
    utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)*text, -1, &character);
    *text += bytes > 0 ? bytes : 1;
    return bytes > 0 ? (uint32_t)character : 0xFFFD;
}

static size_t count_characters(const char *text)
{
    size_t count = 0;
    while (next_character(&text))
        count++;
    return count;
}

void npy_write_texts(FILE *stream, const char *const *texts, int count)
{
    size_t longest = 1; // NumPy has no array of texts of length 0
    for (int i = 0; i < count; i++) {
        size_t length = count_characters(texts[i]);
        longest = length > longest ? length : longest;
    }
    char type[32];
    snprintf(type, sizeof type, "<U%zu", longest);
    npy_write_header(stream, type, 1, (size_t[]){(size_t)count});
    for (int i = 0; i < count; i++) {
        const char *text = texts[i];
        for (size_t c = 0; c < longest; c++)
            write_little(stream, next_character(&text), 4);
    }
}
