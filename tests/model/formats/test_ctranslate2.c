/* CTranslate2 folders that tests write from golden ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "model/formats/model_words.h"
#include "tests/model/formats/open_support.h"

#define GOLDEN "tests/golden/formats/"

static void write_bytes(const char *name, const void *bytes, size_t count)
{
    FILE *out = fopen(path_of(name), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    assert_int_equal(fclose(out), 0);
}

/* The shared vocabulary of a golden folder, one piece a line; `odd` in the place of piece 5, of so many bytes. */
static void write_lines(const char *from, const char *name, const char *odd, size_t bytes)
{
    char *text = NULL;
    size_t size = 0, index;
    FILE *out = open_memstream(&text, &size);
    json_t *pieces = json_load_file(from, 0, NULL), *piece;
    assert_non_null(pieces);
    json_array_foreach(pieces, index, piece)
    {
        fwrite(index == 5 ? odd : json_string_value(piece), 1,
               index == 5 ? bytes : json_string_length(piece), out);
        putc('\n', out);
    }
    assert_int_equal(fclose(out), 0);
    write_bytes(name, text, size);
    json_decref(pieces);
    free(text);
}

/* Lines of a list are pieces whatever bytes they have; they are text from there on. */
static void a_zero_byte_in_a_list_of_pieces_is_refused(void **state)
{
    (void)state;
    static const char vocabulary[] = GOLDEN "ct2-bart/shared_vocabulary.json";
    copy_file(GOLDEN "ct2-bart/model.bin", "model.bin");
    write_lines(vocabulary, "shared_vocabulary.txt", "a\0b", 3);
    refused(folder, "shared_vocabulary.txt: piece 5: a zero byte, expected text in one line");
    unlink(path_of("shared_vocabulary.txt"));
    write_lines(vocabulary, "source_vocabulary.txt", "a", 1);
    write_lines(vocabulary, "target_vocabulary.txt", "\0", 1);
    refused(folder, "target_vocabulary.txt: piece 5: a zero byte, expected text in one line");
    write_lines(vocabulary, "source_vocabulary.txt", "\0b", 2);
    refused(folder, "source_vocabulary.txt: piece 5: a zero byte, expected text in one line");
    unlink(path_of("source_vocabulary.txt"));
    unlink(path_of("target_vocabulary.txt"));
    unlink(path_of("model.bin"));
}

/* -1000 is -1.953125 times two to the ninth. */
static void a_value_is_put_in_each_type_of_float(void **state)
{
    (void)state;
    uint16_t halves[3] = {0};
    float floats[3] = {0};
    stored_put(floats, STORED_F32, 1, -1000);
    assert_true(floats[0] == 0 && floats[1] == -1000 && floats[2] == 0);
    stored_put(halves, STORED_F16, 1, -1000);
    assert_true(halves[0] == 0 && halves[1] == 0xe3d0 && halves[2] == 0);
    stored_put(halves, STORED_BF16, 2, -1000);
    assert_true(halves[1] == 0xe3d0 && halves[2] == 0xc47a);
    stored_put(halves, STORED_F16, 0, 1.5F);
    assert_int_equal(halves[0], 0x3e00);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zero_byte_in_a_list_of_pieces_is_refused),
        cmocka_unit_test(a_value_is_put_in_each_type_of_float),
    };
    return cmocka_run_group_tests(tests, open_make_folder, open_remove_folder);
}
