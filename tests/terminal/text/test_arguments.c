/* Lines of several texts: where their parts end, and how they are quoted. */
#include "terminal/text/arguments.h"
#include "tests/support/test.h"

static void bars_of_a_quoted_part_are_its_own(void **state)
{
    static const struct {
        const char *text, *rest; // from the bar on; NULL: there is none
    } cases[] = {
        {"a", NULL},
        {"a ||| b", "||| b"},
        {"a|||b ||| c", "|||b ||| c"},
        {"\"a ||| b\" ||| c", "||| c"},
        {" 'a ||| b' ||| c", "||| c"},
        {"\"a ||| b\"||| c", "||| c"},
        {"\"a ||| b\"", NULL},
        {"\"a \\\" ||| b\" ||| c", "||| c"},
        {"\"Hi,\" he said. ||| c", "||| c"},            // not all of the part is quoted
        {"\"Hi, he said ||| \"Ja\" c", "||| \"Ja\" c"}, // nor here
        {"it's ||| c's", "||| c's"},
        {"'a ||| b", "||| b"},
        {"\"\" ||| b", "||| b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *bar = arguments_bar(cases[i].text);
        if ((bar == NULL) != (cases[i].rest == NULL) || (bar && strcmp(bar, cases[i].rest) != 0))
            fail_msg("%s: %s", cases[i].text, bar ? bar : "no bar");
    }
}

static void a_quoted_text_reads_as_it_was(void **state)
{
    static const char *const texts[] = {
        "a",      "a ||| b",          "|||", "\"a\"", "'a'", "", " a ", "it's", "\"a\" ||| \\ b\"",
        "a \\ b", "\"Hi,\" he said.", "\\"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct status status;
        char *line = NULL;
        size_t size;
        FILE *stream = open_memstream(&line, &size);
        arguments_quote_text(stream, texts[i]);
        fputs(" ||| c", stream);
        fclose(stream);
        const char *bar = arguments_bar(line);
        assert_non_null(bar);
        assert_string_equal(bar, "||| c");
        char *text = arguments_text(line, (size_t)(bar - line), &status);
        assert_string_equal(text, texts[i]);
        free(text);
        free(line);
    }
}

static void words_are_passed_as_they_are_split(void **state)
{
    assert_string_equal(arguments_after(" f.png  patch it's ||| b ", 1), "patch it's ||| b ");
    assert_string_equal(arguments_after("'a b'\\ c d", 1), "d");
    assert_string_equal(arguments_after("\"a \\\" b\" d e", 2), "e");
    assert_string_equal(arguments_after("a", 1), "");
    assert_string_equal(arguments_after("a b", 0), "a b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_of_a_quoted_part_are_its_own),
        cmocka_unit_test(a_quoted_text_reads_as_it_was),
        cmocka_unit_test(words_are_passed_as_they_are_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
