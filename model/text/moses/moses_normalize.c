#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "model/text/moses/moses.h"
#include "model/text/utf8.h"

/* What must be on one side of the replaced text; it stays. */
enum neighbour { ANYTHING, DIGIT, LETTER, CLOSING_MARK };

/* Replaces `text` by `by`. Its neighbours are part of the match, so they cannot be part of another:
 * "1 2 3" has only one match between digits. */
struct rule {
    const char *text, *by;
    enum neighbour left, right;
    bool repeated; // matches the text once or more often
    bool swallows; // also white space after it
};

/* Moses' replace-unicode-punctuation.perl, as in FSMTTokenizer. */
static const struct rule wide[] = {
    {.text = "，", .by = ","},
    {.text = "。", .by = ". ", .swallows = true},
    {.text = "、", .by = ","},
    {.text = "”", .by = "\""},
    {.text = "“", .by = "\""},
    {.text = "∶", .by = ":"},
    {.text = "：", .by = ":"},
    {.text = "？", .by = "?"},
    {.text = "《", .by = "\""},
    {.text = "》", .by = "\""},
    {.text = "）", .by = ")"},
    {.text = "！", .by = "!"},
    {.text = "（", .by = "("},
    {.text = "；", .by = ";"},
    {.text = "１", .by = "1"},
    {.text = "」", .by = "\""},
    {.text = "「", .by = "\""},
    {.text = "０", .by = "0"},
    {.text = "３", .by = "3"},
    {.text = "２", .by = "2"},
    {.text = "５", .by = "5"},
    {.text = "６", .by = "6"},
    {.text = "９", .by = "9"},
    {.text = "７", .by = "7"},
    {.text = "８", .by = "8"},
    {.text = "４", .by = "4"},
    {.text = "．", .by = ". ", .swallows = true},
    {.text = "～", .by = "~"},
    {.text = "’", .by = "'"},
    {.text = "…", .by = "..."},
    {.text = "━", .by = "-"},
    {.text = "〈", .by = "<"},
    {.text = "〉", .by = ">"},
    {.text = "【", .by = "["},
    {.text = "】", .by = "]"},
    {.text = "％", .by = "%"},
};

/* Moses' normalize-punctuation.perl, as in sacremoses' MosesPunctNormalizer. */
#define NBSP "\u00A0"
static const struct rule usual[] = {
    {.text = "(", .by = " ("},
    {.text = ")", .by = ") "},
    {.text = " ", .by = " ", .repeated = true},
    {.text = ") ", .by = ")", .right = CLOSING_MARK},
    {.text = "( ", .by = "("},
    {.text = " )", .by = ")"},
    {.text = " %", .by = "%", .left = DIGIT},
    {.text = " :", .by = ":"},
    {.text = " ;", .by = ";"},
    {.text = "`", .by = "'"},
    {.text = "''", .by = " \" "},
    {.text = "„", .by = "\""},
    {.text = "“", .by = "\""},
    {.text = "”", .by = "\""},
    {.text = "–", .by = "-"},
    {.text = "—", .by = " - "},
    {.text = " ", .by = " ", .repeated = true},
    {.text = "´", .by = "'"},
    {.text = "‘", .by = "'", .left = LETTER, .right = LETTER},
    {.text = "’", .by = "'", .left = LETTER, .right = LETTER},
    {.text = "‘", .by = "'"},
    {.text = "‚", .by = "'"},
    {.text = "’", .by = "'"},
    {.text = "''", .by = "\""},
    {.text = "´´", .by = "\""},
    {.text = "…", .by = "..."},
    {.text = NBSP "«" NBSP, .by = "\""},
    {.text = "«" NBSP, .by = "\""},
    {.text = "«", .by = "\""},
    {.text = NBSP "»" NBSP, .by = "\""},
    {.text = NBSP "»", .by = "\""},
    {.text = "»", .by = "\""},
    {.text = NBSP "%", .by = "%"},
    {.text = "nº" NBSP, .by = "nº "},
    {.text = NBSP ":", .by = ":"},
    {.text = NBSP "ºC", .by = " ºC"},
    {.text = NBSP "cm", .by = " cm"},
    {.text = NBSP "?", .by = "?"},
    {.text = NBSP "!", .by = "!"},
    {.text = NBSP ";", .by = ";"},
    {.text = "," NBSP, .by = ", "},
    {.text = " ", .by = " ", .repeated = true},
};

/* Depends on the language: rules between digits, and for marks before a closing quotation mark. */
static const struct rule english_numbers = {.text = NBSP, .by = ".", .left = DIGIT, .right = DIGIT};
static const struct rule other_numbers = {.text = NBSP, .by = ",", .left = DIGIT, .right = DIGIT};
static const struct rule comma_outside = {.text = ",\"", .by = "\","};

static bool one_of(const char *language, const char *codes)
{
    const char *at = language && strlen(language) == 2 ? strstr(codes, language) : NULL;
    return at && (at == codes || at[-1] == ' ');
}

static bool neighbour_is(enum neighbour neighbour, uint32_t character)
{
    switch (neighbour) {
    case ANYTHING:
        return true;
    case DIGIT:
        return utf8proc_category((utf8proc_int32_t)character) == UTF8PROC_CATEGORY_ND;
    case LETTER:
        return (character | 0x20) >= 'a' && (character | 0x20) <= 'z';
    case CLOSING_MARK:
        return character && character < 0x80 && strchr(".!:?;,", (int)character);
    }
    return false;
}

/* Returns the bytes that a rule replaces at `at`; 0: none. `left`: the character before it, or 0 if
 * that is part of another match. *beside: bytes of the required text after it. */
static size_t match(const struct rule *rule, uint32_t left, const char *at, size_t *beside)
{
    const size_t once = strlen(rule->text);
    size_t length = 0, width;
    *beside = 0;
    if (!neighbour_is(rule->left, left) || strncmp(at, rule->text, once) != 0)
        return 0;
    do {
        length += once;
    } while (rule->repeated && strncmp(at + length, rule->text, once) == 0);
    while (rule->swallows && utf8_is_space(utf8_decode(at + length, &width)))
        length += width;
    if (rule->right == ANYTHING)
        return length;
    return at[length] && neighbour_is(rule->right, utf8_decode(at + length, beside)) ? length : 0;
}

static bool apply(const struct rule *rule, const char *text, struct text_buffer *out,
                  struct status *status)
{
    uint32_t left = 0;
    for (size_t length, beside; *text; text += length) {
        if ((length = match(rule, left, text, &beside))) {
            left = 0;
            if (!buffer_add_text(out, rule->by, status) ||
                !buffer_add(out, text + length, beside, status))
                return false;
            length += beside;
            continue;
        }
        left = utf8_decode(text, &length);
        if (!buffer_add(out, text, length, status))
            return false;
    }
    return true;
}

/* English: "," and "." go before a closing quotation mark, '"([,.]+)' as '\1"'. */
static bool quote_last(const char *text, struct text_buffer *out, struct status *status)
{
    while (*text) {
        size_t marks = *text == '"' ? strspn(text + 1, ",.") : 0;
        if (!buffer_add(out, marks ? text + 1 : text, marks ? marks : 1, status) ||
            (marks && !buffer_add(out, "\"", 1, status)))
            return false;
        text += marks + 1;
    }
    return true;
}

/* German, Spanish, French: '(\.+)"(\s*[^<])' as '"\1\2', except at the end of a sentence. */
static bool quote_first(const char *text, struct text_buffer *out, struct status *status)
{
    while (*text) {
        size_t dots = strspn(text, "."), rest = 0, width;
        bool quoted = dots && text[dots] == '"' && text[dots + 1] && text[dots + 1] != '<';
        for (const char *at = text + dots + 1;
             quoted && utf8_is_space(utf8_decode(at + rest, &width));)
            rest += width;
        if (quoted && text[dots + 1 + rest] && text[dots + 1 + rest] != '<') {
            utf8_decode(text + dots + 1 + rest, &width);
            rest += width;
        }
        size_t plain = dots ? dots : 1;
        if ((quoted && !buffer_add(out, "\"", 1, status)) ||
            !buffer_add(out, text, plain, status) ||
            !buffer_add(out, text + dots + 1, quoted ? rest : 0, status))
            return false;
        text += plain + (quoted ? 1 + rest : 0);
    }
    return true;
}

/* Drops what Unicode's class "other" contains: control and format characters, and
 * non-characters. */
static bool drop_unprintable(const char *text, struct text_buffer *out, struct status *status)
{
    for (size_t length; *text; text += length) {
        utf8proc_category_t category =
            utf8proc_category((utf8proc_int32_t)utf8_decode(text, &length));
        bool other = category == UTF8PROC_CATEGORY_CN || category >= UTF8PROC_CATEGORY_CC;
        if (!other && !buffer_add(out, text, length, status))
            return false;
    }
    return true;
}

/* A step reads `text` and writes `work`; then they are swapped. */
struct normalizing {
    struct text_buffer *text, work;
    struct status *status;
};

static bool run_rules(struct normalizing *line, const struct rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!buffer_clear(&line->work, line->status) ||
            !apply(&rules[i], line->text->data, &line->work, line->status))
            return false;
        buffer_swap(line->text, &line->work);
    }
    return true;
}

static bool run_step(struct normalizing *line,
                     bool (*step)(const char *text, struct text_buffer *out, struct status *status))
{
    if (!buffer_clear(&line->work, line->status) ||
        !step(line->text->data, &line->work, line->status))
        return false;
    buffer_swap(line->text, &line->work);
    return true;
}

static bool run_quotes(struct normalizing *line, const char *language)
{
    if (one_of(language, "en"))
        return run_step(line, quote_last);
    return !one_of(language, "de es fr") ||
           (run_rules(line, &comma_outside, 1) && run_step(line, quote_first));
}

bool moses_normalize(struct text_buffer *text, const char *language, struct status *status)
{
    struct normalizing line = {.text = text, .status = status};
    const bool commas = one_of(language, "de es cz cs fr");
    bool good = run_rules(&line, wide, sizeof wide / sizeof *wide) &&
                run_rules(&line, usual, sizeof usual / sizeof *usual) &&
                run_quotes(&line, language) &&
                run_rules(&line, commas ? &other_numbers : &english_numbers, 1) &&
                run_step(&line, drop_unprintable);
    free(line.work.data);
    return good;
}
