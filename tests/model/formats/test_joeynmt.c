/* Folders of JoeyNMT: what is read from config.yaml, and what is refused. */
#include <unistd.h>

#include "model/checkpoint/checkpoint.h"
#include "tests/support/test.h"

static const char *golden = "tests/golden/formats/joeynmt-post";
static const char
    *subwords; // a folder with unigram.model, which is copied, too; NULL: there is none
static const char *const files[] = {"config.yaml", "src_vocab.txt", "trg_vocab.txt", "best.ckpt"};
enum { FILES = sizeof files / sizeof *files };

/* The bytes of a file, with a zero after them; the caller frees them. */
static char *read_file(const char *folder, const char *name, size_t *bytes)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    *bytes = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

static void write_file(const char *folder, const char *name, const char *text, size_t bytes)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

/* A copy of the golden folder in which a text of one file, wherever it is, is another. */
static void write_folder(const char *folder, const char *changed, const char *from, const char *to)
{
    for (int i = 0; i < FILES; i++) {
        size_t bytes, left = strlen(from);
        char *text = read_file(golden, files[i], &bytes), *rest = text, *found, *out;
        size_t count;
        FILE *file = open_memstream(&out, &count);
        bool here = strcmp(files[i], changed) == 0;
        assert_true(!here || strstr(text, from));
        while (here && (found = strstr(rest, from))) {
            fprintf(file, "%.*s%s", (int)(found - rest), rest, to);
            rest = found + left;
        }
        fwrite(rest, 1, bytes - (size_t)(rest - text), file);
        fclose(file);
        write_file(folder, files[i], out, count);
        free(out);
        free(text);
    }
}

static void copy_subwords(const char *folder)
{
    size_t bytes;
    char *text = read_file(subwords, "unigram.model", &bytes);
    write_file(folder, "unigram.model", text, bytes);
    free(text);
}

static void remove_folder(const char *folder)
{
    for (int i = 0; i < FILES; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    if (subwords) {
        char path[256];
        snprintf(path, sizeof path, "%s/unigram.model", folder);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

/* The caller has checkpoint_close it; NULL: refused, with this in the message. */
static struct checkpoint *open_changed(const char *changed, const char *from, const char *to,
                                       const char *expected)
{
    struct status status = {0};
    char folder[] = "/tmp/attnscope-joeynmt-XXXXXX";
    assert_non_null(mkdtemp(folder));
    write_folder(folder, changed, from, to);
    if (subwords)
        copy_subwords(folder);
    struct checkpoint *checkpoint = checkpoint_open(folder, &status);
    remove_folder(folder);
    if (!expected && !checkpoint)
        fail_msg("%s as %s: %s", from, to, status.message);
    if (expected && (checkpoint || !strstr(status.message, expected)))
        fail_msg("%s as %s: %s, expected %s", from, to, checkpoint ? "opened" : status.message,
                 expected);
    return checkpoint;
}

static void what_is_not_computed_is_refused_by_its_place(void **state)
{
    static const char *const changes[][3] = {
        {"encoder:\n    type: transformer", "encoder:\n    type: recurrent",
         "config.yaml: model.encoder.type: recurrent"},
        {"encoder:\n    type: transformer", "encoder:\n    dropout_: 1",
         "config.yaml: model.encoder.type: recurrent"}, // the toolkit's default
        {"decoder:\n    type: transformer", "decoder:\n    type: recurrent",
         "config.yaml: model.decoder.type: recurrent"},
        {"activation: gelu", "activation: tanh", "config.yaml: model.encoder.activation: tanh"},
        {"layer_norm: post", "layer_norm: both", "config.yaml: model.encoder.layer_norm: both"},
        {"num_heads: 2", "num_heads: 3", "3 heads, expected a number that divides the width, 8"},
        {"num_heads: 2", "num_heads: 0", "config.yaml: model.encoder.num_heads: 0"},
        {"initializer: xavier_normal", "alpha_: 1\n  encoder_: {}\n  decoder_: {}",
         NULL}, // without the initialiser there is no residual factor
        {"model:", "model_:", "config.yaml: model.encoder: missing"},
        {"  src:\n", "  src:\n    has_prompt: true\n", "config.yaml: data.src.has_prompt: true"},
        {"  trg:\n", "  trg:\n    has_prompt: yes\n", "config.yaml: data.trg.has_prompt: true"},
        {"  trg:\n", "  trg:\n    has_prompt: no\n", NULL},
        {"name: joeynmt-post", "name: [", "config.yaml: line "},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        checkpoint_close(open_changed("config.yaml", changes[i][0], changes[i][1], changes[i][2]));
}

/* Lengths count end-of-sentence; without a maximum length they are one and a half of the
 * source's. */
static void search_is_that_of_the_configuration(void **state)
{
    struct checkpoint *checkpoint =
        open_changed("config.yaml", "beam_size: 1", "beam_size: 7", NULL);
    assert_int_equal(checkpoint->config->search.beam, 7);
    assert_int_equal(checkpoint->config->search.plus, 15);
    assert_true(checkpoint->config->search.factor == 0);
    assert_int_equal(checkpoint->config->search.penalty, PENALTY_NONE);
    checkpoint_close(checkpoint);
    checkpoint =
        open_changed("config.yaml", "max_output_length: 15", "max_output_length: -1", NULL);
    assert_int_equal(checkpoint->config->search.plus, 0);
    assert_true(checkpoint->config->search.factor == 1.5);
    checkpoint_close(checkpoint);
    checkpoint = open_changed("config.yaml", "beam_alpha: -1", "beam_alpha: 1.5", NULL);
    assert_int_equal(checkpoint->config->search.penalty, PENALTY_WU);
    assert_true(checkpoint->config->search.alpha == 1.5);
    assert_int_equal(checkpoint->config->search.endings, ENDINGS_NARROW);
    checkpoint_close(checkpoint);
}

/* joeynmt/search.py: end-of-sentence is excluded while `step < min_output_length`, which defaults
 * to 1; version 1, in which data.src is the name of a language, does not have it. */
static void translations_have_the_least_length_of_the_configuration(void **state)
{
    static const struct {
        const char *from, *to;
        int least;
    } cases[] = {{"beam_size: 1", "beam_size: 5", 1},
                 {"testing:\n", "testing:\n  min_output_length: 3\n", 3},
                 {"testing:\n", "testing:\n  min_output_length: 0\n", 0},
                 {"  src:\n    lang: en\n", "  src: en\n  source:\n    lang: en\n", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct checkpoint *checkpoint =
            open_changed("config.yaml", cases[i].from, cases[i].to, NULL);
        assert_int_equal(checkpoint->config->search.min_length, cases[i].least);
        checkpoint_close(checkpoint);
    }
}

/* <s>, separators, language tags, and <unk> if it is not allowed. Special pieces come first, each
 * only once. */
static void pieces_that_translations_never_have_are_excluded(void **state)
{
    static const char special[] = "data:\n"
                                  "  special_symbols: {lang_tags: [\xE2\x96\x81w3, "
                                  "\xE2\x96\x81w4], sep_token: \xE2\x96\x81w5}";
    struct checkpoint *checkpoint = open_changed("config.yaml", "data:", special, NULL);
    const struct id_list *excluded = &checkpoint->config->excluded;
    const int expected[] = {2, 4, 5, 6}; // no padding, which the greedy search may produce
    assert_int_equal(excluded->count, 4);
    assert_memory_equal(excluded->ids, expected, sizeof expected);
    assert_string_equal(vocabulary_piece(checkpoint->vocabulary[SIDE_TARGET], 4), "\xE2\x96\x81w5");
    assert_string_equal(vocabulary_piece(checkpoint->vocabulary[SIDE_TARGET], 5), "\xE2\x96\x81w3");
    assert_string_equal(vocabulary_piece(checkpoint->vocabulary[SIDE_TARGET], 7), "\xE2\x96\x81w0");
    checkpoint_close(checkpoint);
    checkpoint = open_changed("config.yaml", "testing:", "testing:\n  generate_unk: no", NULL);
    assert_int_equal(checkpoint->config->excluded.count, 2);
    assert_int_equal(checkpoint->config->excluded.ids[1], 0);
    checkpoint_close(checkpoint);
}

/* The line of piece 11, and the piece, where data.src is a name. */
static void check_version_1(const char *line, const char *piece)
{
    const char *before = golden;
    char folder[] = "/tmp/attnscope-joeynmt-XXXXXX", ended[32];
    assert_non_null(mkdtemp(folder));
    write_folder(folder, "config.yaml", "  src:\n    lang: en\n",
                 "  src: en\n  source:\n    lang: en\n");
    golden = folder;
    snprintf(ended, sizeof ended, "%s\n", line);
    struct checkpoint *checkpoint = open_changed("src_vocab.txt", "\xE2\x96\x81w7\n", ended, NULL);
    assert_string_equal(vocabulary_piece(checkpoint->vocabulary[SIDE_SOURCE], 11), piece);
    checkpoint_close(checkpoint);
    golden = before;
    remove_folder(folder);
}

/* Python's lines end at a next line, too; an empty one is a piece, which is shown by its number.
 * Version 1 reads the lines of a text file. */
static void lines_of_vocabularies_are_those_of_python(void **state)
{
    struct checkpoint *checkpoint =
        open_changed("src_vocab.txt", "\xE2\x96\x81w7\n\xE2\x96\x81w8\n",
                     "\xE2\x96\x81w7\xC2\x85\n\xE2\x96\x81w7\r\n", NULL);
    const struct vocabulary *vocabulary = checkpoint->vocabulary[SIDE_SOURCE];
    assert_string_equal(vocabulary_piece(vocabulary, 11), "\xE2\x96\x81w7");
    assert_string_equal(vocabulary_piece(vocabulary, 12), "<id 12>");
    assert_string_equal(vocabulary_piece(vocabulary, 13), "\xE2\x96\x81w9");
    checkpoint_close(checkpoint);
    assert_null(open_changed("trg_vocab.txt", "\xE2\x96\x81w7\n", "",
                             "expected vocabularies of one size (source 28, target 27)"));
    check_version_1("\xE2\x96\x81w7\xC2\x85", "\xE2\x96\x81w7\xC2\x85");
    check_version_1("\xE2\x96\x81w7\r", "\xE2\x96\x81w7");
}

/* The default of the encoder changed in version 2.3, which the checkpoint does not show. */
static void norms_that_are_not_configured_are_the_version_s(void **state)
{
    static const struct {
        const char *version;
        bool pre_norm; // of the encoder
    } versions[] = {{"2.3.0", true}, {"2.3", true},      {"2.0.0", false},
                    {"2.2", false},  {"\"2.1\"", false}, {"3.0.0", true}};
    const char *before = golden;
    golden = "tests/golden/formats/joeynmt-defaults";
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        char to[64];
        snprintf(to, sizeof to, "joeynmt_version: %s", versions[i].version);
        struct checkpoint *checkpoint =
            open_changed("config.yaml", "joeynmt_version: 2.3.0", to, NULL);
        if (checkpoint->config->stacks[STACK_ENCODER].pre_norm != versions[i].pre_norm)
            fail_msg("%s: not expected", versions[i].version);
        assert_false(checkpoint->config->stacks[STACK_DECODER].pre_norm);
        checkpoint_close(checkpoint);
    }
    golden = before;
}

/* Only the name of a path counts, as the path is one of the machine of the training. */
static void subword_models_are_files_of_the_folder(void **state)
{
    struct checkpoint *checkpoint =
        open_changed("config.yaml", "level: bpe",
                     "level: bpe\n    tokenizer_cfg: {model_file: /data/absent.model}", NULL);
    assert_true(checkpoint_in_pieces(checkpoint, SIDE_SOURCE));
    checkpoint_close(checkpoint);
    assert_null(open_changed("config.yaml", "level: bpe",
                             "level: bpe\n    tokenizer_cfg: {model_file: /data/config.yaml}",
                             "expected a SentencePiece model"));
}

/* The toolkit's normalisation of text before it is cut is not implemented: typed text would be cut
 * differently. */
static void normalised_text_is_not_cut(void **state)
{
    static const char model[] = "level: bpe\n    tokenizer_cfg: {model_file: /data/unigram.model}";
    char normalised[200];
    subwords = "tests/golden/text";
    struct checkpoint *checkpoint = open_changed("config.yaml", "level: bpe", model, NULL);
    assert_false(checkpoint_in_pieces(checkpoint, SIDE_SOURCE));
    checkpoint_close(checkpoint);
    snprintf(normalised, sizeof normalised, "%s\n    normalize: True", model);
    checkpoint = open_changed("config.yaml", "level: bpe", normalised, NULL);
    assert_true(checkpoint_in_pieces(checkpoint, SIDE_SOURCE));
    assert_true(checkpoint_in_pieces(checkpoint, SIDE_TARGET));
    checkpoint_close(checkpoint);
    subwords = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_computed_is_refused_by_its_place),
        cmocka_unit_test(search_is_that_of_the_configuration),
        cmocka_unit_test(translations_have_the_least_length_of_the_configuration),
        cmocka_unit_test(pieces_that_translations_never_have_are_excluded),
        cmocka_unit_test(lines_of_vocabularies_are_those_of_python),
        cmocka_unit_test(norms_that_are_not_configured_are_the_version_s),
        cmocka_unit_test(subword_models_are_files_of_the_folder),
        cmocka_unit_test(normalised_text_is_not_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
