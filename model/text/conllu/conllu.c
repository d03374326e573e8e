#include "model/text/conllu/conllu.h"

#include <stdlib.h>
#include <string.h>

#include "model/text/conllu/conllu_row.h"
#include "model/text/conllu/conllu_sentence.h"
#include "model/text/quote.h"

enum { NAMES_MOST = 4096 };

enum file_kind { KIND_UNKNOWN, KIND_TEXT, KIND_CONLLU };

struct reader {
    enum file_kind kind;
    bool says_conllu;             // a comment does
    struct lines *lines, waiting; // `waiting`: what comes before the kind is known
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

/* The index of a name, which is added if it is new; -1 for "_". */
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

/* Comments without words are of no sentence. */
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
