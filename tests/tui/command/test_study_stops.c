/* `:bleu`, `:compare`, `:ablate`, `:prune`, `:contrast` and `:gates` at a terminal: they show how
 * far they are, and Ctrl-C ends them with what is finished, which is marked as partial and
 * right. */
#include <limits.h>

#include "tests/support/cli_support.h"
#include "tests/support/terminal_support.h"
#include "tests/support/test.h"

#define PROMPT "en-de> "
enum { LINES = 20000 };

/* What comes before a marker; freed with free(). */
static char *read_before(struct terminal *terminal, const char *marker)
{
    return terminal_read_before(terminal, marker, NULL);
}

/* The first lines of a test set; returns the path until the next call. */
static const char *write_set(const char *name, int lines)
{
    static const char *const words[] = {"dog", "man", "cat", "woman", "child", "house", "river"};
    char *text = calloc((size_t)lines + 1, 40), *end = text;
    for (int i = 0; i < lines; i++)
        end += sprintf(end, "A %s is in the %s.\n", words[i % 7], words[i / 7 % 7]);
    const char *path = cli_write(name, text);
    free(text);
    return path;
}

static struct terminal open_session(void)
{
    static const char *const arguments[] = {CPU, "--threads", "1", "samples/en-de.bin", NULL};
    struct terminal terminal = terminal_open(arguments, 200, 24);
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, ":set batch 8\n");
    terminal_expect(&terminal, "batch ");
    terminal_expect(&terminal, PROMPT);
    return terminal;
}

static void close_session(struct terminal *terminal)
{
    terminal_type(terminal, "\x04");
    assert_int_equal(terminal_close(terminal), 0);
    free(terminal->text);
}

/* Types "COMMAND PATH PATH" in the folder of the set. */
static void type_command(struct terminal *terminal, const char *command, const char *path)
{
    char keys[2 * PATH_MAX + 64];
    snprintf(keys, sizeof keys, "%s %s %s\n", command, path, path);
    terminal_type(terminal, keys);
}

/* The last number of the text, which is freed; -1 where it is NULL. */
static int last_number(char *text)
{
    if (!text)
        return -1;
    const char *number = strrchr(text, ' ');
    int value = atoi(number ? number : text);
    free(text);
    return value;
}

/* What the bar counts next; -1 where the command has ended. */
static int read_count(struct terminal *terminal)
{
    return last_number(terminal_read_before(terminal, " sentences ", PROMPT));
}

/* Waits until the bar begins anew, which it does with every state or step. False: the command has
 * ended. */
static bool bar_begins_anew(struct terminal *terminal, int (*read)(struct terminal *terminal))
{
    int last = 0, count;
    while ((count = read(terminal)) >= last)
        last = count;
    return count >= 0;
}

/* Waits until the bar counts so many sentences that the first of two states, which take turns, is
 * not the only one that has some. */
static void wait_for_sentences(struct terminal *terminal)
{
    enum { ENOUGH = 100 };
    int count;
    while ((count = read_count(terminal)) < ENOUGH)
        assert_true(count >= 0);
}

static int stop_at_work(struct terminal *terminal)
{
    wait_for_sentences(terminal);
    terminal_type(terminal, "\x03");
    terminal_expect(terminal, " partial: the first ");
    char *number = read_before(terminal, " of 20000 sentences\r\n");
    int sentences = atoi(number);
    free(number);
    assert_true(sentences > 0 && sentences < LINES);
    return sentences;
}

/* The score of the beginning is that of a file that ends there. */
static void an_interrupted_score_is_of_the_first_lines(void **state)
{
    struct terminal terminal = open_session();
    type_command(&terminal, ":bleu", write_set("all", LINES));
    int sentences = stop_at_work(&terminal);
    char *partial = read_before(&terminal, "interrupted: the first ");
    terminal_expect(&terminal, PROMPT);
    type_command(&terminal, ":bleu", write_set("some", sentences));
    terminal_expect(&terminal, "translations of ");
    terminal_expect(&terminal, " model ");
    terminal_expect(&terminal, "\r\n");
    char *whole = read_before(&terminal, PROMPT);
    if (!*whole || strncmp(partial, whole, strlen(whole)) != 0)
        fail_msg("%s, expected %s", partial, whole);
    free(partial);
    free(whole);
    close_session(&terminal);
}

static void an_interrupted_comparison_has_no_tests(void **state)
{
    struct terminal terminal = open_session();
    terminal_type(&terminal, ":state one\n");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, ":disable enc head 1\n");
    terminal_expect(&terminal, PROMPT);
    type_command(&terminal, ":compare one current", write_set("all", LINES));
    stop_at_work(&terminal);
    char *partial = read_before(&terminal, "interrupted: the first ");
    assert_non_null(strstr(partial, "BLEU|"));
    if (strstr(partial, "p = "))
        fail_msg("%s", partial);
    free(partial);
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, ":set significance.resamples 10000000\n");
    terminal_expect(&terminal, PROMPT);
    type_command(&terminal, ":compare one current", write_set("few", 10));
    terminal_expect(&terminal, "resampling ");
    terminal_type(&terminal, "\x03");
    terminal_expect(&terminal, " partial: not tested\r\n");
    partial = read_before(&terminal, "interrupted: scored, but not tested");
    if (strstr(partial, "p = "))
        fail_msg("%s", partial);
    free(partial);
    terminal_expect(&terminal, PROMPT);
    close_session(&terminal);
}

/* The bar begins anew with every state, if the first takes long enough to have one. The second has
 * so large a beam that it is at work for long after its bar is seen. */
static void of_several_states_those_before_are_kept(void **state)
{
    struct terminal terminal = open_session();
    char keys[2 * PATH_MAX + 64];
    int lines = 1000;
    terminal_type(&terminal, ":set beam 60\n");
    terminal_expect(&terminal, PROMPT);
    do {
        const char *path = write_set("some", lines);
        snprintf(keys, sizeof keys, ":bleu %s %s in en-de current\n", path, path);
        terminal_type(&terminal, keys);
        lines *= 2;
    } while (!bar_begins_anew(&terminal, read_count));
    terminal_type(&terminal, "\x03");
    terminal_expect(&terminal, " partial: 1 of 2 states\r\n");
    char *text = read_before(&terminal, "interrupted: 1 of 2 states are scored");
    assert_non_null(strstr(text, "\r\n a en-de.bin "));
    assert_non_null(strstr(text, "\r\n group "));
    free(text);
    terminal_expect(&terminal, PROMPT);
    close_session(&terminal);
}

/* "HEAD BLEU DELTA DIFFERING" of every row, and how many of them have been tested; freed with
 * free(). */
static char *read_rows(const char *text, int *tested)
{
    static const char row[] = " encoder head ";
    char *rows = calloc(strlen(text) + 1, 1), *end = rows;
    *tested = 0;
    while ((text = strstr(text, row))) {
        double bleu, delta, p;
        int head, differing;
        char line[200] = "";
        text += strlen(row);
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\r"), text);
        if (strstr(line, "BLEU")) // above the table: which of them loses most
            continue;
        int found = sscanf(line, "%d %lf %lf %d %lf", &head, &bleu, &delta, &differing, &p);
        assert_true(found >= 4);
        *tested += found == 5;
        end += sprintf(end, "%d %.2f %.2f %d\n", head, bleu, delta, differing);
    }
    return rows;
}

/* A row opens what there is: all 20000 lines would take minutes. */
static void open_partial(struct terminal *terminal, const char *keys, const char *partial,
                         const char *row)
{
    terminal_type(terminal, keys);
    terminal_expect(terminal, partial);
    terminal_expect(terminal, row);
    char *text = read_before(terminal, PROMPT);
    if (strstr(text, "attnscope:"))
        fail_msg("%s", text);
    free(text);
}

/* The scores of the beginning are those of a file that ends there, and nothing is tested. */
static void an_interrupted_sweep_is_of_the_first_lines(void **state)
{
    struct terminal terminal = open_session();
    char keys[2 * PATH_MAX + 64], first[100];
    const char *path = write_set("all", LINES);
    type_command(&terminal, ":ablate", path);
    int sentences = stop_at_work(&terminal);
    char *partial = read_before(&terminal, "interrupted: the first ");
    terminal_expect(&terminal, PROMPT);
    snprintf(keys, sizeof keys, ":ablate %s %s show 2\n", path, path);
    snprintf(first, sizeof first, " partial: the first %d of 20000 sentences\r\n", sentences);
    open_partial(&terminal, keys, first, " row 2: a without, b with the ablation; ");
    type_command(&terminal, ":ablate", write_set("some", sentences));
    terminal_expect(&terminal, "p adjusted\r\n");
    char *whole = read_before(&terminal, PROMPT);
    int tested, all_tested;
    char *some = read_rows(partial, &tested), *all = read_rows(whole, &all_tested);
    if (strcmp(some, all) != 0)
        fail_msg("%s, expected %s", some, all);
    assert_int_equal(tested, 0);
    assert_int_equal(all_tested, 8);
    free(some);
    free(all);
    free(partial);
    free(whole);
    close_session(&terminal);
}

/* The bar begins anew with every step that takes long enough to have one. */
static void an_interrupted_pruning_has_the_steps_before(void **state)
{
    struct terminal terminal = open_session();
    char keys[2 * PATH_MAX + 64], first[100];
    const char *path;
    int rows = 0, lines = 160;
    do {
        path = write_set("some", lines);
        snprintf(keys, sizeof keys, ":prune %s %s until 100 layer 1\n", path, path);
        terminal_type(&terminal, keys);
        lines *= 2;
    } while (!bar_begins_anew(&terminal, read_count));
    terminal_type(&terminal, "\x03");
    terminal_expect(&terminal, " partial: the first ");
    char *number = read_before(&terminal, " steps\r\n");
    char *text = read_before(&terminal, "interrupted after ");
    for (const char *row = text; (row = strstr(row, " encoder layer 1 head ")); row++)
        rows++;
    assert_true(rows > 0 && rows < 8);
    assert_int_equal(atoi(number), rows);
    terminal_expect(&terminal, "of at most 8 steps");
    terminal_expect(&terminal, PROMPT);
    snprintf(keys, sizeof keys, ":prune %s %s until 100 layer 1 show 1\n", path, path);
    snprintf(first, sizeof first, " partial: the first %d steps\r\n", rows);
    open_partial(&terminal, keys, first, " step 1: a with all heads, b without those of steps 1");
    free(number);
    free(text);
    close_session(&terminal);
}

static void write_each(char *path, const char *name, int lines, const char *text)
{
    char *all = malloc((size_t)lines * strlen(text) + 1), *end = all;
    for (int i = 0; i < lines; i++)
        end = stpcpy(end, text);
    snprintf(path, PATH_MAX, "%s", cli_write(name, all));
    free(all);
}

/* Types ":contrast" with a suite, and `rest`; some of the sources speak of a man. */
static void type_contrast(struct terminal *terminal, int lines, const char *rest)
{
    char paths[3][PATH_MAX], keys[3 * PATH_MAX + 64];
    snprintf(paths[0], sizeof paths[0], "%s", write_set("sources", lines));
    write_each(paths[1], "right", lines, "Ein Mann ist im Haus .\n");
    write_each(paths[2], "wrong", lines, "Eine Frau ist im Haus .\n");
    snprintf(keys, sizeof keys, ":contrast %s %s %s%s\n", paths[0], paths[1], paths[2], rest);
    terminal_type(terminal, keys);
}

/* The share that the bar shows next, in per cent; -1 where the command has ended. */
static int read_share(struct terminal *terminal)
{
    char *text = terminal_read_before(terminal, "scoring ", PROMPT);
    if (!text)
        return -1;
    free(text);
    return last_number(read_before(terminal, "%"));
}

static void an_interrupted_suite_is_of_the_first_items(void **state)
{
    struct terminal terminal = open_session();
    type_contrast(&terminal, LINES, "");
    int share;
    while ((share = read_share(&terminal)) < 3)
        assert_true(share >= 0);
    terminal_type(&terminal, "\x03");
    terminal_expect(&terminal, " partial: the first ");
    char *number = read_before(&terminal, " of 20000 items\r\n");
    int items = atoi(number);
    assert_true(items > 0 && items < LINES);
    char *partial = read_before(&terminal, "interrupted: the first ");
    terminal_expect(&terminal, "of 20000 items are scored");
    terminal_expect(&terminal, PROMPT);
    type_contrast(&terminal, items, "");
    char *whole = read_before(&terminal, PROMPT), *end = strchr(partial, '\r');
    assert_non_null(end);
    *end = '\0';
    if (!strstr(partial, " correct: ") || strstr(partial, " 0 of") || !strstr(whole, partial))
        fail_msg("%s, expected %s", partial, whole);
    free(number);
    free(partial);
    free(whole);
    close_session(&terminal);
}

/* The bar begins anew with every ablation; the first two are those of the model as it is, and
 * without head 1. */
static void interrupted_ablations_of_a_suite_are_the_first_ones(void **state)
{
    struct terminal terminal = open_session();
    int items = 700; // of each ablation; twice as many until one takes long enough to be shown
    do {
        items *= 2;
        type_contrast(&terminal, items, " ablate by head");
    } while (!bar_begins_anew(&terminal, read_share) || !bar_begins_anew(&terminal, read_share));
    terminal_type(&terminal, "\x03");
    terminal_expect(&terminal, " partial: the first ");
    char *number = read_before(&terminal, " of 8 ablations\r\n");
    int rows = atoi(number);
    assert_true(rows > 0 && rows < 8);
    terminal_expect(&terminal, "p adjusted\r\n");
    char *partial = read_before(&terminal, "interrupted: the first ");
    assert_int_equal(cli_count_lines(partial), rows);
    terminal_expect(&terminal, PROMPT);
    type_contrast(&terminal, items, " ablate by head show 1");
    terminal_expect(&terminal, " partial: the first ");
    char *again = read_before(&terminal, " of 8 ablations\r\n");
    assert_string_equal(again, number);
    free(again);
    terminal_expect(&terminal, "p adjusted\r\n");
    again = read_before(&terminal, PROMPT);
    size_t table = (size_t)(strstr(partial, "attnscope: ") - partial);
    assert_int_equal(strncmp(again, partial, table), 0);
    free(again);
    type_contrast(&terminal, items, " ablate head 1");
    terminal_expect(&terminal, "p adjusted\r\n");
    char *one = read_before(&terminal, PROMPT);
    size_t length = strcspn(partial, "\r");
    if (!length || strncmp(partial, one, length) != 0) // then comes what it is adjusted to
        fail_msg("%s, expected %s", partial, one);
    free(number);
    free(partial);
    free(one);
    close_session(&terminal);
}

/* Types ":gates" with the first lines of a test set. */
static void type_gates(struct terminal *terminal, int lines)
{
    char keys[PATH_MAX + 64];
    snprintf(keys, sizeof keys, ":gates %s by layer\n", write_set("sources", lines));
    terminal_type(terminal, keys);
}

/* The averages of the beginning are those of a file that ends there. */
static void interrupted_gates_are_of_the_first_lines(void **state)
{
    static const char *const arguments[] = {CPU, "--threads", "1", "samples/en-de-context.bin",
                                            NULL};
    struct terminal terminal = terminal_open(arguments, 200, 24);
    terminal_expect(&terminal, "> ");
    type_gates(&terminal, LINES);
    terminal_expect(&terminal, "averaging gates ");
    while (last_number(read_before(&terminal, " sentences ")) < 20)
        continue;
    terminal_type(&terminal, "\x03");
    terminal_expect(&terminal, " partial: the first ");
    char *number = read_before(&terminal, " of 20000 sentences\r\n");
    int sentences = atoi(number);
    assert_true(sentences >= 20 && sentences < LINES);
    char *partial = read_before(&terminal, "attnscope: :gates: interrupted: the first ");
    terminal_expect(&terminal, "of 20000 sentences are averaged");
    terminal_expect(&terminal, "> ");
    type_gates(&terminal, sentences);
    terminal_expect(&terminal, "  gates of ");
    terminal_expect(&terminal, "\r\n");
    char *whole = read_before(&terminal, "en-de-context> ");
    if (!*whole || strcmp(partial, whole) != 0)
        fail_msg("%s, expected %s", partial, whole);
    free(number);
    free(partial);
    free(whole);
    close_session(&terminal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupted_score_is_of_the_first_lines),
        cmocka_unit_test(an_interrupted_comparison_has_no_tests),
        cmocka_unit_test(of_several_states_those_before_are_kept),
        cmocka_unit_test(an_interrupted_sweep_is_of_the_first_lines),
        cmocka_unit_test(an_interrupted_pruning_has_the_steps_before),
        cmocka_unit_test(an_interrupted_suite_is_of_the_first_items),
        cmocka_unit_test(interrupted_ablations_of_a_suite_are_the_first_ones),
        cmocka_unit_test(interrupted_gates_are_of_the_first_lines),
    };
    setenv("PAGER", "cat", 1); // results come as they are, however long
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
