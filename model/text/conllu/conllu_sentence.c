#include "model/text/conllu/conllu_sentence.h"

#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "model/text/utf8.h"

enum { SENTENCE_BYTES_MOST = 16 << 20 }; // as of a line

bool conllu_draft_begin(struct conllu_draft *draft, struct status *status)
{
    draft->count = draft->line = 0;
    draft->has_text = false;
    draft->range = (struct conllu_range){0};
    return buffer_clear(&draft->text, status) && buffer_clear(&draft->spelling, status) &&
           buffer_clear(&draft->forms, status);
}

void conllu_draft_free(struct conllu_draft *draft)
{
    free(draft->words);
    free(draft->text.data);
    free(draft->spelling.data);
    free(draft->forms.data);
    *draft = (struct conllu_draft){0};
}

bool conllu_draft_text(struct conllu_draft *draft, const char *text, int line,
                       struct status *status)
{
    draft->has_text = true;
    draft->line = line;
    return buffer_clear(&draft->text, status) && buffer_add_text(&draft->text, text, status);
}

/* Rows ----------------------------------------------------------------------------------------------- */

static bool spell(struct conllu_draft *draft, const struct conllu_row *row, size_t *begin,
                  size_t *end, struct status *status)
{
    *begin = draft->spelling.count;
    if (*begin > SENTENCE_BYTES_MOST)
        return status_fail(status, STATUS_INVALID, "a sentence longer than %d bytes",
                           SENTENCE_BYTES_MOST);
    if (!buffer_add_text(&draft->spelling, row->form, status))
        return false;
    *end = draft->spelling.count;
    return row->glued || buffer_add(&draft->spelling, " ", 1, status);
}

static size_t characters_of(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i += utf8_length(text[i]))
        count++;
    return count;
}

/* The first word of the range, and its form; forms follow each other. */
static const char *range_words(const struct conllu_draft *draft, struct conllu_word **words,
                               int *count)
{
    *words = draft->words + draft->range.first - 1;
    *count = draft->range.last - draft->range.first + 1;
    return draft->forms.data + (*words)->begin;
}

/* True if the forms of the range's words, one after the other, are its own. */
static bool forms_spell_range(const struct conllu_draft *draft, const char *form, int count)
{
    const char *at = draft->spelling.data + draft->range.begin;
    const char *end = draft->spelling.data + draft->range.end;
    for (int i = 0; i < count; i++) {
        size_t bytes = strlen(form);
        if (bytes > (size_t)(end - at) || memcmp(at, form, bytes) != 0)
            return false;
        at += bytes;
        form += bytes + 1;
    }
    return at == end;
}

/* Shares the characters of a range out to its words: to each the form that it has there; where it does not have them,
 * as many as the form has of all forms' characters. A character then belongs to the word that its middle falls into. */
static void share_range(struct conllu_draft *draft)
{
    struct conllu_word *words;
    int count;
    const char *form = range_words(draft, &words, &count), *first = form;
    const char *spelling = draft->spelling.data;
    size_t at = draft->range.begin, end = draft->range.end, all = 0, done = 0, place = 0;
    size_t length = characters_of(spelling + at, end - at);
    bool exact = forms_spell_range(draft, form, count);
    for (int i = 0; i < count; i++, form += strlen(form) + 1)
        all += characters_of(form, strlen(form));
    form = first;
    for (int i = 0; i < count; i++, form += strlen(form) + 1) {
        words[i].begin = (int)at;
        done += characters_of(form, strlen(form));
        if (exact)
            at += strlen(form);
        for (; !exact && at < end && (2 * place + 1) * all <= 2 * length * done; place++)
            at += utf8_length(spelling[at]);
        words[i].end = (int)at;
    }
    draft->range = (struct conllu_range){0};
}

/* Words of a range get their part of it with the last of them; till then `begin` is where the form is. */
static bool add_word(struct conllu_draft *draft, const struct conllu_row *row,
                     struct conllu_word word, struct status *status)
{
    size_t begin = draft->forms.count, end = begin;
    if (begin > SENTENCE_BYTES_MOST)
        return status_fail(status, STATUS_INVALID, "a sentence longer than %d bytes",
                           SENTENCE_BYTES_MOST);
    if (!buffer_add(&draft->forms, row->form, strlen(row->form) + 1, status) ||
        (!draft->range.last && !spell(draft, row, &begin, &end, status)) ||
        !memory_grow((void **)&draft->words, &draft->capacity, (size_t)draft->count + 1,
                     sizeof *draft->words, status))
        return false;
    word.begin = (int)begin;
    word.end = (int)end;
    draft->words[draft->count++] = word;
    if (draft->range.last == draft->count)
        share_range(draft);
    return true;
}

bool conllu_draft_row(struct conllu_draft *draft, const struct conllu_row *row, int line, int tag,
                      int relation, struct status *status)
{
    const struct conllu_id *id = &row->id;
    const struct conllu_word word = {
        .upos = tag, .relation = relation, .head = row->head, .line = line};
    int next = draft->count + 1;
    draft->line = draft->line ? draft->line : line;
    if (id->kind == ROW_EMPTY && id->first == draft->count && id->last > 0)
        return true;
    if (id->kind == ROW_RANGE && id->first == next && id->last >= next && !draft->range.last) {
        draft->range.first = id->first;
        draft->range.last = id->last;
        return spell(draft, row, &draft->range.begin, &draft->range.end, status);
    }
    if (id->kind == ROW_WORD && id->first == next)
        return add_word(draft, row, word, status);
    return status_fail(status, STATUS_INVALID, "ID \"%s\": expected %d", QUOTED(row->id_text),
                       next);
}

/* The end -------------------------------------------------------------------------------------------- */

static const char *skip_spaces(const char *at)
{
    size_t length;
    while (*at && utf8_is_space(utf8_decode(at, &length)))
        at += length;
    return at;
}

static bool same_character(const char *a, const char *b, size_t *length)
{
    *length = utf8_length(*a);
    return *a && strncmp(a, b, *length) == 0;
}

/* places: (bytes of the spelling), where the text has each byte; a blank, which the text need not have, is left as it is. */
static bool find_places(const struct conllu_draft *draft, int *places, struct status *status)
{
    const char *spelling = draft->spelling.data, *text = draft->text.data;
    const char *from = skip_spaces(spelling), *to = skip_spaces(text);
    for (size_t length; same_character(from, to, &length);) {
        for (size_t i = 0; i < length; i++)
            places[from - spelling + (ptrdiff_t)i] = (int)(to - text + (ptrdiff_t)i);
        from = skip_spaces(from + length);
        to = skip_spaces(to + length);
    }
    return (!*from && !*to) ||
           status_fail(status, STATUS_INVALID, "the words spell \"%s\", expected the text, \"%s\"",
                       QUOTED(spelling), QUOTED(text));
}

/* A word without a character of its own is where none is. */
static void move_word(struct conllu_word *word, const int *places)
{
    int begin = 0, end = 0;
    for (int i = word->begin; i < word->end; i++)
        if (places[i] >= 0) {
            begin = end ? begin : places[i];
            end = places[i] + 1;
        }
    word->begin = begin;
    word->end = end;
}

/* bytes: of the spelling, with the blanks at its end, which may be a word's. */
static bool move_words(struct conllu_draft *draft, size_t bytes, struct status *status)
{
    int *places = memory_new(bytes, sizeof *places, status);
    for (size_t i = 0; places && i < bytes; i++)
        places[i] = -1;
    bool ok = places && find_places(draft, places, status);
    for (int i = 0; ok && i < draft->count; i++)
        move_word(&draft->words[i], places);
    free(places);
    return ok;
}

static bool check_heads(const struct conllu_draft *draft, int *line, struct status *status)
{
    for (int i = 0; i < draft->count; i++) {
        int head = draft->words[i].head;
        if (head <= draft->count && head != i + 1)
            continue;
        *line = draft->words[i].line;
        return status_fail(status, STATUS_INVALID,
                           "HEAD %d: expected another of the sentence's %d words, 0 or _", head,
                           draft->count);
    }
    return true;
}

const char *conllu_draft_end(struct conllu_draft *draft, int *line, struct status *status)
{
    struct text_buffer *spelling = &draft->spelling;
    *line = draft->line ? draft->line : *line;
    if (draft->range.last) {
        status_fail(status, STATUS_INVALID, "%d-%d: the sentence ends with word %d",
                    draft->range.first, draft->range.last, draft->count);
        return NULL;
    }
    const size_t bytes = spelling->count;
    while (spelling->count && spelling->data[spelling->count - 1] == ' ')
        spelling->data[--spelling->count] = '\0';
    bool ok = draft->has_text || (buffer_clear(&draft->text, status) &&
                                  buffer_add_text(&draft->text, spelling->data, status));
    ok = ok && check_heads(draft, line, status) && move_words(draft, bytes, status);
    return ok ? draft->text.data : NULL;
}
