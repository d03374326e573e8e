#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/score/bleu_tokenizers.h"
#include "model/study/study.h"
#include "model/study/study_counts.h"
#include "model/study/translating.h"
#include "model/study/walk.h"
#include "model/text/parallel.h"
#include "model/text/utf8.h"
#include "model/text/words/blank_words.h"

/* Finds the tokeniser of BLEU that a language needs. */

/* Counts of letters, by script. */
struct letters {
    int64_t all, hangul, kana, han;
};

static bool is_in(uint32_t character, uint32_t first, uint32_t last)
{
    return character >= first && character <= last;
}

static void count_letters(struct letters *letters, const char *text)
{
    size_t length;
    for (; *text; text += length) {
        uint32_t c = utf8_decode(text, &length);
        if (c <= ' ' || utf8_is_space(c) || utf8_is_punctuation(c))
            continue;
        letters->all++;
        letters->hangul += is_in(c, 0xAC00, 0xD7A3);
        letters->kana += is_in(c, 0x3041, 0x30FF);
        letters->han += is_in(c, 0x3400, 0x9FFF);
    }
}

/* True if there are more letters between blanks than in text that was split into words. */
static bool lacks_blanks(const struct spacing *spacing)
{
    enum { LETTERS_OF_CUT_WORDS = 4 };
    return spacing->letters > LETTERS_OF_CUT_WORDS * spacing->words;
}

/* Returns the tokeniser that counts texts (count) better than `used`, which relies on blanks
 * between words: "zh", "ja-mecab", "ko-mecab", or "flores200" for other scripts without blanks.
 * NULL: none does. The texts must be valid UTF-8. */
static const char *better_tokenizer(enum bleu_tokenizer used, const char *const *texts, int count)
{
    enum { SHARE = 20 }; // Japanese: more than one letter in twenty is kana
    struct letters letters = {0};
    struct spacing spacing = {0};
    if (used != BLEU_13A && used != BLEU_INTL && used != BLEU_NONE)
        return NULL;
    for (int i = 0; i < count; i++) {
        count_letters(&letters, texts[i]);
        spacing_add(&spacing, texts[i]);
    }
    if (letters.hangul > letters.all / 2)
        return "ko-mecab";
    if (spacing.letters <= letters.all / 2 || !lacks_blanks(&spacing))
        return NULL;
    if (letters.kana > letters.all / SHARE)
        return "ja-mecab";
    return letters.han > letters.all / 2 ? "zh" : "flores200";
}

/* The work's data until the texts are there. */
struct work {
    const struct study_context *context;
    const struct state *states; // (request->systems) that translate
    struct study_request *request;
    struct parallel files;                  // the sources or translations, references
    struct translated *made[STUDY_SYSTEMS]; // one per state; owned by the cache
    const char *const **references;         // (files.count - 1, lines)
    struct study_counts counts;
};

static void work_close(struct work *work)
{
    study_counts_close(&work->counts);
    free(work->references);
    parallel_free(&work->files);
}

/* A group that cannot exist is not worth waiting for. */
static bool check_group(const struct study_request *request, int groups, struct status *status)
{
    return request->listed <= groups ||
           status_fail(status, STATUS_INVALID, "group %d: expected 1 to %d, or all",
                       request->listed, groups);
}

/* Translations --------------------------------------------------------------------------------- */

static bool find_translations(struct work *work, struct status *status)
{
    for (int s = 0; s < work->request->systems; s++) {
        work->made[s] = cache_translations(work->context->cache, &work->states[s],
                                           &work->files.lines[0], status);
        if (!work->made[s])
            return false;
    }
    return true;
}

static bool count_more(void *context, struct status *status)
{
    struct work *work = context;
    const struct watch quiet = watch_quietly(work->context->watch);
    return study_count(&work->counts, &quiet, status);
}

static bool translate_sides(struct work *work, struct status *status)
{
    const struct follower follower = {count_more, work};
    bool divided = shards_divided(work->context->shards);
    struct translating sides[STUDY_SYSTEMS];
    for (int s = 0; s < work->request->systems; s++)
        sides[s] = (struct translating){.state = &work->states[s],
                                        .path = work->request->files.text[0],
                                        .lines = &work->files.lines[0],
                                        .texts = work->made[s]->texts,
                                        .watch = work->context->watch,
                                        .follower = divided ? NULL : &follower,
                                        .shards = work->context->shards};
    return translating_all(sides, work->request->systems, false, NULL, status);
}

/* Scores --------------------------------------------------------------------------------------- */

static bool open_counts(struct work *work, const struct study_result *out, struct status *status)
{
    const struct study_request *request = work->request;
    const struct corpus_options options = study_corpus_options(&out->settings);
    struct study_texts texts = {.sources = (const char *const *)work->files.lines[0].text,
                                .systems = request->systems,
                                .reference_count = work->files.count - 1,
                                .sentences = out->lines};
    texts.references = work->references = parallel_others(&work->files, status);
    for (int s = 0; s < request->systems; s++)
        texts.texts[s] =
            request->scored ? texts.sources : (const char *const *)work->made[s]->texts;
    return work->references &&
           study_counts_open(&work->counts, &options, &texts, request->of_source, status);
}

/* Translations in the cache are counted first. */
static bool translate_and_count(struct work *work, struct status *status)
{
    return study_count(&work->counts, work->context->watch, status) &&
           (work->request->scored || (translate_sides(work, status) &&
                                      study_count(&work->counts, work->context->watch, status)));
}

static bool tell_interrupted(const struct study_result *study, struct status *status)
{
    if (study->sentences < study->lines)
        return study_interrupted(study->sentences, study->lines, "sentences", "scored", status);
    return status_fail(status, STATUS_CANCELLED, "interrupted: scored, but %s",
                       study_untested(study));
}

/* After a stop, `out` holds what is finished. */
static bool work_through(struct work *work, struct study_result *out, struct status *status)
{
    struct status other;
    if (!check_group(work->request,
                     work->request->by ? work->request->groups.count + 1 : out->settings.groups,
                     status) ||
        !parallel_read(&work->request->files, work->context->watch, &work->files, status) ||
        (!work->request->scored && !find_translations(work, status)))
        return false;
    out->lines = work->files.lines[0].count;
    if (shards_divided(work->context->shards))
        return work->request->scored
                   ? shards_begin(work->context->shards, out->lines, "sentences", status)
                   : translate_sides(work, status);
    if (!open_counts(work, out, status))
        return false;
    out->better_tokenizer =
        better_tokenizer(out->settings.tokenizer, work->references[0], out->lines);
    bool counted = translate_and_count(work, status);
    int finished = study_counted(&work->counts);
    if ((!counted && status->code != STATUS_CANCELLED) || finished == 0)
        return false;
    bool made =
        study_make(out, &work->counts, finished, work->context->watch, counted ? status : &other);
    if (made && (counted || !study_partial(out))) // Ctrl-C came too late
        return check_group(work->request, out->row_count, status);
    return status->code == STATUS_CANCELLED && out->sentences ? tell_interrupted(out, status)
                                                              : false;
}

bool study_run(const struct study_context *context, const struct state *states,
               struct study_result *out, struct status *status)
{
    struct work work = {.context = context, .states = states, .request = &out->request};
    bool ok = work_through(&work, out, status);
    work_close(&work);
    if (!ok && status->code != STATUS_CANCELLED)
        out->sentences = 0;
    return ok;
}
