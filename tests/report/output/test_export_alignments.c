/* Alignments of files in every form that they are written in. */
#include <math.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"

#define SAMPLE "samples/en-de.bin"
#define FILES "samples/aligned.en samples/aligned.de"
#define GOLD FILES " samples/aligned.pharaoh"
#define FIRST_SOURCE "The old farmer sold his two brown horses yesterday."
#define FIRST_TARGET "Der alte Bauer hat gestern seine zwei braunen Pferde verkauft."
enum { SENTENCES = 24 };

/* Returns the text that a command prints. */
static char *text_of(const char *model, const char *line)
{
    const char *const arguments[] = {CPU, model, "-e", line, NULL};
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != 0)
        fail_msg("%s: %s", line, outcome.err);
    free(outcome.err);
    return outcome.out;
}

static char *joined(const json_t *texts)
{
    char *out = NULL;
    size_t size, i;
    const json_t *text;
    FILE *stream = open_memstream(&out, &size);
    assert_non_null(stream);
    json_array_foreach(texts, i, text) fprintf(stream, "%s\n", json_string_value(text));
    fclose(stream);
    return out;
}

static char *export_of(const char *name, const char *view)
{
    char line[400];
    snprintf(line, sizeof line, ":export %s %s", cli_path(name), view);
    free(text_of(SAMPLE, line));
    return cli_read(cli_path(name), NULL);
}

/* The weights of a sentence's head, as `:align` has them. */
static json_t *weights_of(const char *head)
{
    char line[100];
    snprintf(line, sizeof line, ":align %s", head);
    const char *const arguments[] = {
        "--json", CPU, SAMPLE, "-e", FIRST_SOURCE, "-e", ":force " FIRST_TARGET, "-e", line, NULL};
    struct outcome outcome = cli_run(arguments);
    json_t *answer = cli_object(arguments, outcome.out, 2);
    outcome_free(&outcome);
    return answer;
}

static void text_is_pharaoh_and_nothing_else(void **state)
{
    json_t *answer = cli_answer(SAMPLE, ":align " GOLD);
    char *wanted = joined(json_object_get(answer, "alignments"));
    char *text = text_of(SAMPLE, ":align " GOLD);
    char *file = export_of("links.pharaoh", "align " GOLD);
    assert_int_equal(json_array_size(json_object_get(answer, "alignments")), SENTENCES);
    assert_string_equal(text, wanted);
    assert_string_equal(file, wanted);
    free(text);
    free(file);
    free(wanted);
    json_decref(answer);
}

static void blank_lines_stay_blank(void **state)
{
    char line[300], source[200];
    snprintf(source, sizeof source, "%s", cli_write("s", "The cat sleeps.\n\nThe dog\n"));
    snprintf(line, sizeof line, ":align %s %s", source,
             cli_write("t", "Die Katze schläft.\nHund\n \n"));
    char *text = text_of(SAMPLE, line);
    assert_string_equal(text, "0-0 1-1 2-2\n\n\n");
    free(text);
}

/* Reads numbers up to the end of the line; a number is followed by `column`, the last of a row by
 * `row`. */
static const char *check_matrix(const char *text, const json_t *weights, char column, char row)
{
    size_t t, s;
    const json_t *line, *weight;
    json_array_foreach(weights, t, line)
    {
        json_array_foreach(line, s, weight)
        {
            char *end;
            double is = strtod(text, &end);
            assert_true(fabs(is - json_number_value(weight)) < 1e-7);
            bool last = s + 1 == json_array_size(line);
            bool ends = last && t + 1 == json_array_size(weights);
            assert_int_equal(*end, ends ? '\n' : last ? row : column);
            text = end + 1;
        }
    }
    return text;
}

static void marian_has_a_line_of_weights_for_each_sentence(void **state)
{
    json_t *answer = weights_of("layer 2 head 7");
    char *text = export_of("soft.marian", "align " FILES " layer 2 head 7");
    assert_int_equal(cli_count_lines(text), SENTENCES);
    check_matrix(text, json_object_get(answer, "weights"), ',', ' ');
    free(text);
    json_decref(answer);
}

/* Tokens without the last, which is end-of-sentence, with blanks between them. */
static void write_tokens(FILE *out, const json_t *tokens)
{
    for (size_t i = 0; i + 1 < json_array_size(tokens); i++)
        fprintf(out, "%s%s", i ? " " : "", json_string_value(json_array_get(tokens, i)));
}

/* "N ||| target ||| score ||| source ||| columns rows": what stands before the score, or behind
 * it. */
static char *nematus_header(const json_t *answer, bool behind)
{
    const json_t *rows = json_object_get(answer, "rows");
    const json_t *columns = json_object_get(answer, "columns");
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs(behind ? " ||| " : "0 ||| ", out);
    write_tokens(out, behind ? columns : rows);
    fputs(" ||| ", out);
    if (behind)
        fprintf(out, "%zu %zu\n", json_array_size(columns), json_array_size(rows));
    fclose(out);
    return text;
}

static void nematus_has_texts_and_sizes_before_the_weights(void **state)
{
    json_t *answer = weights_of("layer 2 head 7");
    char *before = nematus_header(answer, false), *behind = nematus_header(answer, true), *end;
    char *text = export_of("soft.nematus", "align " FILES " layer 2 head 7");
    assert_memory_equal(text, before, strlen(before));
    double cost = strtod(text + strlen(before), &end);
    json_t *score = cli_answer(SAMPLE, ":score " FIRST_SOURCE " ||| " FIRST_TARGET);
    assert_true(fabs(cost + json_number_value(json_object_get(score, "logprob"))) < 1e-5);
    json_decref(score);
    assert_memory_equal(end, behind, strlen(behind));
    const char *rest =
        check_matrix(end + strlen(behind), json_object_get(answer, "weights"), ' ', '\n');
    assert_memory_equal(rest, "\n1 ||| ", 7);
    free(before);
    free(behind);
    free(text);
    json_decref(answer);
}

static void every_form_of_export_has_it(void **state)
{
    static const char *const names[] = {"a.csv", "a.tsv", "a.npz", "a.json",
                                        "a.png", "a.pdf", "a.svg"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        free(export_of(names[i], "align " GOLD " by layer,head"));
    char *csv = cli_read(cli_path("a.csv"), NULL);
    assert_memory_equal(csv, "layer,head,shift,aer,precision,recall\n2,mean,0,0.195372751,", 58);
    free(csv);
    csv = export_of("b.csv", "align " FILES);
    assert_memory_equal(csv, "sentence,source,target,alignment\n1,", 35);
    free(csv);
    csv = export_of("c.csv", "align " GOLD);
    assert_memory_equal(csv, "sentence,aer,source,target,alignment\n1,", 39);
    free(csv);
}

/* Files of one line. Returns the first line of the export. */
static char *nematus_line(const char *source, const char *target)
{
    char *from = strdup(cli_write("from", source)), *to = strdup(cli_write("to", target));
    char view[800];
    snprintf(view, sizeof view, "align %s %s layer 2 head 7", from, to);
    char *text = export_of("soft.nematus", view);
    text[strcspn(text, "\n")] = '\0';
    free(from);
    free(to);
    return text;
}

static int count_of(const char *text, const char *what)
{
    int count = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        count++;
    return count;
}

/* Five fields; the second and the fourth have as many tokens as the fifth says, without
 * end-of-sentence. */
static void nematus_separates_fields_whatever_the_texts_hold(void **state)
{
    static const char *const cases[][2] = {
        {"a ||| b\n", "x ||| y\n"},
        {"|||||| c|||d |\n", "y\n"},
        {"a\xE3\x80\x80"
         "b \xC2\xA0 c\n",
         "x\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *line = nematus_line(cases[i][0], cases[i][1]), *last = strrchr(line, '|') + 1;
        int columns, rows;
        assert_int_equal(count_of(line, "|||"), 4);
        assert_int_equal(sscanf(last, " %d %d", &columns, &rows), 2);
        assert_null(strstr(line, "\xE3\x80\x80"));
        assert_null(strstr(line, "\xC2\xA0"));
        // Blanks: around 4 separators, between tokens, between two numbers.
        assert_int_equal(count_of(line, " "), 8 + (columns - 2) + (rows - 2) + 1);
        free(line);
    }
    char *line = nematus_line(cases[0][0], cases[0][1]);
    assert_non_null(strstr(line, "&#124;&#124;&#124;"));
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_pharaoh_and_nothing_else),
        cmocka_unit_test(blank_lines_stay_blank),
        cmocka_unit_test(marian_has_a_line_of_weights_for_each_sentence),
        cmocka_unit_test(nematus_has_texts_and_sizes_before_the_weights),
        cmocka_unit_test(nematus_separates_fields_whatever_the_texts_hold),
        cmocka_unit_test(every_form_of_export_has_it),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
