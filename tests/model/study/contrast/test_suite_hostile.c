/* Files that are no contrastive suite: one line says what was wrong and where. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/study/contrast/contrast_groups.h"
#include "model/study/contrast/suite_files.h"
#include "tests/model/study/contrast/suite_texts.h"
#include "tests/support/cli_support.h"
#include "tests/support/test.h"

static void refuse(const char *const *paths, int count, const char *says)
{
    struct strings pieces = {0};
    struct suite suite;
    struct status status;
    for (int i = 0; i < count; i++)
        assert_true(strings_add(&pieces, paths[i], strlen(paths[i]), &status));
    if (suite_read(&pieces, NULL, &suite, &status))
        fail_msg("accepted, expected \"%s\"", says);
    if (!strstr(status.message, says) || strpbrk(status.message, "\n\r\033"))
        fail_msg("\"%s\" does not say \"%s\"", status.message, says);
    assert_int_equal(suite.count, 0);
    strings_free(&pieces);
}

static void suites_of_documents_are_refused_with_their_place(void **state)
{
    static const char *const cases[][2] = {
        {"{\"a\": {}}", "\"a\": expected a list of items, or an object"},
        {"{\"1\": 3}", "\"1\" is a number, expected an object"},
        {"{\"7\": {\"src\": [\"a\"]}}", "item 7: \"trg\" is missing"},
        {"{\"7\": {\"src\": [], \"trg\": []}}",
         "item 7: \"src\" is a list, expected a list of sentences"},
        {"{\"7\": {\"src\": [\"a\"], \"trg\": [3]}}",
         "item 7: \"trg\" is a number, expected a list of objects"},
        {"{\"7\": {\"src\": [\"a\"], \"trg\": [{\"correct\": [\"b\"]}]}}",
         "item 7: \"incorrect\" is missing"},
        {"{\"7\": {\"src\": [\"a\"], \"trg\": [{\"correct\": [\"\"], \"incorrect\": [\"b\"]}]}}",
         "item 7: reference: blank"},
        {"{\"7\": {\"examples\": [{\"src\": [\"a\"], \"trg\": []}]}}",
         "item 7: \"trg\" is a list, expected an object"},
        {"[{\"src\": \"s\", \"dst\": [\"a\", \"b\"], \"true_ind\": 2}]",
         "item 1: \"true_ind\" is a number, expected the number of one of dst, from 0"},
        {"[{\"src\": \"s\", \"dst\": [\"a\", 1], \"true_ind\": 0}]",
         "item 1: \"dst\" is a number, expected a list of texts"},
        {"[{\"src\": \"s\", \"dst\": \"a\", \"true_ind\": 0}]",
         "item 1: \"dst\" is a text, expected a list of texts"},
        {"[{\"src segment\": \"s\"}]", "item 1: \"ref segment\" is missing"},
        {"[{\"src segment\": \"s\", \"ref segment\": \"r\"}]",
         "item 1: \"src pronoun\" is missing"},
        {"[" CONTRAPRO("it", "er", "-1", "true") "]", "item 1: \"ante distance\" is -1"},
        {"[" CONTRAPRO("it", "er", "1", "2") "]", "item 1: \"intrasegmental\" is a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse((const char *const[]){cli_write("suite.json", cases[i][0])}, 1, cases[i][1]);
}

static void make_folder(const char *name)
{
    if (mkdir(cli_path(name), 0700) != 0)
        fail_msg("no folder %s", name);
}

#define ITEM(rest) "[{\"source\":\"s\",\"reference\":\"r\"," rest "}]"

static void what_is_no_suite_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "suite.json: empty, expected a list of items"},
        {"\xEF\xBB\xBF", "suite.json: empty, expected a list of items"},
        {"[", "suite.json:1: "},
        {"[\n{\"source\": \"\xFF\"}]", "suite.json:2: unable to decode byte 0xff"},
        {"[\n\n{\"source\": \"\\u0000\"}]", "suite.json:3: "},
        {"[{\"source\":\"a\",\"source\":\"b\"}]", "suite.json:1: duplicate object key"},
        {"\033[2J", "suite.json:1: "},
        {"{}", "suite.json: an object, expected a list of items"},
        {"3", "suite.json: a number, expected a list of items"},
        {"[]", "suite.json: an empty list, expected items"},
        {"[3]", "suite.json: item 1: a number, expected an object"},
        {"[{}]", "suite.json: item 1: \"source\" is missing, expected a text"},
        {"[{\"source\":1}]", "suite.json: item 1: \"source\" is a number, expected a text"},
        {"[{\"source\":\"s\"}]", "item 1: \"reference\" is missing, expected a text"},
        {"[{\"source\":\" \\n\",\"reference\":\"r\",\"errors\":[]}]",
         "suite.json: item 1: source: blank, expected a sentence"},
        {"[{\"source\":\"s\",\"reference\":\"\",\"errors\":[]}]",
         "suite.json: item 1: reference: blank, expected a sentence"},
        {"[{\"source\":\"s\",\"reference\":\"r\"}]",
         "item 1: \"errors\" is missing, expected a list"},
        {ITEM("\"errors\":{}"), "item 1: \"errors\" is an object, expected a list"},
        {ITEM("\"errors\":[]"), "suite.json: nothing to decide, expected errors"},
        {ITEM("\"errors\":[1]"), "item 1: error 1: a number, expected an object"},
        {ITEM("\"errors\":[{\"contrastive\":\"x\"},{}]"),
         "suite.json: item 1: error 2: \"contrastive\" is missing, expected a text"},
        {ITEM("\"errors\":[{\"contrastive\":\" \"}]"),
         "item 1: error 1: blank, expected a sentence"},
        {ITEM("\"errors\":[{\"contrastive\":\"x\",\"type\":[]}]"),
         "error 1: \"type\" is a list, expected a text"},
        {ITEM("\"errors\":[{\"contrastive\":\"x\",\"distance\":-1}]"),
         "error 1: \"distance\" is -1, expected 0 to 2147483647"},
        {ITEM("\"errors\":[{\"contrastive\":\"x\",\"distance\":1.5}]"),
         "\"distance\" is a number, expected a whole number"},
        {ITEM("\"errors\":[{\"contrastive\":\"x\",\"frequency\":99999999999}]"),
         "\"frequency\" is 99999999999, expected 0 to"},
        {ITEM("\"errors\":[{\"contrastive\":\"x\",\"frequency\":\"99999999999\"}]"),
         "\"frequency\" is a text, expected a whole number"},
        {ITEM("\"ambig word\":true,\"errors\":[]"), "\"ambig word\" is true, expected a text"},
        {ITEM("\"ambig word\":\"w\",\"errors\":[]"), "\"sense\" is missing, expected a text"},
        {ITEM("\"ambig word\":\"w\",\"sense\":\"v\",\"frequency of sense\":\"many\",\"errors\":[]"),
         "\"frequency of sense\" is a text, expected a text as \"12/345\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse((const char *const[]){cli_write("suite.json", cases[i].text)}, 1, cases[i].says);
}

static void deep_and_cut_files_are_refused(void **state)
{
    enum { DEEP = 100000 };
    char *deep = malloc(DEEP + 1);
    memset(deep, '[', DEEP);
    deep[DEEP] = 0;
    refuse((const char *const[]){cli_write("suite.json", deep)}, 1, "suite.json:1: ");
    free(deep);
    for (size_t bytes = 1; bytes < sizeof LINGEVAL - 1; bytes++) {
        char *cut = strndup(LINGEVAL, bytes);
        refuse((const char *const[]){cli_write("suite.json", cut)}, 1, "suite.json");
        free(cut);
    }
    refuse((const char *const[]){cli_path("nowhere.json")}, 1, "No such file or directory");
}

static void text_files_are_refused_with_their_line(void **state)
{
    static const struct {
        const char *texts[3], *says;
    } cases[] = {
        {{"a\nb\n", "c\nd\n", "e\n"}, "wrong:1: the last line, and "},
        {{"a\n", "c\nd\n", "e\n"}, "src:1: the last line, and "},
        {{"", "", ""}, "src: empty, expected a sentence on each line"},
        {{"a\nb\n", "c\n\n", "e\nf\n"}, "right:2: blank, expected a sentence"},
        {{"a\n \n", "c\nd\n", "e\nf\n"}, "src:2: blank, expected a sentence"},
        {{"a\nb\n", "c\nd\n", "e\n\t\n"}, "wrong:2: blank, expected a sentence"},
        {{"a\nb\n", "c\nd\n", "e\n\xC3\n"}, "wrong:2: invalid UTF-8 at byte 1"},
    };
    static const char *const names[] = {"src", "right", "wrong"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char paths[3][300];
        const char *list[3];
        for (int k = 0; k < 3; k++) {
            snprintf(paths[k], sizeof paths[k], "%s", cli_write(names[k], cases[i].texts[k]));
            list[k] = paths[k];
        }
        refuse(list, 3, cases[i].says);
    }
}

static void folders_without_a_set_are_refused(void **state)
{
    make_folder("bare");
    refuse((const char *const[]){cli_path("bare")}, 1, "bare: expected src.LANG, correct.LANG and");
    cli_write("bare/src.en", "a\n");
    refuse((const char *const[]){cli_path("bare")}, 1, "bare: expected correct.LANG beside ");
    cli_write("bare/correct.de", "b\n");
    refuse((const char *const[]){cli_path("bare")}, 1, "bare: expected incorrect.LANG beside ");
    cli_write("bare/incorrect.de", "c\nd\n");
    refuse((const char *const[]){cli_path("bare")}, 1, "src.en:1: the last line, and ");
    cli_write("bare/src.fr", "a\n");
    refuse((const char *const[]){cli_path("bare")}, 1, "src.fr beside ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(suites_of_documents_are_refused_with_their_place),
        cmocka_unit_test(what_is_no_suite_is_refused_with_its_place),
        cmocka_unit_test(deep_and_cut_files_are_refused),
        cmocka_unit_test(text_files_are_refused_with_their_line),
        cmocka_unit_test(folders_without_a_set_are_refused),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
