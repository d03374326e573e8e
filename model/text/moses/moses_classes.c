#include "model/text/moses/moses_classes.h"

#include <stddef.h>
#include <string.h>

#include <utf8proc.h>

struct range {
    uint32_t first, last;
};

#define RANGES(...)                                                                                \
    (const struct range[])                                                                         \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0, 0                                                                                   \
        }                                                                                          \
    }

static bool within(const struct range *ranges, uint32_t character)
{
    for (; ranges->last > 0; ranges++)
        if (character >= ranges->first && character <= ranges->last)
            return true;
    return false;
}

static utf8proc_category_t category(uint32_t character)
{
    return character > 0x10FFFF ? UTF8PROC_CATEGORY_CN
                                : utf8proc_category((utf8proc_int32_t)character);
}

/* True for Python's \s. */
bool moses_blank(uint32_t character)
{
    return within(RANGES({0x09, 0x0D}, {0x1C, 0x20}, {0x85, 0x85}, {0xA0, 0xA0}, {0x1680, 0x1680},
                         {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                         {0x3000, 0x3000}),
                  character);
}

bool moses_number(uint32_t character)
{
    utf8proc_category_t of = category(character);
    return character < 0x10000 &&
           (of == UTF8PROC_CATEGORY_ND || of == UTF8PROC_CATEGORY_NL || of == UTF8PROC_CATEGORY_NO);
}

bool moses_lower(uint32_t character)
{
    static const struct range georgian[] = {{0x10D0, 0x10FF}, {0, 0}};
    static const struct range others[] = {{0xAA, 0xAA},     {0xBA, 0xBA},     {0x2B0, 0x2B8},
                                          {0x2170, 0x217F}, {0x24D0, 0x24E9}, {0, 0}};
    return (category(character) == UTF8PROC_CATEGORY_LL && !within(georgian, character)) ||
           within(others, character);
}

/* Uses Unicode's Script_Extensions, which include the punctuation of such a script. */
static bool han(uint32_t character)
{
    return within(RANGES({0x2E80, 0x2E99}, {0x2E9B, 0x2EF3}, {0x2F00, 0x2FD5}, {0x3001, 0x3003},
                         {0x3005, 0x3011}, {0x3013, 0x301F}, {0x3021, 0x302D}, {0x3030, 0x3030},
                         {0x3037, 0x303F}, {0x30FB, 0x30FB}, {0x3190, 0x319F}, {0x31C0, 0x31E3},
                         {0x3220, 0x3247}, {0x3280, 0x32B0}, {0x32C0, 0x32CB}, {0x3358, 0x3370},
                         {0x337B, 0x337F}, {0x33E0, 0x33FE}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF},
                         {0xF900, 0xFAD9}, {0xFE45, 0xFE46}, {0xFF61, 0xFF65}, {0x20000, 0x2FA1D}),
                  character);
}

static bool kana(uint32_t character)
{
    return within(RANGES({0x3001, 0x3003}, {0x3008, 0x3011}, {0x3013, 0x301F}, {0x3030, 0x3035},
                         {0x3037, 0x3037}, {0x303C, 0x303D}, {0x3041, 0x3096}, {0x3099, 0x30FF},
                         {0x31F0, 0x31FF}, {0x32D0, 0x32FE}, {0x3300, 0x3357}, {0xFE45, 0xFE46},
                         {0xFF61, 0xFF9F}, {0x1B000, 0x1B001}),
                  character);
}

static bool hangul(uint32_t character)
{
    return within(RANGES({0x1100, 0x11FF}, {0x3001, 0x3003}, {0x3008, 0x3011}, {0x3013, 0x301F},
                         {0x302E, 0x3030}, {0x3131, 0x318E}, {0x3200, 0x321E}, {0x3260, 0x327E},
                         {0xA960, 0xA97C}, {0xAC00, 0xD7FB}, {0xFE45, 0xFE46}, {0xFF61, 0xFF65},
                         {0xFFA0, 0xFFDC}),
                  character);
}

/* True for marks that are part of letters (vowel signs, points, viramas, letters above) rather than
 * accents. */
static bool alphabetic_mark(uint32_t character)
{
    const utf8proc_property_t *property = utf8proc_get_property((utf8proc_int32_t)character);
    int combining = property->combining_class;
    if (within(RANGES({0x34F, 0x34F}, {0x180B, 0x180F}, {0xFE00, 0xFE0F}), character))
        return false; // joiners and variation selectors
    if (combining == 220 || combining == 230)
        return within(RANGES({0x5C4, 0x5C5}, {0x610, 0x617}, {0x653, 0x65F}, {0x6D6, 0x6ED},
                             {0x730, 0x73F}, {0x816, 0x82C}, {0x8E4, 0x8FF}, {0xE38, 0xE39},
                             {0x135F, 0x135F}, {0x1A17, 0x1A18}, {0x1DE7, 0x1DF4}, {0x2DE0, 0x2DFF},
                             {0xA674, 0xA67B}, {0xAAB0, 0xAABE}),
                      character);
    return combining == 0 || combining == 7 || combining == 9 ||
           (combining >= 10 && combining <= 132 && combining != 107 && combining != 122) ||
           combining == 240;
}

/* sacremoses' lists end with the basic plane and omit what CJK languages add. */
static bool common_alpha(uint32_t character)
{
    if (character >= 0x10000)
        return false;
    if (within(RANGES({0x3005, 0x3007}, {0x3021, 0x3029}, {0x3038, 0x303B}, {0x3400, 0x4DBF},
                      {0x4E00, 0x9FFF}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}),
               character))
        return false;
    if (within(RANGES({0x24B6, 0x24E9}, {0x25CC, 0x25CC}), character))
        return true; // circled letters; the placeholder
    switch (category(character)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
        return true;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
        return alphabetic_mark(character);
    default:
        return false;
    }
}

bool moses_alpha(const struct moses_language *language, uint32_t character)
{
    return common_alpha(character) || (language->han && han(character)) ||
           (language->kana && kana(character)) || (language->hangul && hangul(character));
}

bool moses_alnum(const struct moses_language *language, uint32_t character)
{
    return moses_alpha(language, character) ||
           (character < 0x10000 && category(character) == UTF8PROC_CATEGORY_ND);
}

bool moses_currency(uint32_t character)
{
    return category(character) == UTF8PROC_CATEGORY_SC;
}

bool moses_ideograph(uint32_t character)
{
    return within(RANGES({0x1100, 0x11FF}, {0x2E80, 0xA4CF}, {0xA840, 0xA87F}, {0xAC00, 0xD7AF},
                         {0xF900, 0xFAFF}, {0xFE30, 0xFE4F}, {0xFF65, 0xFFDC}, {0x17000, 0x18AFF},
                         {0x1B000, 0x1B0FF}, {0x1B170, 0x1B2FF}, {0x20000, 0x2FFFF}),
                  character);
}
