#include "report/output/typeset/markup.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

static size_t next_character(const char *text, uint32_t *character)
{
    utf8proc_int32_t found;
    utf8proc_ssize_t bytes = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &found);
    *character = bytes > 0 ? (uint32_t)found : 0xFFFD;
    return bytes > 0 ? (size_t)bytes : 1;
}

/* Characters ----------------------------------------------------------------------------------- */

/* Replacements of characters. Empty groups keep adjacent characters from becoming another one (the
 * ligatures -- ?` '' and others). A bracket or star at the start of a row would belong to the end
 * of the row before. The quotation mark comes from the typewriter font: the encoding OT1 has none
 * elsewhere. */
static const struct {
    uint32_t character;
    const char *text;
} written[] = {
    {'\\', "\\textbackslash{}"},
    {'{', "\\{"},
    {'}', "\\}"},
    {'$', "\\$"},
    {'&', "\\&"},
    {'#', "\\#"},
    {'%', "\\%"},
    {'_', "\\_"},
    {'~', "\\textasciitilde{}"},
    {'^', "\\textasciicircum{}"},
    {'<', "\\textless{}"},
    {'>', "\\textgreater{}"},
    {'|', "\\textbar{}"},
    {'"', "{\\ttfamily\\char34}"},
    {'`', "\\textasciigrave{}"},
    {'\'', "\\textquotesingle{}"},
    {'[', "{[}"},
    {'*', "{*}"},
    {'-', "-{}"},
    {0x2013, "\\textendash{}"},
    {0x2018, "{}\\textquoteleft{}"},
    {0x2019, "\\textquoteright{}"},
    {0x2581, "\\wordmark{}"},
    {0xFFED, "\\joinmark{}"},
};

static const char *written_as(uint32_t character)
{
    for (int i = 0; i < COUNT(written); i++)
        if (written[i].character == character)
            return written[i].text;
    return NULL;
}

struct range {
    uint32_t first, last;
};

static bool is_within(uint32_t character, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (character >= ranges[i].first && character <= ranges[i].last)
            return true;
    return false;
}

/* True if the encoding T1 adds the character to OT1 (according to LaTeX's t1enc.dfu and tests with
 * the compiler). */
static bool is_of_t1(uint32_t character)
{
    static const struct range ranges[] = {
        {0xAB, 0xAB},     {0xBB, 0xBB},    {0xD0, 0xD0},   {0xDE, 0xDE},   {0xF0, 0xF0},
        {0xFE, 0xFE},     {0x104, 0x105},  {0x110, 0x111}, {0x118, 0x119}, {0x12E, 0x12F},
        {0x14A, 0x14B},   {0x172, 0x173},  {0x1EA, 0x1EB}, {0x2DB, 0x2DB}, {0x201A, 0x201A},
        {0x201E, 0x201E}, {0x2039, 0x203A}};
    return is_within(character, ranges, COUNT(ranges));
}

/* True if every LaTeX since 2018 has the character with textcomp: European letters and common
 * signs. */
static bool is_common(uint32_t character)
{
    static const struct range ranges[] = {
        {0, 0x7F},        {0xA0, 0x10F},    {0x112, 0x117},   {0x11A, 0x125},   {0x128, 0x12D},
        {0x130, 0x137},   {0x139, 0x13E},   {0x141, 0x148},   {0x14C, 0x165},   {0x168, 0x171},
        {0x174, 0x17E},   {0x2013, 0x2014}, {0x2018, 0x201D}, {0x2020, 0x2022}, {0x2026, 0x2026},
        {0x2030, 0x2030}, {0x20AC, 0x20AC}, {0x2122, 0x2122}, {0x2190, 0x2193}};
    return is_within(character, ranges, COUNT(ranges)) && !is_of_t1(character);
}

/* True if a command of textcomp writes it, or its encoding, which holds only signs, may have it. */
static bool is_of_textcomp(uint32_t character)
{
    static const struct range signs[] = {{'\'', '\''}, {'`', '`'},   {0xA0, 0xBF},
                                         {0xD7, 0xD7}, {0xF7, 0xF7}, {0x2020, 0x2193}};
    return is_within(character, signs, COUNT(signs));
}

/* Returns the formula that prints a character if the engine lacks it; NULL: its number is
 * printed. */
static const char *formula_of(uint32_t character)
{
    static const struct {
        uint32_t character;
        const char *text;
    } formulas[] = {{0x394, "\\Delta"},   {0x3BB, "\\lambda"}, {0x2202, "\\partial"}, {0x2212, "-"},
                    {0x2248, "\\approx"}, {0x2264, "\\leq"},   {0x2265, "\\geq"}};
    for (int i = 0; i < COUNT(formulas); i++)
        if (formulas[i].character == character)
            return formulas[i].text;
    return NULL;
}

/* Needs of a text ------------------------------------------------------------------------------ */

static bool add_character(struct latex_needs *needs, uint32_t character, struct status *status)
{
    size_t low = 0, high = needs->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (needs->characters[middle] < character)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < needs->count && needs->characters[low] == character)
        return true;
    if (!memory_grow((void **)&needs->characters, &needs->capacity, needs->count + 1,
                     sizeof *needs->characters, status))
        return false;
    memmove(needs->characters + low + 1, needs->characters + low,
            (needs->count - low) * sizeof *needs->characters);
    needs->characters[low] = character;
    needs->count++;
    return true;
}

bool latex_needs_add(struct latex_needs *needs, const char *text, struct status *status)
{
    uint32_t character;
    for (; *text; text += next_character(text, &character)) {
        next_character(text, &character);
        needs->t1 |= is_of_t1(character);
        needs->textcomp |= is_of_textcomp(character);
        if (!is_common(character) && !is_of_t1(character) &&
            !add_character(needs, character, status))
            return false;
    }
    return true;
}

static void write_definition(FILE *stream, uint32_t character)
{
    static const struct {
        uint32_t character;
        const char *text;
    } marks[] = {{0x2581, "\\providecommand{\\wordmark}{\\protect\\rule[-.2ex]{.5em}{.15ex}}\n"},
                 {0xFFED, "\\providecommand{\\joinmark}{\\protect\\rule{.8ex}{.8ex}}\n"}};
    utf8proc_uint8_t bytes[5] = "";
    for (int i = 0; i < COUNT(marks); i++)
        if (marks[i].character == character) {
            fputs(marks[i].text, stream);
            return;
        }
    bytes[utf8proc_encode_char((utf8proc_int32_t)character, bytes)] = '\0';
    fprintf(stream, "\\expandafter\\providecommand\\csname u8:\\detokenize{%s}\\endcsname{", bytes);
    const char *formula = formula_of(character);
    if (formula)
        fprintf(stream, "\\ensuremath{%s}}\n", formula);
    else
        fprintf(stream, "\\protect\\fbox{\\protect\\tiny %04X}}\n", (unsigned)character);
}

/* True if neither a command nor a formula writes the character: the engine's fonts must have it. */
static bool is_of_fonts(uint32_t character)
{
    return !written_as(character) && !formula_of(character);
}

void latex_needs_write(FILE *stream, const struct latex_needs *needs)
{
    bool fonts = false;
    for (size_t i = 0; i < needs->count; i++)
        fonts |= is_of_fonts(needs->characters[i]);
    fprintf(stream, "%% needs \\usepackage{booktabs%s}\n", needs->textcomp ? ",textcomp" : "");
    if (needs->t1)
        fputs("% needs \\usepackage[T1]{fontenc} with pdflatex\n", stream);
    if (fonts)
        fputs("% pdflatex prints the numbers of characters that it does not have; xelatex and "
              "lualatex\n"
              "% print the characters, in a font that has them (fontspec)\n",
              stream);
    for (size_t i = 0; i < needs->count; i++)
        write_definition(stream, needs->characters[i]);
}

void latex_needs_free(struct latex_needs *needs)
{
    free(needs->characters);
    *needs = (struct latex_needs){0};
}

/* Texts ---------------------------------------------------------------------------------------- */

void latex_write(FILE *stream, const char *text, size_t size)
{
    uint32_t character;
    for (const char *const end = text + size, *next; text < end; text = next) {
        next = text + next_character(text, &character);
        const char *other = written_as(character);
        if (other)
            fputs(other, stream);
        else
            fwrite(text, 1, (size_t)(next - text), stream);
        if (text[0] == ',' && text[1] == ',') // in T1, two commas become one quotation mark
            fputs("{}", stream);
    }
}
