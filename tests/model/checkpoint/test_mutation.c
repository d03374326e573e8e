/* Checkpoints with a few bytes changed: they load or are refused with one line, and nothing else
 * happens. Most of use under AddressSanitizer. `test_mutation COUNT SEED` runs others. */
#include "model/checkpoint/checkpoint.h"
#include "tests/model/checkpoint/checkpoint_support.h"
#include "tests/support/test.h"

static unsigned mutations = 2000;
static uint64_t seed = 20190801;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 11) % below);
}

struct file {
    unsigned char bytes[1 << 16];
    size_t count, header; // header: bytes of the header
};

/* Replaces `old` bytes at `at` by others; within the header its length goes along. */
static void splice(struct file *file, size_t at, size_t old, const void *bytes, size_t count)
{
    if (at + old > file->count || file->count - old + count > sizeof file->bytes)
        return;
    memmove(file->bytes + at + count, file->bytes + at + old, file->count - at - old);
    memcpy(file->bytes + at, bytes, count);
    file->count = file->count - old + count;
    if (at < 8 || at + old > 8 + file->header)
        return;
    file->header = file->header - old + count;
    for (int i = 0; i < 8; i++)
        file->bytes[i] = (unsigned char)((uint64_t)file->header >> (8 * i));
}

static size_t any_place(const struct file *file)
{
    return draw((uint32_t)file->count);
}

static size_t header_place(const struct file *file)
{
    return 8 + draw((uint32_t)file->header);
}

static void flip_byte(struct file *file)
{
    file->bytes[any_place(file)] ^= (unsigned char)(1u << draw(8));
}

static void change_header_byte(struct file *file)
{
    static const char letters[] = "{}[]\",:\\0123456789-.eEtfn \n\x7f\xff";
    file->bytes[header_place(file)] = (unsigned char)letters[draw(sizeof letters - 1)];
}

static void change_length(struct file *file)
{
    file->bytes[draw(8)] = (unsigned char)draw(256);
}

/* Another number in the place of one of the header's. */
static void change_number(struct file *file)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "-1",
                                          "2",
                                          "3",
                                          "7",
                                          "255",
                                          "65536",
                                          "2147483647",
                                          "2147483648",
                                          "4294967296",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "-9223372036854775808",
                                          "1.0",
                                          "1e400",
                                          "null"};
    size_t at = header_place(file);
    while (at < 8 + file->header && (file->bytes[at] < '0' || file->bytes[at] > '9'))
        at++;
    size_t end = at;
    while (end < 8 + file->header && file->bytes[end] >= '0' && file->bytes[end] <= '9')
        end++;
    const char *number = numbers[draw(sizeof numbers / sizeof *numbers)];
    splice(file, at, end - at, number, strlen(number));
}

static void drop_run(struct file *file)
{
    splice(file, header_place(file), 1 + draw(40), "", 0);
}

static void repeat_run(struct file *file)
{
    unsigned char run[64];
    size_t count = 1 + draw(sizeof run);
    size_t from = header_place(file);
    if (from + count > file->count)
        return;
    memcpy(run, file->bytes + from, count);
    splice(file, header_place(file), 0, run, count);
}

/* Exchanges what stands between two pairs of commas: values, keys or whole tensors. */
static void move_item(struct file *file)
{
    unsigned char *from = memchr(file->bytes + header_place(file), ',', 400);
    unsigned char *end = from ? memchr(from + 1, ',', 400) : NULL;
    if (!end)
        return;
    unsigned char item[400];
    size_t count = (size_t)(end - from);
    memcpy(item, from, count);
    splice(file, (size_t)(from - file->bytes), count, "", 0);
    unsigned char *to = memchr(file->bytes + header_place(file), ',', 400);
    if (to)
        splice(file, (size_t)(to - file->bytes), 0, item, count);
}

static void cut_end(struct file *file)
{
    file->count -= draw((uint32_t)file->count);
}

static void add_end(struct file *file)
{
    splice(file, file->count, 0, "\0\0\0\0\0\0\0\0", 1 + draw(8));
}

static void (*const changes[])(struct file *file) = {
    flip_byte, change_header_byte, change_length, change_number, change_number,
    drop_run,  repeat_run,         move_item,     cut_end,       add_end};

static const char *const change_names[] = {
    "flip_byte", "change_header_byte", "change_length", "change_number", "change_number",
    "drop_run",  "repeat_run",         "move_item",     "cut_end",       "add_end"};

static bool is_one_line(const char *message)
{
    for (const char *at = message; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            return false;
    return strstr(message, ": ") != NULL;
}

/* True if the file was refused, clearly; or loaded and could be used. */
static bool try_file(const struct file *file, struct status *status)
{
    const char *path = checkpoint_case_path();
    checkpoint_write_bytes(file->bytes, file->count, path);
    struct checkpoint *checkpoint = checkpoint_open(path, status);
    if (!checkpoint)
        return is_one_line(status->message) && strstr(status->message, "expected");
    bool good = vocabulary_size(checkpoint->vocabulary[SIDE_SOURCE]) > 0;
    for (int i = 0; i < checkpoint->contents->count; i++) {
        const struct stored_tensor *tensor = &checkpoint->contents->tensors[i];
        const unsigned char *data = tensor->data;
        good = good && (tensor->bytes == 0 || data[0] + data[tensor->bytes - 1] < 512);
    }
    checkpoint_close(checkpoint);
    return good;
}

static void mutated_checkpoints_load_or_are_refused_with_one_line(void **state)
{
    struct file *base = calloc(1, sizeof *base), *file = calloc(1, sizeof *file);
    unsigned char *bytes = checkpoint_case_bytes(NULL, &base->count);
    assert_in_range(base->count, 100, sizeof base->bytes / 2);
    memcpy(base->bytes, bytes, base->count);
    base->header = (size_t)bytes[0] | (size_t)bytes[1] << 8;
    free(bytes);
    for (unsigned i = 0; i < mutations; i++) {
        uint64_t begin = seed;
        *file = *base;
        unsigned last = 0;
        for (unsigned changed = 0, wanted = 1 + draw(2); changed < wanted; changed++) {
            last = draw(sizeof changes / sizeof *changes);
            changes[last](file);
            if (file->count < 8 + file->header)
                break;
        }
        struct status status = {STATUS_OK, ""};
        if (!try_file(file, &status))
            fail_msg("mutation %u, seed %ju, %s: %s", i, (uintmax_t)begin, change_names[last],
                     status.message);
    }
    free(file);
    free(base);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        mutations = (unsigned)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10) | 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mutated_checkpoints_load_or_are_refused_with_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
