#include "tui/npy.h"

#include <stdint.h>
#include <string.h>

/* The array begins at a multiple of this, so that it can be mapped. */
enum { ALIGNMENT = 64, PREAMBLE = 10 };

static void write_little(FILE *stream, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        fputc((int)(value >> (8 * i) & 0xFF), stream);
}

/* A Python dictionary, padded with blanks, and a line break at its end. */
static void write_header(FILE *stream, int dimensions, const size_t *shape)
{
    char header[64 + NPY_DIMENSIONS_MOST * 24];
    int used =
        snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
    for (int i = 0; i < dimensions; i++)
        used += snprintf(header + used, sizeof header - used, i ? ", %zu" : "%zu", shape[i]);
    // A tuple of one has a comma.
    used += snprintf(header + used, sizeof header - used, dimensions == 1 ? "," : "");
    used += snprintf(header + used, sizeof header - used, "), }");
    int padding = ALIGNMENT - (PREAMBLE + used + 1) % ALIGNMENT;
    padding = padding == ALIGNMENT ? 0 : padding;
    fwrite("\x93NUMPY\x01\x00", 1, 8, stream);
    write_little(stream, (uint32_t)(used + padding + 1), 2);
    fprintf(stream, "%s%*s\n", header, padding, "");
}

bool npy_write(FILE *stream, const float *values, int dimensions, const size_t *shape,
               struct pace *pace)
{
    enum { STEP = 1 << 16 };
    size_t count = 1;
    write_header(stream, dimensions, shape);
    for (int i = 0; i < dimensions; i++)
        count *= shape[i];
    for (size_t i = 0; i < count; i++) {
        if (i % STEP == 0 && !pace_step(pace, count - i < STEP ? count - i : STEP))
            return false;
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        write_little(stream, bits, 4);
    }
    return true;
}
