/* Matrices that Marian multiplies as 8-bit integers.
 *
 * The file shows which Marian made it. marian-nmt multiplies what marian-conv has turned into
 * integers; activations are quantised by their maximum. browsermt's Marian has gemm-precision
 * (src/common/config_parser.cpp) and multiplies all matrices that way, also the embedding as
 * output, which it reads as floats and quantises again (src/common/binary.cpp,
 * src/layers/generic.cpp); activations are multiplied by NAME_QuantMultA from the file. Firefox and
 * Bergamot use int8shiftAlphaAll, or int8shiftAll for a file without these. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/marian/reader.h"

enum { MOST = 127 };

/* How activations are quantised. */
enum by { BY_MAXIMUM, BY_GIVEN, BY_GIVEN_IF_THERE };

/* A value of gemm-precision. */
struct mode {
    const char *name;
    bool all_matrices; // also those stored as floats
    bool shifts, shifts_without_bias;
    enum by by;
};

static const struct mode modes[] = {{"float32", false, false, false, BY_MAXIMUM},
                                    {"int8", true, false, false, BY_MAXIMUM},
                                    {"int8Alpha", true, false, false, BY_GIVEN},
                                    {"int8shift", true, true, false, BY_MAXIMUM},
                                    {"int8shiftAlpha", true, true, false, BY_GIVEN},
                                    {"int8shiftAll", true, true, true, BY_MAXIMUM},
                                    {"int8shiftAlphaAll", true, true, true, BY_GIVEN}};

/* Returns NULL for a matrix that is not multiplied as 8-bit integers. */
static const struct mode *find_mode(const struct marian_reader *reader, const char *name)
{
    static const struct mode marian_nmt = {.by = BY_MAXIMUM};
    static const struct mode usual = {"", true, true, true, BY_GIVEN_IF_THERE};
    if (!reader->items->browsermt)
        return &marian_nmt;
    if (!name)
        return &usual;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(name, modes[i].name) == 0)
            return &modes[i];
    return NULL;
}

/* Finds the factor for activations; 0: quantised by their maximum. */
static bool find_activation(struct marian_reader *reader, const struct mode *mode, const char *name,
                            float *activation)
{
    char full[160];
    struct stored_tensor tensor;
    snprintf(full, sizeof full, "%s_QuantMultA", name);
    *activation = 0;
    if (mode->by == BY_MAXIMUM || (mode->by == BY_GIVEN_IF_THERE && !marian_has(reader, full)))
        return true;
    if (!marian_has(reader, full))
        return marian_fail(reader, full, "missing, which gemm-precision calls for");
    if (!marian_take_vector(reader, full, &tensor))
        return false;
    if (tensor.elements != 1 || tensor.dtype != STORED_F32)
        return marian_fail(reader, full, "not a float, expected one");
    memcpy(activation, tensor.data, sizeof *activation);
    return (*activation >= FLT_MIN && *activation < INFINITY) ||
           marian_fail(reader, full, "a scale that is not positive");
}

/* Computes round(x * 127 / max |x|), rounding like intgemm. */
static bool quantise(struct marian_reader *reader, const struct stored_tensor *tensor,
                     struct stored_integers *out)
{
    int8_t *values = contents_memory(reader->contents, tensor->elements, 1, reader->status);
    const char *floats = tensor->data;
    float most = 0, value;
    if (!values)
        return false;
    for (int64_t i = 0; i < tensor->elements; i++) {
        memcpy(&value, floats + (size_t)i * sizeof value, sizeof value);
        most = fmaxf(most, fabsf(value));
    }
    out->scale = MOST / most;
    if (!(out->scale >= FLT_MIN && out->scale < INFINITY))
        return true; // only zeros, or not finite: these remain floats
    for (int64_t i = 0; i < tensor->elements; i++) {
        memcpy(&value, floats + (size_t)i * sizeof value, sizeof value);
        value = fmaxf(-MOST, fminf(value * out->scale, MOST));
        values[i] = (int8_t)lrintf(value);
    }
    out->values = values;
    return true;
}

/* Takes the integers that are in the file. */
static bool take_values(struct marian_reader *reader, const struct marian_item *item,
                        const struct marian_layout *layout, struct stored_integers *out)
{
    memcpy(&out->scale, item->data + item->bytes, sizeof out->scale);
    if (isinf(out->scale))
        return true; // only zeros
    out->values = layout->turned ? marian_turned(reader, item->data, layout, sizeof(int8_t))
                                 : (const void *)item->data;
    return out->values != NULL;
}

/* The recurrence's input is the only product without a bias. */
static bool has_bias(const char *name)
{
    static const char end[] = "_rnn_W";
    size_t length = strlen(name);
    return length < sizeof end - 1 || strcmp(name + length - (sizeof end - 1), end) != 0;
}

static bool fill(struct marian_reader *reader, const struct mode *mode,
                 const struct marian_item *item, const struct marian_layout *layout,
                 const struct stored_tensor *tensor, struct stored_integers *out)
{
    const bool given = item->type == MARIAN_INT8 && !strstr(item->name, "Wemb");
    if (!given && (!mode->all_matrices || tensor->dtype != STORED_F32))
        return true;
    out->shifted = has_bias(item->name) ? mode->shifts : mode->shifts_without_bias;
    return (given ? take_values(reader, item, layout, out) : quantise(reader, tensor, out)) &&
           find_activation(reader, mode, item->name, &out->activation);
}

static bool add_integers(struct marian_reader *reader, const struct marian_item *item,
                         const struct marian_layout *layout, struct stored_tensor *tensor)
{
    const struct mode *mode =
        find_mode(reader, json_string_value(json_object_get(reader->decoder, "gemm-precision")));
    if (!reader->items->integers || !mode)
        return true;
    struct stored_integers *integers =
        contents_memory(reader->contents, 1, sizeof *integers, reader->status);
    if (!integers || !fill(reader, mode, item, layout, tensor, integers))
        return false;
    tensor->integers = integers->values ? integers : NULL;
    return true;
}

bool marian_take_matrix(struct marian_reader *reader, const char *name, bool transposed,
                        struct stored_tensor *tensor)
{
    struct marian_layout layout;
    const struct marian_item *item = marian_take_floats(reader, name, transposed, &layout, tensor);
    return item && add_integers(reader, item, &layout, tensor);
}
