#include "tui/session/sentence_file.h"

#include <stdlib.h>

#include "model/text/conllu/conllu.h"
#include "model/text/quote.h"
#include "tui/terminal/interrupt.h"
#include "tui/terminal/progress.h"
#include "tui/text/arguments.h"

struct walk {
    const struct session *session;
    struct sentence_file *file;
    const struct sentence_work *work;
    struct lines lines, targets;
    struct sentence_numbers numbers; // of the sentence that is taken
    struct identity scope;           // with parts
};

bool sentence_numbers_put(struct sentence_numbers *out, double number, struct status *status)
{
    if (!memory_grow((void **)&out->numbers, &out->capacity, (size_t)out->count + 1,
                     sizeof *out->numbers, status))
        return false;
    out->numbers[out->count++] = number;
    return true;
}

/* Parts -------------------------------------------------------------------------------------------- */

static const char *target_of(const struct walk *walk, int line)
{
    return walk->file->targets ? walk->targets.text[line] : NULL;
}

static bool open_scope(struct walk *walk, struct status *status)
{
    const struct sentence_file *file = walk->file;
    bool searched = !file->targets && !file->encoder;
    if (!shards_scope(walk->session->shards, file->what, &walk->session->state,
                      searched ? IDENTITY_SEARCH : IDENTITY_LANGUAGES, &walk->scope, status))
        return false;
    identity_text(&walk->scope, file->asked);
    for (int i = 0; i < file->conllu.tags.count; i++) // words have the numbers of these
        identity_text(&walk->scope, file->conllu.tags.text[i]);
    return true;
}

static struct journal_key key_of(const struct walk *walk, int line)
{
    const struct conllu *conllu = &walk->file->conllu;
    struct identity scope = walk->scope;
    const char *const texts[] = {walk->lines.text[line], target_of(walk, line)};
    for (int w = 0; conllu->count && w < conllu->sentences[line].count; w++) {
        const struct conllu_word *word = &conllu->sentences[line].words[w];
        identity_number(&scope, word->upos);
        identity_number(&scope, word->begin);
        identity_number(&scope, word->end);
    }
    return identity_key(&scope, texts, 2);
}

/* "COUNT NUMBER... TARGET". False: it is something else, or memory is short. */
static bool read_numbers(const char *value, struct sentence_numbers *out, struct status *status)
{
    char *end = (char *)value;
    long count = strtol(value, &end, 10);
    bool good = end > value && count >= 0 && count <= INT32_MAX;
    status_fail(status, STATUS_INVALID, "no numbers of a sentence");
    for (long i = 0; good && i < count; i++) {
        const char *at = end;
        double number = strtod(at, &end);
        good = end > at && sentence_numbers_put(out, number, status);
    }
    if (!good || *end != ' ')
        return false;
    out->target = end + 1;
    return true;
}

static bool keep_numbers(const struct walk *walk, int line, struct status *status)
{
    const struct journal_key key = key_of(walk, line);
    const struct sentence_numbers *numbers = &walk->numbers;
    char *value = NULL;
    size_t size;
    FILE *out = open_memstream(&value, &size);
    if (!out)
        return status_no_memory(status);
    fprintf(out, "%d", numbers->count);
    for (int i = 0; i < numbers->count; i++)
        fprintf(out, " %a", numbers->numbers[i]);
    fprintf(out, " %s", numbers->target);
    bool ok = fclose(out) == 0 ? shards_keep(walk->session->shards, &key, value, status)
                               : status_no_memory(status);
    free(value);
    return ok;
}

static bool open_parts(struct walk *walk, struct status *status)
{
    struct shards *shards = walk->session->shards;
    if (!shards)
        return true;
    if (!shards_begin(shards, walk->lines.count, "sentences", status) || !open_scope(walk, status))
        return false;
    for (int i = 0; i < walk->lines.count; i++)
        if (*skip_blanks(walk->lines.text[i])) {
            const struct journal_key key = key_of(walk, i);
            if (!shards_peek(shards, &key))
                shards_lack(shards, i);
        }
    return shards_check(shards, walk->file->path, status);
}

/* Sentences ---------------------------------------------------------------------------------------- */

/* The encoder depends on the source alone: any target serves, an empty one is the cheapest. The
 * decoder is looked at while it writes the model's own translation. */
static struct sentence_pair *read_sentence(const struct walk *walk, int line, struct status *status)
{
    const struct state *state = &walk->session->state;
    const char *text = walk->lines.text[line];
    if (walk->file->targets)
        return pair_force(state, text, walk->targets.text[line], status);
    return walk->file->encoder ? pair_force(state, text, "", status)
                               : pair_translate(state, text, status);
}

static void clear_numbers(struct walk *walk, int line)
{
    walk->numbers.count = 0;
    walk->numbers.line = line + 1;
    walk->numbers.source = walk->lines.text[line];
}

static bool add_numbers(struct walk *walk, struct status *status)
{
    return shards_divided(walk->session->shards) ||
           walk->work->add(walk->work->context, &walk->numbers, status);
}

/* *found: the parts have the sentence, and it is added. */
static bool find_sentence(struct walk *walk, int line, bool *found, struct status *status)
{
    struct shards *shards = walk->session->shards;
    *found = false;
    if (!shards)
        return true;
    const struct journal_key key = key_of(walk, line);
    const char *value = shards_find(shards, &key);
    if (!value)
        return true;
    clear_numbers(walk, line);
    *found = read_numbers(value, &walk->numbers, status) && add_numbers(walk, status);
    if (*found)
        return true;
    shards_refuse(shards);
    return status->code == STATUS_INVALID;
}

static bool measure_sentence(struct walk *walk, int line, struct status *status)
{
    struct sentence_pair *pair = read_sentence(walk, line, status);
    clear_numbers(walk, line);
    walk->numbers.target = pair ? pair_target(pair) : "";
    bool ok = pair &&
              walk->work->measure(&walk->session->state, pair, walk->work->context, &walk->numbers,
                                  status) &&
              (!walk->session->shards || keep_numbers(walk, line, status)) &&
              add_numbers(walk, status);
    pair_free(pair);
    return ok;
}

static bool take_line(struct walk *walk, int line, struct status *status)
{
    struct sentence_file *file = walk->file;
    bool found;
    if (!*skip_blanks(walk->lines.text[line]))
        return true;
    file->words = file->conllu.count ? &file->conllu.sentences[line] : NULL;
    if (!find_sentence(walk, line, &found, status) ||
        (!found && !measure_sentence(walk, line, status)))
        return false;
    file->taken++;
    return true;
}

/* The line of progress is one of its own: the work on each sentence has the shared one. */
static bool take_lines(struct walk *walk, struct status *status)
{
    struct sentence_file *file = walk->file;
    const struct shard_range range = shards_range(walk->session->shards, walk->lines.count);
    struct progress progress;
    bool ok = true;
    progress_begin(&progress, file->what, "sentences", range.end - range.first);
    for (int i = range.first; ok && i < range.end; i++) {
        ok = take_line(walk, i, status);
        if (!ok && status->code != STATUS_CANCELLED)
            status_prefix(status, "%s:%d", QUOTED_PATH(file->path), lines_number(&walk->lines, i));
        progress.count = file->sentences +=
            ok; // a sentence that was added counts, even if Ctrl-C came meanwhile
        progress.done = (double)progress.count;
        progress_draw(&progress);
        ok = ok && (i + 1 == range.end || interrupt_check(status));
    }
    progress_end(&progress);
    return ok && (file->taken > 0 || shards_divided(walk->session->shards) ||
                  status_fail(status, STATUS_INVALID, "%s: blank lines alone, expected a sentence",
                              QUOTED_PATH(file->path)));
}

static bool read_targets(struct walk *walk, struct status *status)
{
    const struct sentence_file *file = walk->file;
    return !file->targets ||
           (sentences_read(file->targets, &progress_watch, &walk->targets, NULL, status) &&
            lines_check_match(file->path, &walk->lines, file->targets, &walk->targets, status));
}

bool sentence_file_walk(const struct session *session, struct sentence_file *file,
                        const struct sentence_work *work, struct status *status)
{
    struct walk walk = {.session = session, .file = file, .work = work};
    if (!sentences_read(file->path, &progress_watch, &walk.lines,
                        file->words_for ? &file->conllu : NULL, status)) {
        conllu_free(&file->conllu);
        return false;
    }
    file->lines = walk.lines.count;
    bool ok =
        lines_check_any(file->path, &walk.lines, status) &&
        (!file->words_for || conllu_check(file->path, file->words_for, &file->conllu, status)) &&
        read_targets(&walk, status) && open_parts(&walk, status) && take_lines(&walk, status);
    lines_free(&walk.lines);
    lines_free(&walk.targets);
    conllu_free(&file->conllu);
    free(walk.numbers.numbers);
    if (!ok && status->code == STATUS_CANCELLED && file->taken > 0 &&
        !shards_divided(session->shards))
        status_fail(status, STATUS_CANCELLED,
                    "interrupted: the first %d of %d sentences are averaged", file->sentences,
                    file->lines);
    return ok;
}
