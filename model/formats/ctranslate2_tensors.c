/* The variables of CTranslate2 as our tensors. Their names are those of TransformerSpec in CTranslate2's
 * python/ctranslate2/specs/transformer_spec.py. */
#include "model/formats/ctranslate2_reader.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "model/text/quote.h"

enum { MAX_LAYERS = 1024 };

/* The positions of a model that computes its table itself have no end. */
enum { ENDLESS_POSITIONS = 4096 };

const char *const ct2_stack_names[2] = {"encoder", "decoder"};

bool ct2_reader_fail(struct ct2_reader *reader, const char *name, const char *what)
{
    return status_fail(reader->status, STATUS_INVALID, "model.bin: %s: %s", QUOTED(name), what);
}

/* Variables -------------------------------------------------------------------------------------- */

/* NULL where the file has none. */
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

/* Integers are divided by a scale: 8-bit ones by that of their row, 16-bit ones by one for all. */
static bool dequantise(struct ct2_reader *reader, const struct ct2_variable *variable,
                       struct stored_tensor *tensor)
{
    char name[512];
    snprintf(name, sizeof name, "%s_scale", variable->name);
    const struct ct2_variable *scale = ct2_reader_find(reader, name);
    bool rows = variable->type == CT2_INT8;
    int64_t scales = rows && variable->dimensions > 0 ? variable->shape[0] : 1;
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

/* A variable as a float tensor. */
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

/* Layers ----------------------------------------------------------------------------------------- */

/* Where a layer's part is, there and here: "encoder/layer_0/self_attention", "encoder.layers.0.self_attention". */
struct place {
    char theirs[96], ours[96];
};

/* `parts` tensors of ours, one above the other in one of theirs; `bias`: its bias too, which may be absent. */
static bool put_linear(struct ct2_reader *reader, const struct place *place, const char *theirs,
                       const char *const *ours, int parts)
{
    static const char *const kinds[] = {"weight", "bias"};
    for (int kind = 0; kind < 2; kind++) {
        char name[160];
        struct stored_tensor tensor;
        snprintf(name, sizeof name, "%s/%s/%s", place->theirs, theirs, kinds[kind]);
        if (kind == 1 && !ct2_find(reader->file, name))
            continue;
        if (!ct2_reader_require(reader, name, &tensor))
            return false;
        int64_t rows = tensor.dimensions ? tensor.shape[0] / parts : 0;
        if (tensor.dimensions == 0 || rows * parts != tensor.shape[0])
            return ct2_reader_fail(reader, name,
                                   "rows that cannot be divided, expected queries, keys, values");
        for (int i = 0; i < parts; i++) {
            snprintf(name, sizeof name, "%s.%s.%s", place->ours, ours[i], kinds[kind]);
            if (!contents_rows(reader->contents, name, &tensor, i * rows, rows, reader->status))
                return false;
        }
    }
    return true;
}

/* `theirs` "encoder/layer_norm", `ours` "encoder.norm" */
static bool put_norm(struct ct2_reader *reader, const char *theirs, const char *ours)
{
    static const char *const kinds[][2] = {{"gamma", "weight"}, {"beta", "bias"}};
    for (int kind = 0; kind < (reader->plain.rms_norm ? 1 : 2); kind++) {
        char name[160];
        struct stored_tensor tensor;
        snprintf(name, sizeof name, "%s/%s", theirs, kinds[kind][0]);
        if (!ct2_reader_require(reader, name, &tensor))
            return false;
        snprintf(name, sizeof name, "%s.%s", ours, kinds[kind][1]);
        if (!contents_add(reader->contents, name, &tensor, reader->status))
            return false;
    }
    return true;
}

static bool has_norm(const struct ct2_reader *reader, const char *theirs)
{
    char name[160];
    snprintf(name, sizeof name, "%s/gamma", theirs);
    return ct2_find(reader->file, name) != NULL;
}

static bool put_part_norm(struct ct2_reader *reader, const char *theirs, int stack, int layer,
                          int number)
{
    char from[160], to[96];
    snprintf(from, sizeof from, "%s/layer_norm", theirs);
    snprintf(to, sizeof to, "%s.layers.%d.norm%d", ct2_stack_names[stack], layer, number);
    return put_norm(reader, from, to);
}

static struct place name_place(int stack, int layer, const char *theirs, const char *ours)
{
    struct place place = {{0}, {0}};
    snprintf(place.theirs, sizeof place.theirs, "%s/layer_%d/%s", ct2_stack_names[stack], layer,
             theirs);
    snprintf(place.ours, sizeof place.ours, "%s.layers.%d.%s", ct2_stack_names[stack], layer, ours);
    return place;
}

static bool put_layer(struct ct2_reader *reader, int stack, int layer)
{
    static const char *const qkv[] = {"q", "k", "v"}, *const in[] = {"in"}, *const out[] = {"out"};
    static const char *const gate[] = {"gate"};
    const struct place self = name_place(stack, layer, "self_attention", "self_attention");
    const struct place cross = name_place(stack, layer, "attention", "cross_attention");
    const struct place ffn = name_place(stack, layer, "ffn", "ffn");
    bool decoder = stack == 1;
    return put_linear(reader, &self, "linear_0", qkv, 3) &&
           put_linear(reader, &self, "linear_1", (const char *const[]){"o"}, 1) &&
           put_part_norm(reader, self.theirs, stack, layer, 1) &&
           (!decoder || (put_linear(reader, &cross, "linear_0", qkv, 1) &&
                         put_linear(reader, &cross, "linear_1", qkv + 1, 2) &&
                         put_linear(reader, &cross, "linear_2", (const char *const[]){"o"}, 1) &&
                         put_part_norm(reader, cross.theirs, stack, layer, 2))) &&
           put_linear(reader, &ffn, "linear_0", reader->plain.gated ? gate : in, 1) &&
           (!reader->plain.gated || put_linear(reader, &ffn, "linear_0_noact", in, 1)) &&
           put_linear(reader, &ffn, "linear_1", out, 1) &&
           put_part_norm(reader, ffn.theirs, stack, layer, decoder ? 3 : 2);
}

static bool has_layer(const struct ct2_reader *reader, int stack, int layer)
{
    char name[128];
    snprintf(name, sizeof name, "%s/layer_%d/self_attention/linear_0/weight",
             ct2_stack_names[stack], layer);
    return ct2_find(reader->file, name) != NULL;
}

bool ct2_put_stack(struct ct2_reader *reader, int stack)
{
    int layers = 0;
    while (layers < MAX_LAYERS && has_layer(reader, stack, layers))
        if (!put_layer(reader, stack, layers++))
            return false;
    reader->plain.stacks[stack].layers = layers;
    char theirs[64], ours[64];
    snprintf(theirs, sizeof theirs, "%s/layernorm_embedding", ct2_stack_names[stack]);
    snprintf(ours, sizeof ours, "%s.embedding_norm", ct2_stack_names[stack]);
    reader->plain.stacks[stack].embedding_norm = has_norm(reader, theirs);
    if (reader->plain.stacks[stack].embedding_norm && !put_norm(reader, theirs, ours))
        return false;
    snprintf(theirs, sizeof theirs, "%s/layer_norm", ct2_stack_names[stack]);
    snprintf(ours, sizeof ours, "%s.norm", ct2_stack_names[stack]);
    if (!reader->plain.stacks[stack].pre_norm)
        return true;
    reader->plain.stacks[stack].no_last_norm = !has_norm(reader, theirs);
    return reader->plain.stacks[stack].no_last_norm || put_norm(reader, theirs, ours);
}

/* Tables of sines are stored as they are, so every table is read as a learned one. */
bool ct2_put_positions(struct ct2_reader *reader)
{
    struct stored_tensor tables[2];
    int64_t rows = INT64_MAX;
    for (int stack = 0; stack < 2; stack++) {
        const struct ct2_variable *table =
            ct2_reader_find_in(reader, stack, "position_encodings/encodings");
        reader->plain.stacks[stack].positions = table ? "learned" : "sinusoidal";
        reader->plain.stacks[stack].layout = "halves_fairseq";
        reader->plain.stacks[stack].offset = table ? 0 : 1;
        if (!table)
            continue;
        if (!ct2_reader_tensor(reader, table, &tables[stack]))
            return false;
        if (table->dimensions != 2)
            return ct2_reader_fail(reader, table->name, "not a matrix, expected positions");
        rows = table->shape[0] < rows ? table->shape[0] : rows;
    }
    reader->plain.max_positions = rows == INT64_MAX ? ENDLESS_POSITIONS : rows;
    for (int stack = 0; stack < 2; stack++) {
        char name[64];
        snprintf(name, sizeof name, "%s.positions.weight", ct2_stack_names[stack]);
        if (strcmp(reader->plain.stacks[stack].positions, "learned") == 0 &&
            !contents_rows(reader->contents, name, &tables[stack], 0, rows, reader->status))
            return false;
    }
    return true;
}
