/* Weights of Marian in 8 and 16 bits, integers by the numbers that its versions give their types,
 * and floats of half precision. */
#include <math.h>

#include "model/checkpoint/stored.h"
#include "tests/model/formats/marian/marian_support.h"
#include "tests/support/test.h"

enum { BROWSERMT_INTGEMM8 = 0x4101 };

static uint64_t number_at(const unsigned char *at)
{
    uint64_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static void put_number(unsigned char *at, uint64_t number)
{
    memcpy(at, &number, sizeof number);
}

/* Returns where the items' data begin: after headers, names, shapes and a gap. */
static size_t data_of(const unsigned char *bytes)
{
    uint64_t items = number_at(bytes + 8);
    size_t at = 16 + 32 * items;
    for (uint64_t i = 0; i < items; i++)
        at += number_at(bytes + 16 + 32 * i) + 4 * number_at(bytes + 32 + 32 * i);
    return at + 8 + number_at(bytes + at);
}

/* An item of eight bits as one of 16, of multiples of its integers and its scale. Returns the bytes
 * that were written. */
static size_t widen(const unsigned char *from, size_t bytes, unsigned char *to)
{
    enum { TIMES = 3 };
    size_t elements = bytes - sizeof(float);
    float scale;
    memcpy(&scale, from + elements, sizeof scale);
    for (size_t i = 0; i < elements; i++) {
        int16_t wide = (int16_t)(TIMES * (int8_t)from[i]);
        memcpy(to + 2 * i, &wide, sizeof wide);
    }
    scale *= TIMES;
    memcpy(to + 2 * elements, &scale, sizeof scale);
    return 2 * elements + sizeof scale;
}

/* The elements of item i, by its shape. */
static size_t elements_of(const unsigned char *bytes, uint64_t i)
{
    uint64_t items = number_at(bytes + 8);
    size_t at = 16 + 32 * items, elements = 1;
    for (uint64_t k = 0; k < items; k++)
        at += number_at(bytes + 16 + 32 * k);
    for (uint64_t k = 0; k < i; k++)
        at += 4 * number_at(bytes + 32 + 32 * k);
    for (uint64_t d = 0; d < number_at(bytes + 32 + 32 * i); d++) {
        int32_t size;
        memcpy(&size, bytes + at + 4 * d, sizeof size);
        elements *= (size_t)size;
    }
    return elements;
}

/* Writes the student with another number for the type of its integers, which become integers of 16
 * bits if `wide`. */
static void write_retyped(const unsigned char *bytes, size_t count, uint64_t type, bool wide)
{
    unsigned char *out = calloc(2, count);
    size_t from = data_of(bytes), to = from;
    memcpy(out, bytes, from);
    for (uint64_t i = 0; i < number_at(bytes + 8); i++) {
        unsigned char *header = out + 16 + 32 * i;
        size_t size = number_at(header + 24), written = size;
        bool quantised = number_at(header + 8) == BROWSERMT_INTGEMM8;
        if (quantised)
            put_number(header + 8, type);
        if (quantised && wide) {
            written = widen(bytes + from, elements_of(bytes, i) + sizeof(float), out + to);
            put_number(header + 24, written);
        } else {
            memcpy(out + to, bytes + from, size);
        }
        from += size;
        to += written;
    }
    write_file("model.bin", out, to);
    free(out);
}

/* Compares all tensors; floats may differ by no more than the rounding of their scales. */
static void assert_same_tensors(const struct checkpoint *is, const struct checkpoint *wanted)
{
    assert_int_equal(is->contents->count, wanted->contents->count);
    for (int i = 0; i < wanted->contents->count; i++) {
        const struct stored_tensor *one = &is->contents->tensors[i],
                                   *other = &wanted->contents->tensors[i];
        assert_string_equal(one->name, other->name);
        assert_int_equal(one->bytes, other->bytes);
        for (size_t at = 0; other->dtype == STORED_F32 && at < other->bytes; at += sizeof(float)) {
            float a, b;
            memcpy(&a, (const char *)one->data + at, sizeof a);
            memcpy(&b, (const char *)other->data + at, sizeof b);
            if (!(fabsf(a - b) <= 1e-6F * fabsf(b)))
                fail_msg("%s: %g, expected %g", one->name, (double)a, (double)b);
        }
    }
}

static void every_number_of_a_quantised_type_gives_the_same_weights(void **state)
{
    static const struct {
        uint64_t type;
        bool wide;
    } cases[] = {{0x4101, false}, {0x10001, false}, {0x10101, false},
                 {0x4102, true},  {0x10002, true},  {0x10102, true}};
    struct status status;
    size_t count;
    unsigned char *bytes = take_student(&count);
    struct checkpoint *wanted = checkpoint_open("tests/golden/formats/marian-student", &status);
    assert_non_null(wanted);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_retyped(bytes, count, cases[i].type, cases[i].wide);
        struct checkpoint *checkpoint = checkpoint_open(marian_folder, &status);
        if (!checkpoint)
            fail_msg("0x%llx: %s", (unsigned long long)cases[i].type, status.message);
        assert_same_tensors(checkpoint, wanted);
        assert_string_equal(checkpoint->config->left_out[0],
                            cases[i].wide ? "activations of 16 bits" : "activations of 8 bits");
        checkpoint_close(checkpoint);
    }
    checkpoint_close(wanted);
    free(bytes);
}

/* Half precision ------------------------------------------------------------------------------- */

enum { FLOAT32 = 0x404, FLOAT16 = 0x402 };

/* The normal number of half precision nearest to zero from `value`, as its bits; else 0. */
static uint16_t half_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int exponent = (int)(bits >> 23 & 0xFF) - 127 + 15;
    const uint32_t sign = bits >> 16 & 0x8000;
    return exponent < 1 ? 0 : (uint16_t)(sign | (uint32_t)exponent << 10 | (bits >> 13 & 0x3FF));
}

/* The same number in single precision. */
static float float_of(uint16_t half)
{
    const uint32_t bits = half ? (half & 0x8000U) << 16 | (half & 0x7FFFU) << 13 : 0;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value * 0x1p112F;
}

/* Writes a model's floats rounded to half precision, as numbers of two bytes or of four. */
static void write_halves(const unsigned char *bytes, size_t count, bool two)
{
    unsigned char *out = calloc(1, count);
    size_t from = data_of(bytes), to = from;
    memcpy(out, bytes, from);
    for (uint64_t i = 0; i < number_at(bytes + 8); i++) {
        unsigned char *header = out + 16 + 32 * i;
        const size_t size = number_at(header + 24);
        const bool floats = number_at(header + 8) == FLOAT32;
        if (floats && two) {
            put_number(header + 8, FLOAT16);
            put_number(header + 24, size / 2);
        }
        if (!floats)
            memcpy(out + to, bytes + from, size);
        for (size_t at = 0; floats && at < size; at += sizeof(float)) {
            float value;
            memcpy(&value, bytes + from + at, sizeof value);
            const uint16_t half = half_of(value);
            value = float_of(half);
            if (two)
                memcpy(out + to + at / 2, &half, sizeof half);
            else
                memcpy(out + to + at, &value, sizeof value);
        }
        from += size;
        to += floats && two ? size / 2 : size;
    }
    write_file("model.bin", out, to);
    free(out);
}

static void assert_same_numbers(const struct stored_tensor *is, const struct stored_tensor *wanted)
{
    struct status status;
    float *one = stored_floats(is, &status), *other = stored_floats(wanted, &status);
    assert_non_null(one);
    assert_non_null(other);
    assert_string_equal(is->name, wanted->name);
    assert_int_equal(is->elements, wanted->elements);
    for (int64_t i = 0; i < wanted->elements; i++)
        if (one[i] != other[i])
            fail_msg("%s %d: %g, expected %g", is->name, (int)i, (double)one[i], (double)other[i]);
    free(one);
    free(other);
}

/* The numbers of both files are the same, the output's bias among them, which gets one more. */
static void half_precision_is_read(void **state)
{
    struct checkpoint *opened[2];
    size_t count;
    char path[256];
    snprintf(path, sizeof path, "%s/marian-bin/model.bin", golden);
    unsigned char *bytes = read_file(path, &count);
    copy_golden("marian-bin", "vocab.ende.spm", "vocab.ende.spm");
    for (int two = 0; two < 2; two++) {
        write_halves(bytes, count, two);
        opened[two] = open_folder();
        remove_file("model.bin"); // what is open stays as it is
    }
    assert_int_equal(opened[1]->contents->count, opened[0]->contents->count);
    int halves = 0;
    for (int i = 0; i < opened[0]->contents->count; i++) {
        if (opened[0]->contents->tensors[i].dtype == STORED_F32)
            assert_same_numbers(&opened[1]->contents->tensors[i], &opened[0]->contents->tensors[i]);
        halves += opened[1]->contents->tensors[i].dtype == STORED_F16;
    }
    assert_true(halves > 10);
    checkpoint_close(opened[0]);
    checkpoint_close(opened[1]);
    free(bytes);
}

static void a_scale_that_is_no_scale_is_refused(void **state)
{
    static const float scales[] = {0, -3, NAN};
    size_t count;
    unsigned char *bytes = take_student(&count);
    /* The last item in eight bits: the forget gate of a layer, or a matrix behind it. */
    size_t at = data_of(bytes), last = 0;
    for (uint64_t i = 0; i < number_at(bytes + 8); i++) {
        if (number_at(bytes + 24 + 32 * i) == BROWSERMT_INTGEMM8)
            last = at + elements_of(bytes, i);
        at += number_at(bytes + 40 + 32 * i);
    }
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        memcpy(bytes + last, &scales[i], sizeof scales[i]);
        write_file("model.bin", bytes, count);
        assert_refused(marian_folder, "a scale that is not positive");
    }
    free(bytes);
}

static void packed_weights_are_refused_by_their_layout(void **state)
{
    static const struct {
        uint64_t type;
        const char *expected;
    } cases[] = {{0x11001, "packed for one kind of processor (intgemm)"},
                 {0x12001, "packed for one kind of processor (intgemm)"},
                 {0x14002, "packed for one kind of processor (intgemm)"},
                 {0x801 | 0x1000, "packed for one kind of processor (FBGEMM)"},
                 {0x802, "packed for one kind of processor (FBGEMM)"},
                 {0x408, "elements of type 0x408"}};
    size_t count;
    unsigned char *bytes = take_student(&count);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_number(bytes + 16 + 8, cases[i].type);
        write_file("model.bin", bytes, count);
        assert_refused(marian_folder, cases[i].expected);
    }
    free(bytes);
}

/* Integers ------------------------------------------------------------------------------------ */

static const struct stored_integers *integers_of(const struct checkpoint *checkpoint,
                                                 const char *name)
{
    return checkpoint_tensor(checkpoint, "%s", name)->integers;
}

/* The description of activations, for a matrix with its own scale (7) and a bias, and for one
 * without either. */
static void which_rule_rounds_activations_is_in_the_files(void **state)
{
    static const char given[] = "encoder.layers.0.self_attention.q.weight";
    static const char plain[] = "decoder.layers.0.recurrence.input.weight";
    static const struct {
        uint64_t type;
        const char *yml;
        bool integers, output;
        float activation;
        bool shifted, plain_shifted;
    } cases[] = {{0x4101, NULL, true, true, 7, true, true},
                 {0x10001, NULL, true, false, 0, false, false},
                 {0x10101, "gemm-precision: int8shift", true, false, 0, false, false},
                 {0x4101, "gemm-precision: float32", true, false, 0, false, false},
                 {0x4101, "gemm-precision: int8", true, true, 0, false, false},
                 {0x4101, "gemm-precision: int8shift", true, true, 0, true, false},
                 {0x4101, "gemm-precision: int8shiftAll", true, true, 0, true, true},
                 {0x4101, "gemm-precision: int16", false, false, 0, false, false}};
    size_t count;
    unsigned char *bytes = take_student(&count);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status;
        char yml[200];
        write_retyped(bytes, count, cases[i].type, false);
        snprintf(yml, sizeof yml, "models: [model.bin]\nvocabs: [%s, %s]\n%s\n",
                 "srcvocab.ende.spm", "trgvocab.ende.spm", cases[i].yml ? cases[i].yml : "");
        write_text("decoder.yml", yml);
        struct checkpoint *checkpoint = checkpoint_open(marian_folder, &status);
        if (!checkpoint)
            fail_msg("case %zu: %s", i, status.message);
        const struct stored_integers *one = integers_of(checkpoint, given);
        const struct stored_integers *other = integers_of(checkpoint, plain);
        assert_int_equal(one != NULL, cases[i].integers);
        assert_int_equal(other != NULL, cases[i].integers);
        assert_int_equal(integers_of(checkpoint, "target_embedding.weight") != NULL,
                         cases[i].output);
        if (one) {
            assert_float_equal(one->activation, cases[i].activation, 0);
            assert_float_equal(other->activation, 0, 0);
            assert_int_equal(one->shifted, cases[i].shifted);
            assert_int_equal(other->shifted, cases[i].plain_shifted);
        }
        checkpoint_close(checkpoint);
    }
    write_text("decoder.yml",
               "models: [model.bin]\nvocabs: [srcvocab.ende.spm, trgvocab.ende.spm]\n"
               "gemm-precision: int8shiftAlphaAll\n");
    assert_refused(marian_folder, "_QuantMultA: missing, which gemm-precision calls for");
    free(bytes);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(every_number_of_a_quantised_type_gives_the_same_weights),
        TEST(half_precision_is_read),
        TEST(a_scale_that_is_no_scale_is_refused),
        TEST(packed_weights_are_refused_by_their_layout),
        TEST(which_rule_rounds_activations_is_in_the_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
