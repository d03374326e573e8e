/* SentencePiece models that mean harm: an error or a working tokeniser, never a crash. Run it under
 * the sanitisers. */
#include "model/text/buffer.h"
#include "model/text/text.h"
#include "tests/model/text/text_cases.h"
#include "tests/support/test.h"

/* A model either opens and then splits and joins, or gives an error: no crash, nothing read
 * outside. */
static void try_model(const char *data, size_t bytes)
{
    struct status status = {0};
    struct tokenizer_spec spec = {
        .kind = TOKENIZER_SENTENCEPIECE, .model = data, .model_bytes = bytes};
    struct tokenizer *tokenizer = tokenizer_open(&spec, &status);
    if (!tokenizer) {
        assert_int_equal(status.code, STATUS_INVALID);
        assert_true(strlen(status.message) > 0);
        return;
    }
    struct strings pieces = {0};
    static const char text[] = "The lamp's \u706F\u53F0 \uFB01ve \u00BD u\u0308 \U0001F6A2  end.";
    if (tokenizer_split(tokenizer, text, &pieces, &status))
        free(tokenizer_join(tokenizer, (const char *const *)pieces.text, pieces.count, &status));
    strings_free(&pieces);
    tokenizer_close(tokenizer);
}

static void hostile_models_are_errors(void **state)
{
    static const char *const models[] = {"unigram.model", "bpe.model", "bytes.model", "char.model",
                                         "rules.model"};
    for (size_t model = 0; model < sizeof models / sizeof *models; model++) {
        size_t size;
        char *data = golden_read(models[model], &size);
        for (uint32_t seed = 0; seed < 200; seed++) {
            size_t bytes = size;
            char *copy = malloc(size);
            memcpy(copy, data, size);
            mutate(copy, &bytes, seed);
            copy = realloc(copy, bytes + 1); // so that the sanitiser sees reads beyond the end
            try_model(copy, bytes);
            free(copy);
        }
        free(data);
    }
    try_model("", 0);
    try_model("\n", 1);
    try_model("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 11);
}

/* Appends a length-delimited field of the Protocol Buffers format. */
static void field_add(struct text_buffer *message, int number, const char *data, size_t bytes)
{
    struct status status;
    char head[3] = {(char)(number << 3 | 2), (char)(bytes | 0x80), (char)(bytes >> 7)};
    assert_true(bytes < 1 << 14);
    assert_true(buffer_add(message, head, sizeof head, &status));
    assert_true(buffer_add(message, data, bytes, &status));
}

enum piece_type { NORMAL = 1, UNKNOWN = 2, USER_DEFINED = 4 };

static void piece_add(struct text_buffer *model, const char *text, size_t bytes,
                      enum piece_type type)
{
    struct text_buffer piece = {0};
    struct status status;
    char field[2] = {3 << 3, (char)type};
    field_add(&piece, 1, text, bytes);
    assert_true(buffer_add(&piece, field, sizeof field, &status));
    field_add(model, 1, piece.data, piece.count);
    free(piece.data);
}

/* Frees the model. */
static void expect_refused(struct text_buffer *model, const char *expected)
{
    struct status status = {0};
    struct tokenizer_spec spec = {
        .kind = TOKENIZER_SENTENCEPIECE, .model = model->data, .model_bytes = model->count};
    assert_null(tokenizer_open(&spec, &status));
    assert_string_equal(status.message, expected);
    free(model->data);
}

static void pieces_that_the_library_cannot_hold_are_errors(void **state)
{
    static const struct {
        const char *piece;
        size_t bytes;
    } cases[] = {{"a\0b", 3}, {"a\xE2\x96", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_buffer model = {0};
        piece_add(&model, "<unk>", 5, UNKNOWN);
        piece_add(&model, cases[i].piece, cases[i].bytes, NORMAL);
        expect_refused(&model, "piece 1 of the SentencePiece model: expected UTF-8 without NUL");
    }
    static char text[5000];
    struct text_buffer model = {0};
    memset(text, 'a', sizeof text);
    piece_add(&model, text, sizeof text, NORMAL);
    expect_refused(&model, "piece 0 of the SentencePiece model: 5000 bytes, expected at most 4096");
}

static void user_defined_pieces_that_nest_too_deep_are_an_error(void **state)
{
    struct text_buffer model = {0};
    char text[70];
    memset(text, 'a', sizeof text);
    piece_add(&model, "<unk>", 5, UNKNOWN);
    for (size_t bytes = 1; bytes <= sizeof text; bytes++)
        piece_add(&model, text, bytes, USER_DEFINED);
    expect_refused(&model, "user-defined pieces of the SentencePiece model: 65 begin alike, "
                           "expected at most 64");
}

/* A double array of 512 units, one rule "aaa…" that never ends, and the string "x". */
static void normalisation_rules_in_a_circle_are_an_error(void **state)
{
    enum { UNITS = 512, ROOT = 256 };
    static const struct {
        uint32_t child; // where 'a' leads
        uint32_t leaf;
    } cases[] = {{ROOT, 0}, {ROOT, 1}, {UNITS, 0}, {0x3FFF00, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_buffer model = {0}, rules = {0};
        struct status status;
        uint32_t units[1 + UNITS] = {4 * UNITS, ROOT << 10};
        uint32_t offset = (ROOT ^ 'a') ^ cases[i].child;
        units[1 + (ROOT ^ 'a')] = offset << 10 | cases[i].leaf << 8 | 'a';
        assert_true(buffer_add(&rules, (const char *)units, sizeof units, &status));
        assert_true(buffer_add(&rules, "x", 2, &status));
        struct text_buffer normalizer = {0};
        field_add(&normalizer, 2, rules.data, rules.count);
        piece_add(&model, "<unk>", 5, UNKNOWN);
        piece_add(&model, "a", 1, NORMAL);
        field_add(&model, 3, normalizer.data, normalizer.count);
        free(rules.data);
        free(normalizer.data);
        expect_refused(&model, "SentencePiece model: broken table of normalisation rules "
                               "(precompiled_charsmap)");
    }
}

/* Every 32-bit word of the normalisation rules' table turned into something extreme. */
static void hostile_normalisation_rules_are_errors(void **state)
{
    static const uint32_t words[] = {0, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x3FF, 0xFFFFFD00};
    size_t size;
    char *data = golden_read("rules.model", &size);
    const char *strings = memmem(data, size, "(astronaut)", strlen("(astronaut)"));
    assert_non_null(strings);
    for (size_t at = (size_t)(strings - data) % 4; at + 4 <= (size_t)(strings - data); at += 36)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            uint32_t kept;
            memcpy(&kept, data + at, 4);
            memcpy(data + at, &words[i], 4);
            try_model(data, size);
            memcpy(data + at, &kept, 4);
        }
    try_model(data, size);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_models_are_errors),
        cmocka_unit_test(pieces_that_the_library_cannot_hold_are_errors),
        cmocka_unit_test(user_defined_pieces_that_nest_too_deep_are_an_error),
        cmocka_unit_test(normalisation_rules_in_a_circle_are_an_error),
        cmocka_unit_test(hostile_normalisation_rules_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
