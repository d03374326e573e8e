#include "model/score/gold_alignment.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"

enum { NUMBER_MOST = 1000000000 };
static const char blanks[] = " \t\r\v\f";

/* A link as it is in the file. */
struct entry {
    int sentence, line; // from 0; from 1
    struct word_link link;
};

struct reading {
    const char *path;
    int line;      // from 1
    int from;      // the number of the first word
    bool zero;     // a link has the number 0
    int sentences; // how many there are
    struct entry *entries;
    int count;
    size_t capacity;
};

/* Parts of a line ------------------------------------------------------------------------------ */

static bool is_blank(char c)
{
    return c && strchr(blanks, c);
}

/* Returns the length of the line's next word, at *text; 0 at its end. */
static size_t next_word(const char **text)
{
    *text += strspn(*text, blanks);
    return strcspn(*text, blanks);
}

/* Reads a number of digits only at *text, and moves behind it. -1: there is none, or it is too
 * great. */
static int take_number(const char **text)
{
    long long number = 0;
    const char *digit = *text;
    for (; isdigit((unsigned char)*digit) && number <= NUMBER_MOST; digit++)
        number = number * 10 + (*digit - '0');
    bool found = digit > *text && number <= NUMBER_MOST;
    *text = digit;
    return found ? (int)number : -1;
}

static bool fail_word(const struct reading *reading, const char *word, size_t length,
                      const char *expected, struct status *status)
{
    struct quoted quoted;
    return status_fail(status, STATUS_INVALID, "%s:%d: \"%s\": expected %s",
                       QUOTED_PATH(reading->path), reading->line,
                       quote_bytes(&quoted, word, length), expected);
}

static bool add_entry(struct reading *reading, int sentence, struct word_link link,
                      struct status *status)
{
    if (!memory_grow((void **)&reading->entries, &reading->capacity, (size_t)reading->count + 1,
                     sizeof *reading->entries, status))
        return false;
    reading->entries[reading->count++] = (struct entry){sentence, reading->line, link};
    return true;
}

/* Pharaoh -------------------------------------------------------------------------------------- */

/* Parses "3-4", "3?4" or "3p4" with nothing after it. */
static bool parse_link(const char *word, size_t length, struct word_link *link)
{
    const char *at = word;
    link->source = take_number(&at);
    char mark = *at;
    at += mark == '-' || mark == '?' || mark == 'p';
    link->target = take_number(&at);
    link->sure = mark == '-';
    return link->source >= 0 && link->target >= 0 && at == word + length;
}

static bool take_pharaoh(struct reading *reading, const char *text, struct status *status)
{
    struct word_link link;
    for (size_t length; (length = next_word(&text)); text += length) {
        if (!parse_link(text, length, &link))
            return fail_word(reading, text, length, "a link such as 3-4, or 3?4 if it is possible",
                             status);
        reading->zero |= !link.source || !link.target;
        if (reading->from && (!link.source || !link.target))
            return fail_word(reading, text, length, "words counted from 1", status);
        link.source -= reading->from;
        link.target -= reading->from;
        if (!add_entry(reading, reading->line - 1, link, status))
            return false;
    }
    return true;
}

/* NAACL ---------------------------------------------------------------------------------------- */

static bool take_position(const struct reading *reading, const char **text, const char *expected,
                          int *number, struct status *status)
{
    size_t length = next_word(text);
    const char *word = *text;
    *number = take_number(text);
    return (*number >= 0 && *text == word + length) ||
           fail_word(reading, word, length, expected, status);
}

/* Takes "S" or "P", and a number; either may be absent. */
static bool take_kind(const struct reading *reading, const char *text, bool *sure,
                      struct status *status)
{
    size_t length = next_word(&text);
    *sure = true;
    if (length == 1 && strchr("SP", *text)) {
        *sure = *text == 'S';
        text += length;
        length = next_word(&text);
    }
    if (length) {
        char *end;
        strtod(text, &end);
        if (end != text + length)
            return fail_word(reading, text, length, "S or P, and a confidence", status);
        text = end;
        length = next_word(&text);
    }
    return !length || fail_word(reading, text, length, "nothing more in the line", status);
}

static bool take_naacl(struct reading *reading, const char *text, struct status *status)
{
    struct word_link link;
    int sentence;
    if (!next_word(&text))
        return true;
    if (!take_position(reading, &text, "the number of a sentence", &sentence, status) ||
        !take_position(reading, &text, "the number of a source word", &link.source, status) ||
        !take_position(reading, &text, "the number of a target word", &link.target, status) ||
        !take_kind(reading, text, &link.sure, status))
        return false;
    if (sentence < 1 || sentence > reading->sentences)
        return status_fail(status, STATUS_INVALID, "%s:%d: sentence %d, expected 1 to %d",
                           QUOTED_PATH(reading->path), reading->line, sentence, reading->sentences);
    link.source--;
    link.target--;
    return link.source < 0 || link.target < 0 || add_entry(reading, sentence - 1, link, status);
}

/* The whole file ------------------------------------------------------------------------------- */

/* A line of NAACL begins with a plain number. */
static enum gold_layout recognise(const struct lines *lines)
{
    int first = 0;
    while (first < lines->count && line_blank(lines->text[first]))
        first++;
    const char *text = first < lines->count ? lines->text[first] : "";
    text += strspn(text, blanks);
    return take_number(&text) >= 0 && (!*text || is_blank(*text)) ? GOLD_NAACL : GOLD_PHARAOH;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *first = a, *second = b;
    if (first->sentence != second->sentence)
        return first->sentence < second->sentence ? -1 : 1;
    int order = word_link_compare(&first->link, &second->link);
    return order ? order : (first->line > second->line) - (first->line < second->line);
}

/* Sorts the entries and removes duplicates. */
static void sort_entries(struct reading *reading)
{
    int kept = 0;
    if (reading->count)
        qsort(reading->entries, (size_t)reading->count, sizeof *reading->entries, compare_entries);
    for (int i = 0; i < reading->count; i++) {
        struct entry *last = kept ? &reading->entries[kept - 1] : NULL;
        const struct entry *next = &reading->entries[i];
        if (last && last->sentence == next->sentence &&
            word_link_compare(&last->link, &next->link) == 0)
            last->link.sure |= next->link.sure;
        else
            reading->entries[kept++] = *next;
    }
    reading->count = kept;
}

static bool store(struct reading *reading, struct gold_alignments *out, struct status *status)
{
    size_t count = (size_t)reading->count;
    sort_entries(reading);
    out->sentences = reading->sentences;
    out->links = memory_new(count, sizeof *out->links, status);
    out->lines = memory_new(count, sizeof *out->lines, status);
    out->begin = memory_new((size_t)reading->sentences + 1, sizeof *out->begin, status);
    if (!out->links || !out->lines || !out->begin)
        return false;
    for (int i = 0; i < reading->count; i++) {
        out->links[i] = reading->entries[i].link;
        out->lines[i] = reading->entries[i].line;
        out->begin[reading->entries[i].sentence + 1]++;
    }
    for (int s = 0; s < reading->sentences; s++)
        out->begin[s + 1] += out->begin[s];
    return true;
}

static bool take_lines(struct reading *reading, const struct lines *lines, enum gold_layout layout,
                       struct status *status)
{
    for (int i = 0; i < lines->count; i++) {
        reading->line = i + 1;
        if (!(layout == GOLD_NAACL ? take_naacl : take_pharaoh)(reading, lines->text[i], status))
            return false;
    }
    if (layout == GOLD_PHARAOH && lines->count != reading->sentences)
        return status_fail(status, STATUS_INVALID, "%s: %d lines, expected %d, one a sentence",
                           QUOTED_PATH(reading->path), lines->count, reading->sentences);
    return reading->count ||
           status_fail(status, STATUS_INVALID, "%s: no links, expected lines such as 0-0 1-2",
                       QUOTED_PATH(reading->path));
}

static bool set_from(struct reading *reading, int from, struct gold_alignments *out,
                     struct status *status)
{
    bool naacl = out->layout == GOLD_NAACL;
    if (naacl && from == 0)
        return status_fail(status, STATUS_INVALID,
                           "%s: words are counted from 1 in the layout of NAACL 2003",
                           QUOTED_PATH(reading->path));
    reading->from = out->from = from == GOLD_FROM_USUAL ? naacl : from;
    return true;
}

bool gold_read(const char *path, int sentences, int from, const struct watch *watch,
               struct gold_alignments *out, struct status *status)
{
    struct reading reading = {.path = path, .sentences = sentences};
    struct lines lines;
    *out = (struct gold_alignments){.sentences = 0};
    if (!lines_read(path, watch, &lines, status))
        return false;
    out->layout = recognise(&lines);
    bool ok = set_from(&reading, from, out, status) &&
              take_lines(&reading, &lines, out->layout, status) && store(&reading, out, status);
    out->without_zero = out->layout == GOLD_PHARAOH && !reading.zero;
    lines_free(&lines);
    free(reading.entries);
    if (!ok)
        gold_free(out);
    return ok;
}

void gold_free(struct gold_alignments *gold)
{
    free(gold->links);
    free(gold->lines);
    free(gold->begin);
    *gold = (struct gold_alignments){.sentences = 0};
}

int gold_links_from_1(const struct gold_alignments *gold, int sentence, struct word_link *links)
{
    int count;
    const struct word_link *as_read = gold_links(gold, sentence, &count);
    for (int i = 0; i < count; i++)
        links[i] =
            (struct word_link){as_read[i].source - 1, as_read[i].target - 1, as_read[i].sure};
    return count;
}

bool gold_check(const struct gold_alignments *gold, const char *path, int sentence,
                int source_words, int target_words, struct status *status)
{
    static const char *const sides[] = {"source", "target"};
    for (int i = gold->begin[sentence]; i < gold->begin[sentence + 1]; i++) {
        const struct word_link *link = &gold->links[i];
        bool target = link->source < source_words;
        int words = target ? target_words : source_words;
        if (target && link->target < target_words)
            continue;
        return status_fail(status, STATUS_INVALID,
                           "%s:%d: link to %s word %d: sentence %d has %d words, counted from %d",
                           QUOTED_PATH(path), gold->lines[i], sides[target],
                           (target ? link->target : link->source) + gold->from, sentence + 1, words,
                           gold->from);
    }
    return true;
}
