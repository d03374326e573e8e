/* What a result was computed from: the cache and shards of other settings, heads, questions or
 * files are not taken. The table of settings says what there is to change. */
#include "model/study/result_cache.h"
#include "tests/support/cli_support.h"
#include "tests/support/commands_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"
#include "tests/tui/program/identity_support.h"

#define CONTEXT "tests/golden/context_both_stacks.bin"
#define DHICM "tests/golden/dhicm_last_layers.bin"
#define NLLB "tests/golden/formats/hf-nllb"

/* Settings ------------------------------------------------------------------------------------- */

/* A value of the setting that is not the one in force; NULL: there is none. */
static const char *other_value(const struct setting *setting, const struct settings *settings)
{
    static char text[SETTING_TEXT_BYTES];
    struct settings other = *settings;
    struct status status;
    const char *const numbers[] = {"1", "2", "3", "30", "0.5", "84mm", "Serif 9", "none"};
    const char *const *choices = setting_choices(setting, settings);
    const int count = choices ? 1000 : (int)(sizeof numbers / sizeof *numbers);
    for (int i = 0; i < count && (!choices || choices[i]); i++) {
        const char *value = choices ? choices[i] : numbers[i];
        other = *settings;
        if (!setting_parse(setting, value, &other, &status) ||
            setting_equal(setting, settings, &other))
            continue;
        snprintf(text, sizeof text, "%s", value);
        return text;
    }
    return NULL;
}

/* What each setting reaches, beside what the table says. */
static bool changes_scores(const struct setting *setting)
{
    return setting->reach == REACH_STATE ||
           (setting->reach == REACH_SCORES && strcmp(setting->name, "chrf.lowercase") != 0);
}

static bool changes_tests(const struct setting *setting)
{
    return changes_scores(setting) ||
           (setting->reach == REACH_TESTS && strcmp(setting->name, "significance.resamples") != 0);
}

static bool is_language(const struct setting *setting)
{
    return setting->type == SETTING_LANGUAGE;
}

struct study_keys {
    struct result_key ablation, pruning, gradient, importance;
};

static struct study_keys keys_of(const struct bench *bench)
{
    const struct state *state = &bench->session->state;
    const struct study_settings *study = &bench->session->settings.study;
    const struct ablation_list none = {.count = 0};
    return (struct study_keys){ablation_key(state, NULL, &none, study),
                               pruning_key(state, NULL, &none, study, PRUNE_GREEDY),
                               pruning_key(state, NULL, &none, study, PRUNE_BY_GRADIENT),
                               pruning_key(state, NULL, &none, study, PRUNE_BY_IMPORTANCE)};
}

static bool same(const struct result_key *a, const struct result_key *b)
{
    return memcmp(&a->identity, &b->identity, sizeof a->identity) == 0;
}

/* Results that the cache has under the state. */
static bool has_stats(struct bench *bench)
{
    return cache_head_stats(&bench->session->cache, &bench->session->state, "content") != NULL;
}

/* Changes one setting after the other: the cache of a session has nothing of the old value. */
static void the_cache_knows_every_setting_of(const char *model)
{
    struct bench bench = bench_open_model(model);
    struct status status;
    for (int i = 0; i < setting_count; i++) {
        const struct setting *setting = &setting_table[i];
        const char *value = other_value(setting, &bench.session->settings);
        if (!value && is_language(setting))
            continue;
        assert_non_null(value);
        char line[400];
        const struct study_keys before = keys_of(&bench);
        cache_forget(&bench.session->cache, CACHED_HEAD_STATS);
        assert_non_null(
            cache_add_head_stats(&bench.session->cache, &bench.session->state, "content", &status));
        assert_false(same(&before.pruning, &before.gradient));
        assert_false(same(&before.pruning, &before.importance));
        assert_false(same(&before.gradient, &before.importance));
        snprintf(line, sizeof line, ":set %s %s", setting->name, value);
        bench_run_quietly(&bench, line);
        const struct study_keys after = keys_of(&bench);
        if (same(&before.ablation, &after.ablation) == changes_tests(setting) ||
            same(&before.pruning, &after.pruning) == changes_scores(setting) ||
            has_stats(&bench) == (setting->reach == REACH_STATE))
            fail_msg("%s: results of the value before are%s found", line,
                     changes_tests(setting) ? "" : " not");
    }
    bench_close(&bench);
}

static void the_cache_knows_every_setting(void **state)
{
    the_cache_knows_every_setting_of(PLAIN);
    the_cache_knows_every_setting_of(NLLB);
}

/* A translation depends on all of the search; a score on the languages alone. Half of the settings,
 * those with odd or even numbers as `odd` says; in full, all. */
static void shards_know_every_setting_of(const char *model, const char *study, bool searched,
                                         int odd)
{
    struct bench bench = bench_open_model(model);
    struct identity_run run = {.model = model, .study = study};
    identity_compute(&run);
    identity_expect(&run, true);
    for (int i = 0; i < setting_count; i++) {
        const struct setting *setting = &setting_table[i];
        const char *value = other_value(setting, &bench.session->settings);
        char line[400];
        if (!value || (i % 2 != odd && !rounds_full()))
            continue;
        snprintf(line, sizeof line, ":set %s %s", setting->name, value);
        run.before = line;
        identity_expect(&run,
                        !(is_language(setting) || (searched && setting->reach == REACH_STATE)));
    }
    bench_close(&bench);
}

static void shards_know_every_setting(void **state)
{
    shards_know_every_setting_of(PLAIN, ":translate @S", true, 0);
    shards_know_every_setting_of(PLAIN, ":stats @S cross 1.1", true, 1);
    shards_know_every_setting_of(PLAIN, ":alti @S", true, 0);
    shards_know_every_setting_of(PLAIN, ":align @S @T", false, 1);
    shards_know_every_setting_of(PLAIN, ":contrast @S @T @S", false, 0);
    shards_know_every_setting_of(PLAIN, ":ablate @S @T by gradient cross layer 1 head 1", false, 1);
    cli_write("source", "\u2581w1 \u2581w2\n\u2581w3\n");
    cli_write("target", "\u2581w2\n\u2581w1\n");
    shards_know_every_setting_of(NLLB, ":translate @S", true, 0);
    shards_know_every_setting_of(NLLB, ":align @S @T", false, 1);
    shards_know_every_setting_of(NLLB, ":contrast @S @T @S", false, 0);
    shards_know_every_setting_of(NLLB, ":stats @S @T cross 1.1", false, 1);
    identity_write_texts();
}

/* Heads and studies ---------------------------------------------------------------------------- */

/* Each pair of runs has other results. */
static void other_heads_have_other_results(void **state)
{
    static const char *const changes[] = {
        ":disable enc 1.1",          ":disable cross 1.1",    ":mask dec 1.1 local 2",
        ":mask dec 1.1 local 3",     ":mask enc 1.2 forward", ":mask enc 1.2 backward",
        ":pattern enc 1.1 previous", ":pattern enc 1.1 next", ":entmax enc 1.1 alpha 1.5",
    };
    enum { COUNT = sizeof changes / sizeof *changes };
    for (int i = -1; i < COUNT; i++) {
        struct identity_run run = {
            .model = PLAIN, .study = ":translate @S", .before = i < 0 ? NULL : changes[i]};
        identity_compute(&run);
        for (int k = 0; k < COUNT; k++) {
            run.before = changes[k];
            identity_expect(&run, k == i);
        }
    }
}

static void write_pos(const char *tag)
{
    char text[300];
    snprintf(text, sizeof text,
             "1\tchild\t_\t%s\t_\t_\t2\tnsubj\t_\t_\n2\tsleeps\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n",
             tag);
    cli_write("pos", text);
}

/* What a study is asked for. */
static void other_questions_have_other_results(void **state)
{
    static const struct {
        const char *model, *one, *other;
    } cases[] = {
        {PLAIN, ":translate @S", ":translate @T"},
        {PLAIN, ":align @S @T cross 1.1", ":align @S @T cross 1.2"},
        {PLAIN, ":align @S @T cross 1.1", ":align @S @T cross 1.1 shifted"},
        {PLAIN, ":align @S @T cross layer 1 as alti", ":align @S @T cross layer 1 as rollout"},
        {PLAIN, ":align @S @T cross 1.1", ":align @S @T cross 1.1 as norms"},
        {PLAIN, ":align @S @T against contributions", ":align @S @T against alti"},
        {PLAIN, ":align @S @T against contributions", ":align @S @T against consensus"},
        {PLAIN, ":alti @S", ":alti @S @T"},
        {PLAIN, ":alti @S @T", ":alti @T @S"},
        {PLAIN, ":attribute saliency @S @T", ":attribute gradient-input @S @T"},
        {PLAIN, ":faithful saliency @S @T", ":faithful weights @S @T"},
        {PLAIN, ":stats @S cross 1.1", ":stats @S cross 1.2"},
        {PLAIN, ":stats @S cross 1.1", ":stats @S @T cross 1.1"},
        {PLAIN, ":stats @P enc 1.1 by pos confidence", ":stats @P enc 1.1 by pos entropy"},
        {PLAIN, ":contrast @S @T @S", ":contrast @T @S @T"},
        {PLAIN, ":ablate @S @T by gradient cross layer 1 head 1",
         ":ablate @S @T by gradient cross layer 1 head 2"},
        {CONTEXT, ":gates enc q @S", ":gates enc k @S"},
        {CONTEXT, ":gates enc q @S by layer", ":gates enc qk @S by layer"},
        {PLAIN, ":lens dec @S", ":lens enc @S"},
        {DHICM, ":importance @S enc", ":importance @S dec"},
        {DHICM, ":importance @S dec layer 2", ":importance @S cross layer 2"},
    };
    write_pos("NOUN");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const model = cases[i].model;
        const struct identity_run one = {.model = model, .study = cases[i].one};
        const struct identity_run other = {.model = model, .study = cases[i].other};
        identity_compute(&one);
        identity_expect(&one, true);
        identity_expect(&other, false);
        identity_compute(&other);
        identity_expect(&one, false);
    }
}

/* Each pair of ablations has other results in the cache. */
static void other_ablations_have_other_keys(void **state)
{
    static int first[] = {0}, second[] = {1}, both[] = {0, 1};
    static struct ablation ablations[] = {
        {MODULE_ENCODER, first, first, 1, 1, false, false},
        {MODULE_CROSS, first, first, 1, 1, false, false},
        {MODULE_ENCODER, second, first, 1, 1, false, false},
        {MODULE_ENCODER, first, second, 1, 1, false, false},
        {MODULE_ENCODER, both, first, 2, 1, false, false},
        {MODULE_ENCODER, first, both, 1, 2, false, false},
    };
    enum { COUNT = sizeof ablations / sizeof *ablations };
    struct bench bench = bench_open_model(PLAIN);
    struct result_key keys[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const struct ablation_list list = {.items = &ablations[i], .count = 1};
        keys[i] = ablation_key(&bench.session->state, NULL, &list, &bench.session->settings.study);
        for (int k = 0; k < i; k++)
            assert_false(same(&keys[k], &keys[i]));
    }
    bench_close(&bench);
}

/* Points and baselines count where a method has them. */
static void attributions_know_their_settings(void **state)
{
    static const struct {
        const char *study, *setting;
        bool taken;
    } cases[] = {
        {":attribute saliency @S @T", ":set attribute.steps 3", true},
        {":attribute saliency @S @T", ":set attribute.baseline unknown", true},
        {":attribute erasure @S @T", ":set attribute.steps 3", true},
        {":attribute erasure @S @T", ":set attribute.baseline unknown", false},
        {":attribute integrated-gradients @S @T", ":set attribute.steps 3", false},
        {":attribute integrated-gradients @S @T", ":set attribute.baseline unknown", false},
        {":attribute integrated-gradients @S @T", ":set attribute.quadrature gauss-legendre",
         false},
        {":faithful saliency @S @T", ":set attribute.baseline unknown", false},
        {":faithful saliency @S @T", ":set attribute.steps 3", true},
        {":faithful saliency @S @T", ":set significance.seed 7", false},
        {":faithful saliency @S @T", ":set significance.resamples 7", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct identity_run run = {.model = PLAIN, .study = cases[i].study};
        if (i == 0 || strcmp(cases[i].study, cases[i - 1].study) != 0)
            identity_compute(&run);
        run.before = cases[i].setting;
        identity_expect(&run, cases[i].taken);
    }
}

/* Files ---------------------------------------------------------------------------------------- */

/* Contents count, not names. */
static void other_files_have_other_results(void **state)
{
    static const char *const studies[][2] = {{PLAIN, ":stats @P enc 1.1 by pos confidence"},
                                             {PLAIN, ":stats @P enc 1.1"},
                                             {CONTEXT, ":gates enc q @P by pos"},
                                             {DHICM, ":importance @P by pos"}};
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        const struct identity_run run = {.model = studies[i][0], .study = studies[i][1]};
        write_pos("NOUN");
        identity_compute(&run);
        identity_expect(&run, true);
        write_pos("ADJ");
        identity_expect(&run, false);
        write_pos("MINE");
        identity_expect(&run, false);
    }
    struct identity_run run = {.model = PLAIN, .study = ":translate @S"};
    identity_compute(&run);
    run.model = "tests/golden/fixed_8f.bin";
    identity_expect(&run, false);
    run.model = PLAIN;
    char *text = cli_read(identity_source, NULL), *old = strdup(text);
    memcpy(strstr(text, "house"), "child", 5);
    cli_write("source", text);
    identity_expect(&run, false);
    cli_write("source", old);
    identity_expect(&run, true);
    free(text);
    free(old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cache_knows_every_setting),
        cmocka_unit_test(shards_know_every_setting),
        cmocka_unit_test(other_heads_have_other_results),
        cmocka_unit_test(other_questions_have_other_results),
        cmocka_unit_test(other_ablations_have_other_keys),
        cmocka_unit_test(attributions_know_their_settings),
        cmocka_unit_test(other_files_have_other_results),
    };
    return cmocka_run_group_tests(tests, identity_open_files, identity_close_files);
}
