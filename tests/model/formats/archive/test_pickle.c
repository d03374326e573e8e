/* Pickles written by hand: those that no honest writer writes. */
#include "model/formats/archive/pickle.h"
#include "tests/support/test.h"

#define BYTES(text) text, sizeof(text) - 1

static void malformed_pickles_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *bytes;
        size_t count;
        const char *message;
    } cases[] = {
        {BYTES(""), "byte 0: the pickle ends here"},
        {BYTES("\x80\x02N"), "byte 3: the pickle ends here"},
        {BYTES("."), "byte 0: takes values that are not there"},
        {BYTES("(."), "byte 1: takes values that are not there"},
        {BYTES("N(00."), "byte 4: takes values that are not there"},
        {BYTES("\x80\x06N."), "byte 0: a later protocol"},
        {BYTES("I1\n."), "byte 0: opcode 0x49"},
        {BYTES("\x82\x01."), "byte 0: opcode 0x82"},
        {BYTES("\x97."), "byte 0: opcode 0x97"},
        {BYTES("t"), "byte 0: takes values up to a mark"},
        {BYTES("N\x86."), "byte 1: takes values that are not there"},
        {BYTES("N(N\x86."), "byte 3: takes values that are not there"},
        {BYTES("h\0."), "byte 0: recalls a value that was never remembered"},
        {BYTES("Nr\xff\xff\xff\xff."), "byte 1: remembers a value under too large a number"},
        {BYTES("q\0."), "byte 0: takes values that are not there"},
        {BYTES("X\xff\xff\xff\xff"), "byte 0: the pickle ends here"},
        {BYTES("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"), "byte 0: the pickle ends here"},
        {BYTES("\x8b\xff\xff\xff\xff"), "byte 0: the pickle ends here"},
        {BYTES("N(NNu."), "byte 4: adds members to a value that is not a dict"},
        {BYTES("}(Nu."), "byte 3: a key without a value"},
        {BYTES("NNa."), "byte 2: adds elements to a value that is not a list"},
        {BYTES("(NNu."), "byte 3: takes values that are not there"},
        {BYTES("cposix\nsystem"), "byte 0: a name without an end"},
        {BYTES("NN\x93."), "byte 2: a class without a name"},
        {BYTES("N}b."), "byte 2: attributes of a value that is not an object"},
        {BYTES("ccollections\nOrderedDict\n](N\x85Ne\x85R."), "pairs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status = {0};
        size_t end;
        struct pickle *pickle =
            pickle_read((const unsigned char *)cases[i].bytes, cases[i].count, &end, &status);
        if (pickle || !strstr(status.message, cases[i].message))
            fail_msg("case %zu: \"%s\", expected \"%s\"", i, pickle ? "" : status.message,
                     cases[i].message);
    }
}

static struct pickle *read_text(const char *bytes, size_t count)
{
    struct status status = {0};
    size_t end;
    struct pickle *pickle = pickle_read((const unsigned char *)bytes, count, &end, &status);
    if (!pickle)
        fail_msg("%s", status.message);
    assert_int_equal(end, count);
    return pickle;
}

static void calls_give_records_of_what_was_to_be_called(void **state)
{
    // os.system("id"), and then what it returns called with 1, with attributes set on it.
    struct pickle *pickle = read_text(BYTES("\x80\x02"
                                            "cposix\nsystem\nU\2id\x85R"
                                            "K\1\x85R}U\1aK\5sb."));
    const struct pickle_value *root = pickle_root(pickle);
    assert_int_equal(root->kind, PICKLE_RECORD);
    assert_string_equal(root->object->module, "");
    assert_int_equal(pickle_integer_of(root, "a", 0), 5);
    pickle_close(pickle);
}

static void a_dict_may_hold_itself_as_its_attributes(void **state)
{
    struct pickle *pickle = read_text(BYTES("}q\0h\0bh\0U\1kh\0s."));
    const struct pickle_value *root = pickle_root(pickle);
    assert_ptr_equal(pickle_get(root, "k"), root);
    assert_null(pickle_get(root, "absent"));
    pickle_close(pickle);
}

static void old_dicts_are_made_of_pairs(void **state)
{
    struct pickle *pickle =
        read_text(BYTES("ccollections\nOrderedDict\n]((U\1aK\1t(U\1bK\2te\x85R."));
    const struct pickle_value *root = pickle_root(pickle);
    assert_int_equal(root->kind, PICKLE_DICT);
    assert_int_equal(pickle_pairs(root), 2);
    assert_int_equal(pickle_integer_of(root, "b", 0), 2);
    pickle_close(pickle);
}

static void the_last_of_equal_keys_counts(void **state)
{
    struct pickle *pickle = read_text(BYTES("}(U\1aK\1U\1aK\2u."));
    assert_int_equal(pickle_integer_of(pickle_root(pickle), "a", 0), 2);
    pickle_close(pickle);
}

static void text_with_a_zero_byte_is_no_text(void **state)
{
    struct pickle *pickle = read_text(BYTES("U\3a\0b."));
    assert_int_equal(pickle_root(pickle)->kind, PICKLE_TEXT);
    assert_null(pickle_text(pickle_root(pickle)));
    pickle_close(pickle);
}

/* Writes `before`, the middle many times, and `after`. */
static struct pickle *read_repeated(const char *before, const char *middle, size_t times,
                                    const char *after, struct status *status)
{
    size_t first = strlen(before), step = strlen(middle), last = strlen(after), end;
    size_t count = first + step * times + last;
    char *bytes = malloc(count);
    memcpy(bytes, before, first);
    for (size_t i = 0; i < times; i++)
        memcpy(bytes + first + i * step, middle, step);
    memcpy(bytes + count - last, after, last);
    struct pickle *pickle = pickle_read((const unsigned char *)bytes, count, &end, status);
    free(bytes);
    return pickle;
}

/* A million levels, tuples that double, and dicts of dicts cost as much as they have bytes. */
static void depth_and_sharing_are_harmless(void **state)
{
    static const char *const cases[][3] = {
        {"N", "\x85", "."},     // (((None,),),)
        {"]", "2a", "."},       // [[...], [...]]
        {"N", "2\x86", "."},    // a pair of pairs of pairs
        {"", "]", "."},         // lists, of which one is left
        {"", "(", "."},         // marks
        {"}", "2N2s", "."},     // a dict as its own value
        {"N", "}bN", "."},      // attributes of None
        {"](NNNNe", "2a", "."}, // a list in itself
    };
    static const bool good[] = {true, true, true, true, false, true, false, true};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status = {0};
        struct pickle *pickle =
            read_repeated(cases[i][0], cases[i][1], 1000000, cases[i][2], &status);
        if (!pickle != !good[i])
            fail_msg("case %zu: \"%s\"", i, status.message);
        pickle_close(pickle);
    }
}

/* Each Counter copies the one before, so that a few bytes ask for a copy of all. */
static void copies_end_at_a_limit(void **state)
{
    struct status status = {0};
    enum { PAIRS = 100000, CALLS = 100000 };
    static const char head[] = "ccollections\nCounter\nq\1}(", pair[] = "NN", tail[] = "uq\2",
                      call[] = "h\1h\2\x85R0";
    size_t count = sizeof head - 1 + PAIRS * 2 + 3 + CALLS * 7, end;
    unsigned char *bytes = malloc(count + 2), *at = bytes;
    memcpy(at, head, sizeof head - 1);
    at += sizeof head - 1;
    for (int i = 0; i < PAIRS; i++, at += 2)
        memcpy(at, pair, 2);
    memcpy(at, tail, 3);
    at += 3;
    for (int i = 0; i < CALLS; i++, at += 7)
        memcpy(at, call, 7);
    assert_null(pickle_read(bytes, (size_t)(at - bytes), &end, &status));
    assert_non_null(strstr(status.message, "more values than a pickle of this size has"));
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_pickles_are_refused_with_their_place),
        cmocka_unit_test(calls_give_records_of_what_was_to_be_called),
        cmocka_unit_test(a_dict_may_hold_itself_as_its_attributes),
        cmocka_unit_test(old_dicts_are_made_of_pairs),
        cmocka_unit_test(the_last_of_equal_keys_counts),
        cmocka_unit_test(text_with_a_zero_byte_is_no_text),
        cmocka_unit_test(depth_and_sharing_are_harmless),
        cmocka_unit_test(copies_end_at_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
