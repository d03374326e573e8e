/* Memory of mapped files that has been read and is given back. */
#include <unistd.h>

#include "model/formats/mapped_file.h"
#include "tests/support/test.h"

enum { BYTES = 8 << 20, HOLE = 4 << 20 };

static unsigned char byte_at(size_t i)
{
    return (unsigned char)(i * 2654435761u >> 13);
}

/* Bytes of files that are in memory for this process. */
static size_t resident(void)
{
    char line[256];
    size_t kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "RssFile:", 8) == 0)
            kilobytes = strtoul(line + 8, NULL, 10);
    fclose(file);
    return kilobytes << 10;
}

static void check_bytes(const struct mapped_file *file)
{
    for (size_t i = 0; i < BYTES; i++)
        if (file->data[i] != byte_at(i))
            fail_msg("byte %zu is %d", i, file->data[i]);
}

static struct mapped_file *open_file(void)
{
    char path[] = "/tmp/attnscope-mapped-XXXXXX";
    struct status status;
    FILE *file = fdopen(mkstemp(path), "wb");
    assert_non_null(file);
    for (size_t i = 0; i < BYTES; i++)
        putc(byte_at(i), file);
    assert_int_equal(fclose(file), 0);
    struct mapped_file *mapped = mapped_file_open(path, &status);
    assert_non_null(mapped);
    unlink(path);
    return mapped;
}

/* From the middle of a page to the middle of another. */
static void what_is_released_takes_no_memory_and_comes_back(void **state)
{
    struct mapped_file *file = open_file();
    check_bytes(file);
    size_t before = resident();
    mapped_file_release(file, file->data + 1000, HOLE);
    size_t after = resident();
    assert_true(before >= after + HOLE - (1 << 20));
    assert_true(before <= after + HOLE + (1 << 20));
    check_bytes(file);
    mapped_file_close(file);
}

static void other_memory_is_left_alone(void **state)
{
    struct mapped_file *file = open_file();
    char own[64] = "own";
    check_bytes(file);
    size_t before = resident();
    mapped_file_release(file, own, sizeof own);
    mapped_file_release(file, file->data + BYTES - 10, 20);
    mapped_file_release(file, file->data + 10, SIZE_MAX);
    assert_string_equal(own, "own");
    assert_true(resident() + (1 << 16) >= before);
    mapped_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_released_takes_no_memory_and_comes_back),
        cmocka_unit_test(other_memory_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
