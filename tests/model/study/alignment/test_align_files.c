/* Alignments of files without a session: stops, weights for other toolkits, files that are
 * refused. */
#include <math.h>
#include <unistd.h>

#include "gpu/loader.h"
#include "model/study/alignment/align_files.h"
#include "model/study/result_cache.h"
#include "tests/support/test.h"

enum { FILES = 3, SENTENCES = 5, LAYERS = 2, HEADS = 2 };
static const char sources[] =
    "the dog\na small old cat sees the river .\n\nhe sees a dog\nthe cat\n";
static const char targets[] =
    "der Hund\neine kleine Katze sieht den Fluss .\n\ner sieht einen Hund\nKatze\n";
static const char links[] = "0-0 1-1\n0-0 1-1 3-2\n\n0-0 1-1 2?2\n1-0\n";

/* A model on the CPU, and the files. */
struct scene {
    struct opened_device opened;
    struct checkpoint *checkpoint;
    struct study_context context;
    struct align_result result;
    char paths[FILES][40];
};

static void write_file(const char *text, char path[40])
{
    strcpy(path, "/tmp/attnscope_XXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void scene_open(struct scene *scene, const char *model_path)
{
    const struct device_choice choice = {.kind = DEVICE_CPU};
    const char *const texts[FILES] = {sources, targets, links};
    struct status status;
    *scene = (struct scene){.checkpoint = NULL};
    assert_true(device_open(&choice, 1, &scene->opened, &status));
    scene->checkpoint = checkpoint_open(model_path, &status);
    assert_non_null(scene->checkpoint);
    struct model *model =
        model_open(scene->checkpoint, scene->opened.backend, scene->opened.device, &status);
    assert_non_null(model);
    struct head_settings *own = head_settings_copy(model_head_settings(model), &status);
    assert_non_null(own);
    scene->context.state = (struct state){model, own, search_defaults(scene->checkpoint->config)};
    for (int i = 0; i < FILES; i++)
        write_file(texts[i], scene->paths[i]);
}

static void scene_close(struct scene *scene)
{
    align_free(&scene->result);
    for (int i = 0; i < FILES; i++)
        unlink(scene->paths[i]);
    head_settings_free(scene->context.state.head_settings);
    model_close(scene->context.state.model);
    checkpoint_close(scene->checkpoint);
    scene->opened.backend->close(scene->opened.device);
}

/* Every head of two layers, with and without the shift, over the first `files` files. */
static void ask(struct scene *scene, int files)
{
    struct align_result *result = &scene->result;
    struct status status;
    align_free(result);
    result->head_count = LAYERS * HEADS * 2;
    result->heads = memory_new((size_t)result->head_count, sizeof *result->heads, &status);
    assert_non_null(result->heads);
    for (int i = 0; i < result->head_count; i++)
        result->heads[i] = (struct align_head){.layer = i / 4, .head = i / 2 % 2, .shifted = i % 2};
    for (int i = 0; i < files; i++)
        assert_true(strings_add(&result->files, scene->paths[i], strlen(scene->paths[i]), &status));
}

static void run(struct scene *scene, int files)
{
    struct status status;
    ask(scene, files);
    if (!align_run(&scene->context, &scene->result, &status))
        fail_msg("%s", status.message);
    assert_int_equal(scene->result.sentences, SENTENCES);
}

/* Stops ---------------------------------------------------------------------------------------- */

static bool stop_after(void *left, const struct work_progress *progress)
{
    int *sentences = left;
    return !progress->what || strcmp(progress->what, "aligning") != 0 || progress->count == 0 ||
           --*sentences > 0;
}

static void what_is_done_before_a_stop_stays(void **state)
{
    enum { DONE = 4 };
    struct scene scene;
    struct align_result whole;
    struct status status;
    int left = DONE;
    const struct watch watch = {stop_after, &left};
    scene_open(&scene, "tests/golden/vanilla_post.bin");
    run(&scene, FILES);
    whole = scene.result;
    scene.result = (struct align_result){.sentences = 0};

    ask(&scene, FILES);
    scene.context.watch = &watch;
    assert_false(align_run(&scene.context, &scene.result, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    assert_string_equal(status.message, "interrupted: the first 4 of 5 sentences are aligned");
    assert_int_equal(scene.result.sentences, DONE);
    for (int h = 0; h < whole.head_count; h++) {
        struct align_head head = {.layer = 0};
        for (int s = 0; s < DONE; s++) {
            size_t words = (size_t)whole.each[s].words;
            assert_int_equal(scene.result.each[s].words, words);
            if (words)
                assert_memory_equal(scene.result.each[s].links + (size_t)h * words,
                                    whole.each[s].links + (size_t)h * words,
                                    words * sizeof(int16_t));
            assert_true(align_counts(&whole, s, h, &head, &status));
        }
        assert_memory_equal(&scene.result.heads[h].counts, &head.counts, sizeof head.counts);
    }
    align_free(&whole);
    scene_close(&scene);
}

/* With silver alignments by the second layer's contributions in that state. */
static void ask_silver(struct scene *scene, struct head_settings *head_settings)
{
    ask(scene, 2);
    scene->result.method = METHOD_WEIGHTS;
    scene->result.silver = (struct align_silver){SILVER_METHOD, scene->context.state,
                                                 METHOD_CONTRIBUTIONS, LAYERS - 1};
    scene->result.silver.state.head_settings = head_settings;
}

/* How many words each head links as the silver alignment of that state does. */
static void run_silver(struct scene *scene, struct head_settings *head_settings, int64_t *alike)
{
    struct status status;
    ask_silver(scene, head_settings);
    if (!align_run(&scene->context, &scene->result, &status))
        fail_msg("%s", status.message);
    for (int h = 0; h < scene->result.head_count; h++)
        alike[h] = scene->result.heads[h].alike;
}

static void a_stop_leaves_nothing_for_another_silver_state(void **state)
{
    enum { DONE = 4, ASKED = LAYERS * HEADS * 2 };
    struct scene scene;
    struct status status;
    struct result_cache cache = {0};
    int64_t one[ASKED], other[ASKED], after[ASKED];
    int left = DONE;
    const struct watch watch = {stop_after, &left};
    scene_open(&scene, "tests/golden/vanilla_post.bin");
    struct head_settings *own = scene.context.state.head_settings;
    struct head_settings *changed = head_settings_copy(own, &status);
    assert_non_null(changed);
    for (int h = 1; h < changed->count[MODULE_CROSS]; h++)
        *head_settings_gain(changed, MODULE_CROSS, LAYERS - 1, h) = 0;
    run_silver(&scene, own, one);
    run_silver(&scene, changed, other);
    assert_memory_not_equal(one, other, sizeof one);

    scene.context.cache = &cache;
    scene.context.watch = &watch;
    ask_silver(&scene, own);
    assert_false(align_run(&scene.context, &scene.result, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    scene.context.watch = NULL;
    run_silver(&scene, changed, after);
    assert_memory_equal(after, other, sizeof after);
    align_free(&scene.result);
    result_cache_free(&cache);
    head_settings_free(changed);
    scene_close(&scene);
}

/* Weights -------------------------------------------------------------------------------------- */

/* Soft weights against the captured ones, in a model whose source has a token before it and whose
 * decoder begins with two. */
static void weights_are_those_of_the_rows_that_predict_or_read(void **state)
{
    struct scene scene;
    struct status status;
    struct align_soft soft;
    struct capture capture;
    bool wanted[64];
    struct capture_request request = {.weights[MODULE_CROSS] = wanted};
    scene_open(&scene, "tests/golden/learned_positions_tied.bin");
    assert_int_equal(scene.checkpoint->config->start.count, 2);
    int each = module_heads(scene.checkpoint->config, MODULE_CROSS);
    assert_true(each * module_layers(scene.checkpoint->config, MODULE_CROSS) <= 64);
    memset(wanted, true, sizeof wanted);
    run(&scene, 2);
    for (int i = 0; i < scene.result.head_count; i++) {
        const struct align_head *head = &scene.result.heads[i];
        scene.result.best = i;
        assert_true(align_soft(&scene.context.state, &scene.result, 1, NULL, &soft, &status));
        assert_int_equal(soft.rows, 8); // with end-of-sentence
        assert_string_equal(soft.target[0], "eine");
        assert_null(soft.target[7]);
        assert_int_equal(soft.columns, soft.sentence.source.count);
        assert_true(align_sentence_force(&scene.context.state, &soft.sentence, &request, NULL,
                                         &capture, &status));
        const float *weights = capture.weights[MODULE_CROSS][head->layer * each + head->head];
        for (int t = 0; t < soft.rows; t++) {
            // Row r reads input r: two start tokens, then the target, whose token t is input t + 2.
            int row = head->shifted && t < 7 ? t + 2 : t + 1;
            assert_memory_equal(soft.weights + t * soft.columns, weights + row * soft.columns,
                                (size_t)soft.columns * sizeof *weights);
        }
        capture_free(&capture);
        align_soft_free(&soft);
    }
    assert_true(align_soft(&scene.context.state, &scene.result, 2, NULL, &soft, &status));
    assert_int_equal(soft.rows, 0); // a blank line
    align_soft_free(&soft);
    scene_close(&scene);
}

static void a_source_without_an_end_gets_a_column_of_zeros(void **state)
{
    struct scene scene;
    struct status status;
    struct align_soft soft;
    scene_open(&scene, "tests/golden/fixed_cross.bin");
    assert_int_equal(scene.checkpoint->config->suffix.count, 0);
    run(&scene, 2);
    assert_true(align_soft(&scene.context.state, &scene.result, 0, NULL, &soft, &status));
    assert_int_equal(soft.columns, 3);
    assert_string_equal(soft.source[1], "dog");
    assert_null(soft.source[2]);
    for (int t = 0; t < soft.rows; t++)
        assert_true(soft.weights[t * 3 + 2] == 0);
    align_soft_free(&soft);
    scene_close(&scene);
}

/* Words ---------------------------------------------------------------------------------------- */

/* Writes the pieces of each word: "I t|do g ,". */
static void write_words(const struct align_sentence *sentence, char *out, size_t size)
{
    const struct align_words *words = &sentence->words[SIDE_SOURCE];
    size_t used = 0;
    int last = 0;
    for (int i = 0; i < sentence->source.count && used < size; i++) {
        int word = words->of_token[i];
        if (word < 0)
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%s",
                                 word > last ? "|"
                                 : used      ? " "
                                             : "",
                                 sentence->source.pieces.text[i]);
        last = word;
    }
}

/* Moses cuts words at punctuation and apostrophes, which it escapes; alignments count what blanks
 * separate. */
static void words_are_those_of_the_text_whatever_a_tokeniser_makes_of_it(void **state)
{
    static const char *const texts[2] = {"It's a dog, isn't it?", "Das ist gut."};
    static const bool unspaced[2] = {false, false};
    struct scene scene;
    struct status status;
    struct align_sentence sentence;
    char written[300];
    scene_open(&scene, "tests/golden/moses_bpe.bin");
    assert_true(align_sentence_open(&scene.context.state, texts, unspaced, &sentence, &status));
    assert_int_equal(sentence.words[SIDE_SOURCE].count, 5);
    assert_int_equal(sentence.words[SIDE_TARGET].count, 3);
    write_words(&sentence, written, sizeof written);
    assert_string_equal(written, "I@@ t &@@ a@@ p@@ o@@ s@@ ;@@ s|a|do@@ g ,|"
                                 "i@@ s@@ n &@@ a@@ p@@ o@@ s@@ ;@@ t|i@@ t ?");
    align_sentence_close(&sentence);
    scene_close(&scene);
}

/* Files ---------------------------------------------------------------------------------------- */

static void rewrite(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static void refuse(struct scene *scene, const char *says)
{
    struct status status;
    ask(scene, FILES);
    assert_false(align_run(&scene->context, &scene->result, &status));
    assert_int_equal(scene->result.sentences, 0);
    if (!strstr(status.message, says))
        fail_msg("%s, expected \"%s\"", status.message, says);
}

static void what_does_not_fit_together_is_refused(void **state)
{
    struct scene scene;
    scene_open(&scene, "tests/golden/vanilla_post.bin");
    rewrite(scene.paths[2], "0-0\n\n\n0-4\n\n");
    refuse(&scene, ":4: link to target word 4: sentence 4 has 4 words, counted from 0");
    rewrite(scene.paths[2], "0-0\n\n0-0\n\n\n");
    refuse(&scene, ":3: link to source word 0: sentence 3 has 0 words");
    rewrite(scene.paths[2], "0-0\n");
    refuse(&scene, "1 lines, expected 5");
    rewrite(scene.paths[1], "der Hund\n");
    refuse(&scene, "line");
    rewrite(scene.paths[1], "");
    refuse(&scene, scene.paths[1]);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_done_before_a_stop_stays),
        cmocka_unit_test(a_stop_leaves_nothing_for_another_silver_state),
        cmocka_unit_test(weights_are_those_of_the_rows_that_predict_or_read),
        cmocka_unit_test(a_source_without_an_end_gets_a_column_of_zeros),
        cmocka_unit_test(words_are_those_of_the_text_whatever_a_tokeniser_makes_of_it),
        cmocka_unit_test(what_does_not_fit_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
