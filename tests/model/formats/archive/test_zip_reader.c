/* Views of an archive that PyTorch wrote: every member lies within the file, one without bytes
 * too. */
#include "model/formats/archive/zip_reader.h"
#include "tests/support/test.h"

static void every_member_is_viewed_within_the_file(void **state)
{
    struct status status;
    struct mapped_file *file = mapped_file_open("tests/golden/torch/zip2.pt", &status);
    assert_non_null(file);
    struct zip_reader *zip = zip_reader_open(file, &status);
    assert_non_null(zip);
    int empty = 0;
    for (int i = 0; i < zip_reader_count(zip); i++) {
        const char *name = zip_reader_name(zip, i);
        const unsigned char *data = NULL;
        size_t bytes = 0;
        if (!zip_reader_view(zip, name, &data, &bytes, &status))
            fail_msg("%s", status.message);
        assert_non_null(data);
        assert_true(bytes == 0 || (data >= file->data && data + bytes <= file->data + file->bytes));
        empty += bytes == 0;
    }
    assert_int_equal(empty, 1); // the tensor of 0 rows
    zip_reader_close(zip);
    mapped_file_close(file);
}

static void a_member_that_is_not_there_is_named(void **state)
{
    struct status status;
    struct mapped_file *file = mapped_file_open("tests/golden/torch/zip2.pt", &status);
    struct zip_reader *zip = zip_reader_open(file, &status);
    const unsigned char *data;
    size_t bytes;
    assert_false(zip_reader_has(zip, "nothing"));
    assert_false(zip_reader_view(zip, "nothing", &data, &bytes, &status));
    assert_non_null(strstr(status.message, "nothing"));
    zip_reader_close(zip);
    mapped_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_is_viewed_within_the_file),
        cmocka_unit_test(a_member_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
