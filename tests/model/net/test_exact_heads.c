/* To the bit on the CPU: a head that is off is a head whose values are zero. Heads that share
 * values are off together. */
#include <unistd.h>

#include "tests/model/net/exact_support.h"
#include "tests/support/test.h"

/* Heads of values that a module has in the file. */
static int value_heads(const struct golden *golden, enum module module)
{
    return golden->checkpoint->config->stacks[module_stack(module)].kv_heads;
}

/* Writes a copy of a checkpoint in which one head's rows of V are zero. */
static void write_without_values(const struct golden *golden, enum module module, int layer,
                                 int head, const char *path)
{
    static const char *const parts[] = {"weight", "bias"};
    const struct mapped_file *mapped = golden->checkpoint->contents->files[0];
    const char *file = (const char *)mapped->data;
    size_t bytes = mapped->bytes;
    char *copy = malloc(bytes);
    memcpy(copy, file, bytes);
    int heads = value_heads(golden, module);
    for (int part = 0; part < 2; part++) {
        const struct stored_tensor *tensor =
            checkpoint_tensor(golden->checkpoint, "%s.layers.%d.%s_attention.v.%s",
                              module == MODULE_ENCODER ? "encoder" : "decoder", layer,
                              module == MODULE_CROSS ? "cross" : "self", parts[part]);
        if (tensor)
            memset(copy + ((const char *)tensor->data - file) + head * (tensor->bytes / heads), 0,
                   tensor->bytes / heads);
    }
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(copy, 1, bytes, out), bytes);
    fclose(out);
    free(copy);
}

static void check_head(struct golden *golden, enum module module, int layer, int head)
{
    char path[] = "/tmp/attnscope-exact-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    write_without_values(golden, module, layer, head, path);
    struct golden *zeroed = golden_open_path(path, "cpu", 1);
    unlink(path);
    struct head_settings *off = head_settings_copy(model_head_settings(golden->model), NULL);
    const int shared =
        module_heads(golden->checkpoint->config, module) / value_heads(golden, module);
    for (int h = 0; h < shared; h++)
        *head_settings_gain(off, module, layer, head * shared + h) = 0;
    const json_t *given = json_array_get(golden->cases, 1);
    struct sentence sentence = {0};
    struct status status;
    assert_true(sentence_encode(golden->checkpoint,
                                json_string_value(json_object_get(given, "source")), &sentence,
                                &status));
    struct search_options options = search_defaults(golden->checkpoint->config);
    struct search_job job = {.source = &sentence};
    assert_true(search_run(zeroed->model, &job, 1, &options, NULL, &status));
    if (job.result.count) {
        struct exact_bytes a = {0}, b = {0};
        exact_add_forced(&a, golden, &sentence, off, &job.result.hypotheses[0]);
        exact_add_forced(&b, zeroed, &sentence, NULL, &job.result.hypotheses[0]);
        assert_int_equal(a.count, b.count);
        exact_same_bits(golden->name, "head off and V zeroed", a.data, b.data, a.count);
        free(a.data);
        free(b.data);
    }
    translation_free(&job.result);
    sentence_free(&sentence);
    head_settings_free(off);
    golden_close(zeroed);
}

static void check_gains(const char *name)
{
    struct golden *golden = golden_open(name, "cpu", 1);
    const struct config *config = golden->checkpoint->config;
    for (int module = 0; module < MODULE_COUNT; module++) {
        int layer = module_layers(config, module) - 1;
        if (layer >= 0 && !config->attention[module][layer].dhicm)
            for (int head = 0; head < value_heads(golden, module); head++)
                check_head(golden, module, layer, head);
    }
    golden_close(golden);
}

static void a_head_that_is_off_is_a_head_whose_values_are_zero(void **state)
{
    exact_every_model(check_gains);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_that_is_off_is_a_head_whose_values_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
