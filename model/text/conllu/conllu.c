#include "model/text/conllu/conllu.h"

#include <stdlib.h>
#include <string.h>

#include "model/text/buffer.h"
#include "model/text/conllu/conllu_row.h"
#include "model/text/quote.h"
#include "model/text/utf8.h"

/* A sentence of a CoNLL-U file while its lines are being read. */

/* A token of the text that consists of several words. */
struct conllu_range {
    int first, last;   // numbers of its words; last 0: no range
    size_t begin, end; // bytes of the spelling
};

/* Zero-initialise before the first use; conllu_draft_begin before each sentence. */
struct conllu_draft {
    struct conllu_word
        *words; // (count); begin and end are bytes of the spelling, forms are not yet set
    int count;
    size_t capacity;
    int line;                    // of the text, else of the first word; 0: neither seen yet
    struct text_buffer text;     // of the comment
    struct text_buffer spelling; // the forms as they would be in a text
    struct text_buffer forms;    // each followed by a NUL
    bool has_text;
    struct conllu_range range; // whose words are expected
};

enum { SENTENCE_BYTES_MOST = 16 << 20 }; // as for a line

static bool conllu_draft_begin(struct conllu_draft *draft, struct status *status)
{
    draft->count = draft->line = 0;
    draft->has_text = false;
    draft->range = (struct conllu_range){0};
    return buffer_clear(&draft->text, status) && buffer_clear(&draft->spelling, status) &&
           buffer_clear(&draft->forms, status);
}

static void conllu_draft_free(struct conllu_draft *draft)
{
    free(draft->words);
    free(draft->text.data);
    free(draft->spelling.data);
    free(draft->forms.data);
    *draft = (struct conllu_draft){0};
}

/* Takes the text of a comment. */
static bool conllu_draft_text(struct conllu_draft *draft, const char *text, int line,
                              struct status *status)
{
    draft->has_text = true;
    draft->line = line;
    return buffer_clear(&draft->text, status) && buffer_add_text(&draft->text, text, status);
}

/* Rows ----------------------------------------------------------------------------------------- */

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

/* Finds the first word of the range and returns its form; the forms follow each other. */
static const char *range_words(const struct conllu_draft *draft, struct conllu_word **words,
                               int *count)
{
    *words = draft->words + draft->range.first - 1;
    *count = draft->range.last - draft->range.first + 1;
    return draft->forms.data + (*words)->begin;
}

/* True if the forms of the range's words together spell the range. */
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

/* Divides the characters of a range among its words. Each word gets its form if the forms spell the
 * range; otherwise a share in proportion to its form's length. A character then belongs to the word
 * that contains its middle. */
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

/* Words of a range get their part of it when the last one is added; until then, `begin` is where
 * the form is. */
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

/* Takes a row; tag and relation are a word's. */
static bool conllu_draft_row(struct conllu_draft *draft, const struct conllu_row *row, int line,
                             int tag, int relation, struct status *status)
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

/* The end -------------------------------------------------------------------------------------- */

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

/* Finds where the text has each byte: places (bytes of the spelling). Blanks, which the text may
 * lack, keep their value. */
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

/* A word without any character of its own gets an empty range. */
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

/* bytes: of the spelling, including blanks at its end, which may belong to a word. */
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

/* Ends the sentence after its last row: checks it and moves its words to its text, which it
 * returns. NULL: failure, in line *line. */
static const char *conllu_draft_end(struct conllu_draft *draft, int *line, struct status *status)
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

enum { NAMES_MOST = 4096 };

enum file_kind { KIND_UNKNOWN, KIND_TEXT, KIND_CONLLU };

struct reader {
    enum file_kind kind;
    bool says_conllu;             // a comment says that it is CoNLL-U
    struct lines *lines, waiting; // `waiting`: lines before the kind is known
    struct conllu *conllu;
    bool keeps_words;
    struct conllu_draft draft;
};

static enum file_kind find_kind(struct reader *reader, const char *line)
{
    if (line_blank(line))
        return KIND_UNKNOWN;
    if (*line == '#') {
        reader->says_conllu |= conllu_comment(line, "text") || conllu_comment(line, "sent_id");
        return KIND_UNKNOWN;
    }
    return reader->says_conllu || conllu_row_likely(line) ? KIND_CONLLU : KIND_TEXT;
}

/* Finds the index of a name and adds it if it is new; -1 for "_". */
static bool find_name(struct strings *names, const char *name, int *index, struct status *status)
{
    *index = -1;
    if (strcmp(name, "_") == 0)
        return true;
    for (int i = 0; i < names->count; i++)
        if (strcmp(names->text[i], name) == 0) {
            *index = i;
            return true;
        }
    if (strlen(name) > CONLLU_NAME_MOST)
        return status_fail(status, STATUS_INVALID, "\"%s\": expected a name of at most %d bytes",
                           QUOTED(name), CONLLU_NAME_MOST);
    if (names->count == NAMES_MOST)
        return status_fail(status, STATUS_INVALID, "\"%s\": expected at most %d different names",
                           QUOTED(name), NAMES_MOST);
    *index = names->count;
    return strings_add(names, name, strlen(name), status);
}

static bool add_row(struct reader *reader, const char *line, int number, struct status *status)
{
    struct conllu_row row;
    int tag = -1, relation = -1;
    char *copy = strdup(line);
    if (!copy)
        return status_no_memory(status);
    bool ok = conllu_row_read(copy, &row, status) &&
              (row.id.kind != ROW_WORD ||
               (find_name(&reader->conllu->tags, row.upos, &tag, status) &&
                find_name(&reader->conllu->relations, row.relation, &relation, status))) &&
              conllu_draft_row(&reader->draft, &row, number, tag, relation, status);
    free(copy);
    return ok;
}

/* Forms are in the order of their words. */
static bool keep_words(struct conllu *conllu, const struct conllu_draft *draft,
                       struct status *status)
{
    size_t count = (size_t)draft->count;
    if (!memory_grow((void **)&conllu->sentences, &conllu->capacity, (size_t)conllu->count + 1,
                     sizeof *conllu->sentences, status))
        return false;
    struct conllu_sentence *kept = &conllu->sentences[conllu->count++];
    *kept = (struct conllu_sentence){.words = memory_new(count, sizeof *kept->words, status),
                                     .forms = memory_new(draft->forms.count, 1, status),
                                     .count = draft->count};
    if (!kept->words || !kept->forms)
        return false;
    memcpy(kept->words, draft->words, count * sizeof *kept->words);
    memcpy(kept->forms, draft->forms.data, draft->forms.count);
    const char *form = kept->forms;
    for (int i = 0; i < draft->count; i++, form += strlen(form) + 1)
        kept->words[i].form = form;
    return true;
}

/* Comments without words do not make a sentence. */
static bool end_sentence(struct reader *reader, int *number, struct status *status)
{
    struct conllu_draft *draft = &reader->draft;
    bool ok = true;
    int line = *number;
    if (draft->count || draft->range.last) {
        const char *text = conllu_draft_end(draft, &line, status);
        ok = text && (!reader->keeps_words || keep_words(reader->conllu, draft, status)) &&
             lines_add(reader->lines, text, draft->line, status);
    }
    *number = ok ? *number : line;
    return ok && conllu_draft_begin(draft, status);
}

static bool add_line(struct reader *reader, const char *line, int *number, struct status *status)
{
    if (reader->kind == KIND_TEXT)
        return lines_add(reader->lines, line, *number, status);
    if (line_blank(line))
        return end_sentence(reader, number, status);
    if (*line != '#')
        return add_row(reader, line, *number, status);
    const char *text = reader->draft.count == 0 ? conllu_comment(line, "text") : NULL;
    return !text || conllu_draft_text(&reader->draft, text, *number, status);
}

static bool add_waiting(struct reader *reader, int *number, struct status *status)
{
    bool ok = true;
    for (int i = 0; ok && i < reader->waiting.count; i++) {
        int line = reader->waiting.numbers[i];
        ok = add_line(reader, reader->waiting.text[i], &line, status);
        *number = ok ? *number : line;
    }
    lines_free(&reader->waiting);
    return ok;
}

static bool take(void *context, const char *line, int *number, struct status *status)
{
    struct reader *reader = context;
    if (reader->kind == KIND_UNKNOWN) {
        reader->kind = line ? find_kind(reader, line) : KIND_TEXT;
        if (reader->kind == KIND_UNKNOWN)
            return lines_add(&reader->waiting, line, *number, status);
        if (!add_waiting(reader, number, status))
            return false;
    }
    if (line)
        return add_line(reader, line, number, status);
    return reader->kind == KIND_TEXT || end_sentence(reader, number, status);
}

bool sentences_read(const char *path, const struct watch *watch, struct lines *lines,
                    struct conllu *conllu, struct status *status)
{
    struct conllu names = {0};
    struct reader reader = {
        .lines = lines, .conllu = conllu ? conllu : &names, .keeps_words = conllu != NULL};
    *lines = (struct lines){0};
    *reader.conllu = names;
    bool ok =
        conllu_draft_begin(&reader.draft, status) && lines_each(path, watch, take, &reader, status);
    conllu_draft_free(&reader.draft);
    lines_free(&reader.waiting);
    conllu_free(&names);
    if (!ok)
        lines_free(lines);
    return ok;
}

bool conllu_recognise(const char *path, const struct watch *watch, bool *is_conllu,
                      struct status *status)
{
    struct reader reader = {.kind = KIND_UNKNOWN};
    struct line line = {0};
    struct status unused;
    FILE *stream = lines_open(path, watch, status);
    if (!stream)
        return false;
    while (reader.kind == KIND_UNKNOWN && line_read(stream, &line, &unused) == LINE_READ)
        reader.kind = find_kind(&reader, line.text);
    *is_conllu = reader.kind == KIND_CONLLU;
    free(line.text);
    fclose(stream);
    return true;
}

void conllu_free(struct conllu *conllu)
{
    for (int i = 0; i < conllu->count; i++) {
        free(conllu->sentences[i].words);
        free(conllu->sentences[i].forms);
    }
    free(conllu->sentences);
    strings_free(&conllu->tags);
    strings_free(&conllu->relations);
    *conllu = (struct conllu){0};
}

bool conllu_check(const char *path, const char *what, const struct conllu *conllu,
                  struct status *status)
{
    return conllu->count > 0 ||
           status_fail(status, STATUS_INVALID, "%s: plain text, and %s needs a CoNLL-U file",
                       QUOTED_PATH(path), what);
}

bool conllu_words(const struct conllu_sentence *sentence, const char *text, struct text_words *out,
                  struct status *status)
{
    *out = (struct text_words){.text = text};
    out->ranges = memory_new((size_t)sentence->count, sizeof *out->ranges, status);
    for (int w = 0; out->ranges && w < sentence->count; w++)
        out->ranges[out->count++] =
            (struct text_range){sentence->words[w].begin, sentence->words[w].end};
    return out->ranges != NULL;
}
