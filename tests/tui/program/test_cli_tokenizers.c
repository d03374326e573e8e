/* Tokenisers of a model's folder, and such as are brought by --source-tokenizer and
 * --target-tokenizer. */
#include <sys/stat.h>
#include <unistd.h>

#include "model/formats/safetensors.h"
#include "tests/support/cli_support.h"
#include "tests/support/test.h"

#define TEXTS "tests/golden/text/"
#define IN_PIECES "tests/golden/formats/ct2-marian"
#define SAMPLE "samples/en-de.bin"
#define BLANK "\"\\u2581" // of a piece, as JSON in ASCII has it

static struct outcome expect(const char *const *arguments, int code)
{
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != code)
        fail_msg("%d, expected %d: %s%s", outcome.code, code, outcome.out, outcome.err);
    return outcome;
}

static void check_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" has no \"%s\"", text, part);
}

static void a_model_without_a_tokeniser_says_so(void **state)
{
    static const char notice[] = "ct2-marian: no tokeniser: separate pieces by spaces, or give "
                                 "--source-tokenizer FILE and --target-tokenizer FILE";
    struct outcome outcome =
        expect((const char *const[]){CPU, "--json", IN_PIECES, "-e", ":info", NULL}, 0);
    check_has(outcome.err, notice);
    outcome_free(&outcome);
    outcome = expect((const char *const[]){CPU, "--quiet", IN_PIECES, "-e", ":info", NULL}, 0);
    check_has(outcome.err, notice);
    check_has(outcome.out, "ct2-marian: no tokeniser");
    outcome_free(&outcome);
    outcome = expect((const char *const[]){CPU, "--source-tokenizer", TEXTS "codes", IN_PIECES,
                                           "-e", ":info", NULL},
                     0);
    check_has(outcome.err, "ct2-marian: no tokeniser of the target: ");
    check_has(outcome.out, "; bpe, whitespace\n");
    outcome_free(&outcome);
}

/* The tokens of a sentence's source, as JSON has them. */
static void check_tokens(const char *file, const char *sentence, const char *tokens)
{
    struct outcome outcome = expect((const char *const[]){CPU, "--json", "--source-tokenizer", file,
                                                          IN_PIECES, "-e", sentence, NULL},
                                    0);
    check_has(outcome.out, tokens);
    outcome_free(&outcome);
}

static void files_are_recognised_by_what_is_in_them(void **state)
{
    check_tokens(TEXTS "codes", "The lamp", "\"tokens\":[\"The\",\"lam@@\",\"p\",\"</s>\"]");
    check_tokens(TEXTS "toolkits/fastbpe.codes", "The lamp",
                 "\"tokens\":[\"The\",\"lam@@\",\"p\",\"</s>\"]");
    check_tokens(TEXTS "unigram.model", "The lamp",
                 "\"tokens\":[\"▁T\",\"he\",\"▁lamp\",\"</s>\"]");
    check_tokens(TEXTS "toolkits/plain.json", "The lamp",
                 "\"tokens\":[\"▁T\",\"he\",\"▁lamp\",\"</s>\"]");
    check_tokens(TEXTS "toolkits/merges.txt", "the ä",
                 "\"tokens\":[\"th\",\"e\",\"Ġ\",\"Ã¤\",\"</s>\"]");
}

static void what_is_no_tokeniser_is_refused(void **state)
{
    struct outcome outcome =
        expect((const char *const[]){CPU, "--target-tokenizer", TEXTS "moses.tsv", SAMPLE, "-e",
                                     "x", NULL},
               1);
    check_has(outcome.err, SAMPLE ": tests/golden/text/moses.tsv: line 1: ");
    outcome_free(&outcome);
    outcome = expect((const char *const[]){CPU, "--source-tokenizer", "nosuch", SAMPLE, NULL}, 1);
    check_has(outcome.err,
              "nosuch: cannot be opened: No such file or directory, expected a file\n");
    outcome_free(&outcome);
    outcome = expect((const char *const[]){CPU, "nosuch", NULL}, 1);
    check_has(outcome.err,
              "nosuch: cannot be opened: No such file or directory, expected a model's "
              "file or folder, or a name that attnscope without arguments lists\n");
    outcome_free(&outcome);
    outcome = expect((const char *const[]){CPU, "--source-tokenizer", "", SAMPLE, NULL}, 2);
    check_has(outcome.err, "--source-tokenizer is empty: expected a file");
    outcome_free(&outcome);
}

/* A figure made with one asks for it again; a converted model has it. */
static void figures_and_conversions_keep_it(void **state)
{
    char *figure = strdup(cli_path("brought.json")), *model = strdup(cli_path("brought.bin"));
    char command[200];
    snprintf(command, sizeof command, ":export %s attn cross", figure);
#define BROUGHT CPU, "--source-tokenizer", TEXTS "codes", "--target-tokenizer", TEXTS "bpe.model"
    struct outcome outcome =
        expect((const char *const[]){BROUGHT, IN_PIECES, "-e", "the lamp", "-e", command, NULL}, 0);
    assert_int_equal(cli_count_messages(outcome.err), 0);
    outcome_free(&outcome);
    outcome = expect((const char *const[]){BROUGHT, "--replay", figure, IN_PIECES, NULL}, 0);
    check_has(outcome.out, "the same, byte for byte");
    outcome_free(&outcome);
    outcome = expect((const char *const[]){CPU, "--replay", figure, IN_PIECES, NULL}, 1);
    check_has(outcome.err, "was made from ct2-marian with SHA-256");
    outcome_free(&outcome);
    outcome = expect((const char *const[]){BROUGHT, "--convert", model, IN_PIECES, NULL}, 0);
    outcome_free(&outcome);
    outcome = expect(
        (const char *const[]){CPU, "--json", model, "-e", "the lamp", "-e", ":info", NULL}, 0);
    check_has(outcome.out, "\"tokens\":[\"the\",\"lam@@\",\"p\",\"</s>\"]");
    check_has(outcome.out, "\"kind\":{\"source\":\"bpe\",\"target\":\"sentencepiece\"}");
    outcome_free(&outcome);
    free(figure);
    free(model);
}

/* A folder with the files of hf-nllb and one more. */
static const char *folder_with(const char *name, const char *text)
{
    static const char *const files[] = {"config.json", "generation_config.json",
                                        "model.safetensors", "tokenizer_config.json", "vocab.json"};
    static char folder[400];
    char path[500];
    snprintf(folder, sizeof folder, "%s/with-%s", cli_folder(), name);
    assert_int_equal(mkdir(folder, 0700), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char target[500], *from;
        snprintf(path, sizeof path, "tests/golden/formats/hf-nllb/%s", files[i]);
        snprintf(target, sizeof target, "%s/%s", folder, files[i]);
        assert_non_null(from = realpath(path, NULL));
        assert_int_equal(symlink(from, target), 0);
        free(from);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
    return folder;
}

static void a_folder_of_hugging_face_has_its_own(void **state)
{
    static const char unigram[] =
        "{\"pre_tokenizer\": {\"type\": \"Metaspace\", \"replacement\": \"▁\"}, \"model\": "
        "{\"type\": \"Unigram\", \"unk_id\": 0, \"vocab\": [[\"<unk>\", 0], [\"▁w1\", -1], "
        "[\"▁w\", -2], [\"2\", -3]]}}";
    struct outcome outcome =
        expect((const char *const[]){CPU, "--json", folder_with("tokenizer.json", unigram), "-e",
                                     "w1 w2", NULL},
               0);
    assert_string_equal(outcome.err, "");
    check_has(outcome.out, "\"tokens\":[\"deu_Latn\",\"▁w1\",\"▁w\",\"2\",\"</s>\"]");
    outcome_free(&outcome);
    outcome = expect((const char *const[]){CPU, "--json",
                                           folder_with("merges.txt", "#version: 0.2\nĠ w\n"), "-e",
                                           "w1 w2", NULL},
                     0);
    check_has(outcome.out, "\"tokens\":[\"deu_Latn\",\"w\",\"1\",\"Ġw\",\"2\",\"</s>\"]");
    outcome_free(&outcome);
}

/* What is not known of it does not keep the model from opening. */
static void a_tokenizer_that_is_not_known_is_named(void **state)
{
    char folder[400];
    snprintf(folder, sizeof folder, "%s/with-tokenizer.json", cli_folder());
    cli_remove(folder);
    struct outcome outcome = expect(
        (const char *const[]){
            CPU, folder_with("tokenizer.json", "{\"model\": {\"type\": \"WordLevel\"}}"), "-e",
            "▁w1", NULL},
        0);
    check_has(outcome.err, "no tokeniser (tokenizer.json: model: WordLevel is not supported, "
                           "expected Unigram or BPE): separate pieces by spaces");
    outcome_free(&outcome);
}

/* The folder of a model of CTranslate2 whose pieces "▁w…" are "BEFOREw…AFTER". */
static const char *marked_folder(const char *name, const char *before, const char *after)
{
    static const char *const files[] = {"config.json", "model.bin"};
    static char folder[400];
    char path[500];
    snprintf(folder, sizeof folder, "%s/%s", cli_folder(), name);
    assert_int_equal(mkdir(folder, 0700), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", IN_PIECES, files[i]);
        char *from = realpath(path, NULL);
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        assert_non_null(from);
        assert_int_equal(symlink(from, path), 0);
        free(from);
    }
    char *pieces = cli_read(IN_PIECES "/shared_vocabulary.json", NULL), *at = pieces;
    snprintf(path, sizeof path, "%s/shared_vocabulary.json", folder);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    for (char *mark; (mark = strstr(at, BLANK)); at = strchr(mark + 1, '"')) {
        fprintf(out, "%.*s\"%s", (int)(mark - at), at, before);
        mark += strlen(BLANK);
        fprintf(out, "%.*s%s", (int)strcspn(mark, "\""), mark, after);
    }
    fputs(at, out);
    assert_int_equal(fclose(out), 0);
    free(pieces);
    return folder;
}

/* The pieces that are typed, the words that a view has of them, and the beginning of the
 * translation. */
static void check_words(const char *folder, const char *typed, const char *words,
                        const char *translation)
{
    struct outcome outcome = expect((const char *const[]){CPU, "--json", folder, "-e", typed, "-e",
                                                          ":attn enc layer 1 head 1 word", NULL},
                                    0);
    check_has(outcome.out, words);
    check_has(outcome.out, translation);
    outcome_free(&outcome);
}

static void words_of_pieces_begin_where_the_vocabulary_says(void **state)
{
    check_words(IN_PIECES, "\u2581w1 \u2581w2 w", "\"columns\":[\"w1\",\"w2w\",\"</s>\"]",
                "\"text\":\"\u2581w");
    check_words(marked_folder("joiner", "\uFFED", ""), "w1 \uFFEDw2 w3 \uFFEDw4",
                "\"columns\":[\"w1w2\",\"w3w4\",\"</s>\"]", "\"text\":\"w");
    check_words(marked_folder("bpe", "", "@@"), "w1@@ w w2@@ w",
                "\"columns\":[\"w1w\",\"w2w\",\"</s>\"]", "@@ w");
    check_words(marked_folder("bytes", "\u0120", ""), "\u0120w1 \u0120w2 w",
                "\"columns\":[\"w1\",\"w2w\",\"</s>\"]", "\"text\":\"\u0120w");
    check_words(marked_folder("none", "", ""), "w1 w2", "\"columns\":[\"w1\",\"w2\",\"</s>\"]",
                "\"text\":\"w");
}

/* The tokeniser that both sides of a model share, as a file. */
static char *take_shared(void)
{
    struct status status;
    struct safetensors *file = safetensors_open(SAMPLE, &status);
    assert_non_null(file);
    const struct stored_tensor *tensor = safetensors_find(file, "tokenizer.shared");
    assert_non_null(tensor);
    char *path = strdup(cli_path("shared.spm"));
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(tensor->data, 1, tensor->bytes, out), tensor->bytes);
    assert_int_equal(fclose(out), 0);
    safetensors_close(file);
    return path;
}

/* The other side keeps the one that both had: given the same once more, nothing is other. */
static void one_side_of_a_shared_tokeniser_is_replaced(void **state)
{
    static const char *const options[] = {"--source-tokenizer", "--target-tokenizer"};
    char *path = take_shared();
    struct outcome whole =
        expect((const char *const[]){CPU, SAMPLE, "-e", "The dogs are sleeping.", NULL}, 0);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct outcome outcome = expect((const char *const[]){CPU, options[i], path, SAMPLE, "-e",
                                                              "The dogs are sleeping.", NULL},
                                        0);
        assert_string_equal(outcome.out, whole.out);
        outcome_free(&outcome);
    }
    outcome_free(&whole);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_without_a_tokeniser_says_so),
        cmocka_unit_test(files_are_recognised_by_what_is_in_them),
        cmocka_unit_test(what_is_no_tokeniser_is_refused),
        cmocka_unit_test(figures_and_conversions_keep_it),
        cmocka_unit_test(a_folder_of_hugging_face_has_its_own),
        cmocka_unit_test(one_side_of_a_shared_tokeniser_is_replaced),
        cmocka_unit_test(a_tokenizer_that_is_not_known_is_named),
        cmocka_unit_test(words_of_pieces_begin_where_the_vocabulary_says),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
