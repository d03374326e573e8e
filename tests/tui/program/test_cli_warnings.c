/* What makes a finished result doubtful is said in a line of standard error, and in JSON. */
#include "tests/support/cli_support.h"
#include "tests/support/test.h"

/* Runs `commands` (up to two; NULL: none) and checks that it ends well, and with one line on
 * standard error that has `says`, or (NULL) without any; with --json, in the warnings of the last
 * object. */
static void check_warning(const char *const commands[2], const char *says)
{
    const char *const plain[] = {CPU,         MODEL, "-e", commands[0], commands[1] ? "-e" : NULL,
                                 commands[1], NULL};
    const char *const json[] = {
        CPU, "--json", MODEL, "-e", commands[0], commands[1] ? "-e" : NULL, commands[1], NULL};
    struct outcome outcome = cli_run(plain);
    if (outcome.code != 0 || (says ? !strstr(outcome.err, says) : *outcome.err))
        fail_msg("%s: %s", cli_command_line(plain), outcome.err);
    if (says)
        cli_check_message(plain, &outcome, 2, "warning: ");
    outcome_free(&outcome);
    outcome = cli_run(json);
    json_t *object = cli_object(json, outcome.out, commands[1] != NULL);
    const json_t *warnings = json_object_get(object, "warnings");
    assert_int_equal(json_array_size(warnings), says != NULL);
    if (says && !strstr(json_string_value(json_array_get(warnings, 0)), says))
        fail_msg("%s: %s", cli_command_line(json), outcome.out);
    json_decref(object);
    outcome_free(&outcome);
}

/* Characters for private use have no font, whatever is installed. */
static void characters_without_a_font_are_named(void **state)
{
    static const char *const extensions[] = {"png", "pdf", "svg"};
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        char name[20], command[600];
        snprintf(name, sizeof name, "figure.%s", extensions[i]);
        snprintf(command, sizeof command, ":export %s attn enc layer 1 head 1 word",
                 cli_path(name));
        check_warning((const char *const[]){"the \xF3\xB0\x80\x85 dog", command},
                      "no font has U+F0005: ");
        remove(cli_path(name));
        check_warning((const char *const[]){"\xF3\xB0\x80\x81 \xF3\xB0\x80\x82 dog", command},
                      "no font has U+F0001, U+F0002: ");
        remove(cli_path(name));
        check_warning((const char *const[]){"the dog", command}, NULL);
        remove(cli_path(name));
    }
}

/* Words of a line that blanks separate. */
static int words_of(const char *line)
{
    int words = 0;
    for (; *line && *line != '\n'; line++)
        words += *line == ' ';
    return words + 1;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

/* The first `lines` of the sample's alignments, without links of last words, so that no number is
 * too great whatever they count from; `without_first`: nor of first words. */
static const char *made_alignments(int lines, int from, bool without_first)
{
    char *gold = cli_read("samples/aligned.pharaoh", NULL), *source, *target, *out = NULL;
    source = cli_read("samples/aligned.en", NULL);
    target = cli_read("samples/aligned.de", NULL);
    const char *link = gold, *in = source, *of = target;
    size_t size;
    FILE *stream = open_memstream(&out, &size);
    for (int i = 0; i < lines; i++, in = next_line(in), of = next_line(of)) {
        for (int used, a, b; *link != '\n'; link += used + (link[used] == ' ')) {
            char mark;
            assert_int_equal(sscanf(link, "%d%c%d%n", &a, &mark, &b, &used), 3);
            if (a + 1 < words_of(in) && b + 1 < words_of(of) && (!without_first || (a && b)))
                fprintf(stream, "%d%c%d ", a + from, mark, b + from);
        }
        fputc('\n', stream);
        link = next_line(link);
    }
    fclose(stream);
    const char *path = cli_write("gold", out);
    free(gold);
    free(source);
    free(target);
    free(out);
    return path;
}

/* `lines` of the samples against what was made of their alignments. Returns the answer. */
static json_t *aligned(int lines, const char *gold, const char *behind)
{
    char files[2][100], command[900];
    for (int side = 0; side < 2; side++) {
        char *text = cli_read(side ? "samples/aligned.de" : "samples/aligned.en", NULL),
             *end = text;
        for (int i = 0; i < lines; i++)
            end = (char *)next_line(end);
        *end = '\0';
        snprintf(files[side], sizeof files[side], "%s", cli_write(side ? "de" : "en", text));
        free(text);
    }
    snprintf(command, sizeof command, ":align %s %s %s%s", files[0], files[1], gold, behind);
    return cli_answer("samples/en-de.bin", command);
}

static double aer_of(json_t *answer, bool warned)
{
    const json_t *warnings = json_object_get(answer, "warnings");
    assert_int_equal(json_array_size(warnings), warned);
    if (warned)
        assert_non_null(strstr(json_string_value(json_array_get(warnings, 0)), "from 1"));
    double aer = json_number_value(json_object_get(answer, "aer"));
    json_decref(answer);
    return aer;
}

static void alignments_counted_from_1_are_noticed(void **state)
{
    static const int counts[] = {24, 3};
    for (int i = 0; i < 2; i++) {
        char zero[200], one[200], later[200];
        int lines = counts[i];
        snprintf(zero, sizeof zero, "%s", made_alignments(lines, 0, false));
        double right = aer_of(aligned(lines, zero, ""), false);
        snprintf(one, sizeof one, "%s", made_alignments(lines, 1, false));
        assert_true(aer_of(aligned(lines, one, ""), true) > right);
        assert_true(aer_of(aligned(lines, one, " from 1"), false) == right);
        aer_of(aligned(lines, one, " from 0"), false);
        if (lines < 20) { // where only a few first words are not linked, nothing is wrong
            snprintf(later, sizeof later, "%s", made_alignments(lines, 0, true));
            aer_of(aligned(lines, later, ""), false);
        }
    }
}

/* sacreBLEU takes zh for Chinese, ja-mecab for Japanese and ko-mecab for Korean. */
static void languages_that_13a_does_not_cut_are_noticed(void **state)
{
    static const struct {
        const char *text, *tokenizer, *says;
    } cases[] = {
        {"这是一个测试句子。\n今天天气很好。\n", "13a", "bleu.tokenize zh"},
        {"这是一个测试句子。\n今天天气很好。\n", "zh", NULL},
        {"这 是 一 个 测试 句子 。\n今天 天气 很 好 。\n", "13a", NULL},
        {"这是一个测试abcdef\n", "13a", NULL}, // half of the letters
        {"私は学生です。\n今日は天気がいいです。\n", "intl", "bleu.tokenize ja-mecab"},
        {"나는 학생입니다.\n", "13a", "bleu.tokenize ko-mecab"},
        {"ฉันเป็นนักเรียน\n", "13a", "bleu.tokenize flores200"},
        {"The word 今天天气很好 is in here, and many others are, too.\n", "13a", NULL},
        {"Ein Satz.\n", "13a", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char set[60], bleu[600], path[250];
        snprintf(path, sizeof path, "%s", cli_write("text", cases[i].text));
        snprintf(set, sizeof set, ":set bleu.tokenize %s", cases[i].tokenizer);
        snprintf(bleu, sizeof bleu, ":bleu --scored %s %s", path, path);
        check_warning((const char *const[]){set, bleu}, cases[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_without_a_font_are_named),
        cmocka_unit_test(languages_that_13a_does_not_cut_are_noticed),
        cmocka_unit_test(alignments_counted_from_1_are_noticed),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
