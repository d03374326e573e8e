/* A trained model of samples/, rewritten as a Hugging Face folder: opened from there it gives the
 * same bits. Pegasus has the sample's conventions (pre-norm, ReLU, a last norm for each stack) but
 * for the order of sines, which its files may store. */
#include <unistd.h>

#include "model/net/positions.h"
#include "tests/model/net/exact_support.h"
#include "tests/support/test.h"

static const char sample[] = "samples/en-de.bin";
static const char *const names[] = {"model.safetensors", "config.json", "vocab.json",
                                    "spiece.model"};
static char folder[] = "/tmp/attnscope-rewritten-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Tensors -------------------------------------------------------------------------------------- */

/* Parts of our names, and what stands for them. */
static const struct {
    const char *ours, *encoder, *decoder;
} parts[] = {
    {"self_attention.q", "self_attn.q_proj", "self_attn.q_proj"},
    {"self_attention.k", "self_attn.k_proj", "self_attn.k_proj"},
    {"self_attention.v", "self_attn.v_proj", "self_attn.v_proj"},
    {"self_attention.o", "self_attn.out_proj", "self_attn.out_proj"},
    {"cross_attention.q", NULL, "encoder_attn.q_proj"},
    {"cross_attention.k", NULL, "encoder_attn.k_proj"},
    {"cross_attention.v", NULL, "encoder_attn.v_proj"},
    {"cross_attention.o", NULL, "encoder_attn.out_proj"},
    {"norm1", "self_attn_layer_norm", "self_attn_layer_norm"},
    {"norm2", "final_layer_norm", "encoder_attn_layer_norm"},
    {"norm3", NULL, "final_layer_norm"},
    {"ffn.in", "fc1", "fc1"},
    {"ffn.out", "fc2", "fc2"},
};

/* "encoder.layers.0.norm1.weight" is "model.encoder.layers.0.self_attn_layer_norm.weight" there. */
static void name_theirs(const char *ours, char *theirs, size_t size)
{
    bool decoder = strncmp(ours, "decoder", 7) == 0;
    int layer, used = 0;
    const char *kind = strrchr(ours, '.') + 1;
    if (strcmp(ours, "source_embedding.weight") == 0) {
        snprintf(theirs, size, "model.shared.weight");
    } else if (sscanf(ours, "%*7[a-z].layers.%d.%n", &layer, &used) == 1) {
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            if (strncmp(ours + used, parts[i].ours, strlen(parts[i].ours)) == 0 &&
                ours[used + (int)strlen(parts[i].ours)] == '.')
                snprintf(theirs, size, "model.%s.layers.%d.%s.%s", decoder ? "decoder" : "encoder",
                         layer, decoder ? parts[i].decoder : parts[i].encoder, kind);
    } else {
        snprintf(theirs, size, "model.%s.layer_norm.%s", decoder ? "decoder" : "encoder", kind);
    }
}

static void add(struct safetensors_writer *writer, const struct stored_tensor *tensor)
{
    struct status status;
    char name[128] = "";
    struct stored_tensor renamed = *tensor;
    name_theirs(tensor->name, name, sizeof name);
    renamed.name = name;
    if (strcmp(tensor->name, "output.bias") == 0) { // (1, V) there
        strcpy(name, "final_logits_bias");
        renamed.dimensions = 2;
        renamed.shape[0] = 1;
        renamed.shape[1] = tensor->elements;
    }
    if (!safetensors_borrow(writer, &renamed, &status))
        fail_msg("%s: %s", tensor->name, status.message);
}

static void add_positions(struct safetensors_writer *writer, const struct config *config, int stack)
{
    struct status status;
    const struct stack_config *of = &config->stacks[stack];
    const int64_t shape[] = {config->max_positions, config->d_model};
    float *table = calloc((size_t)(shape[0] * shape[1]), sizeof *table);
    sinusoidal_positions(of->layout, of->offset, (int)shape[0], (int)shape[1], table);
    assert_true(safetensors_add(writer,
                                stack == STACK_ENCODER ? "model.encoder.embed_positions.weight"
                                                       : "model.decoder.embed_positions.weight",
                                table, 2, shape, &status));
    free(table);
}

static void write_weights(const struct checkpoint *checkpoint)
{
    struct status status;
    const struct contents *contents = checkpoint->contents;
    struct safetensors_writer *writer = safetensors_writer_open(&status);
    assert_non_null(writer);
    for (int i = 0; i < contents->count; i++)
        if (contents->tensors[i].dtype != STORED_U8)
            add(writer, &contents->tensors[i]);
    add_positions(writer, checkpoint->config, STACK_ENCODER);
    add_positions(writer, checkpoint->config, STACK_DECODER);
    if (!safetensors_write(writer, NULL, path_of("model.safetensors"), &status))
        fail_msg("%s", status.message);
    safetensors_writer_close(writer);
}

/* Texts ---------------------------------------------------------------------------------------- */

static void write_json(const char *name, json_t *json)
{
    assert_non_null(json);
    assert_int_equal(json_dump_file(json, path_of(name), 0), 0);
    json_decref(json);
}

static void write_texts(const struct checkpoint *checkpoint)
{
    const struct config *config = checkpoint->config;
    const struct vocabulary *vocabulary = checkpoint->vocabulary[SIDE_SOURCE];
    const struct stored_tensor *model = checkpoint_tensor(checkpoint, "tokenizer.shared");
    json_t *pieces = json_object();
    for (int id = 0; id < vocabulary_size(vocabulary); id++)
        json_object_set_new(pieces, vocabulary_piece(vocabulary, id), json_integer(id));
    write_json("vocab.json", pieces);
    FILE *file = fopen(path_of("spiece.model"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(model->data, 1, model->bytes, file), model->bytes);
    assert_int_equal(fclose(file), 0);
    write_json(
        "config.json",
        json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:s, s:b, s:i, s:i, s:i, s:i, "
                  "s:i, s:i, s:b}",
                  "model_type", "pegasus", "d_model", config->d_model, "encoder_layers",
                  config->stacks[STACK_ENCODER].layers, "decoder_layers",
                  config->stacks[STACK_DECODER].layers, "encoder_attention_heads",
                  config->stacks[STACK_ENCODER].heads, "decoder_attention_heads",
                  config->stacks[STACK_DECODER].heads, "encoder_ffn_dim",
                  config->stacks[STACK_ENCODER].d_ff, "decoder_ffn_dim",
                  config->stacks[STACK_DECODER].d_ff, "max_position_embeddings",
                  config->max_positions, "activation_function", "relu", "scale_embedding", 1,
                  "vocab_size", vocabulary_size(vocabulary), "pad_token_id",
                  config->special[SPECIAL_PAD][SIDE_TARGET], "eos_token_id",
                  config->special[SPECIAL_EOS][SIDE_TARGET], "decoder_start_token_id",
                  config->start.ids[0], "num_beams", 5, "max_length", 256, "early_stopping", 1));
}

/* Reading it again ----------------------------------------------------------------------------- */

static void the_bits_are_those_of_the_sample(void **state)
{
    assert_non_null(mkdtemp(folder));
    struct golden *own = golden_open_path(sample, "cpu", 1);
    write_weights(own->checkpoint);
    write_texts(own->checkpoint);
    struct golden *other = golden_open_path(folder, "cpu", 1);
    assert_string_equal(other->checkpoint->contents->family, "Hugging Face");
    exact_same_sample("what the Hugging Face folder gives", own, other, NULL);
    golden_close(other);
    golden_close(own);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(unlink(path_of(names[i])), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bits_are_those_of_the_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
