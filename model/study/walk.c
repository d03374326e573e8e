#include "model/study/walk.h"

#include <stdlib.h>

#include "model/text/quote.h"

struct walking {
    const struct study_context *context;
    struct study_walk *walk;
    struct lines own[2];          // read here
    const struct lines *lines[2]; // sources and given targets; NULL: not given
    struct identity identity;     // of records
    struct journal *kept; // without shards: kept for the next run if this one is stopped; or NULL
    bool goes_on;         // an earlier run was stopped and left records there
    /* The current sentence. */
    struct walk_sentence sentence;
    char *translated; // its target if the model has written it
    struct record_shape shape;
    struct record record;
};

bool study_interrupted(int done, int of, const char *unit, const char *what, struct status *status)
{
    return of ? status_fail(status, STATUS_CANCELLED, "interrupted: the first %d of %d %s are %s",
                            done, of, unit, what)
              : status_fail(status, STATUS_CANCELLED, "interrupted: the first %d %s are %s", done,
                            unit, what);
}

/* Identity ------------------------------------------------------------------------------------- */

static bool open_identity(struct walking *walking, struct status *status)
{
    const struct study_walk *walk = walking->walk;
    struct identity *identity = &walking->identity;
    const struct study_context *context = walking->context;
    const bool searched = !walking->lines[1] && !walk->encoder;
    const enum identity_search search = searched ? IDENTITY_SEARCH : IDENTITY_LANGUAGES;
    if (!context->shards)
        *identity = cache_walk_identity(walk->kind, &context->state, search);
    else if (!shards_scope(context->shards, walk->kind, &context->state, search, identity, status))
        return false;
    identity_number(identity, walking->lines[1] != NULL);
    identity_number(identity, walk->encoder);
    if (walk->study->identify)
        walk->study->identify(walk->of, identity);
    for (int i = 0; i < walk->conllu.tags.count; i++) // words refer to these by number
        identity_text(identity, walk->conllu.tags.text[i]);
    return true;
}

static void add_words(struct identity *identity, const struct conllu_sentence *words)
{
    for (int w = 0; words && w < words->count; w++) {
        const struct conllu_word *word = &words->words[w];
        identity_number(identity, word->upos);
        identity_number(identity, word->begin);
        identity_number(identity, word->end);
    }
}

static const struct conllu_sentence *words_of(const struct walking *walking, int line)
{
    const struct conllu *conllu = &walking->walk->conllu;
    return conllu->count ? &conllu->sentences[line] : NULL;
}

static const char *given_target(const struct walking *walking, int line)
{
    return walking->lines[1] ? walking->lines[1]->text[line] : NULL;
}

static struct journal_key key_of(const struct walking *walking, int line)
{
    struct identity identity = walking->identity;
    const char *const texts[] = {walking->lines[0]->text[line], given_target(walking, line)};
    add_words(&identity, words_of(walking, line));
    return identity_key(&identity, texts, 2);
}

/* True if a line has nothing to study. */
static bool is_blank(const struct walking *walking, int line)
{
    const char *target = given_target(walking, line);
    return line_blank(walking->lines[0]->text[line]) ||
           (walking->walk->both && target && line_blank(target));
}

/* Opens the shards, or what this process keeps. A merge reports what is missing before anything is
 * computed. */
static bool open_records(struct walking *walking, struct status *status)
{
    const struct study_context *context = walking->context;
    struct shards *shards = context->shards;
    struct status unused;
    if (!open_identity(walking, status) ||
        !shards_begin(shards, walking->lines[0]->count, "sentences", status))
        return false;
    if (!shards) {
        if (context->cache)
            walking->kept =
                cache_walk(context->cache, &context->state, &walking->identity, &unused);
        walking->goes_on = walking->kept && walking->kept->count > 0;
        return true;
    }
    for (int i = 0; i < walking->lines[0]->count; i++) {
        const struct journal_key key = key_of(walking, i);
        if (!is_blank(walking, i) && !shards_peek(shards, &key))
            shards_lack(shards, i);
    }
    return shards_check(shards, walking->walk->path, status);
}

/* Sentences ------------------------------------------------------------------------------------ */

static void close_sentence(struct walking *walking)
{
    struct walk_sentence *sentence = &walking->sentence;
    sentence_free(&sentence->source);
    free(sentence->ids);
    free(walking->translated);
    record_shape_free(&walking->shape);
    *sentence = (struct walk_sentence){.line = 0};
    walking->translated = NULL;
}

/* Opens a sentence with its source and the shape of its record, but without a target. */
static bool open_sentence(struct walking *walking, int line, struct status *status)
{
    const struct study_walk *walk = walking->walk;
    const struct study_context *context = walking->context;
    struct walk_sentence *sentence = &walking->sentence;
    *sentence = (struct walk_sentence){.state = &context->state,
                                       .watch = context->watch,
                                       .line = line,
                                       .text = walking->lines[0]->text[line],
                                       .words = words_of(walking, line),
                                       .target = given_target(walking, line)};
    walking->shape.text = !sentence->target && !walk->encoder;
    return source_encode(model_checkpoint(context->state.model), &context->state.search.languages,
                         sentence->text, &sentence->source, status) &&
           walk->study->shape(walk->of, sentence, &walking->shape, status);
}

static bool keep_on(void *context, int job)
{
    struct status unused;
    (void)job;
    return watch_ask(context, &unused);
}

/* The search often asks whether to go on. After a stop, results are meaningless. */
static bool translate(struct walking *walking, struct status *status)
{
    const struct state *state = &walking->context->state;
    struct walk_sentence *sentence = &walking->sentence;
    struct search_listener listener = {keep_on, (void *)walking->context->watch};
    struct search_job job = {.source = &sentence->source, .head_settings = state->head_settings};
    bool ok = search_run(state->model, &job, 1, &state->search, &listener, status);
    ok = watch_ask(walking->context->watch, status) && ok;
    if (ok) {
        struct hypothesis *best = &job.result.hypotheses[0];
        sentence->ids = best->ids;
        sentence->count = best->count;
        best->ids = NULL;
        walking->translated =
            target_text(model_checkpoint(state->model), sentence->ids, sentence->count, status);
        sentence->target = walking->translated;
        ok = sentence->target != NULL;
    }
    translation_free(&job.result);
    return ok;
}

/* The encoder depends only on the source: any target will do, and an empty one is cheapest. */
static bool find_target(struct walking *walking, struct status *status)
{
    const struct study_walk *walk = walking->walk;
    struct walk_sentence *sentence = &walking->sentence;
    if (!sentence->target && !walk->encoder)
        return translate(walking, status);
    if (!sentence->target)
        sentence->target = "";
    sentence->count = given_encode(model_checkpoint(walking->context->state.model),
                                   sentence->target, &sentence->ids, status);
    return sentence->count >= 0;
}

bool walk_capture(const struct walk_sentence *sentence, const struct capture_request *request,
                  struct capture *capture, struct status *status)
{
    const struct state *state = sentence->state;
    const bool ok = force_run(state->model, &sentence->source, sentence->ids, sentence->count,
                              state->head_settings, request, capture, status);
    if (watch_ask(sentence->watch, status)) // after a stop, a failure is only the stop
        return ok;
    if (ok)
        capture_free(capture);
    return false;
}

/* Records -------------------------------------------------------------------------------------- */

static bool add_record(struct walking *walking, struct status *status)
{
    const struct study_walk *walk = walking->walk;
    return shards_divided(walking->context->shards) ||
           walk->study->add(walk->of, &walking->sentence, &walking->shape, &walking->record,
                            status);
}

/* Keeps the record for the next run. If memory runs out, it is lost and measured again. */
static bool keep_record(struct walking *walking, struct status *status)
{
    struct status unused;
    const struct journal_key key = key_of(walking, walking->sentence.line);
    char *value = walking->kept ? record_write(&walking->record, &unused) : NULL;
    if (value)
        journal_add(walking->kept, &key, value, &unused);
    free(value);
    return shards_keep_record(walking->context->shards, &key, &walking->record, status);
}

static bool measure(struct walking *walking, struct status *status)
{
    const struct study_walk *walk = walking->walk;
    record_clear(&walking->record);
    if (!find_target(walking, status) ||
        !walk->study->measure(walk->of, &walking->sentence, &walking->record, status))
        return false;
    walking->record.text = walking->translated;
    if (!record_check(&walking->shape, &walking->record, status))
        return status_prefix(status, "%s", walk->kind);
    return keep_record(walking, status);
}

static bool find_record(struct walking *walking, bool *found, struct status *status)
{
    struct walk_sentence *sentence = &walking->sentence;
    const struct journal_key key = key_of(walking, sentence->line);
    const char *kept = walking->goes_on ? journal_find(walking->kept, &key) : NULL;
    if (!shards_find_record(walking->context->shards, &key, &walking->shape, &walking->record,
                            found, status))
        return false;
    *found |= kept && record_read(kept, &walking->shape, &walking->record, status);
    if (*found && !sentence->target)
        sentence->target = walking->record.text;
    return true;
}

static bool take_line(struct walking *walking, int line, struct status *status)
{
    bool found;
    if (is_blank(walking, line))
        return true;
    const bool ok = open_sentence(walking, line, status) && find_record(walking, &found, status) &&
                    (found || measure(walking, status)) && add_record(walking, status);
    close_sentence(walking);
    walking->walk->taken += ok;
    return ok;
}

/* A sentence that was added counts, even if a stop came meanwhile. */
static bool take_lines(struct walking *walking, struct status *status)
{
    struct study_walk *walk = walking->walk;
    const struct study_context *context = walking->context;
    const struct shard_range range = shards_range(context->shards, walking->lines[0]->count);
    struct work_progress progress = {
        .what = walk->kind, .total = range.end - range.first, .unit = "sentences"};
    bool ok = true;
    for (int i = range.first; ok && i < range.end; i++) {
        ok = take_line(walking, i, status);
        if (!ok && status->code != STATUS_CANCELLED)
            status_prefix(status, "%s:%d", QUOTED_PATH(walk->path),
                          lines_number(walking->lines[0], i));
        progress.done = (double)(progress.count = walk->sentences += ok);
        ok = ok && (watch_report(context->watch, &progress, status) || i + 1 == range.end);
    }
    watch_fail(context->watch, progress.what, progress.total); // reports the end, also on success
    return ok && (walk->taken > 0 || walk->both || shards_divided(context->shards) ||
                  status_fail(status, STATUS_INVALID, "%s: only blank lines; expected a sentence",
                              QUOTED_PATH(walk->path)));
}

/* Lines that the caller has read are checked. */
static bool read_files(struct walking *walking, struct status *status)
{
    struct study_walk *walk = walking->walk;
    struct lines *own = walking->own;
    const struct watch *watch = walking->context->watch;
    walking->lines[0] = walk->read[0] ? walk->read[0] : &own[0];
    walking->lines[1] = walk->read[1] ? walk->read[1] : walk->targets ? &own[1] : NULL;
    if (!walk->read[0] &&
        (!sentences_read(walk->path, watch, &own[0], walk->words_for ? &walk->conllu : NULL,
                         status) ||
         !lines_check_any(walk->path, &own[0], status) ||
         (walk->words_for && !conllu_check(walk->path, walk->words_for, &walk->conllu, status))))
        return false;
    walk->lines = walking->lines[0]->count;
    return walk->read[0] || !walk->targets ||
           (sentences_read(walk->targets, watch, &own[1], NULL, status) &&
            lines_check_match(walk->path, &own[0], walk->targets, &own[1], status));
}

bool study_walk(const struct study_context *context, struct study_walk *walk, struct status *status)
{
    struct walking walking = {.context = context, .walk = walk};
    bool ok = read_files(&walking, status) && open_records(&walking, status) &&
              take_lines(&walking, status);
    if (walking.kept && (ok || status->code != STATUS_CANCELLED))
        cache_drop_walk(context->cache);
    lines_free(&walking.own[0]);
    lines_free(&walking.own[1]);
    conllu_free(&walk->conllu);
    record_free(&walking.record);
    return ok || status->code != STATUS_CANCELLED || walk->taken == 0 ||
                   shards_divided(context->shards)
               ? ok
               : study_interrupted(walk->sentences, walk->lines, "sentences", walk->done, status);
}

bool study_walk_found(const struct study_context *context, const struct study_walk *walk, bool ok,
                      const struct status *status)
{
    return !shards_divided(context->shards) &&
           (ok || (status->code == STATUS_CANCELLED && walk->taken > 0));
}
