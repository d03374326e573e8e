#include "model/text/moses/moses.h"

#include <stdlib.h>
#include <string.h>

#include "model/text/moses/moses_classes.h"
#include "model/text/utf8.h"

/* A line being processed. Every step reads `text` and writes `out`, which has room for three
 * times as much. A dash between two letters becomes five characters, any other character at most
 * three. */
struct line {
    const struct moses_language *language;
    const struct apostrophe_rule *rule; // for apply_apostrophe_rule
    enum moses_dashes dashes;
    uint32_t *text; // (count)
    size_t count;
    uint32_t *out; // (out_count)
    size_t out_count;
    size_t capacity, out_capacity;
};

/* A run of k dots is the single character DOTS + k while periods are processed. */
enum { DOTS = 0x110000, DOTS_MOST = 0x10000000 };

static void put(struct line *line, uint32_t character)
{
    line->out[line->out_count++] = character;
}

static void put_apart(struct line *line, uint32_t character)
{
    put(line, ' ');
    put(line, character);
    put(line, ' ');
}

typedef void step(struct line *line);

static bool step_run(struct line *line, step *run, struct status *status)
{
    size_t room;
    if (!size_multiply(line->count, 3, &room) || !size_add(room, 3, &room))
        return status_fail(status, STATUS_MEMORY, "out of memory: a line of %zu characters",
                           line->count);
    if (!memory_grow((void **)&line->out, &line->out_capacity, room, sizeof *line->out, status))
        return false;
    line->out_count = 0;
    run(line);
    struct line before = *line;
    line->text = before.out;
    line->count = before.out_count;
    line->capacity = before.out_capacity;
    line->out = before.text;
    line->out_capacity = before.capacity;
    return true;
}

/* Reduces runs of blanks to one, removes blanks at the ends, and removes control characters. */
static void squeeze(struct line *line)
{
    bool blank = true;
    for (size_t i = 0; i < line->count; i++) {
        uint32_t character = line->text[i];
        if (moses_blank(character)) {
            if (!blank)
                put(line, ' ');
            blank = true;
        } else if (character >= 0x20) {
            put(line, character);
            blank = false;
        }
    }
    if (blank && line->out_count > 0)
        line->out_count--;
}

static void part_specials(struct line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        uint32_t character = line->text[i];
        bool kept = (character < 0x80 && strchr(" .'`,-", (int)character)) ||
                    moses_alnum(line->language, character);
        if (kept)
            put(line, character);
        else
            put_apart(line, character);
    }
}

static void part_dashes(struct line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        const bool within = i > 0 && i + 1 < line->count && line->text[i] == '-' &&
                            moses_alnum(line->language, line->text[i - 1]) &&
                            moses_alnum(line->language, line->text[i + 1]);
        if (line->dashes == MOSES_DASHES_KEPT || !within) {
            put(line, line->text[i]);
            continue;
        }
        for (const char *token = " @-@ "; *token; token++)
            put(line, (uint32_t)*token);
    }
}

static void gather_dots(struct line *line)
{
    size_t i = 0;
    while (i < line->count) {
        size_t run = 0;
        while (i + run < line->count && line->text[i + run] == '.' && run < DOTS_MOST)
            run++;
        if (run < 2) {
            put(line, line->text[i++]);
            continue;
        }
        put_apart(line, DOTS + (uint32_t)run);
        i += run;
    }
}

/* Splits off commas except between digits ("5,300"). This takes two passes, since a match includes
 * the characters around the comma, and these cannot begin the next match. */
static void part_commas_after(struct line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        put(line, line->text[i]);
        if (i + 1 < line->count && !moses_number(line->text[i]) && line->text[i + 1] == ',') {
            put_apart(line, ',');
            i++;
        }
    }
}

static void part_commas_before(struct line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        if (line->text[i] == ',' && i + 1 < line->count && !moses_number(line->text[i + 1])) {
            put_apart(line, ',');
            i++;
        }
        put(line, line->text[i]);
    }
}

static void part_last_comma(struct line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        bool last = i > 0 && i + 1 == line->count && moses_number(line->text[i - 1]);
        if (last && line->text[i] == ',')
            put_apart(line, ',');
        else
            put(line, line->text[i]);
    }
}

static void part_apostrophes(struct line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        if (line->text[i] == '\'')
            put_apart(line, '\'');
        else
            put(line, line->text[i]);
    }
}

/* The neighbours that an apostrophe must have, and where it gets blanks. The rules are applied in
 * order, as each changes the neighbours of later ones. */
enum neighbour { LETTER, NO_LETTER, NO_LETTER_OR_NUMBER, NUMBER, S };

struct apostrophe_rule {
    enum neighbour left, right;
    bool blank_before, blank_after;
};

static bool neighbour_is(const struct line *line, uint32_t character, enum neighbour neighbour)
{
    bool letter = moses_alpha(line->language, character);
    switch (neighbour) {
    case LETTER:
        return letter;
    case NO_LETTER:
        return !letter;
    case NO_LETTER_OR_NUMBER:
        return !letter && !moses_number(character);
    case NUMBER:
        return moses_number(character);
    case S:
        return character == 's';
    }
    return false;
}

static void apply_apostrophe_rule(struct line *line)
{
    const struct apostrophe_rule *rule = line->rule;
    for (size_t i = 0; i < line->count; i++) {
        put(line, line->text[i]);
        if (i + 2 >= line->count || line->text[i + 1] != '\'' ||
            !neighbour_is(line, line->text[i], rule->left) ||
            !neighbour_is(line, line->text[i + 2], rule->right))
            continue;
        if (rule->blank_before)
            put(line, ' ');
        put(line, '\'');
        if (rule->blank_after)
            put(line, ' ');
        put(line, line->text[i + 2]);
        i += 2;
    }
}

static const struct apostrophe_rule english_rules[] = {
    {NO_LETTER, NO_LETTER, true, true}, {NO_LETTER_OR_NUMBER, LETTER, true, true},
    {LETTER, NO_LETTER, true, true},    {LETTER, LETTER, true, false},
    {NUMBER, S, true, false},           {0}};
static const struct apostrophe_rule romance_rules[] = {{NO_LETTER, NO_LETTER, true, true},
                                                       {NO_LETTER, LETTER, true, true},
                                                       {LETTER, NO_LETTER, true, true},
                                                       {LETTER, LETTER, false, true},
                                                       {0}};

static bool apostrophes_run(struct line *line, struct status *status)
{
    if (line->language->apostrophes == APOSTROPHES_ALONE)
        return step_run(line, part_apostrophes, status);
    line->rule = line->language->apostrophes == APOSTROPHES_ENGLISH ? english_rules : romance_rules;
    for (; line->rule->blank_before || line->rule->blank_after; line->rule++)
        if (!step_run(line, apply_apostrophe_rule, status))
            return false;
    return true;
}

/* True if the period at the end of the token text[begin … end-1] belongs to it. */
static bool period_kept(const struct line *line, size_t begin, size_t end)
{
    const uint32_t *text = line->text;
    char word[64];
    size_t used = 0;
    bool dot = false, letter = false;
    for (size_t i = begin; i + 1 < end; i++) {
        dot = dot || text[i] == '.';
        letter = letter || moses_alpha(line->language, text[i]);
        if (used + 5 < sizeof word && text[i] < DOTS)
            used += utf8_encode(text[i], word + used);
    }
    word[used] = '\0';
    uint32_t next = end + 1 < line->count ? text[end + 1] : 0;
    if ((dot && letter) || moses_lower(next))
        return true;
    enum moses_abbreviation abbreviation = moses_abbreviation(line->language, word);
    return abbreviation == ABBREVIATION_ALWAYS ||
           (abbreviation == ABBREVIATION_BEFORE_NUMBERS && next >= '0' && next <= '9');
}

static void part_periods(struct line *line)
{
    size_t end;
    for (size_t begin = 0; begin < line->count; begin = end + 1) {
        for (end = begin; end < line->count && line->text[end] != ' '; end++)
            put(line, line->text[end]);
        bool period = end - begin >= 2 && line->text[end - 1] == '.';
        if (period && !period_kept(line, begin, end)) {
            line->out_count--;
            put(line, ' ');
            put(line, '.');
        }
        if (end < line->count)
            put(line, ' ');
    }
}

static void part_closing_apostrophe(struct line *line)
{
    size_t whole = line->count;
    if (whole >= 2 && line->text[whole - 2] == '.' && line->text[whole - 1] == '\'')
        whole -= 2;
    for (size_t i = 0; i < whole; i++)
        put(line, line->text[i]);
    if (whole < line->count) {
        put_apart(line, '.');
        put(line, '\'');
    }
}

static step *const first_steps[] = {
    squeeze,           part_specials,      part_dashes,     gather_dots,
    part_commas_after, part_commas_before, part_last_comma, NULL};
static step *const last_steps[] = {squeeze, part_periods, squeeze, part_closing_apostrophe,
                                   squeeze, NULL};

static bool steps_run(struct line *line, step *const *steps, struct status *status)
{
    for (; *steps; steps++)
        if (!step_run(line, *steps, status))
            return false;
    return true;
}

static bool dots_write(uint32_t count, struct text_buffer *out, struct status *status)
{
    while (count-- > 0)
        if (!buffer_add(out, ".", 1, status))
            return false;
    return true;
}

static bool character_write(uint32_t character, struct text_buffer *out, struct status *status)
{
    static const struct {
        uint32_t character;
        const char *escape;
    } escapes[] = {{'&', "&amp;"},   {'|', "&#124;"}, {'<', "&lt;"},  {'>', "&gt;"},
                   {'\'', "&apos;"}, {'"', "&quot;"}, {'[', "&#91;"}, {']', "&#93;"}};
    if (character > DOTS)
        return dots_write(character - DOTS, out, status);
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (escapes[i].character == character)
            return buffer_add_text(out, escapes[i].escape, status);
    return buffer_add_character(out, character, status);
}

static bool line_read(struct line *line, const char *text, struct status *status)
{
    size_t length;
    if (!memory_grow((void **)&line->text, &line->capacity, strlen(text) + 1, sizeof *line->text,
                     status))
        return false;
    for (; *text; text += length)
        line->text[line->count++] = utf8_decode(text, &length);
    return true;
}

bool moses_tokenize(const char *text, const char *language, enum moses_dashes dashes,
                    struct text_buffer *out, struct status *status)
{
    struct line line = {.language = moses_language(language), .dashes = dashes};
    bool good = buffer_clear(out, status) && line_read(&line, text, status) &&
                steps_run(&line, first_steps, status) && apostrophes_run(&line, status) &&
                steps_run(&line, last_steps, status);
    for (size_t i = 0; good && i < line.count; i++)
        good = character_write(line.text[i], out, status);
    free(line.text);
    free(line.out);
    return good;
}
