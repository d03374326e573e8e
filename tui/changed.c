#include "tui/changed.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "tui/arguments.h"
#include "tui/display.h"

/* Texts whose middle parts make a larger table than this differ in all of it: nobody reads that far. */
enum { MOST_CELLS = 4 << 20 };

struct words {
    const char *text;
    struct span *spans; // (count)
    int count;
    size_t capacity;
};

/* Whether a character belongs to a script without blanks between its words, or to its punctuation. */
static bool stands_alone(utf8proc_int32_t c)
{
    static const utf8proc_int32_t ranges[][2] = {
        {0x0E00, 0x0EFF},   // Thai, Lao
        {0x1000, 0x109F},   // Burmese
        {0x1780, 0x17FF},   // Khmer
        {0x2E80, 0x312F},   // radicals, CJK punctuation, kana, Bopomofo; 3130-318F is Hangul
        {0x3190, 0xA4CF},   // Han, Yi
        {0xF900, 0xFAFF},   // Han for compatibility
        {0xFF00, 0xFF9F},   // full and half width forms before those of Hangul
        {0x20000, 0x3FFFF}, // more Han
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

static bool begins_alone(const char *text)
{
    utf8proc_int32_t character;
    return utf8proc_iterate((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)strnlen(text, 4),
                            &character) > 0 &&
           stands_alone(character);
}

/* Bytes of the word that `text` begins with. */
static size_t word_length(const char *text)
{
    int columns;
    size_t length = display_grapheme(text, &columns);
    if (begins_alone(text))
        return length;
    while (text[length] && !is_blank(text[length]) && !begins_alone(text + length))
        length += display_grapheme(text + length, &columns);
    return length;
}

static bool cut_words(const char *text, struct words *words, struct status *status)
{
    *words = (struct words){.text = text};
    for (const char *at = text; *at;) {
        if (is_blank(*at)) {
            at++;
            continue;
        }
        if (!memory_grow((void **)&words->spans, &words->capacity, (size_t)words->count + 1,
                         sizeof *words->spans, status))
            return false;
        size_t length = word_length(at), begin = (size_t)(at - text);
        words->spans[words->count++] = (struct span){begin, begin + length};
        at += length;
    }
    return true;
}

static bool same_word(const struct words *a, int i, const struct words *b, int j)
{
    size_t length = a->spans[i].end - a->spans[i].begin;
    return length == b->spans[j].end - b->spans[j].begin &&
           memcmp(a->text + a->spans[i].begin, b->text + b->spans[j].begin, length) == 0;
}

/* Two texts and the parts of them where they differ: words first … last[side]-1 of each. */
struct middle {
    struct words words[2];
    int first, last[2];
};

static void find_middle(struct middle *middle)
{
    const struct words *a = &middle->words[0], *b = &middle->words[1];
    int first = 0, i = a->count, j = b->count;
    while (first < i && first < j && same_word(a, first, b, first))
        first++;
    while (i > first && j > first && same_word(a, i - 1, b, j - 1)) {
        i--;
        j--;
    }
    middle->first = first;
    middle->last[0] = i;
    middle->last[1] = j;
}

/* common (rows + 1, columns + 1): how many words the rest of the one middle, from a row on, has in common
 * with the rest of the other, from a column on. */
static void fill_common(const struct middle *middle, int rows, int columns, uint32_t *common)
{
    size_t width = (size_t)columns + 1;
    for (int i = rows - 1; i >= 0; i--)
        for (int j = columns - 1; j >= 0; j--) {
            uint32_t *cell = common + (size_t)i * width + j;
            if (same_word(&middle->words[0], middle->first + i, &middle->words[1],
                          middle->first + j))
                *cell = cell[width + 1] + 1;
            else
                *cell = cell[width] > cell[1] ? cell[width] : cell[1];
        }
}

/* Adds word `index`, which follows the last one added where `joined`. */
static bool add_word(struct changed *changed, const struct words *words, int index, bool joined,
                     struct status *status)
{
    if (joined && changed->count) {
        changed->spans[changed->count - 1].end = words->spans[index].end;
        return true;
    }
    if (!memory_grow((void **)&changed->spans, &changed->capacity, (size_t)changed->count + 1,
                     sizeof *changed->spans, status))
        return false;
    changed->spans[changed->count++] = words->spans[index];
    return true;
}

/* Walks both middles along a longest common subsequence. */
static bool walk(const struct middle *middle, const uint32_t *common, struct changed *const out[2],
                 struct status *status)
{
    int count[2] = {middle->last[0] - middle->first, middle->last[1] - middle->first};
    int at[2] = {0, 0};
    size_t width = (size_t)count[1] + 1;
    bool joined[2] = {false, false};
    while (at[0] < count[0] || at[1] < count[1]) {
        const uint32_t *cell = common ? common + at[0] * width + at[1] : NULL;
        bool both = at[0] < count[0] && at[1] < count[1];
        if (both && cell &&
            same_word(&middle->words[0], middle->first + at[0], &middle->words[1],
                      middle->first + at[1])) {
            at[0]++;
            at[1]++;
            joined[0] = joined[1] = false;
            continue;
        }
        int side = at[0] == count[0] || (both && cell && cell[1] > cell[width]);
        if (!add_word(out[side], &middle->words[side], middle->first + at[side]++, joined[side],
                      status))
            return false;
        joined[side] = true;
    }
    return true;
}

static bool compare(struct middle *middle, struct changed *const out[2], struct status *status)
{
    find_middle(middle);
    int rows = middle->last[0] - middle->first, columns = middle->last[1] - middle->first;
    size_t cells = ((size_t)rows + 1) * ((size_t)columns + 1);
    if (cells > MOST_CELLS)
        return walk(middle, NULL, out, status);
    uint32_t *common = memory_new(cells, sizeof *common, status);
    if (!common)
        return false;
    fill_common(middle, rows, columns, common);
    bool ok = walk(middle, common, out, status);
    free(common);
    return ok;
}

bool changed_words(const char *before, const char *after, struct changed *in_before,
                   struct changed *in_after, struct status *status)
{
    struct middle middle = {0};
    *in_before = *in_after = (struct changed){0};
    bool ok = cut_words(before, &middle.words[0], status) &&
              cut_words(after, &middle.words[1], status) &&
              compare(&middle, (struct changed *const[2]){in_before, in_after}, status);
    free(middle.words[0].spans);
    free(middle.words[1].spans);
    return ok;
}

void changed_free(struct changed *changed)
{
    free(changed->spans);
    *changed = (struct changed){0};
}
