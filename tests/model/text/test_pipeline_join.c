/* Pieces of bytes that are no text: as Python's bytes.decode("utf-8", "replace") has them. */
#include "model/text/byte_level.h"
#include "model/text/pipeline.h"
#include "tests/support/test.h"

static const struct {
    const char *bytes, *text; // text: what Python 3.11 gives
} cases[] = {
    {"caf\xC3\xA9", "caf\u00E9"},
    {"\xC3", "\uFFFD"},
    {"\x81z", "\uFFFDz"},
    {"\xC1\x81", "\uFFFD\uFFFD"}, // no character begins with C1
    {"\xC2\x41", "\uFFFDA"},
    {"\xE0\x80\x80", "\uFFFD\uFFFD\uFFFD"},
    {"\xE0\xA0z", "\uFFFDz"},
    {"\xE2\x82", "\uFFFD"},
    {"\xE2\x82\xE2\x82\xAC", "\uFFFD\u20AC"},
    {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"}, // a surrogate
    {"\xED\x9F", "\uFFFD"},
    {"\xF0\x8F\x80", "\uFFFD\uFFFD\uFFFD"},
    {"\xF0\x9F\x98", "\uFFFD"},
    {"\xF0\x9F\x98z", "\uFFFDz"},
    {"\xF4\x8F\xBF", "\uFFFD"},
    {"\xF4\x90\x80", "\uFFFD\uFFFD\uFFFD"}, // beyond U+10FFFF
    {"\xF5\x80", "\uFFFD\uFFFD"},
};

static void broken_characters_are_replaced_once_each(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status;
        struct text_buffer spelt = {0};
        assert_true(byte_level_encode(cases[i].bytes, strlen(cases[i].bytes), &spelt, &status));
        const char *pieces[] = {spelt.data};
        char *text = pipeline_join_marks(true, pieces, 1, &status);
        assert_non_null(text);
        if (strcmp(text, cases[i].text) != 0)
            fail_msg("case %zu: \"%s\", expected \"%s\"", i, text, cases[i].text);
        free(text);
        free(spelt.data);
    }
}

/* A vocabulary spells a piece of line breaks so, as it has a piece a line. What is only like the
 * spelling of a byte is text. */
static void a_piece_may_be_several_bytes(void **state)
{
    static const char *const pieces[] = {"a",      "<0x0A><0x0A>", "b<0x0A>", "<0x41><0x4>",
                                         "<0x41]", "<0x4>a",       "<0x041"};
    struct status status;
    char *text = pipeline_join_marks(false, pieces, 7, &status);
    assert_non_null(text);
    assert_string_equal(text, "a\n\nb<0x0A><0x41><0x4><0x41]<0x4>a<0x041");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_characters_are_replaced_once_each),
        cmocka_unit_test(a_piece_may_be_several_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
