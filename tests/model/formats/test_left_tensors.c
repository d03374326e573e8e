/* Models of other toolkits with the tensors of a layer under unknown names. A model with a tensor
 * that is not computed is refused. */
#include "tests/model/formats/open_support.h"
#include "tests/support/test.h"

/* Layers are counted from the names, but for Hugging Face and Marian, where the layer is
 * missing. */
static const struct change changes[] = {
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

static void what_is_not_computed_is_refused(void **state)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        // Files say how long names are.
        assert_int_equal(strlen(changes[i].from), strlen(changes[i].to));
        check_changed(&changes[i], true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_computed_is_refused),
    };
    return cmocka_run_group_tests(tests, open_make_folder, open_remove_folder);
}
