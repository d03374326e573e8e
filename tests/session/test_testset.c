/* A test set walked by hand: where one is, what `:force` takes from it, and what goes wrong. */
#include <math.h>
#include <unistd.h>

#include "terminal/interrupt.h"
#include "tests/support/commands_support.h"
#include "tests/support/report_support.h"
#include "tests/support/test.h"

#define SOURCES "the dog sees\n\na cat sleeps\nthe house\n"
#define REFERENCES "der Hund sieht\n\neine Katze\n \n"

/* A session with files of sources and references. */
struct walk {
    struct bench bench;
    char source[64], reference[64], line[256];
};

static struct walk walk_open(const char *sources, const char *references)
{
    struct walk walk = {.bench = bench_open("vanilla_post")};
    write_lines(sources, walk.source);
    write_lines(references, walk.reference);
    snprintf(walk.line, sizeof walk.line, ":open %s %s", walk.source, walk.reference);
    return walk;
}

static void walk_close(struct walk *walk)
{
    unlink(walk->source);
    unlink(walk->reference);
    bench_close(&walk->bench);
}

/* The current sentence: NULL where a blank line is. */
static void assert_at(const struct walk *walk, int number, const char *source)
{
    const struct session *session = walk->bench.session;
    assert_int_equal(session->testset->current, number - 1);
    if (source)
        assert_string_equal(session->current->text, source);
    else
        assert_null(session->current);
}

static void steps_and_jumps_go_where_they_say(void **state)
{
    static const struct {
        const char *line;
        int number;
        const char *source;
    } steps[] = {
        {":next", 2, NULL},
        {":next", 3, "a cat sleeps"},
        {":next", 4, "the house"},
        {":prev", 3, "a cat sleeps"},
        {":prev", 2, NULL},
        {":goto 4", 4, "the house"},
        {":goto 1", 1, "the dog sees"},
    };
    struct walk walk = walk_open(SOURCES, REFERENCES);
    struct report result = bench_run(&walk.bench, walk.line);
    assert_reports(&result, "open");
    report_free(&result);
    assert_at(&walk, 1, "the dog sees");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        bench_run_quietly(&walk.bench, steps[i].line);
        assert_at(&walk, steps[i].number, steps[i].source);
    }
    walk_close(&walk);
}

static void the_ends_are_errors_and_one_stays_there(void **state)
{
    struct walk walk = walk_open(SOURCES, REFERENCES);
    bench_refuse(&walk.bench, ":next", "no sentence yet: type some, or open a test set");
    bench_run_quietly(&walk.bench, walk.line);
    bench_refuse(&walk.bench, ":prev", "sentence 1 of 4 is the first");
    assert_at(&walk, 1, "the dog sees");
    bench_run_quietly(&walk.bench, ":goto 4");
    bench_refuse(&walk.bench, ":next", "sentence 4 of 4 is the last");
    bench_refuse(&walk.bench, ":goto 5", "1 to 4");
    bench_refuse(&walk.bench, ":goto 0", "1 to 4");
    bench_refuse(&walk.bench, ":goto 99999999999999999999", "1 to 4");
    bench_refuse(&walk.bench, ":goto", "expected the number of a sentence");
    assert_at(&walk, 4, "the house");
    walk_close(&walk);
}

static void another_sentence_in_between_changes_no_number(void **state)
{
    struct walk walk = walk_open(SOURCES, REFERENCES);
    bench_run_quietly(&walk.bench, walk.line);
    bench_run_quietly(&walk.bench, ":goto 3");
    bench_run_quietly(&walk.bench, "the tree");
    bench_refuse(&walk.bench, ":force", "is not number 3 of the test set");
    bench_run_quietly(&walk.bench, ":next");
    assert_at(&walk, 4, "the house");
    walk_close(&walk);
}

/* Typed twice in a row a sentence is there once; a test set takes their place. */
static void sentences_that_were_typed_are_walked_through(void **state)
{
    static const char *const typed[] = {"the dog", "the cat", "the cat", "the house"};
    struct walk walk = walk_open(SOURCES, REFERENCES);
    const struct session *session = walk.bench.session;
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        bench_run_quietly(&walk.bench, typed[i]);
    bench_refuse(&walk.bench, ":next", "sentence 3 of 3 is the last");
    bench_run_quietly(&walk.bench, ":prev");
    assert_string_equal(session->current->text, "the cat");
    bench_run_quietly(&walk.bench, ":goto 1");
    assert_string_equal(session->current->text, "the dog");
    bench_refuse(&walk.bench, ":prev", "sentence 1 of 3 is the first");
    bench_refuse(&walk.bench, ":force", "no test set with references is open");
    bench_run_quietly(&walk.bench, "the tree");
    struct report result = bench_run(&walk.bench, ":prev");
    assert_int_equal(report_int(&result, "number"), 3);
    assert_int_equal(report_int(&result, "sentences"), 4);
    report_free(&result);
    bench_run_quietly(&walk.bench, walk.line);
    bench_refuse(&walk.bench, ":prev", "sentence 1 of 4 is the first");
    assert_string_equal(session->current->text, "the dog sees");
    bench_run_quietly(&walk.bench, "a small cat");
    bench_run_quietly(&walk.bench, ":prev");
    assert_string_equal(session->current->text, "the tree");
    bench_run_quietly(&walk.bench, ":next");
    assert_string_equal(session->current->text, "a small cat");
    bench_run_quietly(&walk.bench, ":goto 3");
    bench_run_quietly(&walk.bench, "the house");
    bench_run_quietly(&walk.bench, ":next"); // beyond the last one
    assert_int_equal(session->testset->current, 3);
    walk_close(&walk);
}

static void the_last_two_hundred_are_kept(void **state)
{
    struct testset *typed = NULL;
    struct status status;
    char text[40];
    for (int i = 1; i <= TYPED_MOST + 2; i++) {
        snprintf(text, sizeof text, "sentence %d", i);
        assert_true(testset_add(&typed, text, &status));
    }
    assert_int_equal(typed->sources.count, TYPED_MOST);
    assert_string_equal(typed->sources.text[0], "sentence 3");
    assert_string_equal(testset_source(typed), text);
    testset_close(typed);
}

static void force_takes_the_reference(void **state)
{
    struct walk walk = walk_open(SOURCES, REFERENCES);
    bench_run_quietly(&walk.bench, walk.line);
    struct report result = bench_run(&walk.bench, ":force");
    assert_reports(&result, "force");
    report_free(&result);
    const struct sentence_pair *pair = walk.bench.session->current;
    assert_true(pair->forced);
    assert_string_equal(pair->texts[0], "der Hund sieht");
    double logprob = pair->translation.hypotheses[0].logprob;
    struct report score = bench_run(&walk.bench, ":score the dog sees ||| der Hund sieht");
    assert_true(fabs(report_real(&score, "logprob") - logprob) < 1e-5);
    report_free(&score);
    bench_run_quietly(&walk.bench, ":goto 4");
    bench_refuse(&walk.bench, ":force", "the reference of sentence 4 is blank");
    bench_run_quietly(&walk.bench, ":goto 2");
    bench_refuse(&walk.bench, ":force", "no sentence yet");
    walk_close(&walk);
}

static void without_references_force_needs_a_target(void **state)
{
    struct walk walk = walk_open(SOURCES, REFERENCES);
    char line[128];
    snprintf(line, sizeof line, ":open %s", walk.source);
    bench_run_quietly(&walk.bench, "the dog");
    bench_refuse(&walk.bench, ":force", "no test set with references is open");
    bench_run_quietly(&walk.bench, line);
    bench_refuse(&walk.bench, ":force", "opened without references");
    walk_close(&walk);
}

static void files_that_do_not_do_are_refused_and_the_old_set_stays(void **state)
{
    static const struct {
        const char *sources, *references, *says;
    } cases[] = {
        {"a\nb\nc\n", "a\nb\n", ":2: the last line, and /tmp/"},
        {"a\nb\nc\n", "a\nb\n", " has 3: expected as many in both"},
        {"", "", ": empty, expected a sentence on each line"},
        {"a\nb \xFF\n", "a\nb\n", ":2: invalid UTF-8 at byte 3"},
        {"a\nb\n", "a\nb\xC3\n", ":2: invalid UTF-8 at byte 2"},
    };
    struct walk walk = walk_open(SOURCES, REFERENCES);
    bench_run_quietly(&walk.bench, walk.line);
    bench_run_quietly(&walk.bench, ":goto 3");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char source[64], reference[64], line[256];
        write_lines(cases[i].sources, source);
        write_lines(cases[i].references, reference);
        snprintf(line, sizeof line, ":open %s %s", source, reference);
        bench_refuse(&walk.bench, line, cases[i].says);
        unlink(source);
        unlink(reference);
        assert_at(&walk, 3, "a cat sleeps");
    }
    bench_refuse(&walk.bench, ":open", "expected SRC [REF]");
    bench_refuse(&walk.bench, ":open a b c", "\"c\": unexpected argument");
    bench_refuse(&walk.bench, ":open nosuch", "nosuch: No such file");
    bench_run_quietly(&walk.bench, ":next");
    assert_at(&walk, 4, "the house");
    walk_close(&walk);
}

/* The model takes 64 tokens, end-of-sentence included. */
/* As Enter on a row of a table does whose lines change the state before they go to a sentence. */
static void a_place_that_was_left_outlives_a_change_there(void **state)
{
    struct walk walk = walk_open(SOURCES, REFERENCES);
    bench_run_quietly(&walk.bench, "the dog sees a cat");
    session_leave(walk.bench.session);
    bench_run_quietly(&walk.bench, ":disable enc head 1"); // its report has the pair from before
    bench_run_quietly(&walk.bench, walk.line);
    bench_run_quietly(&walk.bench, ":back");
    assert_string_equal(walk.bench.session->current->text, "the dog sees a cat");
    assert_null(walk.bench.session->testset);
    walk_close(&walk);
}

static void an_open_that_fails_leaves_no_place(void **state)
{
    struct walk walk = walk_open(SOURCES, REFERENCES);
    bench_run_quietly(&walk.bench, "the dog");
    bench_run_quietly(&walk.bench, walk.line);
    bench_run_quietly(&walk.bench, "a cat");
    interrupt_raise();
    bench_refuse(&walk.bench, walk.line, "interrupted");
    interrupt_clear();
    bench_run_quietly(&walk.bench, ":back");
    assert_string_equal(walk.bench.session->current->text, "the dog");
    walk_close(&walk);
}

static void a_sentence_that_is_too_long_is_named_and_can_be_jumped_over(void **state)
{
    char text[1024] = "the dog\n";
    for (int i = 0; i < 64; i++)
        strcat(text, "a ");
    strcat(text, "\nthe cat\n");
    struct walk walk = walk_open(text, "a\nb\nc\n");
    char says[128];
    bench_run_quietly(&walk.bench, walk.line);
    snprintf(says, sizeof says, "%s:2: the source has 65 tokens", walk.source);
    bench_refuse(&walk.bench, ":next", says);
    assert_at(&walk, 1, "the dog");
    bench_run_quietly(&walk.bench, ":goto 3");
    assert_at(&walk, 3, "the cat");
    walk_close(&walk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_jumps_go_where_they_say),
        cmocka_unit_test(the_ends_are_errors_and_one_stays_there),
        cmocka_unit_test(another_sentence_in_between_changes_no_number),
        cmocka_unit_test(sentences_that_were_typed_are_walked_through),
        cmocka_unit_test(the_last_two_hundred_are_kept),
        cmocka_unit_test(force_takes_the_reference),
        cmocka_unit_test(without_references_force_needs_a_target),
        cmocka_unit_test(files_that_do_not_do_are_refused_and_the_old_set_stays),
        cmocka_unit_test(a_place_that_was_left_outlives_a_change_there),
        cmocka_unit_test(an_open_that_fails_leaves_no_place),
        cmocka_unit_test(a_sentence_that_is_too_long_is_named_and_can_be_jumped_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
