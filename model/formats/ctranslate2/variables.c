/* Reads variables of a CTranslate2 model as scalars and as tensors of floats. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "model/formats/ctranslate2/reader.h"
#include "model/text/quote.h"

const char *const ct2_stack_names[2] = {"encoder", "decoder"};

bool ct2_reader_fail(struct ct2_reader *reader, const char *name, const char *what)
{
    return status_fail(reader->status, STATUS_INVALID, "model.bin: %s: %s", QUOTED(name), what);
}

/* Returns NULL if the file has none. */
struct ct2_variable *ct2_reader_find(struct ct2_reader *reader, const char *name)
{
    struct ct2_variable *variable = ct2_find(reader->file, name);
    if (variable)
        variable->used = true;
    return variable;
}

struct ct2_variable *ct2_reader_find_in(struct ct2_reader *reader, int stack, const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "%s/%s", ct2_stack_names[stack], name);
    return ct2_reader_find(reader, full);
}

struct ct2_variable *ct2_reader_setting(struct ct2_reader *reader, int stack, const char *name)
{
    enum { SETTINGS_OF_STACKS = 5 }; // the first revision that has them
    bool one = reader->file->revision < SETTINGS_OF_STACKS;
    return one ? ct2_reader_find(reader, name) : ct2_reader_find_in(reader, stack, name);
}

static float float_at(const struct ct2_variable *variable, int64_t index)
{
    float value;
    memcpy(&value, variable->data + (size_t)index * sizeof value, sizeof value);
    return value;
}

double ct2_scalar(struct ct2_variable *variable, double otherwise)
{
    int32_t value;
    if (!variable)
        return otherwise;
    variable->used = variable->elements == 1 && variable->type <= CT2_INT32;
    if (!variable->used)
        return otherwise;
    if (variable->type == CT2_FLOAT32)
        return float_at(variable, 0);
    if (variable->type == CT2_INT8)
        return (int8_t)variable->data[0];
    if (variable->type == CT2_INT16)
        return (int16_t)(variable->data[0] | variable->data[1] << 8);
    memcpy(&value, variable->data, sizeof value);
    return value;
}

bool ct2_reader_factor(struct ct2_reader *reader, struct ct2_variable *variable, double *factor)
{
    *factor = ct2_scalar(variable, 0);
    return !variable || (*factor > 0 && *factor <= FLT_MAX) ||
           ct2_reader_fail(reader, variable->name, "not a factor, expected a number above 0");
}

/* Divides integers by a scale: 8-bit integers by their row's, 16-bit integers by a common one. */
static bool dequantise(struct ct2_reader *reader, const struct ct2_variable *variable,
                       struct stored_tensor *tensor)
{
    /* The scale of 16-bit integers without a scale (ops::Quantize::global_int16_scale). */
    static const float global = 1000;
    static const struct ct2_variable global_scale = {
        .type = CT2_FLOAT32, .elements = 1, .data = (const unsigned char *)&global};
    char name[512];
    snprintf(name, sizeof name, "%s_scale", variable->name);
    const struct ct2_variable *scale = ct2_reader_find(reader, name);
    bool rows = variable->type == CT2_INT8;
    int64_t scales = rows && variable->dimensions > 0 ? variable->shape[0] : 1;
    if (!scale && !rows)
        scale = &global_scale;
    if (!scale || scale->type != CT2_FLOAT32 || scale->elements != scales)
        return ct2_reader_fail(reader, name, "missing, expected a float32 scale for the integers");
    float *values =
        contents_memory(reader->contents, variable->elements, sizeof *values, reader->status);
    if (!values)
        return false;
    int64_t row = scales ? variable->elements / scales : 0;
    for (int64_t i = 0; i < variable->elements; i++) {
        float by = float_at(scale, row ? i / row : 0);
        values[i] =
            rows ? (float)(int8_t)variable->data[i] / by
                 : (float)(int16_t)(variable->data[2 * i] | variable->data[2 * i + 1] << 8) / by;
    }
    tensor->dtype = STORED_F32;
    tensor->dtype_name = "F32";
    tensor->data = values;
    tensor->bytes = (size_t)variable->elements * sizeof *values;
    return true;
}

/* Reads a variable as a float tensor. */
bool ct2_reader_tensor(struct ct2_reader *reader, const struct ct2_variable *variable,
                       struct stored_tensor *tensor)
{
    static const struct {
        enum stored_dtype dtype;
        const char *name;
    } floats[CT2_TYPES] = {[CT2_FLOAT32] = {STORED_F32, "F32"},
                           [CT2_FLOAT16] = {STORED_F16, "F16"},
                           [CT2_BFLOAT16] = {STORED_BF16, "BF16"}};
    *tensor = (struct stored_tensor){.dtype = floats[variable->type].dtype,
                                     .dtype_name = floats[variable->type].name,
                                     .dimensions = variable->dimensions,
                                     .elements = variable->elements,
                                     .data = variable->data,
                                     .bytes = variable->bytes};
    memcpy(tensor->shape, variable->shape, sizeof tensor->shape);
    if (variable->type == CT2_INT8 || variable->type == CT2_INT16)
        return dequantise(reader, variable, tensor);
    return tensor->dtype_name ||
           ct2_reader_fail(reader, variable->name, "integers, expected floats");
}

bool ct2_reader_require(struct ct2_reader *reader, const char *name, struct stored_tensor *tensor)
{
    const struct ct2_variable *variable = ct2_reader_find(reader, name);
    if (!variable)
        return ct2_reader_fail(reader, name, "missing, expected the variable of a Transformer");
    return ct2_reader_tensor(reader, variable, tensor);
}

struct ct2_variable *ct2_reader_embedding(const struct ct2_reader *reader, int stack)
{
    static const char *const kinds[] = {"embeddings_0", "embeddings"};
    struct ct2_variable *found = NULL;
    for (int i = 0; i < 2 && !found; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s/%s/weight", ct2_stack_names[stack], kinds[i]);
        found = ct2_find(reader->file, name);
    }
    return found;
}
