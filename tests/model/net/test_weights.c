/* The memory that a model asks the device to reserve, compared with sums from its file's header. */
#include <jansson.h>

#include "model/net/weights.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

/* Tensors of a safetensors file that have two dimensions and hold numbers that are multiplied with;
 * the floats of all others. */
static void sum_header(const char *path, size_t *weights, size_t *others, int *count)
{
    uint64_t bytes;
    const char *name;
    json_t *tensor;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(&bytes, sizeof bytes, 1, file), 1);
    char *text = calloc(bytes + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, bytes, file), bytes);
    fclose(file);
    json_t *header = json_loads(text, 0, NULL);
    assert_non_null(header);
    *weights = *others = 0;
    *count = 0;
    json_object_foreach(header, name, tensor)
    {
        const char *type = json_string_value(json_object_get(tensor, "dtype"));
        if (!type || strcmp(type, "U8") == 0)
            continue;
        const json_t *shape = json_object_get(tensor, "shape");
        size_t elements = 1;
        for (size_t i = 0; i < json_array_size(shape); i++)
            elements *= (size_t)json_integer_value(json_array_get(shape, i));
        bool read = strstr(name, "positions") || strstr(name, "relative_bias");
        *(json_array_size(shape) == 2 && !read ? weights : others) += elements;
        (*count)++;
    }
    json_decref(header);
    free(text);
}

/* The numbers of floats, tokens and biases by distance are of the golden models' configurations. */
static void every_tensor_is_reserved_once(void **state)
{
    static const char *const names[] = {"vanilla_post", "learned_positions_tied", "relative_bias",
                                        "mixture_rules"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct bench bench = bench_open(names[i]);
        char path[64];
        size_t weights, others;
        int count;
        snprintf(path, sizeof path, "tests/golden/%s.bin", names[i]);
        sum_header(path, &weights, &others, &count);
        const struct model *model = bench.session->state.model;
        struct reservation whole = weights_reservation(model);
        size_t distances = 0, tokens = vocabulary_size(model->checkpoint->vocabulary[SIDE_TARGET]);
        for (enum stack stack = 0; stack < STACK_COUNT; stack++)
            if (model->config->stacks[stack].buckets)
                distances += relative_bias_bytes(model->config, stack);
        assert_int_equal(whole.elements, weights);
        assert_int_equal(whole.bytes, others * sizeof(float) + distances + 2 * tokens);
        assert_int_equal(whole.count, count + 2);
        bench_close(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tensor_is_reserved_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
