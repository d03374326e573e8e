/* Values of a shard's file that no study writes: whoever made the file, none is taken. What a study
 * says is then what it computes itself. */
#include "model/study/shards/shards_fields.h"
#include "tests/support/cli_support.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"
#include "tui/session/session.h"

#define PLAIN "vanilla_pre"
#define CONTEXT "context_both_stacks"
#define DHICM "dhicm_last_layers"

static char *folder, *path, *hostile;

static int open_files(void **state)
{
    if (cli_open(state) != 0)
        return -1;
    cli_write("source", "today never house old sleeps .\nblue likes gives child tree\n");
    cli_write("target", "ein Baum .\ndas Kind\n");
    cli_write("gold", "0-0 1-2\n0-1\n");
    cli_write("pos", "1\tchild\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n"
                     "2\tsleeps\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n");
    folder = strdup(cli_path("shards"));
    path = strdup(cli_path("shards/1-of-1.part"));
    hostile = strdup(cli_path("hostile.part"));
    return folder && path && hostile ? 0 : -1;
}

static int close_files(void **state)
{
    free(folder);
    free(path);
    free(hostile);
    return cli_close(state);
}

/* What a value may be besides what the study writes. */
enum { ANY_NUMBER = 1, ANY_TEXT = 2, STATISTICS = 4 };

/* Every study that keeps results. */
static const struct {
    const char *model, *study;
    int takes; // ANY_NUMBER: finite ones; ANY_TEXT: a translation
} cases[] = {
    {PLAIN, ":translate @source", ANY_TEXT},
    {PLAIN, ":bleu @source @target", ANY_TEXT},
    {PLAIN, ":ablate @source @target by layer cross", ANY_TEXT},
    {PLAIN, ":ablate @source @target by gradient cross layer 1", ANY_NUMBER},
    {PLAIN, ":contrast @source @target @source", ANY_NUMBER},
    {PLAIN, ":align @source @target", 0},
    {PLAIN, ":align @source @target cross 1.1 shifted", 0},
    {PLAIN, ":align @source @target against contributions cross 1.1", 0},
    {PLAIN, ":alti @source", ANY_TEXT},
    {PLAIN, ":alti @source @target", 0},
    {PLAIN, ":attribute gradient-input @source", ANY_TEXT},
    {PLAIN, ":faithful saliency @source", ANY_TEXT},
    {PLAIN, ":faithful weights @source @target @gold", 0},
    {PLAIN, ":stats @source cross 1.1", STATISTICS},
    {PLAIN, ":stats @pos enc 1.1", STATISTICS},
    {PLAIN, ":stats @pos enc layer 1 by pos confidence", 0},
    {CONTEXT, ":gates enc q @source", 0},
    {CONTEXT, ":gates enc qk @source by position", 0},
    {CONTEXT, ":gates enc q @pos by pos", 0},
    {PLAIN, ":lens @source", ANY_NUMBER | ANY_TEXT},
    {PLAIN, ":lens enc @source @target", ANY_NUMBER},
    {DHICM, ":importance @source", ANY_TEXT},
    {DHICM, ":importance @pos by pos", 0},
};
enum { CASES = sizeof cases / sizeof *cases };

/* The study's line, with the files' paths. The caller frees it. */
static char *line_of(int k)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    assert_non_null(out);
    for (const char *at = cases[k].study; *at;) {
        if (*at != '@') {
            fputc(*at++, out);
            continue;
        }
        char name[40];
        const size_t length = strcspn(++at, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        fputs(cli_path(name), out);
        at += length;
    }
    fclose(out);
    return line;
}

/* What a new session says, without how long it took. shard: writes a shard's file; merged: takes
 * results from this one. NULL: not that. */
static char *answer(int k, const char *shard, const char *merged, const char *what, int step)
{
    char path_of_model[100];
    struct status status = {0};
    snprintf(path_of_model, sizeof path_of_model, "tests/golden/%s.bin", cases[k].model);
    struct bench bench = bench_open_model(path_of_model);
    bench_connect(&bench);
    bench.program.sink.kind = bench.sink.kind = &json_sink;
    if ((shard && !session_take_shard(bench.session, shard, 1, 1, &status)) ||
        (merged && !session_merge(bench.session, &merged, 1, &status)))
        fail_msg("%s: %s, %d: %s", cases[k].study, what, step, status.message);
    char *line = line_of(k);
    program_line(&bench.program, "", line);
    free(line);
    fflush(bench.sink.stream);
    if (bench.program.exit_code)
        fail_msg("%s: %s, %d: %s", cases[k].study, what, step, bench.output);
    char *seconds = strstr(bench.output, "\"seconds\":");
    if (seconds) {
        const char *end = seconds + strcspn(seconds, ",}");
        memmove(seconds, end, strlen(end) + 1);
    }
    char *text = strdup(bench.output);
    assert_non_null(text);
    bench_close(&bench);
    return text;
}

/* Hostile values ------------------------------------------------------------------------------- */

/* The changed value, which the caller frees; NULL: this one stays. */
typedef char *change_value(const char *value, int step);

/* Writes the file of the shard with each value changed. False: there was none to change. */
static bool rewrite(change_value *change, int step)
{
    char *text = cli_read(path, NULL), *rest = text, *line = strsep(&rest, "\n");
    FILE *out = fopen(hostile, "wb");
    struct status status;
    bool changed = false;
    assert_non_null(out);
    fprintf(out, "%s\n", line);
    while ((line = strsep(&rest, "\n")) && *line) {
        struct journal_key key;
        for (int i = 0; i < JOURNAL_KEY_BYTES; i++)
            assert_int_equal(sscanf(line + 2 * (size_t)i, "%2hhx", &key.bytes[i]), 1);
        line[strlen(line) - 17] = '\0'; // the check
        const char *value = line + 2 * JOURNAL_KEY_BYTES + 1;
        char *other = change(value, step);
        size_t bytes;
        char *written = journal_line(&key, other ? other : value, &bytes, &status);
        assert_non_null(written);
        fwrite(written, 1, bytes, out);
        changed |= other != NULL;
        free(written);
        free(other);
    }
    fclose(out);
    free(text);
    return changed;
}

/* Numbers that no field of any record takes, then those that some take. */
static const char *const numbers[] = {
    "nan", "inf", "-inf", "1e308", "x", "", "-2", "2147483648", "99999999999999999999", "1000"};
enum { NUMBERS = sizeof numbers / sizeof *numbers, NEVER = 6, TOKENS = NUMBERS - 1 };
/* The first numbers of a record, and its last ones. */
enum { FIRST = 14, PLACES = FIRST + 4 };

/* Where number `place` of the value is; NULL: there is none. Numbers follow their count. */
static const char *number_at(const char *value, int place)
{
    const int count = atoi(value);
    if (place >= FIRST)
        place = count - (place - FIRST);
    for (int i = 0; place <= count && i < place && value; i++)
        value = strchr(value, ' ') ? strchr(value, ' ') + 1 : NULL;
    return place >= 0 && place <= count ? value : NULL;
}

static char *other_number(const char *value, int step)
{
    const char *at = number_at(value, step / NUMBERS);
    char *text = NULL;
    if (at)
        assert_true(asprintf(&text, "%.*s%s%s", (int)(at - value), value, numbers[step % NUMBERS],
                             at + strcspn(at, " ")) >= 0);
    return text;
}

/* As before, but of a text of statistics, behind the count of one. */
static char *other_statistic(const char *value, int step)
{
    const char *at = value;
    for (int i = 0; at && i < 2 + step / NUMBERS; i++)
        at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
    char *text = NULL;
    if (at)
        assert_true(asprintf(&text, "%.*s%s%s", (int)(at - value), value, numbers[step % NUMBERS],
                             at + strcspn(at, " ")) >= 0);
    return text;
}

enum { NONE_AT_ALL, ONE_LESS, ONE_MORE, HUGE_COUNT, NEGATIVE_COUNT, A_TEXT, SIZES };

/* Records that are shorter or longer than they say, or than their shape. */
static char *other_size(const char *value, int step)
{
    char *text = NULL;
    const int count = atoi(value);
    const char *first = strchr(value, ' '), *last = number_at(value, FIRST);
    assert_true(first && last);
    const char *end = last + strcspn(last, " ");
    int written = 0;
    switch (step) {
    case NONE_AT_ALL:
        written = asprintf(&text, "%s", "");
        break;
    case ONE_LESS:
        written = asprintf(&text, "%d%.*s%s", count - 1, (int)(last - first) - 1, first, end);
        break;
    case ONE_MORE:
        written = asprintf(&text, "%d 1%s", count + 1, first);
        break;
    case HUGE_COUNT:
        written = asprintf(&text, "2147483647%s", first);
        break;
    case NEGATIVE_COUNT:
        written = asprintf(&text, "-1%s", first);
        break;
    default:
        written = asprintf(&text, "%s and a text", value);
    }
    assert_true(written >= 0);
    return text;
}

/* ---------------------------------------------------------------------------------------------- */

static void expect_refused(int k, const char *whole, const char *what, int step)
{
    char *merged = answer(k, NULL, hostile, what, step);
    if (strcmp(merged, whole) != 0)
        fail_msg("%s: %s, %d: taken:\n%s\nexpected\n%s", cases[k].study, what, step, merged, whole);
    free(merged);
}

/* Whether a number of that kind may be what a field has. */
static bool may_be(int k, int step)
{
    return (cases[k].takes & (ANY_NUMBER | STATISTICS) && step % NUMBERS >= NEVER) ||
           (cases[k].takes & ANY_TEXT && step % NUMBERS == TOKENS);
}

static void no_value_of_others_is_taken(void **state)
{
    for (int k = 0; k < CASES; k++) {
        cli_remove(folder);
        free(answer(k, folder, NULL, "the shard", 0));
        char *whole = answer(k, NULL, NULL, "one run", 0);
        for (int step = 0; step < PLACES * NUMBERS; step++)
            if (!may_be(k, step) && rewrite(other_number, step))
                expect_refused(k, whole, "number", step);
        for (int step = 0; cases[k].takes & STATISTICS && step < PLACES * NUMBERS; step++)
            if (!may_be(k, step) && rewrite(other_statistic, step))
                expect_refused(k, whole, "statistic", step);
        for (int step = 0; step < SIZES - !!(cases[k].takes & ANY_TEXT); step++)
            if (rewrite(other_size, step))
                expect_refused(k, whole, "size", step);
        free(whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_value_of_others_is_taken),
    };
    return cmocka_run_group_tests(tests, open_files, close_files);
}
