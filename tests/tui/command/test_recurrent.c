/* A decoder with a recurrence instead of self-attention: commands say what it lacks, and all others
 * work. */
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

static void self_attention_of_the_decoder_is_said_to_be_absent(void **state)
{
    static const char *const lines[] = {":attn dec", ":heads dec", ":disable dec head 1",
                                        ":mask dec local 1", ":attn dec layer 1 head 1"};
    struct bench bench = bench_open("recurrent_post");
    bench_force_case(&bench, json_array_get(bench.cases, 0));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        bench_refuse(
            &bench, lines[i],
            "the decoder has no self-attention but a recurrence (SSRU): expected enc or cross");
    bench_close(&bench);
}

static void the_other_modules_are_shown(void **state)
{
    static const char *const lines[] = {":attn enc",    ":attn cross layer 2 head 1",
                                        ":heads cross", ":token 1",
                                        ":align",       ":disable cross layer 1 head 2"};
    struct bench bench = bench_open("recurrent_post");
    bench_force_case(&bench, json_array_get(bench.cases, 0));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct report report = bench_run(&bench, lines[i]);
        report_free(&report);
    }
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_attention_of_the_decoder_is_said_to_be_absent),
        cmocka_unit_test(the_other_modules_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
