/* Reads Marian's parameters as float tensors. */
#include <float.h>
#include <string.h>

#include "model/formats/marian/reader.h"
#include "model/text/quote.h"

bool marian_fail(struct marian_reader *reader, const char *name, const char *what)
{
    return status_fail(reader->status, STATUS_INVALID, "%s: %s: %s", QUOTED(reader->model),
                       QUOTED(name), what);
}

bool marian_has(const struct marian_reader *reader, const char *name)
{
    return marian_items_find(reader->items, name) != NULL;
}

static struct marian_item *take_item(struct marian_reader *reader, const char *name)
{
    struct marian_item *item = marian_items_find(reader->items, name);
    if (!item) {
        marian_fail(reader, name, "missing (every Transformer has it)");
        return NULL;
    }
    item->used = true;
    if (item->type != MARIAN_TEXT)
        return item;
    marian_fail(reader, name, "bytes, expected floats");
    return NULL;
}

static struct stored_tensor describe(const struct marian_item *item)
{
    bool half = item->type == MARIAN_FLOAT16;
    struct stored_tensor tensor = {.dtype = half ? STORED_F16 : STORED_F32,
                                   .dtype_name = half ? "F16" : "F32",
                                   .dimensions = item->dimensions,
                                   .elements = item->elements,
                                   .data = item->data,
                                   .bytes = item->bytes};
    memcpy(tensor.shape, item->shape, sizeof tensor.shape);
    return tensor;
}

static float integer_at(const struct marian_item *item, int64_t i)
{
    int16_t wide;
    if (item->type == MARIAN_INT8)
        return (int8_t)item->data[i];
    memcpy(&wide, item->data + (size_t)i * sizeof wide, sizeof wide);
    return wide;
}

/* Integers are followed by the factor that made them. As in Marian, they are multiplied by its
 * inverse. The factor is infinite if all of them are 0. */
static bool dequantise(struct marian_reader *reader, const struct marian_item *item,
                       struct stored_tensor *tensor)
{
    float by;
    memcpy(&by, item->data + item->bytes, sizeof by);
    if (!(by >= FLT_MIN))
        return marian_fail(reader, item->name, "a scale that is not positive");
    float *values =
        contents_memory(reader->contents, item->elements, sizeof *values, reader->status);
    if (!values)
        return false;
    for (int64_t i = 0; i < item->elements; i++)
        values[i] = integer_at(item, i) * (1 / by);
    tensor->data = values;
    tensor->bytes = (size_t)item->elements * sizeof *values;
    return true;
}

/* Transposes block by block, so that rows and columns stay in the cache. */
static void transpose(char *to, const char *from, int64_t rows, int64_t columns, size_t element)
{
    enum { BLOCK = 16 };
    for (int64_t top = 0; top < rows; top += BLOCK)
        for (int64_t left = 0; left < columns; left += BLOCK)
            for (int64_t i = top; i < rows && i < top + BLOCK; i++)
                for (int64_t j = left; j < columns && j < left + BLOCK; j++)
                    memcpy(to + (size_t)(j * rows + i) * element,
                           from + (size_t)(i * columns + j) * element, element);
}

void *marian_turned(struct marian_reader *reader, const void *data,
                    const struct marian_layout *layout, size_t element)
{
    void *to =
        contents_memory(reader->contents, layout->rows * layout->columns, element, reader->status);
    if (to)
        transpose(to, data, layout->rows, layout->columns, element);
    return to;
}

static bool turn(struct marian_reader *reader, const struct marian_layout *layout,
                 struct stored_tensor *tensor)
{
    tensor->data = marian_turned(reader, tensor->data, layout, tensor->dtype == STORED_F16 ? 2 : 4);
    return tensor->data != NULL;
}

/* marian-conv transposes the matrices of products that it quantises, "…_W", "…_Wq", but does not
 * change their shapes (src/tensors/cpu/expression_graph_packable.h). */
static bool is_stored_transposed(const struct marian_item *item)
{
    size_t length = strlen(item->name);
    return marian_is_quantised(item) &&
           ((length >= 2 && strcmp(item->name + length - 2, "_W") == 0) ||
            (length >= 3 && strncmp(item->name + length - 3, "_W", 2) == 0));
}

const struct marian_item *marian_take_floats(struct marian_reader *reader, const char *name,
                                             bool transposed, struct marian_layout *layout,
                                             struct stored_tensor *tensor)
{
    const struct marian_item *item = take_item(reader, name);
    if (!item)
        return NULL;
    if (item->dimensions != 2) {
        marian_fail(reader, name, "not a matrix");
        return NULL;
    }
    const bool stored = is_stored_transposed(item);
    const int64_t rows = item->shape[0], columns = item->shape[1];
    *tensor = describe(item);
    *layout = (struct marian_layout){stored ? columns : rows, stored ? rows : columns,
                                     transposed != stored};
    if (marian_is_quantised(item) && !dequantise(reader, item, tensor))
        return NULL;
    if (transposed) {
        tensor->shape[0] = columns;
        tensor->shape[1] = rows;
    }
    return !layout->turned || turn(reader, layout, tensor) ? item : NULL;
}

bool marian_take_vector(struct marian_reader *reader, const char *name,
                        struct stored_tensor *tensor)
{
    const struct marian_item *item = take_item(reader, name);
    if (!item)
        return false;
    for (int i = 0; i + 1 < item->dimensions; i++)
        if (item->shape[i] != 1)
            return marian_fail(reader, name, "not a vector");
    *tensor = describe(item);
    tensor->dimensions = 1;
    tensor->shape[0] = item->elements;
    return !marian_is_quantised(item) || dequantise(reader, item, tensor);
}
