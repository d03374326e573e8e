/* Rounding to float16 and bfloat16: every value of 16 bits, what lies half way between two of them,
 * and the floats next to that. Expected values are decoded here from the formats' definition, in
 * double precision. */
#include <math.h>

#include "gpu/cpu/weight.h"
#include "tests/support/test.h"

static const struct format {
    enum dtype dtype;
    int fraction;      // bits
    int bias;          // of the exponent
    uint16_t infinity; // its bits
} formats[] = {{DTYPE_F16, 10, 15, 0x7C00}, {DTYPE_BF16, 7, 127, 0x7F80}};

/* IEEE 754, 3.4, of a magnitude. Infinity is read as the power of two that would follow, as
 * rounding has it. */
static double decode(const struct format *format, uint16_t bits)
{
    int exponent = bits >> format->fraction;
    int fraction = bits & ((1 << format->fraction) - 1);
    int implied = exponent ? 1 << format->fraction : 0;
    return ldexp(implied + fraction, (exponent ? exponent : 1) - format->bias - format->fraction);
}

static void check(const struct format *format, float value, uint16_t expected)
{
    uint16_t got = narrow(value, format->dtype), negated = narrow(-value, format->dtype);
    if (got != expected || negated != (expected | 0x8000))
        fail_msg("dtype %d: %a becomes %04x and %04x, expected %04x", (int)format->dtype,
                 (double)value, (unsigned)got, (unsigned)negated, (unsigned)expected);
    bool over = expected == format->infinity;
    assert_int_equal(narrow_overflows(value, got, format->dtype), over);
    assert_int_equal(narrow_overflows(-value, negated, format->dtype), over);
}

/* Of bfloat16 what lies half way to infinity is the last float; above it there is none that is
 * finite. */
static void values_become_the_nearest_halves_the_even_one(void **state)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct format *format = &formats[i];
        for (uint16_t bits = 0; bits < format->infinity; bits++) {
            float value = (float)decode(format, bits);
            double middle = (value + decode(format, (uint16_t)(bits + 1))) / 2;
            uint16_t next = (uint16_t)(bits + 1), even = bits % 2 ? next : bits;
            check(format, value, bits);
            if (middle != (float)middle)
                continue; // bfloat16's subnormals have no float between them
            check(format, (float)middle, even);
            check(format, nextafterf((float)middle, 0), bits);
            float above = nextafterf((float)middle, INFINITY);
            if (isfinite(above))
                check(format, above, next);
        }
    }
}

static void what_is_not_finite_stays_so_and_is_no_overflow(void **state)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const struct format *format = &formats[i];
        uint16_t infinity = narrow(INFINITY, format->dtype), none = narrow(NAN, format->dtype);
        assert_int_equal(infinity, format->infinity);
        assert_int_equal(narrow(-INFINITY, format->dtype), format->infinity | 0x8000);
        assert_true((none & 0x7FFF) > format->infinity);
        assert_false(narrow_overflows(INFINITY, infinity, format->dtype));
        assert_false(narrow_overflows(NAN, none, format->dtype));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_become_the_nearest_halves_the_even_one),
        cmocka_unit_test(what_is_not_finite_stays_so_and_is_no_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
