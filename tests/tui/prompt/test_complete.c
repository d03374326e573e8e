/* Completion: what is offered for a line and a cursor. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/commands_support.h"
#include "tests/support/test.h"
#include "tui/prompt/complete.h"

/* What is offered at the end of a line, joined by "|", with the byte where the word begins before
 * it: "5:head|layer". Until the next call. */
static const char *offered_at(const struct session *session, const char *line, size_t cursor)
{
    static char text[20000];
    struct completions completions;
    struct status status;
    assert_true(complete(session, line, cursor, &completions, &status));
    int used = snprintf(text, sizeof text, "%zu:", completions.start);
    for (int i = 0; i < completions.words.count; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s", i ? "|" : "",
                         completions.words.text[i]);
    completions_free(&completions);
    return text;
}

static const char *offered(const struct session *session, const char *line)
{
    return offered_at(session, line, strlen(line));
}

struct offer {
    const char *line, *offers;
};

static void check_offers(const struct offer *cases, size_t count)
{
    struct bench bench = bench_open("vanilla_post");
    for (size_t i = 0; i < count; i++) {
        const char *is = offered(bench.session, cases[i].line);
        if (strcmp(is, cases[i].offers) != 0)
            fail_msg("\"%s\": %s, expected %s", cases[i].line, is, cases[i].offers);
    }
    bench_close(&bench);
}

static void commands_are_offered(void **state)
{
    static const struct offer cases[] = {
        {":dis", "0::disable|:disabled"},
        {":disabled", "0::disabled"},
        {":x", "0:"},
        {"", "0:"},
        {"the d", "5:"},
        {" :dis", "5:"}, // a sentence
        {":help tr", "6:translate"},
        {":help :tr", "6::translate"},
        {":help colou", "6:colours"},
        {":help translate ", "16:"},
        {":quit ", "6:"},
        {":nonsense ", "10:"},
        {":force a", "7:"}, // text
    };
    check_offers(cases, sizeof cases / sizeof *cases);
}

/* vanilla_post has 2 layers of 4 heads. */
static void parts_of_selectors_are_offered(void **state)
{
    static const struct offer cases[] = {
        {":attn ", "6:as|cross|dec|enc|head|layer|word"},
        {":attn d", "6:dec"},
        {":attn dec ", "10:as|head|layer|word"},
        {":attn layer ", "12:1|2|all"},
        {":attn layer a", "12:all"},
        {":attn layer 1 he", "14:head"},
        {":attn layer 1 head ", "19:1|2|3|4|all|importance|max|mean"},
        {":attn layer 1 head m", "19:max|mean"},
        {":attn head 1 layer 1 word ", "26:as|cross|dec|enc"},
        {":attn as ", "9:alti|block-norms|contributions|flow|norms|rollout|value-zeroing|weights"},
        {":heads as n", "10:norms"},
        {":heads as a", "10:"},
        {":attn as alti ", "14:cross|dec|enc|head|layer|word"},
        {":disable a", "9:"},
        {":hea\tcr", "5:cross"},          // a shortened command
        {":disable head ", "14:1|2|3|4"}, // mean and max are no heads
        {":disable w", "9:"},
        {":mask head 1 ", "13:backward|cross|dec|enc|forward|global|layer|local"},
        {":mask head 1 local ", "19:cross|dec|enc|layer"},
        {":pattern head 1 sentence", "16:sentence_end|sentence_start"},
        {":pattern head 1 last ", "21:cross|dec|enc|layer|word"},
    };
    check_offers(cases, sizeof cases / sizeof *cases);
}

static void settings_and_files_are_offered(void **state)
{
    static const struct offer cases[] = {
        // Settings.
        {":set target_language ", "21:de"},
        {":set max", "5:max_length.end|max_length.factor|max_length.most|max_length.plus"},
        {":set length_penalty ", "20:average|none|wu"},
        {":set beam ", "10:5"},
        {":set beam 5 ", "12:"},
        {":set nonsense ", "14:"},
        // Gates, and a file among them.
        {":gates tests/golden/vanilla_post.b", "7:tests/golden/vanilla_post.bin"},
        {":gates enc x ", "13:by"},
        {":gates x by ", "12:layer|length|pos|position"},
        {":gates x by layer ", "18:"},
        {":align x y z by ", "16:layer,head"},
        {":align x y as fl", "14:flow"},
        {":align x y sh", "11:shifted"},
        {":gates enc q", "11:q|qk"},
        {":gates q q", "9:"}, // one side at most
        // Models, and folders on the way; the expected results beside them are no models.
        {":load tests/golden/vanilla_p",
         "6:tests/golden/vanilla_post.bin|tests/golden/vanilla_pre.bin"},
        {":load READ", "6:"},
        {":load samples/se", "6:"},
        {":load samp", "6:samples/"},
        {":load x ", "8:"},
    };
    check_offers(cases, sizeof cases / sizeof *cases);
}

static void words_of_studies_are_offered(void **state)
{
    static const struct offer cases[] = {
        {":bleu tests/golden/vanilla_post.b", "6:tests/golden/vanilla_post.bin"},
        {":bleu x y gro", "10:group"},
        {":bleu x y by ", "13:source"},
        {":bleu x y by 1,2 ", "17:group|in"},
        {":bleu x y in vanilla_pr", "13:"},
        {":bleu x y by source in ", "23:current|vanilla_post.bin"},
        {":bleu x i", "8:"},
        {":bleu x y by 1,2 group ", "23:all"},
        {":compare vanilla", "9:vanilla_post.bin"},
        {":contrast x gr", "12:group"},
        {":contrast x group ", "18:all"},
        {":contrast x by", "12:by"},
        {":contrast x by ", "15:distance|frequency|intrasegmental|pronoun|reference|sense|type"},
        {":contrast x by sense ", "21:group|in"},
        {":contrast x by sense in van", "24:vanilla_post.bin"},
        {":contrast x ab", "12:ablate"},
        {":contrast x ablate by ", "22:head|layer|layer,head"},
        {":contrast x ablate by head cr", "27:cross"},
        {":contrast x ablate head ", "24:1|2|3|4"},
        {":ablate x y by head or sho", "23:show"},
        {":prune x y unt", "11:until"},
        {":stats x y di", "11:distances"},
        {":stats x y cross 2.7 sho", "21:show"},
        {":stats x y cross 2.7 show punct", "26:punctuation"},
        {":prune x y until 1 by ", "22:gradient|importance"},
        {":prune x y until 1 cross o", "25:or"},
        {":prune x y until 1 s", "19:show"},
        {":prune x y until 1 show 2 s", "26:"},
        {":ablate x y by ", "15:gradient|head|layer|layer,head"},
        {":ablate x y by head s", "20:show"},
        {":ablate x y head ", "17:1|2|3|4"},
        {":ablate x y head 1 o", "19:or"},
    };
    check_offers(cases, sizeof cases / sizeof *cases);
}

/* The words that the sentence was typed with are its tokens here: the model cuts at blanks. */
static void tokens_views_and_states_are_offered(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees");
    bench_run_quietly(&bench, ":state \"my state\"");
    assert_string_equal(offered(bench.session, ":token do"), "7:dog");
    assert_string_equal(offered(bench.session, ":export x.png im"), "14:importance");
    assert_string_equal(offered(bench.session, ":export x.png attn cross la"), "25:layer");
    assert_string_equal(offered(bench.session, ":export x.png disa"), "14:");
    assert_string_equal(offered(bench.session, ":model my"), "7:my\\ state");
    assert_string_equal(offered(bench.session, ":beside vanilla"), "8:vanilla_post.bin");
    assert_string_equal(offered(bench.session, ":beside \"my state\" cu"), "19:current");
    bench_close(&bench);
}

/* U+009B begins an escape sequence as ESC [ does. */
static void names_that_a_terminal_would_obey_are_not_offered(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, ":state x\xC2\x9B");
    bench_run_quietly(&bench, ":state x\x1B");
    bench_run_quietly(&bench, ":state x\xC3\x9B");
    assert_string_equal(offered(bench.session, ":model x"), "7:x\xC3\x9B");
    bench_close(&bench);
}

static void what_stands_behind_the_cursor_does_not_count(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    assert_string_equal(offered_at(bench.session, ":atten layer 1", 3), "0::attn|:attribute");
    assert_string_equal(offered_at(bench.session, ":attn layer 1", 0), "0:");
    assert_string_equal(offered_at(bench.session, ":attn dec layer 1", 7), "6:dec");
    bench_close(&bench);
}

static void values_set_before_are_offered_beside_the_usual_ones(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, ":set batch 17");
    assert_string_equal(offered(bench.session, ":set batch "), "11:17|64");
    bench_close(&bench);
}

static void the_module_last_shown_counts_its_own_heads(void **state)
{
    struct bench bench = bench_open("asymmetric");
    char wanted[200] = "11:";
    const struct config *config = session_config(bench.session);
    int heads = config->stacks[STACK_DECODER].heads;
    assert_int_not_equal(heads, config->stacks[STACK_ENCODER].heads);
    for (int h = 1; h <= heads; h++)
        sprintf(wanted + strlen(wanted), "%s%d", h > 1 ? "|" : "", h);
    strcat(wanted, "|all|importance|max|mean");
    bench_run_quietly(&bench, bench_source(&bench, 2));
    bench_run_quietly(&bench, ":attn dec");
    assert_string_equal(offered(bench.session, ":attn head "), wanted);
    bench_close(&bench);
}

/* Models of the hub are offered by their names, as its cache has them; what is no model of it is
 * not. */
static void models_of_the_hub_are_offered(void **state)
{
    static const char *const names[] = {"models--Helsinki-NLP--opus-mt-en-de",
                                        "models--Helsinki-NLP--opus-mt-de-en",
                                        "models--t5-small",
                                        "datasets--wmt--wmt19",
                                        "models--",
                                        "version.txt"};
    char cache[] = "/tmp/attnscope-hub-XXXXXX", path[400];
    assert_non_null(mkdtemp(cache));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", cache, names[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    assert_int_equal(setenv("HF_HUB_CACHE", cache, 1), 0);
    struct bench bench = bench_open("vanilla_post");
    assert_string_equal(offered(bench.session, ":load Hels"),
                        "6:Helsinki-NLP/opus-mt-de-en|Helsinki-NLP/opus-mt-en-de");
    assert_string_equal(offered(bench.session, ":load Helsinki-NLP/opus-mt-e"),
                        "6:Helsinki-NLP/opus-mt-en-de");
    assert_string_equal(offered(bench.session, ":load t5-"), "6:t5-small");
    assert_string_equal(offered(bench.session, ":load wmt"), "6:");
    bench_close(&bench);
    assert_int_equal(unsetenv("HF_HUB_CACHE"), 0);
    snprintf(path, sizeof path, "rm -r %s", cache);
    assert_int_equal(system(path), 0);
}

/* Names with blanks, quotes and backslashes come quoted, and what is offered is read as the
 * file. */
static void files_are_offered_as_they_are_to_be_typed(void **state)
{
    static const char *const names[] = {"plain",   "with blank", "it's",        "back\\slash",
                                        ".hidden", "日本語",     "line\nbreak", "\xFFinvalid"};
    char folder[] = "/tmp/attnscope-complete-XXXXXX", line[300], wanted[600];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fclose(fopen(names[i], "w"));
    assert_int_equal(mkdir("with folder", 0700), 0);
    fclose(fopen("with folder/inside", "w"));
    assert_int_equal(chdir("/"), 0);
    snprintf(line, sizeof line, "%s", getenv("PWD") ? getenv("PWD") : ".");
    assert_int_equal(chdir(line), 0);
    struct bench bench = bench_open("vanilla_post");
    snprintf(line, sizeof line, ":translate %s/", folder);
    snprintf(wanted, sizeof wanted,
             "11:%s/back\\\\slash|%s/it\\'s|%s/plain|%s/with\\ blank|%s/with\\ folder/|%s/日本語",
             folder, folder, folder, folder, folder, folder);
    assert_string_equal(offered(bench.session, line), wanted);
    snprintf(line, sizeof line, ":translate %s/.", folder);
    assert_non_null(strstr(offered(bench.session, line), "/.hidden"));
    // However it is begun.
    static const char *const begun[] = {"with\\ f", "\"with f", "'with f", "with\" \"f"};
    for (size_t i = 0; i < sizeof begun / sizeof *begun; i++) {
        snprintf(line, sizeof line, ":translate %s/%s", folder, begun[i]);
        if (begun[i][0] != 'w') // quotes stand before all of the word
            snprintf(line, sizeof line, ":translate %c%s/%s", begun[i][0], folder, begun[i] + 1);
        snprintf(wanted, sizeof wanted, "11:%s/with\\ folder/", folder);
        assert_string_equal(offered(bench.session, line), wanted);
    }
    snprintf(line, sizeof line, ":source %s/with\\ folder/", folder);
    snprintf(wanted, sizeof wanted, "8:%s/with\\ folder/inside", folder);
    assert_string_equal(offered(bench.session, line), wanted);
    assert_string_equal(offered(bench.session, ":source /nowhere/"), "8:");
    bench_close(&bench);
    snprintf(line, sizeof line, "rm -r %s", folder);
    assert_int_equal(system(line), 0);
}

static struct completions make(const char *const *words)
{
    struct completions completions = {0};
    struct status status;
    for (int i = 0; words[i]; i++)
        assert_true(strings_add(&completions.words, words[i], strlen(words[i]), &status));
    return completions;
}

static void what_is_common_ends_between_characters(void **state)
{
    static const struct {
        const char *words[4];
        size_t common;
    } cases[] = {
        {{"layer", "length", NULL}, 1},
        {{"one", NULL}, 3},
        {{"日a", "日b", NULL}, 3},
        {{"a日", "a本", "a語", NULL}, 1}, // all begin with the same byte
        {{"my\\ a", "my\\'b", NULL}, 2},
        {{"my\\\\a", "my\\\\b", NULL}, 4},
        {{"a", "b", NULL}, 0},
        {{"same", "same more", NULL}, 4},
        {{NULL}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct completions completions = make(cases[i].words);
        if (completions_common(&completions) != cases[i].common)
            fail_msg("case %zu: %zu, expected %zu", i, completions_common(&completions),
                     cases[i].common);
        completions_free(&completions);
    }
}

/* Every command says under which title it stands. */
static void the_table_is_whole(void **state)
{
    for (int i = 0; i < command_count; i++) {
        const struct command *command = command_table[i];
        if (command->group <= GROUP_NONE || command->group >= GROUP_COUNT)
            fail_msg(":%s has no group", command->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_offered),
        cmocka_unit_test(parts_of_selectors_are_offered),
        cmocka_unit_test(settings_and_files_are_offered),
        cmocka_unit_test(words_of_studies_are_offered),
        cmocka_unit_test(tokens_views_and_states_are_offered),
        cmocka_unit_test(names_that_a_terminal_would_obey_are_not_offered),
        cmocka_unit_test(what_stands_behind_the_cursor_does_not_count),
        cmocka_unit_test(values_set_before_are_offered_beside_the_usual_ones),
        cmocka_unit_test(the_module_last_shown_counts_its_own_heads),
        cmocka_unit_test(files_are_offered_as_they_are_to_be_typed),
        cmocka_unit_test(models_of_the_hub_are_offered),
        cmocka_unit_test(what_is_common_ends_between_characters),
        cmocka_unit_test(the_table_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
