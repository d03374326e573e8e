#include "model/score/corpus.h"

#include <stdlib.h>

static const char scoring[] = "scoring";

static int64_t *bleu_counts(const struct corpus *corpus, int sentence)
{
    return corpus->bleu + (size_t)sentence * BLEU_COUNTS;
}

static int64_t *chrf_counts(const struct corpus *corpus, int sentence)
{
    return corpus->chrf + (size_t)sentence * CHRF_COUNTS;
}

bool corpus_open(struct corpus *corpus, const struct corpus_options *options,
                 const char *const *texts, const char *const *const *references,
                 int reference_count, int sentences, struct status *status)
{
    size_t most = (size_t)sentences;
    *corpus = (struct corpus){.options = *options,
                              .texts = texts,
                              .references = references,
                              .reference_count = reference_count,
                              .most = sentences};
    corpus->row = memory_new((size_t)reference_count, sizeof *corpus->row, status);
    corpus->bleu = memory_new(most, BLEU_COUNTS * sizeof *corpus->bleu, status);
    corpus->chrf = memory_new(most, CHRF_COUNTS * sizeof *corpus->chrf, status);
    corpus->lengths = memory_new(most, sizeof *corpus->lengths, status);
    return corpus->row && corpus->bleu && corpus->chrf && corpus->lengths;
}

void corpus_close(struct corpus *corpus)
{
    free(corpus->row);
    free(corpus->bleu);
    free(corpus->chrf);
    free(corpus->lengths);
    *corpus = (struct corpus){0};
}

/* Counts the next sentence. */
static bool count_next(struct corpus *corpus, struct status *status)
{
    const int i = corpus->sentences;
    for (int r = 0; r < corpus->reference_count; r++)
        corpus->row[r] = corpus->references[r][i];
    if (!bleu_count(&corpus->options.bleu, corpus->texts[i], corpus->row, corpus->reference_count,
                    bleu_counts(corpus, i), &corpus->lengths[i], status) ||
        !chrf_count(corpus->options.chrf_lowercase, corpus->texts[i], corpus->row,
                    corpus->reference_count, chrf_counts(corpus, i), status))
        return false;
    corpus->sentences++;
    return true;
}

bool corpus_count(struct corpus *corpus, const struct watch *watch, struct status *status)
{
    while (corpus->sentences < corpus->most && corpus->texts[corpus->sentences])
        if (!watch_proceed(watch, scoring, corpus->sentences, corpus->most, status) ||
            !count_next(corpus, status))
            return watch_fail(watch, scoring, corpus->most);
    return watch_proceed(watch, scoring, corpus->most, corpus->most, status);
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
