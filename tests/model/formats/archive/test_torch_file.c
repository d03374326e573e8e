/* Files of scripts/golden/make_torch_golden.py, which torch.save wrote: what is in them, and what
 * is left of it when they are damaged. `test_torch_file COUNT SEED` damages others. */
#include <unistd.h>

#include "model/formats/archive/torch_file.h"
#include "tests/support/test.h"

static const char *const files[] = {"zip2.pt", "zip3.pt",    "zip4.pt",
                                    "zip5.pt", "stream2.pt", "views.pt"};
enum { FILES = sizeof files / sizeof *files, WHOLE = FILES - 1 }; // WHOLE have all values

static unsigned damages = 200; // of each file
static uint64_t seed = 20261124;

struct bytes {
    unsigned char *data;
    size_t count;
};

static struct bytes read_bytes(const char *name)
{
    char path[128];
    struct status status;
    snprintf(path, sizeof path, "tests/golden/torch/%s", name);
    struct mapped_file *file = mapped_file_open(path, &status);
    if (!file)
        fail_msg("%s: %s", path, status.message);
    struct bytes bytes = {malloc(file->bytes), file->bytes};
    memcpy(bytes.data, file->data, file->bytes);
    mapped_file_close(file);
    return bytes;
}

static struct torch_file *open_bytes(struct mapped_file *file, struct bytes bytes,
                                     struct status *status)
{
    *file = (struct mapped_file){.data = bytes.data, .bytes = bytes.count, .descriptor = -1};
    return torch_file_open(file, status);
}

/* Values --------------------------------------------------------------------------------------- */

static void check_options(const struct pickle_value *options)
{
    assert_true(pickle_is(options, "argparse", "Namespace"));
    assert_int_equal(pickle_integer_of(options, "layers", 0), 2);
    assert_true(pickle_number_of(options, "rate", 0) == 0.25);
    assert_true(pickle_number_of(options, "layers", 0) == 2);
    assert_string_equal(pickle_text_of(options, "name", ""), "tr\xc3\xa4ge");
    assert_true(pickle_flag_of(options, "share", false));
    assert_true(pickle_none(pickle_get(options, "nothing")));
    assert_non_null(pickle_get(options, "nothing"));
    assert_null(pickle_get(options, "absent"));
    assert_int_equal(pickle_count(pickle_get(options, "words")), 2);
    assert_string_equal(pickle_text(pickle_item(pickle_get(options, "words"), 1)), "b");
    int64_t second = 0;
    assert_true(pickle_integer(pickle_item(pickle_get(options, "pair"), 1), &second));
    assert_int_equal(second, -2);
    assert_int_equal(pickle_get(options, "great")->kind, PICKLE_BIG);
    assert_true(pickle_integer_of(options, "wide", 0) == -((int64_t)1 << 40));
    assert_int_equal(pickle_integer_of(options, "byte", 0), 200);
    assert_int_equal(pickle_integer_of(options, "short", 0), 60000);
    assert_int_equal(pickle_integer_of(options, "name", 3), 3); // of another kind
}

static void check_records(const struct pickle_value *root)
{
    const struct pickle_value *vocab = pickle_get(root, "vocab");
    assert_true(pickle_is(vocab, "torchtext.vocab", "Vocab"));
    assert_int_equal(pickle_count(pickle_get(vocab, "itos")), 3);
    assert_string_equal(pickle_text(pickle_item(pickle_get(vocab, "itos"), 2)), "word");
    assert_int_equal(pickle_integer_of(pickle_get(vocab, "stoi"), "word", -1), 2);
    assert_int_equal(pickle_pairs(pickle_get(vocab, "stoi")), 3);
    assert_int_equal(pickle_integer_of(pickle_get(vocab, "freqs"), "<pad>", 0), 1);
    assert_int_equal(pickle_integer_of(pickle_get(root, "slots"), "width", 0), 12);
    assert_int_equal(pickle_integer_of(pickle_get(root, "counts"), "a", 0), 2);
    assert_string_equal(pickle_text(pickle_item(pickle_get(root, "letters"), 0)), "x");
}

static void values_of_every_kind_are_read(void **state)
{
    for (int i = 0; i < WHOLE; i++) {
        struct mapped_file file;
        struct status status = {0};
        struct bytes bytes = read_bytes(files[i]);
        struct torch_file *torch = open_bytes(&file, bytes, &status);
        if (!torch)
            fail_msg("%s: %s", files[i], status.message);
        const struct pickle_value *root = torch_root(torch);
        check_options(pickle_get(root, "args"));
        check_records(root);
        const struct pickle_value *cycle = pickle_get(root, "cycle");
        assert_ptr_equal(pickle_item(cycle, 1), cycle);
        assert_string_equal(pickle_text(pickle_item(cycle, 0)), "itself");
        torch_file_close(torch);
        free(bytes.data);
    }
}

/* Tensors -------------------------------------------------------------------------------------- */

struct expected_tensor {
    const char *name, *dtype;
    int dimensions, shape[2];
    double first, second; // elements
    bool borrowed;        // from the file
};

static const struct expected_tensor expected_tensors[] = {
    {"bfloat", "BF16", 2, {2, 3}, 0, 1, true},    {"column", "F32", 2, {2, 1}, 1, 4, false},
    {"double", "F32", 2, {2, 3}, 0, 0.25, false}, {"empty", "F32", 2, {0, 4}, 0, 0, false},
    {"half", "F16", 2, {2, 3}, 0, 1, true},       {"long", "I64", 1, {3}, 0, 1, true},
    {"matrix", "F32", 2, {2, 3}, 0, 1, true},     {"parameter", "F32", 2, {2, 3}, 1, 2, true},
    {"row", "F32", 1, {3}, 3, 4, true},           {"scalar", "F32", 0, {0}, 7, 7, true},
    {"tied", "F32", 2, {2, 3}, 0, 1, true},       {"transposed", "F32", 2, {3, 2}, 0, 3, false},
};
enum { TENSORS = sizeof expected_tensors / sizeof *expected_tensors };

/* Small whole numbers and quarters, whose bits are few. */
static double element(const struct stored_tensor *tensor, size_t index)
{
    uint16_t bits;
    float value;
    if (tensor->dtype == STORED_I64) {
        int64_t integer;
        memcpy(&integer, (const char *)tensor->data + index * 8, 8);
        return (double)integer;
    }
    if (tensor->dtype == STORED_F32) {
        memcpy(&value, (const char *)tensor->data + index * 4, 4);
        return (double)value;
    }
    memcpy(&bits, (const char *)tensor->data + index * 2, 2);
    return bits == 0 ? 0 : bits == (tensor->dtype == STORED_F16 ? 0x3C00 : 0x3F80) ? 1 : -1;
}

static void check_tensor(const struct stored_tensor *tensor, const struct expected_tensor *expected,
                         struct bytes bytes)
{
    int64_t elements = 1;
    assert_string_equal(tensor->name, expected->name);
    assert_string_equal(tensor->dtype_name, expected->dtype);
    assert_int_equal(tensor->dimensions, expected->dimensions);
    for (int i = 0; i < expected->dimensions; i++) {
        assert_int_equal(tensor->shape[i], expected->shape[i]);
        elements *= expected->shape[i];
    }
    assert_int_equal(tensor->elements, elements);
    if (!elements)
        return;
    assert_true(element(tensor, 0) == expected->first);
    assert_true(elements < 2 || element(tensor, 1) == expected->second);
    const unsigned char *data = tensor->data;
    assert_int_equal(data >= bytes.data && data + tensor->bytes <= bytes.data + bytes.count,
                     expected->borrowed);
}

static void tensors_are_views_of_the_file_where_they_can_be(void **state)
{
    for (int i = 0; i < WHOLE; i++) {
        struct mapped_file file;
        struct status status = {0};
        struct bytes bytes = read_bytes(files[i]);
        struct torch_file *torch = open_bytes(&file, bytes, &status);
        int count = 0;
        const struct pickle_value *model = pickle_get(torch_root(torch), "model");
        const struct stored_tensor *tensors = torch_tensors(torch, model, &count, &status);
        if (!tensors)
            fail_msg("%s: %s", files[i], status.message);
        assert_int_equal(count, TENSORS);
        for (int t = 0; t < count; t++)
            check_tensor(&tensors[t], &expected_tensors[t], bytes);
        torch_file_close(torch);
        free(bytes.data);
    }
}

/* Six of ten elements, from the fourth on, are a storage. */
static void storages_may_be_parts_of_others(void **state)
{
    static const struct expected_tensor expected[] = {
        {"last", "F32", 1, {2}, 7, 8, true},
        {"matrix", "F32", 2, {2, 3}, 3, 4, true},
    };
    struct mapped_file file;
    struct status status = {0};
    struct bytes bytes = read_bytes("views.pt");
    struct torch_file *torch = open_bytes(&file, bytes, &status);
    if (!torch)
        fail_msg("%s", status.message);
    int count = 0;
    const struct pickle_value *model = pickle_get(torch_root(torch), "model");
    const struct stored_tensor *tensors = torch_tensors(torch, model, &count, &status);
    if (!tensors)
        fail_msg("%s", status.message);
    assert_int_equal(count, 2);
    for (int t = 0; t < count; t++)
        check_tensor(&tensors[t], &expected[t], bytes);
    torch_file_close(torch);
    free(bytes.data);
}

/* What must not happen ------------------------------------------------------------------------- */

static void a_command_is_a_record_and_is_not_run(void **state)
{
    struct mapped_file file;
    struct status status = {0};
    struct bytes bytes = read_bytes("command.pt");
    struct torch_file *torch = open_bytes(&file, bytes, &status);
    assert_non_null(torch);
    const struct pickle_value *model = pickle_get(torch_root(torch), "model");
    assert_true(pickle_is(model, "posix", "system"));
    assert_string_equal(pickle_text(pickle_argument(model, 0)), "touch attnscope-command-ran");
    assert_false(torch_is_tensor(model));
    assert_int_equal(access("attnscope-command-ran", F_OK), -1);
    torch_file_close(torch);
    free(bytes.data);
}

static void parts_end_within_their_storage(void **state)
{
    static const unsigned char part[] = {'K', 3, 'K', 6};
    struct mapped_file file;
    struct status status = {0};
    struct bytes bytes = read_bytes("views.pt");
    unsigned char *at = memmem(bytes.data, bytes.count, part, sizeof part);
    assert_non_null(at);
    at[1] = 5;
    struct torch_file *torch = open_bytes(&file, bytes, &status);
    assert_non_null(torch);
    int count = 0;
    const struct pickle_value *model = pickle_get(torch_root(torch), "model");
    assert_null(torch_tensors(torch, model, &count, &status));
    assert_non_null(strstr(status.message, "a view beyond its storage"));
    torch_file_close(torch);
    free(bytes.data);
}

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 11) % below);
}

static size_t damage(unsigned char *bytes, size_t count)
{
    size_t place = draw((uint32_t)count), rest = count - place;
    switch (draw(5)) {
    case 0:
        bytes[place] = (unsigned char)draw(256);
        return count;
    case 1:
        memset(bytes + place, draw(2) ? 0xFF : 0, rest < 8 ? rest : 1 + draw(8));
        return count;
    case 2:
        return place;
    case 3:
        memmove(bytes + place, bytes + draw((uint32_t)(count - rest / 2)), rest / 2);
        return count;
    default:
        bytes[place] ^= (unsigned char)(1u << draw(8));
        return count;
    }
}

/* Whatever could be read is read. */
static void walk(struct torch_file *torch)
{
    struct status status = {0};
    int count = 0;
    const struct pickle_value *root = torch_root(torch);
    const struct stored_tensor *tensors =
        torch_tensors(torch, pickle_get(root, "model"), &count, &status);
    uint64_t sum = 0;
    for (int t = 0; tensors && t < count; t++)
        for (size_t b = 0; b < tensors[t].bytes; b++)
            sum += ((const unsigned char *)tensors[t].data)[b];
    for (size_t i = 0; i < pickle_pairs(root); i++)
        sum += pickle_text(pickle_key(root, i)) != NULL;
    assert_true(sum < UINT64_MAX);
    if (!tensors && pickle_pairs(pickle_get(root, "model")))
        assert_null(strchr(status.message, '\n'));
}

static void damaged_files_open_or_are_refused_in_one_line(void **state)
{
    for (int i = 0; i < FILES; i++) {
        struct bytes bytes = read_bytes(files[i]);
        for (unsigned n = 0; n < damages; n++) {
            struct mapped_file file;
            struct status status = {0};
            struct bytes copy = {malloc(bytes.count), bytes.count};
            memcpy(copy.data, bytes.data, bytes.count);
            for (uint32_t times = 1 + draw(3); times-- && copy.count;)
                copy.count = damage(copy.data, copy.count);
            // Its end is the end of the memory, so that reading beyond it is found.
            copy.data = realloc(copy.data, copy.count ? copy.count : 1);
            struct torch_file *torch = open_bytes(&file, copy, &status);
            if (torch)
                walk(torch);
            else
                assert_true(strlen(status.message) > 10 && !strchr(status.message, '\n'));
            torch_file_close(torch);
            free(copy.data);
        }
        free(bytes.data);
    }
}

/* Fields of a member of a zip archive's directory, which are little-endian. */
enum { METHOD = 10, COMPRESSED_SIZE = 20, SIZE = 24, PLACE = 42, NAME_AT = 46 };

static void set_field(struct bytes bytes, const char *member, size_t field, uint32_t value,
                      size_t width)
{
    for (size_t i = 0; i + NAME_AT + strlen(member) < bytes.count; i++)
        if (memcmp(bytes.data + i, "PK\1\2", 4) == 0 &&
            memcmp(bytes.data + i + NAME_AT, member, strlen(member)) == 0) {
            memcpy(bytes.data + i + field, &value, width);
            return;
        }
    fail_msg("no member %s", member);
}

static void archives_that_lie_are_refused(void **state)
{
    static const struct {
        const char *member;
        size_t field;
        uint32_t value;
        size_t width;
        const char *message;
    } lies[] = {
        {"zip2/data/0", SIZE, 1000, 4, "zip2/data/0: 1000 bytes, expected"},
        {"zip2/data/0", SIZE, 0x7FFFFFFF, 4, "zip2/data/0: 2147483647 bytes, expected at most"},
        {"zip2/data/0", PLACE, 0x7FFFFFF0, 4, "data/0"},
        {"zip2/data/0", METHOD, 8, 2, "zip2/data/0: compressed; expected uncompressed"},
        {"zip2/data/0", NAME_AT, 'x', 1, "zip2/data/0: missing in the archive"},
        {"zip2/data.pkl", NAME_AT + 5, 'x', 1, "a zip archive without data.pkl"},
        {"zip2/data.pkl", METHOD, 8, 2, "compressed"},
        {"zip2/byteorder", NAME_AT + 5, 'x', 1, NULL}, // which is an older file
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct mapped_file file;
        struct status status = {0};
        int count;
        struct bytes bytes = read_bytes("zip2.pt");
        set_field(bytes, lies[i].member, lies[i].field, lies[i].value, lies[i].width);
        struct torch_file *torch = open_bytes(&file, bytes, &status);
        const struct stored_tensor *tensors =
            torch ? torch_tensors(torch, pickle_get(torch_root(torch), "model"), &count, &status)
                  : NULL;
        if (lies[i].message ? !strstr(status.message, lies[i].message) : !tensors)
            fail_msg("%s, field %zu: \"%s\"", lies[i].member, lies[i].field, status.message);
        assert_true(!tensors == !!lies[i].message);
        torch_file_close(torch);
        free(bytes.data);
    }
}

/* The last row of a matrix, and the same one element further. */
static void a_tensor_ends_with_its_storage(void **state)
{
    static const char row[] = "K\3K\3\x85"; // offset 3, shape (3)
    for (int beyond = 0; beyond < 2; beyond++) {
        struct mapped_file file;
        struct status status = {0};
        int count;
        struct bytes bytes = read_bytes("zip2.pt");
        unsigned char *at = memmem(bytes.data, bytes.count, row, sizeof row - 1);
        assert_non_null(at);
        at[1] = (unsigned char)(at[1] + beyond);
        struct torch_file *torch = open_bytes(&file, bytes, &status);
        assert_non_null(torch);
        assert_int_equal(
            torch_tensors(torch, pickle_get(torch_root(torch), "model"), &count, &status) == NULL,
            beyond);
        if (beyond)
            assert_non_null(strstr(status.message, "goes beyond its storage of 6 elements"));
        torch_file_close(torch);
        free(bytes.data);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_kind_are_read),
        cmocka_unit_test(tensors_are_views_of_the_file_where_they_can_be),
        cmocka_unit_test(storages_may_be_parts_of_others),
        cmocka_unit_test(parts_end_within_their_storage),
        cmocka_unit_test(a_command_is_a_record_and_is_not_run),
        cmocka_unit_test(damaged_files_open_or_are_refused_in_one_line),
        cmocka_unit_test(archives_that_lie_are_refused),
        cmocka_unit_test(a_tensor_ends_with_its_storage),
    };
    if (count > 1)
        damages = (unsigned)strtoul(arguments[1], NULL, 10);
    if (count > 2)
        seed = strtoull(arguments[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
