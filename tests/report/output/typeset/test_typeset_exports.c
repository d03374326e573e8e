/* Tables that commands export as LaTeX and Markdown: they have what people read. */
#include "tests/support/cli_support.h"
#include "tests/support/test.h"

#define SUITE                                                                                      \
    "[{\"source\": \"the dog\", \"reference\": \"der hund\", \"errors\": [{\"contrastive\": "      \
    "\"das hund\", \"type\": \"gender\"}, {\"contrastive\": \"der hund hund\", \"type\": "         \
    "\"length\"}]}]"

/* Runs one command after a sentence and exports its view; freed with free(). */
static char *exported(const char *command, const char *extension)
{
    char name[40], export[600];
    snprintf(name, sizeof name, "table.%s", extension);
    snprintf(export, sizeof export, ":export %s", cli_path(name));
    const char *const arguments[] = {
        CPU,  MODEL,   "-e", "the dog", "-e", ":set export.comments off",
        "-e", command, "-e", export,    NULL};
    remove(cli_path(name));
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != 0)
        fail_msg("%s: %s", command, outcome.err);
    outcome_free(&outcome);
    return cli_read(cli_path(name), NULL);
}

static void every_table_has_columns_and_rows(void **state)
{
    char suite[600], by[700], group[700], all[700], translate[600], compare[1300];
    snprintf(translate, sizeof translate, ":translate %s", cli_write("en", "the dog\nthe cat\n"));
    snprintf(compare, sizeof compare, ":compare current current %s ",
             translate + strlen(":translate "));
    strcat(compare, cli_write("de", "der hund\ndie katze\n"));
    snprintf(suite, sizeof suite, ":contrast %s", cli_write("suite.json", SUITE));
    snprintf(by, sizeof by, "%s by type", suite);
    snprintf(group, sizeof group, "%s by type group 1", suite);
    snprintf(all, sizeof all, "%s group all", suite);
    const char *const commands[] = {suite,
                                    by,
                                    group,
                                    all,
                                    ":hypothesis",
                                    ":score the dog ||| der hund",
                                    translate,
                                    compare,
                                    ":token 1 enc",
                                    ":token 1 cross",
                                    ":patch the cat ||| cross",
                                    ":attn enc layer 1 head 1"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char *latex = exported(commands[i], "tex"), *markdown = exported(commands[i], "md");
        if (strstr(latex, "\\begin{tabular}{}") || !strstr(latex, " & ") ||
            !strstr(strstr(latex, "\\midrule\n"), " & ") || strstr(latex, "\\textquotedbl"))
            fail_msg("%s: %s", commands[i], latex);
        if (!strstr(markdown, "| ---") || strstr(markdown, "\n|\n"))
            fail_msg("%s: %s", commands[i], markdown);
        free(latex);
        free(markdown);
    }
}

/* Each of the two wrong translations is a decision. */
static void accuracies_are_a_table(void **state)
{
    char command[600];
    snprintf(command, sizeof command, ":contrast %s by type", cli_write("suite.json", SUITE));
    char *markdown = exported(command, "md");
    const char *table =
        strstr(markdown, "| group | by | name | decisions | correct | accuracy % |\n"
                         "| ---: | --- | --- | ---: | ---: | ---: |\n");
    assert_non_null(table);
    assert_non_null(strstr(table, "\n| 1 | type | gender | 1 | "));
    assert_non_null(strstr(table, "\n| 2 | type | length | 1 | "));
    assert_non_null(strstr(table, "\n| | | all | 2 | "));
    free(markdown);
}

/* Groups are not tested. */
static void csv_has_what_is_printed(void **state)
{
    static const char p[] = ",1,1,1,1\n"; // the systems are the same
    char command[1300];
    snprintf(command, sizeof command, ":contrast %s by type", cli_write("suite.json", SUITE));
    char *csv = exported(command, "csv");
    assert_ptr_equal(strstr(csv, "group,by,name,decisions,correct,accuracy\n1,type,gender,1,"),
                     csv);
    assert_non_null(strstr(csv, "\n,,all,2,"));
    free(csv);
    snprintf(command, sizeof command, ":compare current current %s ",
             cli_write("en", "the dog\nthe cat\n"));
    strcat(command, cli_write("de", "der hund\ndie katze\n"));
    csv = exported(command, "csv");
    assert_non_null(strstr(csv, ",bleu_p_bootstrap,bleu_p_randomisation,chrf_p_bootstrap,"
                                "chrf_p_randomisation\n1,"));
    assert_non_null(strstr(csv, ",,,,\n"));
    const char *all = strstr(csv, "\n,all,2,");
    assert_non_null(all);
    assert_string_equal(all + strlen(all) - strlen(p), p);
    free(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_has_columns_and_rows),
        cmocka_unit_test(accuracies_are_a_table),
        cmocka_unit_test(csv_has_what_is_printed),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
