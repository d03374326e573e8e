/* A trained model of samples/, rewritten as OpenNMT-py 3 saves models: opened from there it gives
 * the same bits. Two conventions differ: sources have no end-of-sentence, so that it is typed, and
 * the padding is called <blank>. */
#include <unistd.h>

#include "model/net/positions.h"
#include "tests/model/formats/torch_writer.h"
#include "tests/model/net/exact_support.h"
#include "tests/support/test.h"

static const char sample[] = "samples/en-de.bin";

/* Names there and here, of the encoder and the decoder. */
static const char *const layers[2] = {"encoder.transformer", "decoder.transformer_layers"};
static const char *const stacks[2] = {"encoder", "decoder"};
static const struct {
    const char *theirs, *ours;
} modules[2][14] = {{{"layer_norm", "norm1"},
                     {"self_attn.linear_query", "self_attention.q"},
                     {"self_attn.linear_keys", "self_attention.k"},
                     {"self_attn.linear_values", "self_attention.v"},
                     {"self_attn.final_linear", "self_attention.o"},
                     {"feed_forward.layer_norm", "norm2"},
                     {"feed_forward.w_1", "ffn.in"},
                     {"feed_forward.w_2", "ffn.out"}},
                    {{"layer_norm_1", "norm1"},
                     {"self_attn.linear_query", "self_attention.q"},
                     {"self_attn.linear_keys", "self_attention.k"},
                     {"self_attn.linear_values", "self_attention.v"},
                     {"self_attn.final_linear", "self_attention.o"},
                     {"layer_norm_2", "norm2"},
                     {"context_attn.linear_query", "cross_attention.q"},
                     {"context_attn.linear_keys", "cross_attention.k"},
                     {"context_attn.linear_values", "cross_attention.v"},
                     {"context_attn.final_linear", "cross_attention.o"},
                     {"feed_forward.layer_norm", "norm3"},
                     {"feed_forward.w_1", "ffn.in"},
                     {"feed_forward.w_2", "ffn.out"}}};

/* Weight and bias; a bias that the model does not have is left out. */
static void put_module(struct torch_writer *writer, const struct checkpoint *checkpoint,
                       const char *theirs, const char *ours)
{
    static const char *const kinds[] = {"weight", "bias"};
    for (int kind = 0; kind < 2; kind++) {
        char name[160];
        const struct stored_tensor *tensor =
            checkpoint_tensor(checkpoint, "%s.%s", ours, kinds[kind]);
        if (!tensor)
            continue;
        snprintf(name, sizeof name, "%s.%s", theirs, kinds[kind]);
        torch_text(writer, name);
        torch_tensor_of(writer, tensor);
    }
}

/* The embedding, and the table of positions, which is stored with an axis for sentences. */
static void put_embeddings(struct torch_writer *writer, const struct checkpoint *checkpoint,
                           int stack, float *table)
{
    const struct config *config = checkpoint->config;
    int rows = config->max_positions, d = config->d_model;
    const struct stored_tensor positions = {.dtype = STORED_F32,
                                            .dimensions = 3,
                                            .shape = {rows, 1, d},
                                            .elements = (int64_t)rows * d,
                                            .data = table,
                                            .bytes = (size_t)rows * d * sizeof *table};
    char name[96];
    sinusoidal_positions(config->stacks[stack].layout, config->stacks[stack].offset, rows, d,
                         table);
    snprintf(name, sizeof name, "%s.embeddings.make_embedding.emb_luts.0.weight", stacks[stack]);
    torch_text(writer, name);
    torch_tensor_of(writer, checkpoint_tensor(checkpoint, "source_embedding.weight"));
    snprintf(name, sizeof name, "%s.embeddings.make_embedding.pe.pe", stacks[stack]);
    torch_text(writer, name);
    torch_tensor_of(writer, &positions);
}

static void put_stack(struct torch_writer *writer, const struct checkpoint *checkpoint, int stack,
                      float *table)
{
    char theirs[128], ours[128];
    put_embeddings(writer, checkpoint, stack, table);
    for (int layer = 0; layer < checkpoint->config->stacks[stack].layers; layer++)
        for (int i = 0; modules[stack][i].theirs; i++) {
            snprintf(theirs, sizeof theirs, "%s.%d.%s", layers[stack], layer,
                     modules[stack][i].theirs);
            snprintf(ours, sizeof ours, "%s.layers.%d.%s", stacks[stack], layer,
                     modules[stack][i].ours);
            put_module(writer, checkpoint, theirs, ours);
        }
    snprintf(theirs, sizeof theirs, "%s.layer_norm", stacks[stack]);
    snprintf(ours, sizeof ours, "%s.norm", stacks[stack]);
    put_module(writer, checkpoint, theirs, ours);
}

static void put_generator(struct torch_writer *writer, const struct checkpoint *checkpoint)
{
    const struct stored_tensor *bias = checkpoint_tensor(checkpoint, "output.bias");
    torch_text(writer, "generator");
    torch_begin_dict(writer);
    torch_text(writer, "weight");
    torch_tensor_of(writer, checkpoint_tensor(checkpoint, "source_embedding.weight"));
    if (bias) {
        torch_text(writer, "bias");
        torch_tensor_of(writer, bias);
    }
    torch_end_dict(writer);
}

static void put_vocabulary(struct torch_writer *writer, const struct checkpoint *checkpoint)
{
    const struct vocabulary *vocabulary = checkpoint->vocabulary[SIDE_SOURCE];
    int pad = checkpoint->config->special[SPECIAL_PAD][SIDE_SOURCE];
    torch_text(writer, "vocab");
    torch_begin_dict(writer);
    for (int side = 0; side < 2; side++) {
        torch_text(writer, side ? "tgt" : "src");
        torch_begin_list(writer);
        for (int id = 0; id < vocabulary_size(vocabulary); id++)
            torch_text(writer, id == pad ? "<blank>" : vocabulary_piece(vocabulary, id));
        torch_end_list(writer);
    }
    torch_text(writer, "data_task");
    torch_text(writer, "seq2seq");
    torch_text(writer, "decoder_start_token");
    torch_text(writer, "<s>");
    torch_end_dict(writer);
}

/* Of another machine, where the model was trained. */
static void put_subwords(struct torch_writer *writer)
{
    static const char *const transforms[] = {"filtertoolong", "sentencepiece"};
    torch_text(writer, "transforms");
    torch_begin_list(writer);
    for (int i = 0; i < 2; i++)
        torch_text(writer, transforms[i]);
    torch_end_list(writer);
    torch_text(writer, "src_subword_model");
    torch_text(writer, "/data/shared.model");
    torch_text(writer, "tgt_subword_model");
    torch_text(writer, "/data/shared.model");
}

static void put_options(struct torch_writer *writer, const struct config *config)
{
    const struct {
        const char *name;
        int value;
    } numbers[] = {{"enc_layers", config->stacks[0].layers},
                   {"dec_layers", config->stacks[1].layers},
                   {"heads", config->stacks[0].heads},
                   {"hidden_size", config->d_model},
                   {"word_vec_size", config->d_model},
                   {"transformer_ff", config->stacks[0].d_ff},
                   {"alignment_layer", -2},
                   {"alignment_heads", 3}};
    static const char *const flags[] = {"position_encoding", "add_qkvbias", "add_ffnbias",
                                        "share_embeddings", "share_decoder_embeddings"};
    torch_text(writer, "opt");
    torch_begin_namespace(writer);
    torch_text(writer, "encoder_type");
    torch_text(writer, "transformer");
    torch_text(writer, "decoder_type");
    torch_text(writer, "transformer");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        torch_text(writer, numbers[i].name);
        torch_integer(writer, numbers[i].value);
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        torch_text(writer, flags[i]);
        torch_flag(writer, true);
    }
    torch_text(writer, "lambda_align"); // trained with guided alignment
    torch_real(writer, 0.05);
    torch_text(writer, "norm_eps");
    torch_real(writer, config->norm_eps);
    put_subwords(writer);
    torch_end_namespace(writer);
}

static void write_checkpoint(const char *path, const struct checkpoint *checkpoint)
{
    const struct config *config = checkpoint->config;
    float *tables[2];
    struct torch_writer *writer = torch_writer_open();
    torch_begin_dict(writer);
    torch_text(writer, "model");
    torch_begin_dict(writer);
    for (int stack = 0; stack < 2; stack++) {
        tables[stack] =
            calloc((size_t)config->max_positions * (size_t)config->d_model, sizeof(float));
        put_stack(writer, checkpoint, stack, tables[stack]);
    }
    torch_end_dict(writer);
    put_generator(writer, checkpoint);
    put_vocabulary(writer, checkpoint);
    put_options(writer, config);
    torch_end_dict(writer);
    torch_writer_close(writer, path);
    free(tables[0]);
    free(tables[1]);
}

/* The pieces of a source with blanks between them, end-of-sentence too; the caller frees them. */
static char *pieces_of(const struct golden *golden, const char *text)
{
    struct status status;
    struct sentence sentence = {0};
    if (!sentence_encode(golden->checkpoint, text, &sentence, &status))
        fail_msg("%s", status.message);
    char *pieces;
    size_t bytes;
    FILE *out = open_memstream(&pieces, &bytes);
    for (int i = 0; i < sentence.count; i++)
        fprintf(out, "%s%s", i ? " " : "", sentence.pieces.text[i]);
    fclose(out);
    sentence_free(&sentence);
    return pieces;
}

static char folder[] = "/tmp/attnscope-rewritten-XXXXXX";

static void path_of(char path[64], const char *name)
{
    snprintf(path, 64, "%s/%s", folder, name);
}

/* Without the subword model, pieces are typed. */
static void the_bits_are_those_of_the_sample(void **state)
{
    char path[64];
    path_of(path, "model.pt");
    struct golden *own = golden_open_path(sample, "cpu", 1);
    write_checkpoint(path, own->checkpoint);
    struct golden *other = golden_open_path(path, "cpu", 1);
    assert_string_equal(other->checkpoint->contents->family, "OpenNMT-py");
    assert_int_equal(other->checkpoint->config->alignment.layer, 0);
    assert_int_equal(other->checkpoint->config->alignment.heads.count, 3);
    other->checkpoint->config->search = own->checkpoint->config->search;
    exact_same_sample("what OpenNMT-py's checkpoint gives", own, other, pieces_of);
    golden_close(other);
    golden_close(own);
}

static void a_subword_model_beside_the_checkpoint_is_used(void **state)
{
    static const char text[] = "I have never seen so many stars in the sky.";
    char path[64], subwords[64];
    path_of(path, "model.pt");
    path_of(subwords, "shared.model");
    struct golden *own = golden_open_path(sample, "cpu", 1);
    struct golden *without = golden_open_path(path, "cpu", 1);
    const struct stored_tensor *model = checkpoint_tensor(own->checkpoint, "tokenizer.shared");
    FILE *file = fopen(subwords, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(model->data, 1, model->bytes, file), model->bytes);
    assert_int_equal(fclose(file), 0);
    struct golden *with = golden_open_path(path, "cpu", 1);
    char *expected = pieces_of(own, text), *pieces = pieces_of(with, text);
    assert_string_equal(strstr(expected, " </s>"), " </s>");
    expected[strlen(expected) - strlen(" </s>")] = '\0';
    assert_string_equal(pieces, expected);
    without->checkpoint->config->search = with->checkpoint->config->search =
        own->checkpoint->config->search;
    exact_same_sample("what it gives with a subword model", with, without, pieces_of);
    free(pieces);
    free(expected);
    golden_close(with);
    golden_close(without);
    golden_close(own);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(subwords), 0);
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
        cmocka_unit_test(the_bits_are_those_of_the_sample),
        cmocka_unit_test(a_subword_model_beside_the_checkpoint_is_used),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
