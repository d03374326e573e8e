/* Models of every family, written in our own format: they have the same contents, give the same
 * bits, and say what they were. */
#include <sys/stat.h>
#include <unistd.h>

#include "model/checkpoint/convert.h"
#include "tests/model/net/exact_support.h"
#include "tests/support/test.h"

static char folder[] = "/tmp/attnscope-convert-XXXXXX", path[64];

static int make_folder(void **state)
{
    bool made = mkdtemp(folder) != NULL;
    snprintf(path, sizeof path, "%s/converted.bin", folder);
    return made ? 0 : -1;
}

static int remove_folder(void **state)
{
    unlink(path);
    return rmdir(folder);
}

/* Writes the model to `path`. */
static void convert(const struct checkpoint *checkpoint)
{
    struct status status;
    struct digests digests;
    if (!digests_read(checkpoint, &digests, &status) ||
        !checkpoint_convert(checkpoint, &digests, path, &status))
        fail_msg("%s", status.message);
    digests_free(&digests);
}

/* Every tensor, by name. */
static void same_tensors(const char *name, const struct contents *a, const struct contents *b)
{
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        const struct stored_tensor *one = &a->tensors[i], *other = &b->tensors[i];
        assert_string_equal(one->name, other->name);
        assert_string_equal(one->dtype_name, other->dtype_name);
        assert_int_equal(one->dimensions, other->dimensions);
        for (int d = 0; d < one->dimensions; d++)
            assert_int_equal(one->shape[d], other->shape[d]);
        assert_int_equal(one->bytes, other->bytes);
        exact_same_bits(name, one->name, one->data, other->data, one->bytes);
        assert_int_equal((uintptr_t)other->data % (one->elements ? one->bytes / one->elements : 1),
                         0);
    }
}

/* All but the origin. */
static void same_configuration(const struct contents *a, const struct contents *b)
{
    json_t *one = json_loads(a->config, 0, NULL), *other = json_loads(b->config, 0, NULL);
    json_object_del(one, "origin");
    json_object_del(other, "origin");
    assert_true(json_equal(one, other));
    json_decref(one);
    json_decref(other);
}

static void same_results(struct golden *a, struct golden *b)
{
    size_t k;
    const json_t *given;
    json_array_foreach(a->cases, k, given)
    {
        const char *text = json_string_value(json_object_get(given, "source"));
        if (k == 4)
            break;
        assert_true(exact_same_text("the converted model", a, text, b, text).count > 100);
    }
    assert_true(k > 0);
}

/* Family and files, with the hashes that sha256sum prints. */
static void same_origin(const struct checkpoint *from, const struct model_origin *origin)
{
    char command[1024], line[256];
    assert_string_equal(origin->family, from->contents->family);
    assert_int_equal(origin->file_count, from->contents->file_count);
    for (int i = 0; i < origin->file_count; i++) {
        snprintf(command, sizeof command, "sha256sum %s", from->contents->files[i]->path);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        assert_non_null(fgets(line, sizeof line, pipe));
        pclose(pipe);
        assert_memory_equal(line, origin->files[i].sha256, 64);
        assert_non_null(strstr(line, origin->files[i].name));
    }
}

static void a_converted_model_gives_the_same_bits(void **state)
{
    int count;
    char **names = family_names(&count);
    for (int i = 0; i < count; i++) {
        struct golden *from = family_open(names[i], "cpu", 1);
        convert(from->checkpoint);
        struct golden *converted = golden_open_path(path, "cpu", 1);
        assert_true(converted->checkpoint->contents->own);
        same_tensors(names[i], from->checkpoint->contents, converted->checkpoint->contents);
        same_configuration(from->checkpoint->contents, converted->checkpoint->contents);
        same_origin(from->checkpoint, &converted->checkpoint->config->origin);
        same_results(from, converted);
        golden_close(converted);
        golden_close(from);
    }
    assert_true(count >= 8);
    golden_names_free(names, count);
}

/* A model in our format is copied unchanged, and keeps its origin. */
static void a_model_that_is_converted_again_keeps_its_origin(void **state)
{
    struct status status;
    char again[80];
    snprintf(again, sizeof again, "%s/again.bin", folder);
    struct golden *from = family_open("hf-marian", "cpu", 1);
    convert(from->checkpoint);
    struct checkpoint *converted = checkpoint_open(path, &status);
    assert_non_null(converted);
    struct digests digests;
    assert_true(digests_read(converted, &digests, &status));
    assert_true(checkpoint_convert(converted, &digests, again, &status));
    digests_free(&digests);
    struct checkpoint *other = checkpoint_open(again, &status);
    assert_non_null(other);
    assert_string_equal(other->contents->config, converted->contents->config);
    same_origin(from->checkpoint, &other->config->origin);
    checkpoint_close(other);
    checkpoint_close(converted);
    golden_close(from);
    unlink(again);
}

/* Also where the path is a link to it. */
static void a_file_of_the_model_is_not_replaced(void **state)
{
    struct status status;
    struct golden *from = family_open("ct2-marian", "cpu", 1);
    struct digests digests;
    assert_true(digests_read(from->checkpoint, &digests, &status));
    unlink(path);
    char *own = realpath("tests/golden/formats/ct2-marian/model.bin", NULL);
    assert_int_equal(symlink(own, path), 0);
    assert_false(checkpoint_convert(from->checkpoint, &digests, path, &status));
    assert_non_null(strstr(status.message, "a file of the model itself, expected another name"));
    unlink(path);
    free(own);
    digests_free(&digests);
    golden_close(from);
}

/* Their names have no place in JSON as they are. */
static void names_that_are_not_utf8_are_escaped(void **state)
{
    struct status status;
    char link[80];
    snprintf(link, sizeof link, "%s/m\xFF.pt", folder);
    char *model = realpath("tests/golden/formats/opennmt-v1/model_step_1.pt", NULL);
    assert_int_equal(symlink(model, link), 0);
    struct checkpoint *from = checkpoint_open(link, &status);
    unlink(link);
    if (!from)
        fail_msg("%s", status.message);
    assert_string_equal(from->config->name, "m\\xFF");
    convert(from);
    struct checkpoint *converted = checkpoint_open(path, &status);
    assert_non_null(converted);
    assert_string_equal(converted->config->name, "m\\xFF");
    assert_string_equal(converted->config->origin.files[0].name, "m\\xFF.pt");
    checkpoint_close(converted);
    checkpoint_close(from);
    free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_converted_model_gives_the_same_bits),
        cmocka_unit_test(a_model_that_is_converted_again_keeps_its_origin),
        cmocka_unit_test(a_file_of_the_model_is_not_replaced),
        cmocka_unit_test(names_that_are_not_utf8_are_escaped),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
