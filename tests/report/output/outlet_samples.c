#include "tests/report/output/outlet_samples.h"

#include <stdlib.h>

#include "model/text/text.h"
#include "tests/support/test.h"

/* What may not pass ---------------------------------------------------------------------------- */

/* By Unicode's data and section 23.7 of the standard. */
static bool is_noncharacter(utf8proc_int32_t c)
{
    return (c & 0xFFFF) == 0xFFFE || (c & 0xFFFF) == 0xFFFF || (c >= 0xFDD0 && c <= 0xFDEF);
}

static bool is_layout(utf8proc_int32_t c)
{
    return c == '\t' || c == '\n' || c == '\r';
}

static bool is_control(utf8proc_int32_t c)
{
    utf8proc_category_t category = utf8proc_category(c);
    return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_ZL ||
           category == UTF8PROC_CATEGORY_ZP;
}

static bool is_direction(utf8proc_int32_t c)
{
    switch (utf8proc_get_property(c)->bidi_class) {
    case UTF8PROC_BIDI_CLASS_LRE:
    case UTF8PROC_BIDI_CLASS_LRO:
    case UTF8PROC_BIDI_CLASS_RLE:
    case UTF8PROC_BIDI_CLASS_RLO:
    case UTF8PROC_BIDI_CLASS_PDF:
    case UTF8PROC_BIDI_CLASS_LRI:
    case UTF8PROC_BIDI_CLASS_RLI:
    case UTF8PROC_BIDI_CLASS_FSI:
    case UTF8PROC_BIDI_CLASS_PDI:
        return true;
    default:
        return false;
    }
}

bool outlet_may_pass(enum outlet outlet, utf8proc_int32_t c)
{
    if (outlet == OUTLET_DATA && is_layout(c))
        return true;
    if ((outlet == OUTLET_PASTED || outlet == OUTLET_ESCAPED) && is_direction(c))
        return false;
    return !is_control(c) && (outlet == OUTLET_LINE || !is_noncharacter(c));
}

utf8proc_ssize_t outlet_next(const char *text, utf8proc_int32_t *c)
{
    utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, c);
    if (bytes <= 0)
        fail_msg("invalid UTF-8: %.20s", text);
    return bytes;
}

void outlet_expect_none_barred(const char *what, enum outlet outlet, const char *text,
                               const char *structure)
{
    utf8proc_int32_t c;
    for (const char *at = text; *at;) {
        const utf8proc_ssize_t bytes = outlet_next(at, &c);
        if (!outlet_may_pass(outlet, c) && !(c < 0x80 && strchr(structure, (int)c)))
            fail_msg("%s: U+%04X at byte %td: %.40s", what, (unsigned)c, at - text, at);
        at += bytes;
    }
}

/* Samples -------------------------------------------------------------------------------------- */

struct sample samples[SAMPLES_MOST];
int sample_count;

static void add_sample(const char *text)
{
    struct sample *sample = &samples[sample_count++];
    assert_in_range(sample_count, 1, SAMPLES_MOST);
    snprintf(sample->text, sizeof sample->text, "%s", text);
    sample->valid = utf8_invalid(text, strlen(text)) < 0;
    sample->plain = sample->data = sample->pastes = sample->valid;
    for (const char *at = text; sample->valid && *at;) {
        utf8proc_int32_t c;
        at += outlet_next(at, &c);
        sample->plain &= outlet_may_pass(OUTLET_SHOWN, c);
        sample->data &= outlet_may_pass(OUTLET_DATA, c);
        sample->pastes &= outlet_may_pass(OUTLET_PASTED, c);
    }
}

static void add_character(utf8proc_int32_t c)
{
    char text[8] = "a";
    const utf8proc_ssize_t bytes = utf8proc_encode_char(c, (utf8proc_uint8_t *)text + 1);
    text[1 + bytes] = 'z';
    text[2 + bytes] = '\0';
    add_sample(text);
}

/* Texts with a meaning in some format, and invalid UTF-8. */
// clang-format off
static const char *const specials[] = {
    "#", "#a", "a#b", "=1+1", "+1", "-1", "@a", "=cmd|'x'!A0", "\"", "\"a\"", "\"a", "a,b", "a;b",
    "a|b", "a|||b", "-->", "--!>", "<!--", "]]>", "<![CDATA[", "&amp;", "&#124;", "<b>",
    "</a:note>", "\\", "\\textbf{x}", "^^M", "50%", "$x$", "a_b", "{", "}", "~", "'", "`", "*",
    "[a](b)", "1. a", "\\u0041", "\\n", "%s", "\357\273\277a", " a ", "", "---", "/*", "0x",
    "\xFF", "\xC3", "\xED\xA0\x80", "\xED\xBF\xBF", "\xC0\x80", "\xF4\x90\x80\x80", "a\xE2\x80",
};
// clang-format on

void outlet_make_samples(void)
{
    int of_category[32] = {0};
    for (utf8proc_int32_t c = 1; c <= 0x10FFFF; c++) {
        const utf8proc_category_t category = utf8proc_category(c);
        if (category == UTF8PROC_CATEGORY_CS)
            continue;
        if (of_category[category]++ < 3 || is_control(c) || is_direction(c) || is_noncharacter(c))
            add_character(c);
    }
    for (int category = 1; category < 30; category++)
        if (category != UTF8PROC_CATEGORY_CS)
            assert_true(of_category[category] >= 1);
    for (int i = 0; i < (int)(sizeof specials / sizeof *specials); i++)
        add_sample(specials[i]);
}

char *outlet_line(const char *before, int first, int count)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs(before, out);
    for (int i = first; i < sample_count && i < first + count; i++)
        if (samples[i].valid && !strpbrk(samples[i].text, "\n\r"))
            fprintf(out, " %s", samples[i].text);
    fputs(" end", out);
    assert_int_equal(fclose(out), 0);
    return text;
}
