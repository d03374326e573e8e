/* Checkpoints of fairseq: where dictionaries may be, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/checkpoint/checkpoint.h"
#include "tests/model/formats/open_support.h"
#include "tests/model/formats/torch_writer.h"

/* Dictionaries --------------------------------------------------------------------------------------- */

#define GOLDEN "tests/golden/formats/fairseq-args/"

/* The options name data-bin/corpus, which is the folder that training had. */
static void dictionaries_are_beside_the_checkpoint_or_in_the_folder_of_its_data(void **state)
{
    (void)state;
    static const char *const folders[] = {"checkpoints",
                                          "checkpoints/data-bin",
                                          "checkpoints/data-bin/corpus",
                                          "checkpoints/corpus",
                                          "data-bin",
                                          "data-bin/corpus",
                                          "corpus"};
    enum { FOLDERS = sizeof folders / sizeof *folders };
    for (int i = 0; i < FOLDERS; i++)
        assert_int_equal(mkdir(path_of(folders[i]), 0700), 0);
    copy_file(GOLDEN "checkpoint_best.pt", "checkpoints/checkpoint_best.pt");
    refused(path_of("checkpoints"), "dict.en.txt: missing beside it and in data-bin, expected the "
                                    "dictionary that fairseq-preprocess wrote");
    for (int i = 0; i < FOLDERS; i++) {
        char source[64], target[64];
        struct status status = {0};
        snprintf(source, sizeof source, "%s/dict.en.txt", folders[i]);
        snprintf(target, sizeof target, "%s/dict.de.txt", folders[i]);
        copy_file(GOLDEN "dict.en.txt", source);
        copy_file(GOLDEN "dict.de.txt", target);
        struct checkpoint *checkpoint =
            checkpoint_open(path_of("checkpoints/checkpoint_best.pt"), &status);
        if (!checkpoint)
            fail_msg("%s: %s", folders[i], status.message);
        assert_string_equal(checkpoint->contents->family, "fairseq");
        checkpoint_close(checkpoint);
        unlink(path_of(source));
        unlink(path_of(target));
    }
    unlink(path_of("checkpoints/checkpoint_best.pt"));
    for (int i = FOLDERS; i-- > 0;)
        assert_int_equal(rmdir(path_of(folders[i])), 0);
}

static void write_text(const char *name, const char *text)
{
    FILE *out = fopen(path_of(name), "wb");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static void dictionaries_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a 1\nb 2\n",
         "encoder.embed_tokens.weight: 20 rows, expected 6 (the symbols of dict.en.txt)"},
        {"a 1\nb\n", "dict.en.txt: line 2: expected a symbol and its count"},
        {"a 1\nb x\n", "dict.en.txt: line 2: expected a symbol and its count"},
        {"a 1\n 2\n", "dict.en.txt: piece 5: empty"},
        {"", "20 rows, expected 4"},
    };
    copy_file(GOLDEN "checkpoint_best.pt", "checkpoint_best.pt");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text("dict.en.txt", cases[i][0]);
        refused(folder, cases[i][1]);
    }
    unlink(path_of("checkpoint_best.pt"));
    unlink(path_of("dict.en.txt"));
}

/* Options ---------------------------------------------------------------------------------------- */

struct option {
    const char *name, *text; // text NULL: a flag that is set
    const char *expected;
};

/* A checkpoint with one option more than it needs, without layers. */
static void write_checkpoint(const struct option *option, bool grouped)
{
    static const float zeros[6 * 8];
    const struct stored_tensor data = {.dtype = STORED_F32,
                                       .dtype_name = "F32",
                                       .dimensions = 2,
                                       .shape = {6, 8},
                                       .elements = 48,
                                       .data = zeros,
                                       .bytes = sizeof zeros};
    static const char *const tables[] = {"encoder.embed_tokens.weight",
                                         "decoder.embed_tokens.weight"};
    struct torch_writer *writer = torch_writer_open();
    torch_begin_dict(writer);
    torch_text(writer, grouped ? "cfg" : "args");
    if (grouped) {
        torch_begin_dict(writer);
        torch_text(writer, "model");
    }
    torch_begin_namespace(writer);
    torch_text(writer, "source_lang"), torch_text(writer, "en");
    torch_text(writer, "target_lang"), torch_text(writer, "en");
    torch_text(writer, option->name);
    if (option->text)
        torch_text(writer, option->text);
    else
        torch_flag(writer, true);
    torch_end_namespace(writer);
    if (grouped)
        torch_end_dict(writer);
    torch_text(writer, "model");
    torch_begin_dict(writer);
    for (int i = 0; i < 2; i++)
        torch_text(writer, tables[i]), torch_tensor_of(writer, &data);
    torch_end_dict(writer);
    torch_end_dict(writer);
    torch_writer_close(writer, path_of("model.pt"));
}

static void what_is_not_computed_is_refused_by_its_name(void **state)
{
    (void)state;
    static const struct option options[] = {
        {"arch", "lightconv_iwslt_de_en", "model.pt: arch lightconv_iwslt_de_en is not computed"},
        {"arch", "lstm", "model.pt: arch lstm is not computed here"},
        {"adaptive_softmax_cutoff", "100,200", "adaptive_softmax_cutoff: adaptive softmax"},
        {"adaptive_input", NULL, "adaptive_input: adaptive input embeddings"},
        {"no_cross_attention", NULL, "no_cross_attention: a decoder without cross-attention"},
        {"activation_fn", "relu_squared", "activation_fn relu_squared is not computed here"},
        {"source_lang", "../en", "missing beside it"},
        {"arch", "transformer",
         "encoder.layers.0.fc1.weight: missing, expected it of a Transformer"},
    };
    write_text("dict.en.txt", "a 1\nb 1\n");
    for (int grouped = 0; grouped < 2; grouped++)
        for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
            write_checkpoint(&options[i], grouped);
            refused(folder, options[i].expected);
        }
    unlink(path_of("model.pt"));
    unlink(path_of("dict.en.txt"));
}

/* A tensor of the golden model under another name. */
static void tensors_that_nothing_takes_are_refused(void **state)
{
    (void)state;
    static const char was[] = "encoder.version", is[] = "encoder.bias_kx";
    copy_file(GOLDEN "checkpoint_best.pt", "checkpoint_best.pt");
    copy_file(GOLDEN "dict.en.txt", "dict.en.txt");
    copy_file(GOLDEN "dict.de.txt", "dict.de.txt");
    FILE *file = fopen(path_of("checkpoint_best.pt"), "r+b");
    static char bytes[1 << 17];
    size_t count = fread(bytes, 1, sizeof bytes, file);
    char *at = memmem(bytes, count, was, sizeof was - 1);
    assert_non_null(at);
    fseek(file, at - bytes, SEEK_SET);
    fwrite(is, 1, sizeof is - 1, file);
    fclose(file);
    refused(folder, "encoder.bias_kx: is not computed here (arch transformer), expected the "
                    "tensors of a Transformer");
    unlink(path_of("checkpoint_best.pt"));
    unlink(path_of("dict.en.txt"));
    unlink(path_of("dict.de.txt"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dictionaries_are_beside_the_checkpoint_or_in_the_folder_of_its_data),
        cmocka_unit_test(dictionaries_that_do_not_fit_are_refused),
        cmocka_unit_test(what_is_not_computed_is_refused_by_its_name),
        cmocka_unit_test(tensors_that_nothing_takes_are_refused),
    };
    return cmocka_run_group_tests(tests, open_make_folder, open_remove_folder);
}
