#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/formats/safetensors.h"
#include "tests/model/checkpoint/checkpoint_support.h"
#include "tests/support/test.h"

static void write_file(const char *header, const char *data, size_t bytes)
{
    FILE *file = fopen(checkpoint_case_path(), "wb");
    unsigned char length[8] = {(unsigned char)strlen(header), (unsigned char)(strlen(header) >> 8)};
    assert_non_null(file);
    assert_int_equal(fwrite(length, 1, 8, file), 8);
    assert_int_equal(fwrite(header, 1, strlen(header), file), strlen(header));
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static struct safetensors *open_file(void)
{
    struct status status;
    struct safetensors *file = safetensors_open(checkpoint_case_path(), &status);
    if (!file)
        fail_msg("%s", status.message);
    return file;
}

static void a_file_without_tensors_is_valid(void **state)
{
    write_file("{}", "", 0);
    struct safetensors *file = open_file();
    assert_int_equal(safetensors_count(file), 0);
    assert_null(safetensors_find(file, "a"));
    assert_null(safetensors_metadata(file, "a"));
    safetensors_close(file);
}

static void tensors_of_every_type_and_length_are_found_by_name(void **state)
{
    write_file("{\"b\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[3,11]},"
               "\"empty\":{\"shape\":[4,0,9],\"data_offsets\":[3,3],\"dtype\":\"F32\"},"
               "\"none\":{\"shape\":[0],\"data_offsets\":[0,0],\"dtype\":\"F64\"},"
               "\"a\":{\"dtype\":\"U8\",\"shape\":[1,3],\"data_offsets\":[0,3]},"
               "\"__metadata__\":{\"k\":\"v\",\"\\u00e4\":\"\"}}  ",
               "abc\1\2\3\4\5\6\7\10", 11);
    struct safetensors *file = open_file();
    assert_int_equal(safetensors_count(file), 4);
    const struct stored_tensor *a = safetensors_find(file, "a");
    assert_int_equal(a->dtype, STORED_U8);
    assert_int_equal(a->elements, 3);
    assert_memory_equal(a->data, "abc", 3);
    const struct stored_tensor *b = safetensors_find(file, "b");
    assert_int_equal(b->dtype, STORED_I64);
    assert_int_equal(b->dimensions, 0);
    assert_int_equal(b->elements, 1);
    assert_memory_equal(b->data, "\1\2\3\4\5\6\7\10", 8);
    assert_int_equal(safetensors_find(file, "empty")->elements, 0);
    assert_string_equal(safetensors_metadata(file, "k"), "v");
    assert_string_equal(safetensors_metadata(file, "\xc3\xa4"), "");
    assert_null(safetensors_metadata(file, "dtype"));
    const struct mapped_file *whole = safetensors_file(file);
    assert_memory_equal(whole->data + whole->bytes - 11, "abc", 3);
    assert_string_equal(whole->path, checkpoint_case_path());
    safetensors_close(file);
}

static void what_was_written_is_read_back(void **state)
{
    struct status status;
    static const float numbers[] = {1.5f, -0.0f, INFINITY, 1e-45f, 3e38f, 7};
    const char *path = checkpoint_case_path();
    struct safetensors_writer *writer = safetensors_writer_open(&status);
    assert_non_null(writer);
    assert_true(
        safetensors_add(writer, "encoder.0.weights", numbers, 2, (int64_t[]){2, 3}, &status));
    assert_true(safetensors_add(writer, "nothing", NULL, 2, (int64_t[]){0, 3}, &status));
    assert_true(safetensors_add(writer, "\xe2\x96\x81\"\n", numbers + 5, 0, NULL, &status));
    assert_true(
        safetensors_add_metadata(writer, "source", "a \"b\"\n\x01 \xf0\x9f\x98\x80", &status));
    assert_true(safetensors_add_metadata(writer, "source", "again \xc3\xa4", &status));
    assert_true(safetensors_write(writer, NULL, path, &status));
    assert_true(safetensors_write(writer, NULL, path, &status)); // replaces the file
    safetensors_writer_close(writer);

    struct safetensors *file = open_file();
    assert_int_equal(safetensors_count(file), 3);
    const struct stored_tensor *weights = safetensors_find(file, "encoder.0.weights");
    assert_int_equal(weights->dtype, STORED_F32);
    assert_int_equal(weights->shape[0], 2);
    assert_int_equal(weights->shape[1], 3);
    assert_memory_equal(weights->data, numbers, sizeof numbers);
    assert_int_equal((uintptr_t)weights->data % 8, 0);
    assert_int_equal(safetensors_find(file, "nothing")->elements, 0);
    assert_memory_equal(safetensors_find(file, "\xe2\x96\x81\"\n")->data, numbers + 5, 4);
    assert_string_equal(safetensors_metadata(file, "source"), "again \xc3\xa4");
    safetensors_close(file);
}

static void a_writer_refuses_what_cannot_be_stored(void **state)
{
    struct status status;
    const float one = 1;
    struct safetensors_writer *writer = safetensors_writer_open(&status);
    assert_true(safetensors_add(writer, "a", &one, 1, (int64_t[]){1}, &status));
    assert_false(safetensors_add(writer, "a", &one, 1, (int64_t[]){1}, &status));
    assert_non_null(strstr(status.message, "a: present already, expected a new name"));
    assert_false(safetensors_add(writer, "__metadata__", &one, 1, (int64_t[]){1}, &status));
    assert_false(safetensors_add(writer, "\xff", &one, 1, (int64_t[]){1}, &status));
    assert_non_null(strstr(status.message, "\\xFF: expected a name in UTF-8"));
    assert_false(safetensors_add(writer, "b", &one, 1, (int64_t[]){-1}, &status));
    assert_false(safetensors_add(writer, "c", &one, 2, (int64_t[]){INT64_MAX, INT64_MAX}, &status));
    assert_false(safetensors_add_metadata(writer, "k", "\xc0", &status));
    assert_true(safetensors_write(writer, NULL, checkpoint_case_path(), &status));
    safetensors_writer_close(writer);

    struct safetensors *file = open_file();
    assert_int_equal(safetensors_count(file), 1);
    safetensors_close(file);
}

static void a_failed_write_leaves_no_trace(void **state)
{
    struct status status;
    struct safetensors_writer *writer = safetensors_writer_open(&status);
    assert_false(safetensors_write(writer, NULL, "/nowhere/a.safetensors", &status));
    assert_string_equal(status.message,
                        "/nowhere/a.safetensors: cannot be written: No such file or directory");
    assert_false(safetensors_write(writer, NULL, "/dev/null", &status));
    assert_non_null(strstr(status.message, "/dev/null: not a regular file"));
    unlink(checkpoint_case_path());
    assert_int_equal(mkdir(checkpoint_case_path(), 0700), 0);
    assert_false(safetensors_write(writer, NULL, checkpoint_case_path(), &status));
    assert_int_equal(rmdir(checkpoint_case_path()), 0);
    safetensors_writer_close(writer);
}

/* The disk is full, as far as this process can tell. */
static void expect_full(const char *path, int64_t count)
{
    static const float zeros[10000];
    struct status status;
    write_file("{}", "", 0);
    struct safetensors_writer *writer = safetensors_writer_open(&status);
    assert_true(safetensors_add(writer, "a", zeros, 1, &count, &status));

    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool written = safetensors_write(writer, NULL, path, &status);
    setrlimit(RLIMIT_FSIZE, &limit);
    safetensors_writer_close(writer);

    assert_false(written);
    assert_non_null(strstr(status.message, ": cannot be written: File too large"));
    struct safetensors *file = open_file();
    assert_int_equal(safetensors_count(file), 0);
    safetensors_close(file);
}

static void a_write_that_fails_half_way_keeps_the_old_file(void **state)
{
    const char *path = checkpoint_case_path();
    expect_full(path, 10000);
    expect_full(path, 500); // fits the stream's buffer, which is written last
    /* The directory is this test's own: nothing else may stand in it when it is removed at exit. */
    char directory[256];
    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(path, '/') - path), path);
    unlink(path);
    assert_int_equal(rmdir(directory), 0);
    assert_int_equal(mkdir(directory, 0700), 0);
}

static void new_files_have_the_permissions_of_new_files(void **state)
{
    struct status status;
    struct stat about;
    struct safetensors_writer *writer = safetensors_writer_open(&status);
    mode_t mask = umask(027);
    assert_true(safetensors_write(writer, NULL, checkpoint_case_path(), &status));
    umask(mask);
    assert_int_equal(stat(checkpoint_case_path(), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    safetensors_writer_close(writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_without_tensors_is_valid),
        cmocka_unit_test(tensors_of_every_type_and_length_are_found_by_name),
        cmocka_unit_test(what_was_written_is_read_back),
        cmocka_unit_test(a_writer_refuses_what_cannot_be_stored),
        cmocka_unit_test(a_failed_write_leaves_no_trace),
        cmocka_unit_test(a_write_that_fails_half_way_keeps_the_old_file),
        cmocka_unit_test(new_files_have_the_permissions_of_new_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
