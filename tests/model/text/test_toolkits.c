/* Tokenisers as toolkits keep them: expected pieces and texts from the packages
 * (scripts/golden/make_tokenizer_golden.py). */
#include <jansson.h>

#include "model/text/text.h"
#include "tests/model/text/text_cases.h"
#include "tests/support/test.h"

/* A tokeniser, and the pieces of its file; NULL: none is unknown. */
struct scene {
    struct tokenizer *tokenizer;
    json_t *known;
    int compared;
};

/* {PIECE: …} of a tokenizer.json. */
static json_t *pieces_of(const char *file)
{
    size_t bytes, i;
    char *text = golden_read(file, &bytes);
    json_t *root = json_loadb(text, bytes, 0, NULL), *known = json_object(), *entry;
    json_t *vocab = json_object_get(json_object_get(root, "model"), "vocab");
    if (json_is_object(vocab))
        json_object_update(known, vocab);
    json_array_foreach(vocab, i, entry)
    {
        json_object_set_new(known, json_string_value(json_array_get(entry, 0)), json_true());
    }
    free(text);
    json_decref(root);
    return known;
}

/* Pieces as the table has them: a line each, "<unk>" for unknown ones. */
static char *lines_of(const struct scene *scene, const struct strings *pieces)
{
    size_t size;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);
    for (int i = 0; i < pieces->count; i++) {
        const char *piece = pieces->text[i];
        bool unknown = scene->known && !json_object_get(scene->known, piece);
        fprintf(out, "%s%s", i ? "\n" : "", unknown ? "<unk>" : piece);
    }
    fclose(out);
    return text;
}

static void check_pieces(struct scene *scene, const char *text, const char *expected)
{
    struct strings pieces = {0};
    struct status status;
    if (!tokenizer_split(scene->tokenizer, text, &pieces, &status))
        fail_msg("\"%s\": %s", text, status.message);
    char *is = lines_of(scene, &pieces);
    if (strcmp(is, expected) != 0)
        fail_msg("\"%s\":\n%s\nexpected\n%s", text, is, expected);
    free(is);
    strings_free(&pieces);
    scene->compared++;
}

/* Pieces of a line each as text. */
static void check_text(struct scene *scene, const char *lines, const char *expected)
{
    struct strings pieces = {0};
    struct status status;
    for (const char *line = lines; *line; line += *line != '\0') {
        size_t length = strcspn(line, "\n");
        assert_true(strings_add(&pieces, line, length, &status));
        line += length;
    }
    char *is =
        tokenizer_join(scene->tokenizer, (const char *const *)pieces.text, pieces.count, &status);
    if (!is || strcmp(is, expected) != 0)
        fail_msg("\"%s\": \"%s\", expected \"%s\"", lines, is ? is : status.message, expected);
    free(is);
    strings_free(&pieces);
}

static void check_case(char *fields[CASE_FIELDS], void *context)
{
    check_pieces(context, fields[0], fields[1]);
    check_text(context, fields[1], fields[2]);
}

static void check_file(enum tokenizer_kind kind, const char *file, bool json)
{
    char table[64];
    struct scene scene = {.tokenizer = golden_tokenizer(kind, file),
                          .known = json ? pieces_of(file) : NULL};
    snprintf(table, sizeof table, "%s.tsv", file);
    golden_each(table, 3, check_case, &scene);
    assert_true(scene.compared > 50);
    tokenizer_close(scene.tokenizer);
    json_decref(scene.known);
}

static void bytes_and_merges_equal_the_package(void **state)
{
    check_file(TOKENIZER_BYTE_BPE, "toolkits/merges.txt", false);
}

static void every_tokenizer_json_equals_the_package(void **state)
{
    static const char *const files[] = {
        "toolkits/bytes.json",           "toolkits/plain.json",    "toolkits/precompiled.json",
        "toolkits/words.json",           "toolkits/fallback.json", "toolkits/merges.json",
        "toolkits/merges-fallback.json", "toolkits/ended.json",    "toolkits/prepended.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        check_file(TOKENIZER_JSON, files[i], true);
}

static void check_fastbpe(char *fields[CASE_FIELDS], void *context)
{
    expect_split(context, fields[0], fields[1]);
}

/* A count in a third column changes nothing. */
static void fastbpe_codes_are_read(void **state)
{
    struct tokenizer *tokenizer = golden_tokenizer(TOKENIZER_BPE, "toolkits/fastbpe.codes");
    golden_each("codes.tsv", 3, check_fastbpe, tokenizer);
    tokenizer_close(tokenizer);
}

static void check_joined(char *fields[CASE_FIELDS], void *context)
{
    check_text(context, fields[0], fields[1]);
}

static void joined_pieces_spell_the_packages_text(void **state)
{
    struct scene scene = {.tokenizer = golden_tokenizer(TOKENIZER_JOINER, NULL)};
    golden_each("toolkits/joiner.tsv", 2, check_joined, &scene);
    tokenizer_close(scene.tokenizer);
}

static void words_begin_where_marks_say(void **state)
{
    static const struct {
        enum piece_marks marks;
        const char *piece;
        int class;
    } cases[] = {
        {MARKS_BYTE_BPE, "\u0120lamp", WORD_BEGINS},
        {MARKS_BYTE_BPE, "lamp", 0},
        {MARKS_JOINER, "lamp", WORD_BEGINS},
        {MARKS_JOINER, "\uFFED!", 0},
        {MARKS_JOINER, "(\uFFED", WORD_BEGINS | WORD_JOINS},
        {MARKS_JOINER, "\uFFED-\uFFED", WORD_JOINS},
        {MARKS_JOINER, "\uFFED", WORD_JOINS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (word_class(cases[i].marks, cases[i].piece) != cases[i].class)
            fail_msg("\"%s\": %d, expected %d", cases[i].piece,
                     word_class(cases[i].marks, cases[i].piece), cases[i].class);
    struct tokenizer *bytes = golden_tokenizer(TOKENIZER_JSON, "toolkits/bytes.json");
    struct tokenizer *marked = golden_tokenizer(TOKENIZER_JSON, "toolkits/plain.json");
    assert_int_equal(tokenizer_marks(bytes), MARKS_BYTE_BPE);
    struct tokenizer *ended = golden_tokenizer(TOKENIZER_JSON, "toolkits/ended.json");
    assert_int_equal(tokenizer_marks(marked), MARKS_SENTENCEPIECE);
    assert_int_equal(tokenizer_marks(ended), MARKS_WORD_END);
    tokenizer_close(ended);
    tokenizer_close(bytes);
    tokenizer_close(marked);
}

/* Without merges every character is a piece, and none says where words begin; blanks are pieces,
 * too (tokenizers 0.19: BPE(vocab, []) without a pre-tokenizer). */
static void without_merges_text_is_cut_into_characters(void **state)
{
    static const char model[] = "{\"model\": {\"type\": \"BPE\", \"unk_token\": \"?\", \"vocab\": "
                                "{\"?\": 0, \"a\": 1, \"ü\": 2, \" \": 3}, \"merges\": []}}";
    static const char *const expected[] = {"a", "ü", " ", "b", "a"};
    const struct tokenizer_spec spec = {
        .kind = TOKENIZER_JSON, .model = model, .model_bytes = strlen(model)};
    struct status status = {.message = ""};
    struct strings pieces = {0};
    struct tokenizer *tokenizer = tokenizer_open(&spec, &status);
    assert_non_null(tokenizer);
    assert_true(tokenizer_split(tokenizer, "aü ba", &pieces, &status));
    assert_int_equal(pieces.count, 5);
    for (int i = 0; i < 5; i++)
        assert_string_equal(pieces.text[i], expected[i]);
    assert_int_equal(tokenizer_marks(tokenizer), MARKS_NONE);
    strings_free(&pieces);
    tokenizer_close(tokenizer);
}

/* A tokenizer.json, and a part of the message that refuses it. */
static void what_is_not_known_is_refused_by_its_name(void **state)
{
#define BPE "\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0, \"b\": 1, \"ab\": 2}"
    static const char *const cases[][2] = {
        {"{", "expected JSON"},
        {"[]", "model: missing, expected a tokenizer.json"},
        {"{}", "model: missing, expected a tokenizer.json"},
        {"{\"model\": {\"type\": \"WordPiece\"}}", "model: WordPiece is not supported"},
        {"{\"model\": {\"type\": \"Unigram\", \"vocab\": []}}", "model.unk_id: expected the id"},
        {"{\"model\": {\"type\": \"Unigram\", \"unk_id\": 0, \"vocab\": [[\"a\"]]}}",
         "model.vocab[0]: expected a piece"},
        {"{" BPE "}}", "model.merges: missing"},
        {"{" BPE ", \"merges\": [\"a\"]}}", "model.merges: line 2: \"a\", expected two symbols"},
        {"{" BPE ", \"merges\": [[\"a\"]]}}", "model.merges[0]: expected two pieces"},
        {"{" BPE ", \"merges\": [[\"a\", \"b c\"]]}}", "model.merges[0]: expected two pieces"},
        {"{" BPE ", \"end_of_word_suffix\": \"</w>\", \"merges\": [\"a b\"]}}",
         "model.end_of_word_suffix: \"</w>\" is not supported here, expected WhitespaceSplit"},
        {"{" BPE ", \"end_of_word_suffix\": \"$\", \"merges\": [\"a b\"]}}",
         "model.end_of_word_suffix: \"$\" is not supported, expected </w>"},
        {"{" BPE ", \"continuing_subword_prefix\": \"##\", \"merges\": [\"a b\"]}}",
         "model.continuing_subword_prefix: \"##\" is not supported, expected none"},
        {"{\"normalizer\": {\"type\": \"BertNormalizer\"}, " BPE ", \"merges\": [\"a b\"]}}",
         "normalizer: BertNormalizer is not supported"},
        {"{\"normalizer\": {\"type\": \"Replace\", \"pattern\": {\"Regex\": \"a+\"}}, " BPE
         ", \"merges\": [\"a b\"]}}",
         "Replace: the expression \"a+\" is not supported"},
        {"{\"normalizer\": {\"type\": \"Precompiled\", \"precompiled_charsmap\": \"AAAA\"}, " BPE
         ", \"merges\": [\"a b\"]}}",
         "broken table of normalisation rules"},
        {"{\"normalizer\": {\"type\": \"Precompiled\", \"precompiled_charsmap\": \"!\"}, " BPE
         ", \"merges\": [\"a b\"]}}",
         "expected base64"},
        {"{\"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"}, " BPE ", \"merges\": [\"a b\"]}}",
         "pre_tokenizer: BertPreTokenizer is not supported"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct tokenizer_spec spec = {
            .kind = TOKENIZER_JSON, .model = cases[i][0], .model_bytes = strlen(cases[i][0])};
        struct status status = {.message = ""};
        assert_null(tokenizer_open(&spec, &status));
        if (!strstr(status.message, cases[i][1]))
            fail_msg("%s: \"%s\", expected \"%s\"", cases[i][0], status.message, cases[i][1]);
    }
}

/* Whatever is opened cuts and joins. */
static void damaged_files_do_no_harm(void **state)
{
    static const char *const files[] = {"toolkits/bytes.json",    "toolkits/precompiled.json",
                                        "toolkits/fallback.json", "toolkits/merges.json",
                                        "toolkits/ended.json",    "toolkits/merges.txt"};
    static const char text[] = "The  lamp \u706F\u53F0 \xF0\x9F\x9A\xA2 it's 12";
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        size_t bytes;
        char *whole = golden_read(files[f], &bytes), *copy = malloc(bytes + 1);
        for (uint32_t seed = 1; seed <= 200; seed++) {
            size_t left = bytes;
            struct strings pieces = {0};
            struct status status;
            memcpy(copy, whole, bytes + 1);
            mutate(copy, &left, seed);
            const struct tokenizer_spec spec = {
                .kind = strstr(files[f], ".json") ? TOKENIZER_JSON : TOKENIZER_BYTE_BPE,
                .model = copy,
                .model_bytes = left};
            struct tokenizer *tokenizer = tokenizer_open(&spec, &status);
            if (tokenizer && tokenizer_split(tokenizer, text, &pieces, &status))
                free(tokenizer_join(tokenizer, (const char *const *)pieces.text, pieces.count,
                                    &status));
            strings_free(&pieces);
            tokenizer_close(tokenizer);
        }
        free(whole);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_and_merges_equal_the_package),
        cmocka_unit_test(every_tokenizer_json_equals_the_package),
        cmocka_unit_test(fastbpe_codes_are_read),
        cmocka_unit_test(joined_pieces_spell_the_packages_text),
        cmocka_unit_test(words_begin_where_marks_say),
        cmocka_unit_test(without_merges_text_is_cut_into_characters),
        cmocka_unit_test(what_is_not_known_is_refused_by_its_name),
        cmocka_unit_test(damaged_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
