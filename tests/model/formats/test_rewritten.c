/* A trained model of samples/, rewritten as CTranslate2 stores models: opened from there it gives
 * the same bits. */
#include <sys/stat.h>
#include <unistd.h>

#include "model/net/positions.h"
#include "tests/model/net/exact_support.h"
#include "tests/support/test.h"

static const char sample[] = "samples/en-de.bin";
static const char *const stacks[] = {"encoder", "decoder"};

/* Writing model.bin of version 6 --------------------------------------------------------------- */

struct output {
    FILE *file;
    const struct checkpoint *checkpoint;
    uint32_t count;
};

static void put_number(struct output *output, uint32_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        fputc((int)(number >> (8 * i) & 0xFF), output->file);
}

static void put_name(struct output *output, const char *name)
{
    put_number(output, (uint32_t)strlen(name) + 1, 2);
    fwrite(name, 1, strlen(name) + 1, output->file);
}

/* What stands before the data. `columns` 0: a vector. */
static void put_head(struct output *output, const char *name, int64_t rows, int64_t columns,
                     unsigned type, size_t bytes)
{
    put_name(output, name);
    put_number(output, columns ? 2 : 1, 1);
    put_number(output, (uint32_t)rows, 4);
    if (columns)
        put_number(output, (uint32_t)columns, 4);
    put_number(output, type, 1);
    put_number(output, (uint32_t)bytes, 4);
    output->count++;
}

static void put_scalar(struct output *output, const char *name, unsigned type, const void *value,
                       size_t bytes)
{
    put_name(output, name);
    put_number(output, 0, 1);
    put_number(output, type, 1);
    put_number(output, (uint32_t)bytes, 4);
    fwrite(value, 1, bytes, output->file);
    output->count++;
}

/* Tensors of ours one above the other as one of theirs. Names are formats of the layer. */
static void put_stacked(struct output *output, const char *theirs, const char *const *ours,
                        int parts)
{
    const struct stored_tensor *tensors[3] = {checkpoint_tensor(output->checkpoint, "%s", ours[0])};
    int64_t rows = 0;
    size_t bytes = 0;
    for (int i = 0; i < parts; i++) {
        tensors[i] = checkpoint_tensor(output->checkpoint, "%s", ours[i]);
        if (!tensors[i])
            return; // a bias that the model does not have
        rows += tensors[i]->shape[0];
        bytes += tensors[i]->bytes;
    }
    unsigned type = tensors[0]->dtype == STORED_F32 ? 0 : tensors[0]->dtype == STORED_F16 ? 4 : 5;
    put_head(output, theirs, rows, tensors[0]->dimensions == 2 ? tensors[0]->shape[1] : 0, type,
             bytes);
    for (int i = 0; i < parts; i++)
        fwrite(tensors[i]->data, 1, tensors[i]->bytes, output->file);
}

/* Weight and bias of `parts` projections of ours, which are named by one letter each. */
static void put_linear(struct output *output, const char *theirs, const char *ours,
                       const char *letters)
{
    static const char *const kinds[] = {"weight", "bias"};
    for (int kind = 0; kind < 2; kind++) {
        char name[160], names[3][160];
        const char *list[3] = {names[0], names[1], names[2]};
        int parts = *letters ? (int)strlen(letters) : 1;
        snprintf(name, sizeof name, "%s/%s", theirs, kinds[kind]);
        for (int i = 0; i < parts; i++) {
            const char letter[] = {'.', letters[i], '\0'};
            snprintf(names[i], sizeof names[i], "%s%s.%s", ours, *letters ? letter : "",
                     kinds[kind]);
        }
        put_stacked(output, name, list, parts);
    }
}

static void put_norm(struct output *output, const char *theirs, const char *ours)
{
    static const char *const kinds[][2] = {{"gamma", "weight"}, {"beta", "bias"}};
    for (int kind = 0; kind < 2; kind++) {
        char name[160], own[160];
        const char *list[] = {own};
        snprintf(name, sizeof name, "%s/%s", theirs, kinds[kind][0]);
        snprintf(own, sizeof own, "%s.%s", ours, kinds[kind][1]);
        put_stacked(output, name, list, 1);
    }
}

static void put_layer(struct output *output, int stack, int layer)
{
    static const struct {
        const char *theirs, *ours, *letters;
    } parts[] = {{"self_attention/linear_0", "self_attention", "qkv"},
                 {"self_attention/linear_1", "self_attention", "o"},
                 {"attention/linear_0", "cross_attention", "q"},
                 {"attention/linear_1", "cross_attention", "kv"},
                 {"attention/linear_2", "cross_attention", "o"},
                 {"ffn/linear_0", "ffn.in", ""},
                 {"ffn/linear_1", "ffn.out", ""}};
    static const char *const norms[2][3] = {
        {"self_attention/layer_norm", "ffn/layer_norm", NULL},
        {"self_attention/layer_norm", "attention/layer_norm", "ffn/layer_norm"}};
    char theirs[128], ours[128];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (stack == 0 && strncmp(parts[i].ours, "cross", 5) == 0)
            continue;
        snprintf(theirs, sizeof theirs, "%s/layer_%d/%s", stacks[stack], layer, parts[i].theirs);
        snprintf(ours, sizeof ours, "%s.layers.%d.%s", stacks[stack], layer, parts[i].ours);
        put_linear(output, theirs, ours, parts[i].letters);
    }
    for (int i = 0; i < 3 && norms[stack][i]; i++) {
        snprintf(theirs, sizeof theirs, "%s/layer_%d/%s", stacks[stack], layer, norms[stack][i]);
        snprintf(ours, sizeof ours, "%s.layers.%d.norm%d", stacks[stack], layer, i + 1);
        put_norm(output, theirs, ours);
    }
}

static void put_settings(struct output *output, int stack)
{
    const struct config *config = output->checkpoint->config;
    int16_t heads = (int16_t)config->stacks[stack].heads;
    int8_t pre_norm = config->stacks[stack].pre_norm, activation = 0; // ReLU
    char name[64];
    snprintf(name, sizeof name, "%s/num_heads", stacks[stack]);
    put_scalar(output, name, 2, &heads, sizeof heads);
    snprintf(name, sizeof name, "%s/pre_norm", stacks[stack]);
    put_scalar(output, name, 1, &pre_norm, sizeof pre_norm);
    snprintf(name, sizeof name, "%s/activation", stacks[stack]);
    put_scalar(output, name, 1, &activation, sizeof activation);
    snprintf(name, sizeof name, "%s/scale_embeddings", stacks[stack]);
    put_scalar(output, name, 0, &config->embedding_scale, sizeof(float));
}

static void put_positions(struct output *output, int stack)
{
    const struct config *config = output->checkpoint->config;
    const struct stack_config *of = &config->stacks[stack];
    int rows = config->max_positions, d = config->d_model;
    float *table = calloc((size_t)rows * d, sizeof *table);
    char name[64];
    snprintf(name, sizeof name, "%s/position_encodings/encodings", stacks[stack]);
    sinusoidal_positions(of->layout, of->offset, rows, d, table);
    put_head(output, name, rows, d, 0, (size_t)rows * d * sizeof *table);
    fwrite(table, sizeof *table, (size_t)rows * d, output->file);
    free(table);
}

static void write_model(struct output *output)
{
    static const char *const aliases[] = {"encoder/embeddings_0/weight",
                                          "decoder/projection/weight"};
    static const char *const embedding[] = {"source_embedding.weight"};
    const struct config *config = output->checkpoint->config;
    put_number(output, 6, 4);
    put_name(output, "TransformerSpec");
    put_number(output, 7, 4);
    long place = ftell(output->file);
    put_number(output, 0, 4);
    put_stacked(output, "decoder/embeddings/weight", embedding, 1);
    put_linear(output, "decoder/projection", "output", "");
    for (int stack = 0; stack < 2; stack++) {
        char theirs[64], ours[64];
        put_settings(output, stack);
        put_positions(output, stack);
        for (int layer = 0; layer < config->stacks[stack].layers; layer++)
            put_layer(output, stack, layer);
        snprintf(theirs, sizeof theirs, "%s/layer_norm", stacks[stack]);
        snprintf(ours, sizeof ours, "%s.norm", stacks[stack]);
        put_norm(output, theirs, ours);
    }
    put_number(output, 2, 4);
    for (int i = 0; i < 2; i++) {
        put_name(output, aliases[i]);
        put_name(output, "decoder/embeddings/weight");
    }
    fseek(output->file, place, SEEK_SET);
    put_number(output, output->count, 4);
}

static FILE *create(const char *folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    return file;
}

/* The pieces as a list in JSON, the subword model, and what is put around a sentence. */
static void write_texts(const char *folder, const struct checkpoint *checkpoint)
{
    const struct vocabulary *vocabulary = checkpoint->vocabulary[SIDE_SOURCE];
    const struct stored_tensor *model = checkpoint_tensor(checkpoint, "tokenizer.shared");
    json_t *list = json_array();
    for (int id = 0; id < vocabulary_size(vocabulary); id++)
        json_array_append_new(list, json_string(vocabulary_piece(vocabulary, id)));
    FILE *file = create(folder, "shared_vocabulary.json");
    assert_int_equal(json_dumpf(list, file, 0), 0);
    assert_int_equal(fclose(file), 0);
    json_decref(list);
    file = create(folder, "sentencepiece.model");
    assert_int_equal(fwrite(model->data, 1, model->bytes, file), model->bytes);
    assert_int_equal(fclose(file), 0);
    file = create(folder, "config.json");
    fputs("{\"add_source_bos\": false, \"add_source_eos\": true, \"bos_token\": \"<s>\", "
          "\"decoder_start_token\": \"<s>\", \"eos_token\": \"</s>\", \"unk_token\": \"<unk>\"}",
          file);
    assert_int_equal(fclose(file), 0);
}

static void write_folder(const char *folder, const struct checkpoint *checkpoint)
{
    struct output output = {.file = create(folder, "model.bin"), .checkpoint = checkpoint};
    write_model(&output);
    assert_int_equal(fclose(output.file), 0);
    write_texts(folder, checkpoint);
}

static void remove_folder(const char *folder)
{
    static const char *const names[] = {"model.bin", "shared_vocabulary.json",
                                        "sentencepiece.model", "config.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* Reading it again ----------------------------------------------------------------------------- */

static void the_bits_are_those_of_the_sample(void **state)
{
    char folder[] = "/tmp/attnscope-rewritten-XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct golden *own = golden_open_path(sample, "cpu", 1);
    write_folder(folder, own->checkpoint);
    struct golden *other = golden_open_path(folder, "cpu", 1);
    assert_string_equal(other->checkpoint->contents->family, "CTranslate2");
    exact_same_sample("what CTranslate2's folder gives", own, other, NULL);
    golden_close(other);
    golden_close(own);
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bits_are_those_of_the_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
