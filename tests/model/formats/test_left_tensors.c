/* Models of other toolkits with the tensors of a layer under names that mean nothing: a model that
 * has more than what is computed is refused. */
#include <unistd.h>

#include "model/checkpoint/checkpoint.h"
#include "tests/support/test.h"

/* `from` is replaced by `to`, of the same length, wherever it is in a file of the folder. Layers
 * are counted from the names, but for Hugging Face and Marian, where the layer is missing. */
static const struct renaming {
    const char *folder, *file, *from, *to, *expected;
} renamings[] = {
    {"ct2-bart", "model.bin", "encoder/layer_1/", "encoder/layer_7/",
     "encoder/layer_7/ffn/layer_norm/beta: is not supported"},
    {"ct2-marian", "model.bin", "decoder/layer_1/", "decoder/layer_7/",
     "decoder/layer_7/attention/layer_norm/beta: is not supported"},
    {"eole", "model.00.safetensors", "encoder.transformer_layers.1.",
     "encoder.transformer_layers.7.",
     "encoder.transformer_layers.7.input_layernorm.bias: not supported"},
    {"fairseq-pre", "checkpoint_best.pt", "encoder.layers.1.", "encoder.layers.7.",
     "encoder.layers.7.fc1.bias: is not supported"},
    {"hf-bart", "model.safetensors", "model.encoder.layers.1.", "model.encoder.layers.7.",
     "model.encoder.layers.1.self_attn.q_proj.weight: missing"},
    // Two vocabularies have two tables, even if tables are tied.
    {"hf-marian-two-vocabularies", "model.safetensors", "model.decoder.embed_tokens.weight",
     "model.decoder.embed_tokenz.weight", "model.decoder.embed_tokens.weight: missing"},
    {"joeynmt-pre", "best.ckpt", "encoder.layers.1.", "encoder.layers.7.",
     "encoder.layers.7.feed_forward.layer_norm.bias: not supported"},
    {"joeynmt-pre", "best.ckpt", "decoder.layers.1.", "decoder.layers.7.",
     "decoder.layers.7.dec_layer_norm.bias: not supported"},
    {"marian-opus", "opus.spm32k-spm32k.transformer.model1.npz", "decoder_l2_", "decoder_l7_",
     "decoder_l2_self_Wq: missing"},
    {"nn-transformer-pre", "checkpoint.pt", "decoder.layers.1.", "decoder.layers.7.",
     "decoder.layers.7.linear1.bias: not supported"},
    {"nn-transformer-tutorial", "tut6-model.pt", "encoder.layers.1.", "encoder.layers.7.",
     "encoder.layers.7.ff_layer_norm.bias: not supported"},
    {"opennmt-v3-safetensors", "model_step_1.00.safetensors", "encoder.transformer.1.",
     "encoder.transformer.7.", "encoder.transformer.7.feed_forward.layer_norm.bias: not supported"},
    {"opennmt-v3-safetensors", "model_step_1.01.safetensors", "decoder.transformer_layers.1.",
     "decoder.transformer_layers.7.", "decoder.transformer_layers.7."},
    {"sockeye-pre", "params.best", "encoder.layers.1.", "encoder.layers.7.",
     "encoder.layers.7.ff.ff1.bias: not supported"},
    {"sockeye-ssru", "params.best", "decoder.layers.1.", "decoder.layers.7.", "decoder.layers.7."},
};

static char folder[] = "/tmp/attnscope-left-XXXXXX";

static void run(const char *program, const char *first, const char *second)
{
    char command[1024];
    snprintf(command, sizeof command, "%s %s %s", program, first, second);
    assert_int_equal(system(command), 0);
}

static void rename_tensors(const struct renaming *renaming)
{
    static char bytes[1 << 20], path[256];
    const size_t length = strlen(renaming->from);
    snprintf(path, sizeof path, "%s/%s/%s", folder, renaming->folder, renaming->file);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    const size_t count = fread(bytes, 1, sizeof bytes, file);
    assert_in_range(count, 1, sizeof bytes - 1);
    bool found = false;
    assert_int_equal(strlen(renaming->to), length);
    for (size_t at = 0; at + length <= count; at++)
        if (memcmp(bytes + at, renaming->from, length) == 0) {
            memcpy(bytes + at, renaming->to, length);
            found = true;
        }
    if (!found)
        fail_msg("%s: no %s", path, renaming->from);
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void what_is_not_computed_is_refused(void **state)
{
    for (size_t i = 0; i < sizeof renamings / sizeof *renamings; i++) {
        const struct renaming *renaming = &renamings[i];
        struct status status = {0};
        char path[256];
        snprintf(path, sizeof path, "tests/golden/formats/%s", renaming->folder);
        run("cp -r", path, folder);
        rename_tensors(renaming);
        snprintf(path, sizeof path, "%s/%s", folder, renaming->folder);
        struct checkpoint *checkpoint = checkpoint_open(path, &status);
        if (checkpoint || !strstr(status.message, renaming->expected))
            fail_msg("%s: %s: \"%s\", expected \"%s\"", renaming->folder, renaming->to,
                     checkpoint ? "opened" : status.message, renaming->expected);
        run("rm -r", path, "");
    }
}

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_computed_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
