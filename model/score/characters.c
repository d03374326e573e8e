#include "model/score/characters.h"

#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "model/text/moses/moses_classes.h"
#include "model/text/utf8.h"

enum { BIG_SIGMA = 0x3A3, SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2, BIG_I_WITH_DOT = 0x130, DOT = 0x307 };

void characters_free(struct characters *characters)
{
    free(characters->at);
    *characters = (struct characters){0};
}

bool characters_add(struct characters *characters, uint32_t character, struct status *status)
{
    if (!memory_grow((void **)&characters->at, &characters->capacity, characters->count + 1,
                     sizeof *characters->at, status))
        return false;
    characters->at[characters->count++] = character;
    return true;
}

bool characters_add_text(struct characters *characters, const char *text, struct status *status)
{
    size_t length;
    for (; *text; text += length)
        if (!characters_add(characters, utf8_decode(text, &length), status))
            return false;
    return true;
}

void characters_trim(struct characters *characters)
{
    while (characters->count && character_is_space(characters->at[characters->count - 1]))
        characters->count--;
}

/* Classes -------------------------------------------------------------------------------------- */

static bool in_categories(uint32_t character, utf8proc_category_t first, utf8proc_category_t last)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)character);
    return category >= first && category <= last;
}

bool character_is_space(uint32_t character)
{
    return moses_blank(character);
}

bool character_is_number(uint32_t character)
{
    return in_categories(character, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

bool character_is_punctuation(uint32_t character)
{
    return in_categories(character, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}

bool character_is_symbol(uint32_t character)
{
    return in_categories(character, UTF8PROC_CATEGORY_SM, UTF8PROC_CATEGORY_SO);
}

/* Small letters -------------------------------------------------------------------------------- */

static bool within(const uint32_t (*ranges)[2], size_t count, uint32_t character)
{
    for (size_t i = 0; i < count; i++)
        if (character >= ranges[i][0] && character <= ranges[i][1])
            return true;
    return false;
}

/* True for Unicode's Cased: letters with a case, and those of Other_Lowercase, which have no other
 * case. */
static bool is_cased(uint32_t character)
{
    static const uint32_t others[][2] = {
        {0xAA, 0xAA},       {0xBA, 0xBA},       {0x2B0, 0x2B8},     {0x2C0, 0x2C1},
        {0x2E0, 0x2E4},     {0x37A, 0x37A},     {0x1D2C, 0x1D6A},   {0x1D78, 0x1D78},
        {0x1D9B, 0x1DBF},   {0x2071, 0x2071},   {0x207F, 0x207F},   {0x2090, 0x209C},
        {0xA69C, 0xA69D},   {0xA770, 0xA770},   {0xA7F8, 0xA7F9},   {0xAB5C, 0xAB5F},
        {0x10780, 0x10780}, {0x10783, 0x10785}, {0x10787, 0x107B0}, {0x107B2, 0x107BA},
        {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}};
    utf8proc_int32_t c = (utf8proc_int32_t)character;
    return in_categories(character, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LT) ||
           utf8proc_tolower(c) != c || utf8proc_toupper(c) != c ||
           within(others, sizeof others / sizeof *others, character);
}

/* True for Unicode's Case_Ignorable: marks, formats, modifiers, and punctuation within words. */
static bool is_case_ignorable(uint32_t character)
{
    static const uint32_t inside[][2] = {
        {'\'', '\''},     {'.', '.'},       {':', ':'},       {0xB7, 0xB7},
        {0x387, 0x387},   {0x55F, 0x55F},   {0x5F4, 0x5F4},   {0x2018, 0x2019},
        {0x2024, 0x2024}, {0x2027, 0x2027}, {0xFE13, 0xFE13}, {0xFE52, 0xFE52},
        {0xFE55, 0xFE55}, {0xFF07, 0xFF07}, {0xFF0E, 0xFF0E}, {0xFF1A, 0xFF1A}};
    switch (utf8proc_category((utf8proc_int32_t)character)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
        return true;
    default:
        return within(inside, sizeof inside / sizeof *inside, character);
    }
}

/* True if there is a letter before place `at`, and none after it. */
static bool ends_word(const struct characters *text, size_t at)
{
    size_t before = at, after = at + 1;
    while (before > 0 && is_case_ignorable(text->at[before - 1]))
        before--;
    if (before == 0 || !is_cased(text->at[before - 1]))
        return false;
    while (after < text->count && is_case_ignorable(text->at[after]))
        after++;
    return after == text->count || !is_cased(text->at[after]);
}

bool characters_lower(struct characters *characters, struct status *status)
{
    struct characters lower = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < characters->count; i++) {
        uint32_t character = characters->at[i];
        if (character == BIG_I_WITH_DOT)
            ok = characters_add(&lower, 'i', status) && characters_add(&lower, DOT, status);
        else if (character == BIG_SIGMA)
            ok = characters_add(&lower, ends_word(characters, i) ? FINAL_SIGMA : SIGMA, status);
        else
            ok = characters_add(&lower, (uint32_t)utf8proc_tolower((utf8proc_int32_t)character),
                                status);
    }
    characters_free(ok ? characters : &lower);
    if (ok)
        *characters = lower;
    return ok;
}
