/* Puts the layers of CTranslate2 under our names. CTranslate2's are those of TransformerSpec in its
 * python/ctranslate2/specs/transformer_spec.py. */
#include <stdio.h>
#include <string.h>

#include "model/formats/ctranslate2/reader.h"

enum { MAX_LAYERS = 1024 };

/* A model that computes its table of positions has no limit. */
enum { ENDLESS_POSITIONS = 4096 };

/* The name of a layer's part, theirs and ours: "encoder/layer_0/self_attention",
 * "encoder.layers.0.self_attention". */
struct place {
    char theirs[96], ours[96];
};

/* Splits one of their tensors into `parts` of ours, which are stacked in it, and likewise its bias,
 * which may be absent. */
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

/* theirs: "encoder/layer_norm", ours: "encoder.norm". */
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
    reader->plain.stacks[stack].last_norm = has_norm(reader, theirs);
    reader->plain.stacks[stack].no_last_norm = !reader->plain.stacks[stack].last_norm;
    return !reader->plain.stacks[stack].last_norm || put_norm(reader, theirs, ours);
}

/* Tables of sines are stored in the file, so every table is read as a learned one. */
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
