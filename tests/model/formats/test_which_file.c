/* Which file of a folder is the model, by the names that toolkits and their users give them; and
 * what is said of folders without one. */
#include <sys/stat.h>
#include <unistd.h>

#include "model/checkpoint/checkpoint.h"
#include "model/formats/torch_checkpoint.h"
#include "tests/model/formats/open_support.h"
#include "tests/model/formats/torch_writer.h"
#include "tests/support/test.h"

enum { MOST = 8 };

static void write_file(const char *name, const void *bytes, size_t count)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/* Files of these names, with the first bytes of a file of PyTorch. */
static void write_all(const char *const *names)
{
    static const char head[16] = "PK\3\4";
    for (; *names; names++)
        write_file(*names, head, sizeof head);
}

static void remove_all(const char *const *names)
{
    for (; *names; names++)
        unlink(path_of(*names));
}

/* Checkpoints ---------------------------------------------------------------------------------- */

static void check_choice(const char *const *names, const char *expected)
{
    struct file_list list;
    struct status status;
    write_all(names);
    assert_true(torch_checkpoint_list(folder, &list, &status));
    const char *name = torch_checkpoint_choose(&list);
    if (!name != !expected || (name && strcmp(name, expected) != 0))
        fail_msg("%s, expected %s", name ? name : "none", expected ? expected : "none");
    file_list_free(&list);
    remove_all(names);
}

static void the_checkpoint_is_the_best_by_its_name(void **state)
{
    static const struct {
        const char *expected, *names[MOST]; // NULL: several that rank alike
    } cases[] = {
        /* fairseq: a training, its averages, and archives of torch.hub. */
        {"checkpoint_best.pt", {"checkpoint1.pt", "checkpoint_best.pt", "checkpoint_last.pt"}},
        {"checkpoint_best.pt", {"checkpoint.best_bleu_30.10.pt", "checkpoint_best.pt"}},
        {"checkpoint.best_loss_3.2.pt", {"checkpoint.best_loss_3.2.pt", "checkpoint_last.pt"}},
        {NULL, {"checkpoint.best_bleu_30.10.pt", "checkpoint.best_bleu_30.9.pt"}},
        {"avg_last_5_checkpoint.pt", {"avg_last_5_checkpoint.pt", "checkpoint_last.pt"}},
        {"averaged.pt", {"averaged.pt", "checkpoint_last.pt", "checkpoint9.pt"}},
        {"checkpoint_last.pt", {"checkpoint_last.pt", "checkpoint_7_15000.pt", "checkpoint.pt"}},
        {"checkpoint.pt", {"checkpoint.pt", "checkpoint12.pt", "dict.en.txt"}},
        {"checkpoint12.pt", {"checkpoint2.pt", "checkpoint12.pt", "checkpoint9.pt"}},
        {"418M_last_checkpoint.pt", {"418M_last_checkpoint.pt", "spm.128k.model"}},
        {"model.pt", {"model.pt", "checkpoint_best.pt"}},
        {NULL, {"model1.pt", "wmt19.en-de.pt"}},
        /* OpenNMT-py, with its data of the versions before 2 beside it. */
        {"en-de_step_100000.pt", {"en-de_step_95000.pt", "en-de_step_100000.pt"}},
        {"a_step_5000.pt",
         {"data.vocab.pt", "data.train.0.pt", "data.valid.0.pt", "a_step_5000.pt"}},
        {NULL, {"a_step_5000.pt", "b_step_10000.pt"}},
        {"averaged-10-epoch.pt", {"averaged-10-epoch.pt", "a_step_5000.pt"}},
        /* JoeyNMT, Lightning, and what people write. */
        {"best.ckpt", {"best.ckpt", "latest.ckpt", "12000.ckpt", "9000.ckpt"}},
        {"latest.ckpt", {"latest.ckpt", "12000.ckpt", "9000.ckpt"}},
        {"12000.ckpt", {"12000.ckpt", "9000.ckpt", "012000.vocab.pt"}},
        {"epoch=3-step=1200.ckpt", {"epoch=3-step=1200.ckpt", "epoch=3-step=800.ckpt"}},
        {"last.ckpt", {"last.ckpt", "epoch=3-step=800.ckpt"}},
        {"model_best.pth.tar", {"model_best.pth.tar", "checkpoint.pth.tar"}},
        {"transformer.pth", {"transformer.pth", "optimizer.pth", "scheduler.pt", "scaler.pt"}},
        {"pytorch_model.bin", {"pytorch_model.bin", "training_args.bin", "rng_state.pth"}},
        {"final_model.th", {"final_model.th", "epoch_10.th"}},
        {"weights.pkl", {"weights.pkl"}},
        {NULL, {"encoder.pth", "decoder.pth"}},
        {NULL, {"model.npz", "vocab.bpe"}},
        {NULL, {".model.pt.swp", ".model.pt"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_choice(cases[i].names, cases[i].expected);
}

/* The first bytes tell whether a *.bin, *.model or *.pkl is a PyTorch file. */
static void files_of_other_kinds_are_no_checkpoints(void **state)
{
    static const char *const names[] = {"model.bin", "spm.model", "data.pkl", NULL};
    struct file_list list;
    struct status status;
    for (const char *const *name = names; *name; name++)
        write_file(*name, "{\"a\": 1, \"b\": 2}", 16);
    assert_true(torch_checkpoint_list(folder, &list, &status));
    assert_int_equal(list.count, 0);
    file_list_free(&list);
    remove_all(names);
}

/* A golden model opens under every name that its file may have. */
static void golden_models_open_under_the_names_of_the_field(void **state)
{
    static const char *const names[] = {"checkpoint_last.pt",
                                        "checkpoint_avg.pt",
                                        "model.pt",
                                        "nmt.pth",
                                        "checkpoint.best_1.pt",
                                        "pytorch_model.bin",
                                        "epoch=1-step=10.ckpt",
                                        "checkpoint_1_10.pt"};
    static const char *const models[][2] = {{"fairseq", "fairseq-args/checkpoint_best.pt"},
                                            {"OpenNMT-py", "opennmt-v3/model_step_1.pt"}};
    static const char *const dictionaries[] = {"dict.en.txt", "dict.de.txt", NULL};
    copy_file("tests/golden/formats/fairseq-args/dict.en.txt", dictionaries[0]);
    copy_file("tests/golden/formats/fairseq-args/dict.de.txt", dictionaries[1]);
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        char path[128];
        struct status status;
        snprintf(path, sizeof path, "tests/golden/formats/%s", models[i % 2][1]);
        copy_file(path, names[i / 2]);
        struct checkpoint *checkpoint = checkpoint_open(folder, &status);
        if (!checkpoint)
            fail_msg("%s: %s", names[i / 2], status.message);
        assert_string_equal(checkpoint->contents->family, models[i % 2][0]);
        checkpoint_close(checkpoint);
        unlink(path_of(names[i / 2]));
    }
    remove_all(dictionaries);
}

/* Folders in a folder -------------------------------------------------------------------------- */

/* As left by a training of fairseq: checkpoints beside data. The model gets the outer folder's
 * name. */
static void a_folder_stands_for_its_checkpoints(void **state)
{
    static const char golden[] = "tests/golden/formats/fairseq-args/";
    static const char inner[] = "checkpoints/checkpoint_best.pt";
    static const char *const folders[] = {"data", "checkpoints"};
    static const char *const files[][2] = {{"dict.en.txt", "data/dict.en.txt"},
                                           {"dict.de.txt", "data/dict.de.txt"},
                                           {"checkpoint_best.pt", inner}};
    struct status status;
    for (int i = 0; i < 2; i++)
        assert_int_equal(mkdir(path_of(folders[i]), 0700), 0);
    refused(folder, "no model in this folder, expected config.json");
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", golden, files[i][0]);
        copy_file(name, files[i][1]);
    }
    struct checkpoint *checkpoint = checkpoint_open(folder, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    assert_string_equal(checkpoint->config->name, strrchr(folder, '/') + 1);
    checkpoint_close(checkpoint);
    assert_int_equal(truncate(path_of(inner), 400), 0);
    refused(folder, ": checkpoints: checkpoint_best.pt: ");
    for (int i = 0; i < 3; i++)
        unlink(path_of(files[i][1]));
    for (int i = 0; i < 2; i++)
        rmdir(path_of(folders[i]));
}

/* Folders without a model ---------------------------------------------------------------------- */

static void what_no_family_reads_is_named(void **state)
{
    static const struct {
        const char *names[MOST], *expected;
    } cases[] = {
        {{"params.best", "version", "vocab.src.0.json"},
         "params.best: weights of Sockeye without `config`, expected both"},
        {{"model.enes.intgemm.alphas.bin.gz", "vocab.enes.spm.gz", "lex.50.50.enes.s2t.bin.gz"},
         "lex.50.50.enes.s2t.bin.gz: packed, expected its content (gunzip)"},
        {{"model.enes.intgemm.alphas.bin.zst"}, "packed, expected its content (unzstd)"},
        {{"opus-2020-01-08.zip"}, "opus-2020-01-08.zip: an archive, expected its content (unzip)"},
        {{"translate-en_de-1_0.argosmodel"}, "a package of Argos Translate, expected its content"},
        {{"saved_model.pb"}, "saved_model.pb: a TensorFlow model, which is not supported"},
        {{"checkpoint", "model.ckpt-5000.index", "model.ckpt-5000.meta"}, "a TensorFlow model"},
        {{"tf_model.h5"}, "tf_model.h5: a TensorFlow model"},
        {{"encoder_model.onnx", "decoder_model.onnx"}, "decoder_model.onnx: an ONNX model"},
        {{"model.safetensors"}, "model.safetensors: weights without their config.json"},
        {{"weights.npz"}, "weights.npz: arrays, but not a Marian model"},
        {{"README.md", "vocab.json"}, "no model in this folder, expected config.json and"},
        {{"encoder.pth", "decoder.pth"},
         "2 checkpoints in this folder (decoder.pth, encoder.pth), expected the path of one of "
         "them"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_all(cases[i].names);
        refused(folder, cases[i].expected);
        remove_all(cases[i].names);
    }
}

/* Models in our own format are files: a folder has as many as it likes. */
static void a_folder_of_models_names_them(void **state)
{
    copy_file("tests/golden/gated_ffn.bin", "b.bin");
    copy_file("tests/golden/gated_ffn.bin", "a.bin");
    refused(folder, "a folder of models (a.bin, b.bin), expected the path of one of them");
    remove_all((const char *const[]){"a.bin", "b.bin", NULL});
}

/* Writes "x.pth": a dict of a tensor and a flag of Lightning, or an object of a class. */
static void write_torch(bool dict, bool tensor, bool lightning)
{
    static const float zeros[4];
    const struct stored_tensor data = {.dtype = STORED_F32,
                                       .dtype_name = "F32",
                                       .dimensions = 1,
                                       .shape = {4},
                                       .elements = 4,
                                       .data = zeros,
                                       .bytes = sizeof zeros};
    struct torch_writer *writer = torch_writer_open();
    if (dict)
        torch_begin_dict(writer);
    else
        torch_begin_namespace(writer);
    torch_text(writer, "encoder.weight");
    if (tensor)
        torch_tensor_of(writer, &data);
    else
        torch_integer(writer, 1);
    if (lightning)
        torch_text(writer, "pytorch-lightning_version"), torch_text(writer, "2.0");
    if (dict)
        torch_end_dict(writer);
    else
        torch_end_namespace(writer);
    torch_writer_close(writer, path_of("x.pth"));
}

static void what_a_file_of_pytorch_holds_is_named(void **state)
{
    static const struct {
        bool dict, tensor, lightning;
        const char *expected;
    } cases[] = {
        {true, true, false, "weights without the options of their model (\"encoder.weight\"), "},
        {true, false, false, "a dict (\"encoder.weight\"), expected a checkpoint with"},
        {true, false, true, "a checkpoint of PyTorch Lightning (\"encoder.weight\", "},
        {false, true, false, "an object of the class argparse.Namespace, expected a checkpoint"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_torch(cases[i].dict, cases[i].tensor, cases[i].lightning);
        refused(folder, ": x.pth: a PyTorch file of an unknown kind: ");
        refused(folder, cases[i].expected);
        refused(path_of("x.pth"), cases[i].expected);
    }
    unlink(path_of("x.pth"));
}

/* If there are many files, the message names the first ones. */
static void long_lists_are_cut(void **state)
{
    char names[40][24];
    const char *list[41] = {NULL};
    for (int i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "%c%c-network.pth", 'a' + i % 26, 'a' + i / 26);
        list[i] = names[i];
    }
    write_all(list);
    refused(folder, "40 checkpoints in this folder (aa-network.pth, ab-network.pth, ");
    refused(folder, " more), expected the path of one of them");
    remove_all(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checkpoint_is_the_best_by_its_name),
        cmocka_unit_test(files_of_other_kinds_are_no_checkpoints),
        cmocka_unit_test(golden_models_open_under_the_names_of_the_field),
        cmocka_unit_test(a_folder_stands_for_its_checkpoints),
        cmocka_unit_test(what_no_family_reads_is_named),
        cmocka_unit_test(a_folder_of_models_names_them),
        cmocka_unit_test(what_a_file_of_pytorch_holds_is_named),
        cmocka_unit_test(long_lists_are_cut),
    };
    return cmocka_run_group_tests(tests, open_make_folder, open_remove_folder);
}
