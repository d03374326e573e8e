/* Options of fairseq's checkpoints: which are refused, and which are reported. */
#include <unistd.h>

#include <jansson.h>

#include "model/checkpoint/checkpoint.h"
#include "model/formats/mapped_file.h"
#include "model/formats/options.h"
#include "tests/model/formats/open_support.h"
#include "tests/model/formats/torch_writer.h"
#include "tests/support/test.h"

#define GOLDEN "tests/golden/formats/fairseq-args/"

static void write_text(const char *name, const char *text)
{
    FILE *out = fopen(path_of(name), "wb");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

/* Refused -------------------------------------------------------------------------------------- */

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

/* Layers that are taken out on loading, and weights that are rounded when they are used. */
static void options_of_loading_are_refused_by_their_names(void **state)
{
    static const struct option options[] = {
        {"encoder_layers_to_keep", "0,1",
         "model.pt: encoder_layers_to_keep: \"0,1\" is not supported"},
        {"merge_src_tgt_embed", NULL, "model.pt: merge_src_tgt_embed: true is not supported"},
        {"quant_noise_scalar", NULL, "model.pt: quant_noise_scalar: true is not supported"},
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

static void what_is_not_computed_is_refused_by_its_name(void **state)
{
    static const struct option options[] = {
        {"arch", "lightconv_iwslt_de_en", "model.pt: arch lightconv_iwslt_de_en is not supported"},
        {"arch", "lstm", "model.pt: arch lstm is not supported"},
        {"adaptive_softmax_cutoff", "100,200", "adaptive_softmax_cutoff: adaptive softmax"},
        {"adaptive_input", NULL, "adaptive_input: adaptive input embeddings"},
        {"no_cross_attention", NULL, "no_cross_attention: a decoder without cross-attention"},
        {"activation_fn", "relu_squared", "activation_fn relu_squared is not supported"},
        {"prepend_bos", NULL, "prepend_bos: beginning-of-sentence before every sentence is not"},
        {"task", "denoising", "model.pt: task denoising is not supported, expected translation"},
        {"task", "online_backtranslation", "task online_backtranslation is not supported"},
        {"source_lang", "../en", "missing beside it"},
        {"arch", "transformer",
         "encoder.layers.0.fc1.weight: missing (every Transformer has it; arch transformer)"},
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

/* Told ----------------------------------------------------------------------------------------- */

/* A number where the option needs one. */
struct search_option {
    const char *name;
    double number;
};

static void write_value(struct torch_writer *writer, const char *name,
                        const struct pickle_value *value)
{
    if (value->kind == PICKLE_BOOL)
        torch_text(writer, name), torch_flag(writer, value->integer != 0);
    else if (value->kind == PICKLE_INTEGER)
        torch_text(writer, name), torch_integer(writer, (int)value->integer);
    else if (value->kind == PICKLE_REAL)
        torch_text(writer, name), torch_real(writer, value->real);
    else if (value->kind == PICKLE_TEXT)
        torch_text(writer, name), torch_text(writer, value->text);
}

/* The golden checkpoint with further options of the search, in the order of the array. */
static void write_searched(const struct search_option *options, int count)
{
    struct status status;
    int tensors;
    struct mapped_file *file = mapped_file_open(GOLDEN "checkpoint_best.pt", &status);
    struct torch_file *torch = file ? torch_file_open(file, &status) : NULL;
    assert_non_null(torch);
    const struct pickle_value *root = torch_root(torch), *args = pickle_get(root, "args");
    const struct pickle_value *values =
        args->object && args->object->state ? args->object->state : args;
    const struct stored_tensor *model =
        torch_tensors(torch, pickle_get(root, "model"), &tensors, &status);
    assert_non_null(model);
    struct torch_writer *writer = torch_writer_open();
    torch_begin_dict(writer);
    torch_text(writer, "args");
    torch_begin_namespace(writer);
    for (size_t i = 0; i < pickle_pairs(values); i++)
        write_value(writer, pickle_text(pickle_key(values, i)), pickle_at(values, i));
    for (int i = 0; i < count; i++)
        torch_text(writer, options[i].name), torch_real(writer, options[i].number);
    torch_end_namespace(writer);
    torch_text(writer, "model");
    torch_begin_dict(writer);
    for (int i = 0; i < tensors; i++)
        torch_text(writer, model[i].name), torch_tensor_of(writer, &model[i]);
    torch_end_dict(writer);
    torch_end_dict(writer);
    torch_writer_close(writer, path_of("model.pt"));
    torch_file_close(torch);
    mapped_file_close(file);
}

static void expect_told(const struct search_option *options, int count, const char *expected)
{
    struct status status;
    write_searched(options, count);
    struct checkpoint *checkpoint = checkpoint_open(folder, &status);
    if (!checkpoint)
        fail_msg("%s: %s", options[0].name, status.message);
    char text[200] = "";
    for (char **told = checkpoint->config->left_out; told && *told; told++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "", *told);
    if (strcmp(text, expected) != 0)
        fail_msg("%s: \"%s\", expected \"%s\"", options[0].name, text, expected);
    checkpoint_close(checkpoint);
}

/* Sets every option that is reported to a value that is not neutral for any of them, with and
 * without the option that it belongs to. */
static void options_of_the_search_are_told(void **state)
{
    int count = 0;
    copy_file(GOLDEN "dict.en.txt", "dict.en.txt");
    copy_file(GOLDEN "dict.de.txt", "dict.de.txt");
    for (const struct toolkit_option *option = options_fairseq.options; option->names; option++) {
        const char *names = option->names;
        char name[OPTION_NAME], expected[200];
        while (option->use == OPTION_TOLD && options_next_name(&names, name)) {
            const struct search_option options[] = {{name, 7.5}, {option->of, 7.5}};
            snprintf(expected, sizeof expected, "%s 7.5", name);
            expect_told(options, 1, option->of ? "" : expected);
            if (option->of) { // which stands before it in the table
                snprintf(expected, sizeof expected, "%s 7.5, %s 7.5", option->of, name);
                expect_told(options, 2, expected);
            }
            count++;
        }
    }
    assert_true(count > 15);
    unlink(path_of("model.pt"));
    unlink(path_of("dict.en.txt"));
    unlink(path_of("dict.de.txt"));
}

/* The defaults of GenerationConfig of fairseq 0.12.2. */
static void neutral_options_of_the_search_are_not_told(void **state)
{
    static const struct search_option options[] = {{"beam", 5},
                                                   {"unkpen", 0},
                                                   {"temperature", 1},
                                                   {"prefix_size", 0},
                                                   {"diversity_rate", -1},
                                                   {"no_repeat_ngram_size", 0},
                                                   {"sampling_topk", -1},
                                                   {"sampling_topp", -1},
                                                   {"diverse_beam_groups", -1},
                                                   {"lm_weight", 0},
                                                   {"diverse_beam_strength", 0.5}};
    copy_file(GOLDEN "dict.en.txt", "dict.en.txt");
    copy_file(GOLDEN "dict.de.txt", "dict.de.txt");
    expect_told(options, sizeof options / sizeof *options, "");
    unlink(path_of("model.pt"));
    unlink(path_of("dict.en.txt"));
    unlink(path_of("dict.de.txt"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_loading_are_refused_by_their_names),
        cmocka_unit_test(what_is_not_computed_is_refused_by_its_name),
        cmocka_unit_test(options_of_the_search_are_told),
        cmocka_unit_test(neutral_options_of_the_search_are_not_told),
    };
    return cmocka_run_group_tests(tests, open_make_folder, open_remove_folder);
}
