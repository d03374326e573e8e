/* A BART that predicts its first token <s>: what is done with given targets begins after it. */
#include <unistd.h>

#include "model/attribution/predictions.h"
#include "model/study/alignment/align_files.h"
#include "tests/model/formats/open_support.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

/* Nothing is forced any more. */
static struct bench open_bart(void)
{
    char path[512];
    snprintf(path, sizeof path, "%s", copy_model("hf-bart"));
    FILE *file = fopen(path_of("hf-bart/generation_config.json"), "w");
    assert_true(file && fputs("{}", file) >= 0 && fclose(file) == 0);
    struct bench bench = bench_open_model(path);
    assert_int_equal(session_config(bench.session)->target_prefix.count, 1);
    return bench;
}

static void words_are_aligned_behind_it(void **state)
{
    static const int words[] = {-1, 0, 1, 2, -1}; // <s> ▁w5 ▁w6 ▁w7 </s>
    const char *const texts[] = {"▁w5 ▁w6", "▁w5 ▁w6 ▁w7"};
    const bool unspaced[] = {false, false};
    struct status status;
    struct align_sentence sentence;
    struct bench bench = open_bart();
    assert_true(align_sentence_open(&bench.session->state, texts, unspaced, &sentence, &status));
    assert_int_equal(sentence.target_count, 5);
    assert_memory_equal(sentence.words[SIDE_TARGET].of_token, words, sizeof words);
    align_sentence_close(&sentence);
    bench_close(&bench);
    remove_model("hf-bart");
}

static void a_foil_is_the_token_behind_it(void **state)
{
    enum { COUNT_OF_TARGET = 6 };
    struct status status;
    struct bench bench = open_bart();
    const struct checkpoint *checkpoint = model_checkpoint(bench.session->state.model);
    const int wanted = vocabulary_find(checkpoint->vocabulary[SIDE_TARGET], "▁w5");
    int *foils;
    assert_true(wanted >= 0);
    assert_true(foils_of_text(checkpoint, "▁w5", COUNT_OF_TARGET, &foils, &status));
    for (int t = 0; t < COUNT_OF_TARGET; t++)
        assert_int_equal(foils[t], wanted);
    free(foils);
    assert_false(foils_of_text(checkpoint, "", COUNT_OF_TARGET, &foils, &status));
    assert_false(foils_of_text(checkpoint, "▁w5 ▁w6", COUNT_OF_TARGET, &foils, &status));
    assert_non_null(
        strstr(status.message, "\"▁w5 ▁w6\" is 2 tokens, expected 1, or a translation of 4"));
    bench_close(&bench);
    remove_model("hf-bart");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_aligned_behind_it),
        cmocka_unit_test(a_foil_is_the_token_behind_it),
    };
    return cmocka_run_group_tests(tests, open_make_folder, open_remove_folder);
}
