#include "model/study/corpus.h"

#include <stdlib.h>

static const char scoring[] = "scoring";

static bool corpus_allocate(struct corpus *corpus, int sentences, struct status *status)
{
    corpus->bleu = memory_new((size_t)sentences, BLEU_COUNTS * sizeof *corpus->bleu, status);
    corpus->chrf = memory_new((size_t)sentences, CHRF_COUNTS * sizeof *corpus->chrf, status);
    corpus->lengths = memory_new((size_t)sentences, sizeof *corpus->lengths, status);
    return corpus->bleu && corpus->chrf && corpus->lengths;
}

static int64_t *bleu_counts(const struct corpus *corpus, int sentence)
{
    return corpus->bleu + (size_t)sentence * BLEU_COUNTS;
}

static int64_t *chrf_counts(const struct corpus *corpus, int sentence)
{
    return corpus->chrf + (size_t)sentence * CHRF_COUNTS;
}

/* Counts the sentence after those counted. */
static bool count_next(struct corpus *corpus, const char *text, const char *const *references,
                       int reference_count, struct status *status)
{
    int i = corpus->sentences;
    if (!bleu_count(&corpus->options.bleu, text, references, reference_count,
                    bleu_counts(corpus, i), &corpus->lengths[i], status) ||
        !chrf_count(corpus->options.chrf_lowercase, text, references, reference_count,
                    chrf_counts(corpus, i), status))
        return false;
    corpus->sentences++;
    return true;
}

static bool count_all(struct corpus *corpus, const char *const *texts,
                      const char *const *const *references, int reference_count, int sentences,
                      const struct watcher *watcher, struct status *status)
{
    const char **row = memory_new((size_t)reference_count, sizeof *row, status);
    bool ok = row != NULL;
    for (int i = 0; ok && i < sentences; i++) {
        for (int r = 0; r < reference_count; r++)
            row[r] = references[r][i];
        ok = watch_proceed(watcher, scoring, i, sentences, status) &&
             count_next(corpus, texts[i], row, reference_count, status);
    }
    free(row);
    return ok ? watch_proceed(watcher, scoring, sentences, sentences, status)
              : watch_fail(watcher, scoring, sentences);
}

bool corpus_open(struct corpus *corpus, const struct corpus_options *options,
                 const char *const *texts, const char *const *const *references,
                 int reference_count, int sentences, const struct watcher *watcher,
                 struct status *status)
{
    *corpus = (struct corpus){.options = *options};
    if (corpus_allocate(corpus, sentences, status) &&
        count_all(corpus, texts, references, reference_count, sentences, watcher, status))
        return true;
    if (status->code != STATUS_CANCELLED)
        corpus_close(corpus);
    return false;
}

void corpus_close(struct corpus *corpus)
{
    free(corpus->bleu);
    free(corpus->chrf);
    free(corpus->lengths);
    *corpus = (struct corpus){0};
}

struct corpus_score corpus_total(const struct corpus *corpus, const int *groups, int group)
{
    int64_t bleu[BLEU_COUNTS] = {0}, chrf[CHRF_COUNTS] = {0};
    for (int i = 0; i < corpus->sentences; i++) {
        if (groups && groups[i] != group)
            continue;
        counts_add(bleu, bleu_counts(corpus, i), BLEU_COUNTS);
        counts_add(chrf, chrf_counts(corpus, i), CHRF_COUNTS);
    }
    return (struct corpus_score){bleu_score(&corpus->options.bleu, bleu), chrf_score(chrf)};
}

struct corpus_score corpus_sentence(const struct corpus *corpus, int sentence)
{
    struct bleu_options options = corpus->options.bleu;
    options.effective_order = true;
    return (struct corpus_score){bleu_score(&options, bleu_counts(corpus, sentence)),
                                 chrf_score(chrf_counts(corpus, sentence))};
}
