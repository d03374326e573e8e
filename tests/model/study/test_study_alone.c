/* Studies without a session: this program is linked only with gpu/ and model/. */
#include <math.h>
#include <unistd.h>

#include "gpu/loader.h"
#include "model/study/ablate.h"
#include "model/study/alignment/align_files.h"
#include "model/study/contrast_study.h"
#include "model/study/head_gradients.h"
#include "model/study/prune.h"
#include "model/study/sentences/attributions.h"
#include "model/study/sentences/gates.h"
#include "model/study/sentences/head_stats_pos.h"
#include "model/study/sentences/head_stats_run.h"
#include "model/study/sentences/importance.h"
#include "tests/support/test.h"

enum { FILES = 3, LAYERS = 2 };
static const char *const texts[FILES] = {
    "the dog\na small old cat sees the river .\nhe sees a dog\nthe cat\n",
    "der Hund\neine kleine Katze sieht den Fluss .\ner sieht einen Hund\nKatze\n",
    "der Fluss\neine kleine Katze sieht den Hund .\ner sieht eine Katze\nHund\n"};

/* A model on the CPU, and the files. */
struct scene {
    struct opened_device opened;
    struct checkpoint *checkpoint;
    struct result_cache cache;
    struct study_context context;
    char paths[FILES][40];
};

/* Counts what is reported, and stops the work called `stops` when it has asked so often. */
struct counting {
    int translating;
    const char *stops;
    int after;
};

static bool count(void *context, const struct work_progress *progress)
{
    struct counting *counting = context;
    if (!progress->what)
        return true;
    counting->translating += strcmp(progress->what, "translating") == 0 && progress->count > 0;
    return !counting->stops || strcmp(progress->what, counting->stops) != 0 ||
           --counting->after > 0;
}

static void write_file(const char *text, char path[40])
{
    strcpy(path, "/tmp/attnscope_XXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void scene_open_model(struct scene *scene, const char *path, const struct watch *watch)
{
    const struct device_choice choice = {.kind = DEVICE_CPU};
    struct status status;
    *scene = (struct scene){.cache = {0}};
    assert_true(device_open(&choice, 1, &scene->opened, &status));
    scene->checkpoint = checkpoint_open(path, &status);
    assert_non_null(scene->checkpoint);
    struct model *model =
        model_open(scene->checkpoint, scene->opened.backend, scene->opened.device, &status);
    assert_non_null(model);
    struct head_settings *own = head_settings_copy(model_head_settings(model), &status);
    assert_non_null(own);
    const struct state state = {model, own, search_defaults(scene->checkpoint->config)};
    scene->context = (struct study_context){.state = state, .cache = &scene->cache, .watch = watch};
    for (int i = 0; i < FILES; i++)
        write_file(texts[i], scene->paths[i]);
}

static void scene_open(struct scene *scene, const struct watch *watch)
{
    scene_open_model(scene, "tests/golden/vanilla_post.bin", watch);
}

static void scene_close(struct scene *scene)
{
    for (int i = 0; i < FILES; i++)
        unlink(scene->paths[i]);
    result_cache_free(&scene->cache);
    head_settings_free(scene->context.state.head_settings);
    model_close(scene->context.state.model);
    checkpoint_close(scene->checkpoint);
    scene->opened.backend->close(scene->opened.device);
}

static struct strings take_paths(const struct scene *scene, int files)
{
    struct strings paths = {0};
    struct status status;
    for (int i = 0; i < files; i++)
        assert_true(strings_add(&paths, scene->paths[i], strlen(scene->paths[i]), &status));
    return paths;
}

/* Head 1 of each layer of the encoder, one ablation each. */
static void add_ablations(struct ablation_list *list)
{
    struct status status;
    for (int layer = 0; layer < LAYERS; layer++) {
        struct ablation *one = ablation_list_add(list, &status);
        assert_non_null(one);
        one->module = MODULE_ENCODER;
        one->layers = memory_new(1, sizeof *one->layers, &status);
        one->heads = memory_new(1, sizeof *one->heads, &status);
        assert_true(one->layers && one->heads);
        one->layers[0] = layer;
        one->layer_count = one->head_count = 1;
    }
}

static struct ablate_result ablate(const struct scene *scene)
{
    struct ablate_result result = {.request = {.files = take_paths(scene, 2)},
                                   .settings = study_defaults};
    struct status status;
    add_ablations(&result.ablations);
    assert_true(ablate_run(&scene->context, &result, &status));
    return result;
}

/* BLEU with an ablation, found in a cache of its own. */
static double score_apart(const struct scene *scene, const struct ablation *ablation)
{
    struct result_cache cache = {0};
    struct study_context context = scene->context;
    struct study_result result = {
        .request = {.systems = 1, .files = take_paths(scene, 2), .listed = LISTED_NONE},
        .settings = study_defaults};
    struct status status;
    context.cache = &cache;
    context.state.head_settings =
        ablation_head_settings(scene->context.state.head_settings, ablation, &status);
    assert_non_null(context.state.head_settings);
    assert_true(study_run(&context, &context.state, &result, &status));
    double score = result.all.score[0].bleu.score;
    study_free(&result);
    result_cache_free(&cache);
    head_settings_free(context.state.head_settings);
    return score;
}

static void heads_are_ablated(void **state)
{
    struct counting counting = {0};
    const struct watch watch = {count, &counting};
    struct scene scene;
    scene_open(&scene, &watch);
    struct ablate_result first = ablate(&scene);
    assert_true(first.tested && first.sentences == first.lines);
    assert_true(counting.translating > 0);
    for (int i = 0; i < LAYERS; i++)
        assert_true(first.scores[i].score == score_apart(&scene, &first.ablations.items[i]));
    counting.translating = 0;
    struct ablate_result again = ablate(&scene);
    assert_int_equal(counting.translating, 0); // the cache has it
    assert_memory_equal(again.scores, first.scores, LAYERS * sizeof *first.scores);
    ablate_result_free(&first);
    ablate_result_free(&again);
    scene_close(&scene);
}

static void heads_are_pruned(void **state)
{
    struct scene scene;
    struct status status;
    scene_open(&scene, NULL);
    struct ablate_result table = ablate(&scene);
    struct prune_result pruned = {.request = {.files = take_paths(&scene, 2), .until = 100},
                                  .settings = study_defaults};
    add_ablations(&pruned.request.heads);
    assert_true(prune_run(&scene.context, &pruned, &status));
    assert_int_equal(pruned.count, LAYERS);
    int best = table.scores[1].score > table.scores[0].score;
    assert_int_equal(pruned.steps[0].layer, best);
    assert_true(pruned.steps[0].score == table.scores[best].score);
    prune_result_free(&pruned);
    ablate_result_free(&table);
    scene_close(&scene);
}

static void a_suite_that_was_stopped_goes_on(void **state)
{
    struct counting counting = {.stops = "scoring", .after = 2};
    const struct watch watch = {count, &counting};
    struct scene scene, other;
    struct status status;
    scene_open(&scene, &watch);
    scene.context.state.search.batch = 2; // an item
    struct contrast_result part = {
        .request = {take_paths(&scene, FILES), CONTRAST_BYS, LISTED_NONE}};
    assert_false(contrast_run(&scene.context, &part, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    assert_true(part.run && contrast_partial(&part));
    counting.stops = NULL;
    struct contrast_result rest = {
        .request = {take_paths(&scene, FILES), CONTRAST_BYS, LISTED_NONE}};
    assert_true(contrast_run(&scene.context, &rest, &status));
    assert_false(contrast_partial(&rest));
    scene_open(&other, NULL);
    struct contrast_result whole = {
        .request = {take_paths(&other, FILES), CONTRAST_BYS, LISTED_NONE}};
    assert_true(contrast_run(&other.context, &whole, &status));
    assert_int_equal(rest.correct, whole.correct);
    for (int i = 0; i < whole.run->suite.candidates; i++)
        assert_true(rest.run->scores.candidates[i].logprob ==
                    whole.run->scores.candidates[i].logprob);
    contrast_free(&part);
    contrast_free(&rest);
    contrast_free(&whole);
    scene_close(&other);
    scene_close(&scene);
}

/* Statistics, shares of the source and alignments of the same sentences count the same tokens. */
static void sentences_are_averaged_and_aligned(void **state)
{
    struct scene scene;
    struct status status;
    const struct head_stats_result *stats;
    bool wanted[64];
    memset(wanted, true, sizeof wanted);
    scene_open(&scene, NULL);
    struct attribution_study alti = {.walk = {.path = scene.paths[0], .targets = scene.paths[1]},
                                     .question = {.method = METHOD_ALTI}};
    struct align_result align = {.files = take_paths(&scene, 2), .method = METHOD_WEIGHTS};
    const struct head_stats_request request = {
        scene.paths[0], scene.paths[1], {[MODULE_CROSS] = wanted}};
    align.heads = memory_new(1, sizeof *align.heads, &status);
    align.head_count = 1;
    assert_true(attribution_study_run(&scene.context, &alti, &status));
    assert_true(align_run(&scene.context, &align, &status));
    assert_true(head_stats_run(&scene.context, &request, false, &stats, &status));
    assert_int_equal(alti.count, 4);
    assert_int_equal(align.sentences, 4);
    assert_int_equal(stats->stats.sentences, 4);
    assert_int_equal(alti.rows, head_rows(&stats->stats, MODULE_CROSS, 0)); // all predictions
    assert_true(alti.sum > 0 && alti.sum < (double)alti.rows);
    assert_int_equal(align.each[0].words, 2);
    attribution_study_free(&alti);
    align_free(&align);
    scene_close(&scene);
}

static void heads_have_derivatives(void **state)
{
    struct scene scene;
    struct parallel files;
    struct status status;
    scene_open(&scene, NULL);
    struct strings paths = take_paths(&scene, 2);
    struct head_gradients gradients = {.count = 1};
    gradients.heads = memory_new(1, sizeof *gradients.heads, &status);
    assert_true(parallel_read(&paths, NULL, &files, &status));
    assert_true(head_gradients_run(&scene.context, scene.paths[0], &files.lines[0], &files.lines[1],
                                   &gradients, &status));
    assert_int_equal(gradients.taken, 4);
    assert_true(gradients.heads[0].importance >= fabs(gradients.heads[0].mean));
    head_gradients_free(&gradients);
    parallel_free(&files);
    strings_free(&paths);
    scene_close(&scene);
}

/* Averages by layer and by position are of the same gates. */
static void gates_are_averaged(void **state)
{
    static const enum gate_grouping groupings[] = {BY_LAYER, BY_POSITION};
    struct scene scene;
    struct status status;
    double sums[2] = {0, 0};
    int64_t counts[2] = {0, 0};
    scene_open_model(&scene, "tests/golden/mixture_decoder.bin", NULL);
    for (int k = 0; k < 2; k++) {
        struct gates_study gates = {.config = scene.checkpoint->config,
                                    .module = MODULE_DECODER,
                                    .side = SIDE_Q,
                                    .by = groupings[k],
                                    .walk = {.path = scene.paths[0]}};
        assert_true(gates_run(&scene.context, &gates, &status));
        assert_int_equal(gates.walk.taken, 4);
        for (int i = 0; i < gates.count; i++) {
            sums[k] += gates.groups[i].sum;
            counts[k] += gates.groups[i].count;
        }
        gates_free(&gates);
    }
    assert_true(counts[0] > 0 && counts[0] == counts[1]);
    assert_true(fabs(sums[0] - sums[1]) < 1e-9);
    scene_close(&scene);
}

/* The importance of the heads of a token sums to 1. */
static void importance_is_averaged(void **state)
{
    struct scene scene;
    struct status status;
    scene_open_model(&scene, "tests/golden/dhicm_cross_fixed.bin", NULL);
    const struct config *config = scene.checkpoint->config;
    bool wanted[64] = {false};
    int layer = 0;
    while (!config->attention[MODULE_CROSS][layer].dhicm)
        layer++;
    wanted[layer] = true;
    struct importance_study study = {
        .config = config, .wanted = {[MODULE_CROSS] = wanted}, .walk = {.path = scene.paths[0]}};
    assert_true(importance_run(&scene.context, &study, &status));
    const struct importance_sums *sums = &study.layers[MODULE_CROSS][layer];
    double sum = 0;
    for (int h = 0; h < module_heads(config, MODULE_CROSS); h++)
        sum += sums->importance[h];
    assert_true(sums->tokens > 0 && fabs(sum - (double)sums->tokens) < 1e-4);
    importance_free(&study);
    scene_close(&scene);
}

/* Every row of the encoder belongs to one part of speech, or to none. */
static void heads_are_measured_by_pos(void **state)
{
    static const char trees[] =
        "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n";
    struct scene scene;
    struct status status;
    bool wanted[64] = {true};
    char path[40];
    write_file(trees, path);
    scene_open(&scene, NULL);
    struct head_stats_pos study = {.config = scene.checkpoint->config,
                                   .wanted = wanted,
                                   .measure = MEASURE_CONFIDENCE,
                                   .walk = {.path = path}};
    assert_true(head_stats_pos_run(&scene.context, &study, &status));
    int named = 0;
    for (int place = 0; place < study.sums.places; place++)
        if (*study.sums.names[place]) {
            const double mean = pos_sums_mean(&study.sums, place, 0);
            assert_true(mean > 0 && mean <= 1);
            named++;
        }
    assert_int_equal(named, 2);
    head_stats_pos_free(&study);
    unlink(path);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_ablated),
        cmocka_unit_test(heads_are_pruned),
        cmocka_unit_test(a_suite_that_was_stopped_goes_on),
        cmocka_unit_test(sentences_are_averaged_and_aligned),
        cmocka_unit_test(heads_have_derivatives),
        cmocka_unit_test(gates_are_averaged),
        cmocka_unit_test(importance_is_averaged),
        cmocka_unit_test(heads_are_measured_by_pos),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
