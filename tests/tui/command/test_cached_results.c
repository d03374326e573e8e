/* What a result depends on is what it is kept under: a change of any one of these makes a new
 * result, and a change of anything else shows the one that is kept. What is kept is spoilt, so that
 * its use shows. */
#include <unistd.h>

#include "report/report_memory.h"
#include "tests/support/cli_support.h"
#include "tests/support/held_support.h"
#include "tests/support/scored_support.h"
#include "tests/support/test.h"
#include "tui/command/study/report_contrast.h"

#define SOURCES "the dog\na small old cat sees the river .\nhe sees a dog\nthe cat\n"
#define REFERENCES "der Hund\neine kleine Katze sieht den Fluss .\ner sieht einen Hund\nKatze\n"
#define WRONG "der Fluss\neine kleine Katze sieht den Hund .\ner sieht eine Katze\nHund\n"
enum { SENTENCES = 4, SPOILT = 12345 };

enum { BLEU = 1, ABLATE = 2, PRUNE = 4, CONTRAST = 8, ALL = 15 };

/* One change each; what begins with ">" is the new text of the sources, with "<" of the references;
 * "=" loads a copy of the model, which says the same and has the same head settings. */
static const struct change {
    const char *line;
    int renewed;        // kinds of results that are made anew
    const char *before; // NULL: nothing; another value of the same thing
} changes[] = {
    {":load tests/golden/vanilla_pre.bin", ALL, NULL},
    {"=", ALL, NULL},
    {":disable head 1 layer 2 in dec", ALL, NULL},
    {":mask forward layer 1 head 1", ALL, NULL},
    {":mask local 2 layer 1 head 1", ALL, ":mask local 1 layer 1 head 1"},
    {":pattern previous layer 2 head 2", ALL, NULL},
    {":pattern next layer 2 head 2", ALL, ":pattern previous layer 2 head 2"},
    {":pattern previous word layer 2 head 2", ALL, ":pattern previous layer 2 head 2"},
    {":set beam 2", BLEU | ABLATE | PRUNE, NULL},
    {":set length_penalty wu", BLEU | ABLATE | PRUNE, NULL},
    {":set length_penalty.alpha 0.37", BLEU | ABLATE | PRUNE, NULL},
    {":set length_penalty.offset 2", BLEU | ABLATE | PRUNE, NULL},
    {":set max_length.factor 1.7", BLEU | ABLATE | PRUNE, NULL},
    {":set max_length.plus 3", BLEU | ABLATE | PRUNE, NULL},
    {":set max_length.most 4", BLEU | ABLATE | PRUNE, NULL},
    {":set min_length 3", BLEU | ABLATE | PRUNE, NULL},
    {":set endings first", BLEU | ABLATE | PRUNE, NULL},
    {":set batch 3", 0, NULL},
    {":set threads 1", 0, NULL},
    {">the dog\na small old cat sees the river .\nhe sees a dog\nthe river\n", ALL, NULL},
    {"<der Hund\neine kleine Katze sieht den Fluss .\ner sieht einen Hund\ndie Katze\n",
     ABLATE | PRUNE | CONTRAST, NULL},
    {":set bleu.tokenize char", ABLATE | PRUNE, NULL},
    {":set bleu.lowercase on", ABLATE | PRUNE, NULL},
    {":set bleu.smooth add-k", ABLATE | PRUNE, NULL},
    {":set bleu.smooth_value 0.3", ABLATE | PRUNE, NULL},
    {":set significance.trials 100", ABLATE, NULL},
    {":set significance.seed 7", ABLATE, NULL},
    {":set significance.resamples 100", 0, NULL},
    {":set chrf.lowercase on", 0, NULL},
    {":set contrast.normalize length", 0, NULL},
    {":set figure.dpi 72", 0, NULL},
};

/* Kinds of studies: how a result is spoilt where it is kept, and whether one is what was spoilt. */
struct study {
    int kind;
    const char *command, *rest;
    void (*spoil)(struct result_cache *cache);
    bool (*spoilt)(const struct report *result);
};

static void spoil_translations(struct result_cache *cache)
{
    for (int i = 0; i < SENTENCES; i++)
        *cache_translations_at(cache, 0)->texts[i] = '\0';
}

static bool spoilt_translations(const struct report *result)
{
    return held_study(result)->all.score[0].chrf == 0;
}

static void spoil_ablation(struct result_cache *cache)
{
    cache_last_ablation(cache)->scores[0].score = SPOILT;
}

static bool spoilt_ablation(const struct report *result)
{
    return held_ablate(result)->scores[0].score == SPOILT;
}

static void spoil_pruning(struct result_cache *cache)
{
    cache_last_pruning(cache)->steps[0].score = SPOILT;
}

static bool spoilt_pruning(const struct report *result)
{
    return held_prune(result)->steps[0].score == SPOILT;
}

static void spoil_suite(struct result_cache *cache)
{
    cache_last_suite(cache)->scores.candidates[0].logprob = SPOILT;
}

static bool spoilt_suite(const struct report *result)
{
    const struct contrast_result *contrast = report_held(result, contrast_release);
    return contrast->run->scores.candidates[0].logprob == SPOILT;
}

static const struct study studies[] = {
    {BLEU, ":bleu", "", spoil_translations, spoilt_translations},
    {ABLATE, ":ablate", " by layer", spoil_ablation, spoilt_ablation},
    {PRUNE, ":prune", " until 100 layer 1", spoil_pruning, spoilt_pruning},
    {CONTRAST, ":contrast", NULL, spoil_suite, spoilt_suite},
};

static void rewrite(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void load_copy(struct scored *scored)
{
    char path[64], line[200];
    write_lines("", path);
    snprintf(line, sizeof line, "cp tests/golden/vanilla_post.bin %s", path);
    assert_int_equal(system(line), 0);
    snprintf(line, sizeof line, ":load %s", path);
    bench_run_quietly(&scored->bench, line);
    unlink(path);
}

static void apply(struct scored *scored, const struct change *change)
{
    if (*change->line == '>')
        rewrite(scored->source, change->line + 1);
    else if (*change->line == '<')
        rewrite(scored->reference, change->line + 1);
    else if (*change->line == '=')
        load_copy(scored);
    else
        bench_run_quietly(&scored->bench, change->line);
}

static struct report run(struct scored *scored, const struct study *study, const char *wrong)
{
    char rest[100];
    snprintf(rest, sizeof rest, " %s", wrong);
    return bench_run(&scored->bench,
                     scored_line(scored, study->command, study->rest ? study->rest : rest));
}

static void check(const struct study *study, const struct change *change)
{
    struct scored scored;
    char wrong[64];
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    write_lines(WRONG, wrong);
    if (change->before)
        bench_run_quietly(&scored.bench, change->before);
    struct report first = run(&scored, study, wrong);
    assert_false(study->spoilt(&first));
    report_free(&first);
    study->spoil(&scored.bench.session->cache);
    apply(&scored, change);
    struct report second = run(&scored, study, wrong);
    if (study->spoilt(&second) == ((change->renewed & study->kind) != 0))
        fail_msg("%s after %s: %s", study->command, change->line,
                 study->spoilt(&second) ? "what was kept" : "made anew");
    report_free(&second);
    unlink(wrong);
    scored_close(&scored);
}

static void a_result_is_new_where_it_depends_on_what_changed(void **state)
{
    for (size_t s = 0; s < sizeof studies / sizeof *studies; s++)
        for (size_t c = 0; c < sizeof changes / sizeof *changes; c++)
            check(&studies[s], &changes[c]);
}

/* Of a model that has tokens for them. */
static void translations_into_another_language_are_others(void **state)
{
    static const char *const lines[] = {":set target_language jpn_Jpan",
                                        ":set source_language jpn_Jpan"};
    char source[64], line[200];
    write_lines("\u2581w1 \u2581w2\n\u2581w3\n", source);
    snprintf(line, sizeof line, ":bleu %s %s", source, source);
    for (int i = 0; i < 2; i++) {
        struct bench bench = bench_open_model("tests/golden/formats/hf-nllb");
        struct result_cache *cache = &bench.session->cache;
        bench_run_quietly(&bench, line);
        bench_run_quietly(&bench, lines[i]);
        bench_run_quietly(&bench, line);
        assert_int_equal(cache_count(cache, CACHED_TRANSLATIONS), 2);
        bench_run_quietly(&bench, ":undo");
        bench_run_quietly(&bench, line);
        assert_int_equal(cache_count(cache, CACHED_TRANSLATIONS), 2);
        bench_close(&bench);
    }
    unlink(source);
}

/* Other heads under study are another result; the translations that both have are kept. */
static void other_heads_are_another_study(void **state)
{
    struct scored scored;
    scored_open(&scored, "vanilla_post", SOURCES, REFERENCES);
    struct report first = bench_run(&scored.bench, scored_line(&scored, ":ablate", " by head enc"));
    spoil_ablation(&scored.bench.session->cache);
    struct report other =
        bench_run(&scored.bench, scored_line(&scored, ":ablate", " by head cross"));
    assert_false(spoilt_ablation(&other));
    report_free(&other);
    bench_run_quietly(&scored.bench, scored_line(&scored, ":prune", " until 100 layer 1"));
    spoil_pruning(&scored.bench.session->cache);
    other = bench_run(&scored.bench, scored_line(&scored, ":prune", " until 100 layer 2"));
    assert_false(spoilt_pruning(&other));
    report_free(&other);
    report_free(&first);
    scored_close(&scored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_is_new_where_it_depends_on_what_changed),
        cmocka_unit_test(translations_into_another_language_are_others),
        cmocka_unit_test(other_heads_are_another_study),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
