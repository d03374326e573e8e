/* Each allocation of some commands and functions fails in turn: they say so, or give to the byte
 * what they give with enough memory. test_memory draws some allocations of whole sessions. */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/text/bpe.h"
#include "model/text/moses/moses.h"
#include "session/session_mark.h"
#include "tests/support/commands_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"
#include "tests/tui/program/failing_memory.h"

static char folder[] = "/tmp/attnscope-each-XXXXXX";

struct bytes {
    char *data; // NULL: there is no file
    size_t size;
};

static struct bytes read_file(const char *path)
{
    struct bytes bytes = {0};
    struct stat about;
    if (stat(path, &about) != 0)
        return bytes;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    bytes.data = malloc((size_t)about.st_size + 1);
    assert_non_null(bytes.data);
    bytes.size = fread(bytes.data, 1, (size_t)about.st_size, file);
    assert_int_equal(bytes.size, about.st_size);
    fclose(file);
    return bytes;
}

static bool run(struct bench *bench, const char *line, struct status *status)
{
    struct report result;
    *status = (struct status){0};
    bool ok = command_run(bench->session, line, &result, status);
    report_free(&result);
    return ok;
}

/* Exports -------------------------------------------------------------------------------------- */

struct export
{
    const char *model, *before[3], *command, *name, *view;
};

static bool is_same(const struct bytes *a, const struct bytes *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* What the command replaces, which a refused one leaves as it was. */
static void write_before(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("what was there", file) >= 0 && fclose(file) == 0);
}

/* Returns whether an allocation was left to fail. */
static bool try_one(struct bench *bench, const char *line, const char *path, long number,
                    const struct bytes *whole)
{
    struct status status;
    write_before(path);
    struct bytes before = read_file(path);
    failing_memory_begin(number);
    bool ok = run(bench, line, &status), failed = failing_memory_failed();
    failing_memory_begin(0);
    struct bytes is = read_file(path);
    if (!is.data || !is_same(&is, ok ? whole : &before))
        fail_msg("%s, allocation %ld: %s, with a file of %zu bytes, expected %zu", line, number,
                 ok ? "ok" : status.message, is.size, ok ? whole->size : before.size);
    free(before.data);
    if (!ok && (!failed || !strstr(status.message, "memory")))
        fail_msg("%s, allocation %ld: %s", line, number, status.message);
    free(is.data);
    return failed;
}

static void check_export(const struct export *export)
{
    char path[128], line[200];
    struct status status;
    long number = 1;
    struct bench bench = bench_open_model(export->model);
    snprintf(path, sizeof path, "%s/%s", folder, export->name);
    snprintf(line, sizeof line, ":%s %s %s", export->command, path, export->view);
    for (size_t i = 0; i < 3 && export->before[i]; i++)
        bench_run_quietly(&bench, export->before[i]);
    if (!run(&bench, line, &status))
        fail_msg("%s: %s", line, status.message);
    struct bytes whole = read_file(path);
    while (try_one(&bench, line, path, number, &whole))
        number++;
    assert_true(number > 20);
    unlink(path);
    free(whole.data);
    bench_close(&bench);
}

static void exports_are_right_or_refused(void **state)
{
#define SENTENCE "the dog sees a cat"
    static const char model[] = "tests/golden/one_head_halves_fairseq.bin",
                      gates[] = "tests/golden/context_both_stacks.bin";
    char gates_line[128], *source = NULL;
    snprintf(gates_line, sizeof gates_line, "%s/source", folder);
    source = strdup(gates_line);
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    assert_true(fputs("the dog\na cat sees the dog\n", file) >= 0 && fclose(file) == 0);
    snprintf(gates_line, sizeof gates_line, ":gates %s", source);
    const struct export exports[] = {
        {model, {SENTENCE}, "export", "a.safetensors", ""},
        {model, {SENTENCE}, "export", "a.csv", "token 1"},
        {model, {SENTENCE}, "export", "a.json", "attn"},
        {model, {SENTENCE}, "export", "a.tex", "attn"},
        {model, {SENTENCE}, "export", "a.npz", "heads"},
        {model, {SENTENCE}, "export", "a.svg", "attn"},
        {model, {SENTENCE}, "export", "a.png", "attn"},
        {model, {SENTENCE}, "save", "a.scope", ""},
        {gates, {gates_line}, "export", "a.svg", ""},
        {gates, {gates_line}, "export", "a.csv", ""},
    };
    setenv("SOURCE_DATE_EPOCH", "1000000000", 1);
    for (size_t i = 0; i < sizeof exports / sizeof *exports; i++)
        check_export(&exports[i]);
    unsetenv("SOURCE_DATE_EPOCH");
    unlink(source);
    free(source);
}

/* Commands ------------------------------------------------------------------------------------- */

/* Each of the first allocations fails in turn, among them those that hold the result; in
 * check-full, every one does. */
static void check_command(struct bench *bench, const char *line)
{
    struct status status;
    if (!run(bench, line, &status))
        fail_msg("%s: %s", line, status.message);
    bool failed = true;
    for (long number = 1; failed && number <= rounds_of(60, INT_MAX); number++) {
        failing_memory_begin(number);
        bool ok = run(bench, line, &status);
        failed = failing_memory_failed();
        failing_memory_begin(0);
        if (!ok && (!failed || !strstr(status.message, "memory")))
            fail_msg("%s, allocation %ld: %s", line, number, status.message);
    }
}

static void write_file(const char *name, const char *text, char path[100])
{
    snprintf(path, 100, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

/* SET stands for the path of a file. */
static const char *const commands[] = {
    "the dog sees",
    ":translate SET",
    ":open SET",
    ":bleu SET SET",
    ":compare before current SET SET",
    ":bleu SET SET in before current",
    ":ablate SET SET",
    ":prune SET SET until 1",
    ":stats SET",
    ":align SET SET",
    ":alti SET SET",
    ":attribute saliency SET SET",
    ":attribute saliency",
    ":faithful saliency SET SET",
    ":lens SET SET",
    ":lens",
    ":head enc layer 1 head 1 SET SET",
    ":patch a dog",
    ":score the dog ||| the dog",
    ":contrast SET SET SET2",
    NULL,
};
static const char *const of_dhicm[] = {":importance", ":importance SET by layer",
                                       ":prune SET SET until 1 by importance", NULL};
static const char *const of_contexts[] = {":gates", ":gates SET by position", NULL};

static void check_commands(const char *model, const char *const *lines, const char *set)
{
    struct bench bench = bench_open_model(model);
    bench_connect(&bench);
    bench_run_quietly(&bench, "the dog sees");
    bench_run_quietly(&bench, ":disable enc head 1");
    for (; *lines; lines++) {
        char line[1000] = "";
        for (const char *at = *lines, *name; *at; at = name + 3 * !!*name) {
            name = strstr(at, "SET") ? strstr(at, "SET") : at + strlen(at);
            sprintf(line + strlen(line), "%.*s%s", (int)(name - at), at, *name ? set : "");
        }
        check_command(&bench, line);
    }
    bench_close(&bench);
}

static void commands_are_complete_or_refused(void **state)
{
    char set[100], other[100];
    write_file("set", "the dog\na cat sees the dog\n", set);
    write_file("set2", "a cat\na dog sees the cat\n", other);
    check_commands("tests/golden/vanilla_pre.bin", commands, set);
    check_commands("tests/golden/dhicm_last_layers.bin", of_dhicm, set);
    check_commands("tests/golden/context_both_stacks.bin", of_contexts, set);
    unlink(set);
    unlink(other);
}

/* Functions ------------------------------------------------------------------------------------ */

/* What the screen goes back to when a command is interrupted. */
static void marks_are_whole_or_refused(void **state)
{
    struct bench bench = bench_open_model("tests/golden/one_head_halves_fairseq.bin");
    bool failed = true;
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":attn");
    for (long number = 1; failed; number++) {
        struct session_mark mark;
        struct status status = {0};
        failing_memory_begin(number);
        bool ok = session_mark_set(bench.session, ":attn", &mark, &status);
        failed = failing_memory_failed();
        failing_memory_begin(0);
        assert_int_equal(ok, !failed);
        if (ok) {
            assert_non_null(mark.state.head_settings);
            assert_string_equal(mark.shown, ":attn");
            session_mark_free(&mark);
        } else {
            assert_int_equal(status.code, STATUS_MEMORY);
        }
        assert_true(ok || number < 100);
    }
    bench_close(&bench);
}

/* Quotation marks and apostrophes are escaped, and punctuation stands apart. */
static void tokens_are_right_or_refused(void **state)
{
    static const char text[] = "He said: \"Don't!\" and left.";
    static const char tokens[] = "He said : &quot; Don &apos;t ! &quot; and left .";
    bool failed = true;
    for (long number = 1; failed; number++) {
        struct text_buffer out = {0};
        struct status status = {0};
        failing_memory_begin(number);
        bool ok = moses_tokenize(text, "en", MOSES_DASHES_KEPT, &out, &status);
        failed = failing_memory_failed();
        failing_memory_begin(0);
        if (ok)
            assert_string_equal(out.data, tokens);
        else
            assert_int_equal(status.code, STATUS_MEMORY);
        assert_int_equal(ok, !failed);
        free(out.data);
    }
}

static void codes_are_right_or_refused(void **state)
{
    static const char text[] = "#version: 0.2\nt h\nth e</w>\n";
    bool failed = true;
    for (long number = 1; failed; number++) {
        struct strings pieces = {0};
        struct status status = {0};
        failing_memory_begin(number);
        struct bpe *bpe = bpe_open(text, strlen(text), BPE_CONTINUED, &status);
        bool ok = bpe && bpe_split(bpe, "the", strlen("the"), &pieces, &status);
        failed = failing_memory_failed();
        failing_memory_begin(0);
        if (ok)
            assert_string_equal(pieces.text[0], "the");
        else
            assert_int_equal(status.code, STATUS_MEMORY);
        assert_int_equal(ok, !failed);
        strings_free(&pieces);
        bpe_close(bpe);
    }
}

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exports_are_right_or_refused),
        cmocka_unit_test(commands_are_complete_or_refused),
        cmocka_unit_test(marks_are_whole_or_refused),
        cmocka_unit_test(tokens_are_right_or_refused),
        cmocka_unit_test(codes_are_right_or_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
