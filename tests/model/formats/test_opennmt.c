/* Checkpoints of OpenNMT-py and JoeyNMT that are refused, the search of those that are read, and
 * files of PyTorch of no known family. */
#include <sys/stat.h>
#include <unistd.h>

#include "model/checkpoint/checkpoint.h"
#include "tests/model/formats/open_support.h"
#include "tests/model/formats/torch_writer.h"
#include "tests/support/test.h"

struct option {
    const char *name, *text; // text NULL: a number
    int number;
    const char *expected;
};

/* A checkpoint with one option, and no weights. */
static void write_option(const char *name, const struct option *option)
{
    static const char *const pieces[] = {"<unk>", "<blank>", "<s>", "</s>", "a"};
    struct torch_writer *writer = torch_writer_open();
    torch_begin_dict(writer);
    torch_text(writer, "vocab");
    torch_begin_dict(writer);
    for (int side = 0; side < 2; side++) {
        torch_text(writer, side ? "tgt" : "src");
        torch_begin_list(writer);
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
            torch_text(writer, pieces[i]);
        torch_end_list(writer);
    }
    torch_end_dict(writer);
    torch_text(writer, "opt");
    torch_begin_namespace(writer);
    torch_text(writer, option->name);
    if (option->text)
        torch_text(writer, option->text);
    else
        torch_integer(writer, option->number);
    torch_end_namespace(writer);
    torch_end_dict(writer);
    torch_writer_close(writer, path_of(name));
}

static void what_is_not_computed_is_refused_by_the_name_of_its_option(void **state)
{
    static const struct option options[] = {
        {"encoder_type", "brnn", 0, "opt.encoder_type: brnn: "},
        {"decoder_type", "transformer_lm", 0, "opt.decoder_type: transformer_lm: "},
        {"model_type", "img", 0, "opt.model_type: img: other sources than text"},
        {"model_task", "lm", 0, "opt.model_task: lm: language models"},
        {"self_attn_type", "average", 0, "opt.self_attn_type: average: "},
        {"generator_function", "sparsemax", 0, "opt.generator_function: sparsemax: "},
        {"pos_ffn_activation_fn", "mish", 0, "opt.pos_ffn_activation_fn: mish: "},
        {"layer_norm", "batch", 0, "opt.layer_norm: batch: "},
        {"quant_type", "bnb_NF4", 0, "opt.quant_type: bnb_NF4: quantised weights"},
        {"copy_attn", NULL, 1, "opt.copy_attn: set: copy attention"},
        {"max_relative_positions", NULL, 20, "opt.max_relative_positions: 20: relative positions"},
        {"max_relative_positions", NULL, -1, "opt.max_relative_positions: -1: rotary"},
        {"max_relative_positions", NULL, -2, "opt.max_relative_positions: -2: ALiBi"},
        {"relative_positions_buckets", NULL, 32, "opt.relative_positions_buckets: set: a bias"},
        {"parallel_residual", NULL, 1, "opt.parallel_residual: set: parallel residual"},
        {"num_kv", NULL, 2, "opt.num_kv: set: keys and values that heads share"},
        {"num_experts", NULL, 8, "opt.num_experts: set: mixtures of experts"},
        {"sliding_window", NULL, 128, "opt.sliding_window: set: "},
        {"lora_embedding", NULL, 1, "opt.lora_embedding: set: LoRA"},
        {"heads", NULL, 0, "opt.heads: 0, expected at least 1"},
        {"norm_eps", NULL, 0, "opt.norm_eps: 0, expected a number between 0 and 1"},
        {"norm_eps", NULL, 1, "opt.norm_eps: 1, expected a number between 0 and 1"},
        {"heads", NULL, 4, "model.00.safetensors: missing"}, // it is all right, and has no weights
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        write_option("model.pt", &options[i]);
        refused(path_of("model.pt"), options[i].expected);
        refused(folder, options[i].expected);
    }
    unlink(path_of("model.pt"));
}

/* What our own format expects of a file would be no help. */
static void files_of_pytorch_that_no_family_knows_are_refused_for_what_they_are(void **state)
{
    static const struct option option = {"heads", NULL, 4, ""};
    struct torch_writer *writer = torch_writer_open();
    torch_begin_dict(writer);
    torch_text(writer, "weights");
    torch_integer(writer, 1);
    torch_end_dict(writer);
    torch_writer_close(writer, path_of("other.pt"));
    refused(path_of("other.pt"),
            "other.pt: a PyTorch file of an unknown kind: a dict (\"weights\"), "
            "expected a checkpoint");
    refused(folder, ": other.pt: a PyTorch file of an unknown kind: a dict");
    write_option("model.pt", &option);
    refused(folder, ": model.pt: model.00.safetensors: missing");
    unlink(path_of("other.pt"));
    assert_int_equal(truncate(path_of("model.pt"), 400), 0);
    refused(path_of("model.pt"), "expected a zip archive that is whole");
    refused(folder, ": model.pt: ");
    unlink(path_of("model.pt"));
}

/* translate.py of version 3 divides by the length with the start token; that of the versions before
 * does not divide. */
static void searches_are_those_of_the_package(void **state)
{
    static const struct {
        const char *folder;
        enum length_penalty penalty;
        int most;
    } cases[] = {{"tests/golden/formats/opennmt-v1", PENALTY_NONE, 0},
                 {"tests/golden/formats/opennmt-v2", PENALTY_NONE, 0},
                 {"tests/golden/formats/opennmt-v3", PENALTY_AVERAGE, 250}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status;
        struct checkpoint *checkpoint = checkpoint_open(cases[i].folder, &status);
        assert_non_null(checkpoint);
        assert_int_equal(checkpoint->config->search.endings, ENDINGS_TOP);
        assert_int_equal(checkpoint->config->search.penalty, cases[i].penalty);
        assert_int_equal(checkpoint->config->search.offset, 1);
        assert_int_equal(checkpoint->config->search.most, cases[i].most);
        checkpoint_close(checkpoint);
    }
}

/* Of several checkpoints, the link to the best or the latest is chosen, or the one of the most
 * steps. */
static void a_checkpoint_of_joeynmt_needs_its_folder(void **state)
{
    struct torch_writer *writer = torch_writer_open();
    torch_begin_dict(writer);
    torch_text(writer, "model_state");
    torch_begin_dict(writer);
    torch_end_dict(writer);
    torch_end_dict(writer);
    torch_writer_close(writer, path_of("best.ckpt"));
    refused(path_of("best.ckpt"), "best.ckpt: config.yaml: ");
    refused(folder, ": config.yaml: ");
    copy_file(path_of("best.ckpt"), "1000.ckpt");
    copy_file(path_of("best.ckpt"), "2000.ckpt");
    refused(folder, ": config.yaml: ");
    unlink(path_of("best.ckpt"));
    refused(folder, ": config.yaml: ");
    copy_file(path_of("2000.ckpt"), "a2000.ckpt");
    refused(folder, "3 checkpoints in this folder (1000.ckpt, 2000.ckpt, a2000.ckpt), expected the "
                    "path of one of them");
    unlink(path_of("a2000.ckpt"));
    unlink(path_of("1000.ckpt"));
    refused(folder, ": config.yaml: ");
    unlink(path_of("2000.ckpt"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_computed_is_refused_by_the_name_of_its_option),
        cmocka_unit_test(files_of_pytorch_that_no_family_knows_are_refused_for_what_they_are),
        cmocka_unit_test(searches_are_those_of_the_package),
        cmocka_unit_test(a_checkpoint_of_joeynmt_needs_its_folder),
    };
    return cmocka_run_group_tests(tests, open_make_folder, open_remove_folder);
}
