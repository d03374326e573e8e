/* Pairs that are longer than a model has positions for: the message says which one, and what fits
 * passes. */
#include "tests/model/net/engine_support.h"
#include "tests/support/test.h"

/* Scores jobs of one source with targets of these lengths, whose only end-of-sentence is the last
 * token. */
static void score(struct golden *golden, const int *counts, int jobs, const char *expected)
{
    const struct config *config = golden->checkpoint->config;
    const int eos = config->special[SPECIAL_EOS][SIDE_TARGET];
    struct score_job list[3];
    struct sentence source = {0};
    struct status status = {0};
    const json_t *given = json_array_get(golden->cases, 0);
    assert_true(sentence_encode(
        golden->checkpoint, json_string_value(json_object_get(given, "source")), &source, &status));
    for (int i = 0; i < jobs; i++) {
        int *target = calloc((size_t)counts[i], sizeof *target);
        for (int t = 0; t < counts[i]; t++)
            target[t] = t + 1 == counts[i] ? eos : eos + 1;
        list[i] = (struct score_job){.source = &source,
                                     .target = target,
                                     .count = counts[i],
                                     .logprobs = calloc((size_t)counts[i], sizeof(float))};
    }
    bool good = score_run(golden->model, list, jobs, jobs, &status);
    if (good != !expected || (expected && strcmp(status.message, expected) != 0))
        fail_msg("%s, expected %s", good ? "scored" : status.message,
                 expected ? expected : "scores");
    for (int i = 0; i < jobs; i++) {
        free((int *)list[i].target);
        free(list[i].logprobs);
    }
    sentence_free(&source);
}

static void a_target_that_is_too_long_is_named(void **state)
{
    struct golden *golden = golden_open("vanilla_post", "cpu", 1);
    const struct config *config = golden->checkpoint->config;
    // The end of the sentence is not read, start tokens are.
    const int most = config->max_positions - config->start.count + 1;
    char message[3][200];
    for (int i = 0; i < 3; i++) {
        const char *prefixes[] = {"", "pair 1: ", "pair 2: "};
        snprintf(message[i], sizeof message[i],
                 "%starget: %d tokens with start tokens, expected at most %d (max_positions)",
                 prefixes[i], config->max_positions + 1, config->max_positions);
    }
    score(golden, (int[]){most}, 1, NULL);
    score(golden, (int[]){most + 1}, 1, message[0]);
    score(golden, (int[]){most + 1, 2}, 2, message[1]);
    score(golden, (int[]){2, most + 1}, 2, message[2]);
    score(golden, (int[]){2, most + 1, most}, 3, message[2]);
    golden_close(golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_target_that_is_too_long_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
