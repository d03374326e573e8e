/* A model whose numbers are no numbers: conversions overflow, trainings diverge. */
#include <math.h>
#include <unistd.h>

#include "tests/model/net/engine_support.h"
#include "tests/support/test.h"

/* Writes a copy of a checkpoint in which a norm of the decoder is NaN. */
static void write_spoilt(const struct golden *golden, const char *path)
{
    const struct mapped_file *mapped = golden->checkpoint->contents->files[0];
    const char *file = (const char *)mapped->data;
    size_t bytes = mapped->bytes;
    const struct stored_tensor *tensor =
        checkpoint_tensor(golden->checkpoint, "decoder.layers.0.norm1.weight");
    char *copy = malloc(bytes);
    assert_non_null(copy);
    memcpy(copy, file, bytes);
    memset(copy + ((const char *)tensor->data - file), 0xFF, tensor->bytes); // NaN in every dtype
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(copy, 1, bytes, out), bytes);
    assert_int_equal(fclose(out), 0);
    free(copy);
}

static void a_model_of_nan_is_an_error_and_no_empty_result(void **state)
{
    char path[] = "/tmp/attnscope-nan-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    struct golden *golden = golden_open("vanilla_post", "cpu", 1);
    write_spoilt(golden, path);
    struct golden *spoilt = golden_open_path(path, "cpu", 1);
    unlink(path);
    struct sentence sentence = {0};
    struct status status = {0};
    assert_true(sentence_encode(spoilt->checkpoint, "the dog", &sentence, &status));
    struct search_options options = search_defaults(spoilt->checkpoint->config);
    struct search_job job = {.source = &sentence};
    assert_false(search_run(spoilt->model, &job, 1, &options, NULL, &status));
    assert_int_equal(status.code, STATUS_INVALID);
    assert_non_null(strstr(status.message, "not finite"));
    assert_int_equal(job.result.count, 0);
    sentence_free(&sentence);
    golden_close(spoilt);
    golden_close(golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_of_nan_is_an_error_and_no_empty_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
