#include "model/study/study_counts.h"

#include <stdlib.h>

#include "base/minmax.h"

static const char measuring[] = "measuring";

bool study_counts_open(struct study_counts *counts, const struct corpus_options *options,
                       const struct study_texts *texts, bool of_source, struct status *status)
{
    *counts = (struct study_counts){.texts = *texts};
    for (int s = 0; s < texts->systems; s++)
        if (!corpus_open(&counts->corpora[s], options, texts->texts[s], texts->references,
                         texts->reference_count, texts->sentences, status))
            return false;
    if (of_source)
        counts->of_source = memory_new((size_t)texts->sentences, sizeof *counts->of_source, status);
    return !of_source || counts->of_source;
}

void study_counts_close(struct study_counts *counts)
{
    for (int s = 0; s < STUDY_SYSTEMS; s++)
        corpus_close(&counts->corpora[s]);
    bleu_tokens_free(&counts->tokens);
    free(counts->of_source);
    *counts = (struct study_counts){.sources = 0};
}

/* Sources are split like references, so that their lengths compare. */
static bool count_source(struct study_counts *counts, struct status *status)
{
    const struct bleu_options *options = &counts->corpora[0].options.bleu;
    bleu_tokens_clear(&counts->tokens);
    if (!bleu_tokens_add(&counts->tokens, options->tokenizer, options->lowercase,
                         counts->texts.sources[counts->sources], status))
        return false;
    counts->of_source[counts->sources++] = counts->tokens.count;
    return true;
}

/* Returns how many sentences, from the first on, are counted in all systems. */
static int texts_counted(const struct study_counts *counts)
{
    int counted = counts->texts.sentences;
    for (int s = 0; s < counts->texts.systems; s++)
        counted = int_min(counted, counts->corpora[s].sentences);
    return counted;
}

static bool count_sources(struct study_counts *counts, const struct watch *watch,
                          struct status *status)
{
    const int most = texts_counted(counts);
    while (counts->of_source && counts->sources < most)
        if (!watch_proceed(watch, measuring, counts->sources, most, status) ||
            !count_source(counts, status))
            return watch_fail(watch, measuring, most);
    return watch_proceed(watch, measuring, most, most, status);
}

bool study_count(struct study_counts *counts, const struct watch *watch, struct status *status)
{
    for (int s = 0; s < counts->texts.systems; s++)
        if (!corpus_count(&counts->corpora[s], watch, status))
            return false;
    return count_sources(counts, watch, status);
}

int study_counted(const struct study_counts *counts)
{
    int counted = texts_counted(counts);
    return counts->of_source ? int_min(counted, counts->sources) : counted;
}

const int *study_lengths(const struct study_counts *counts)
{
    return counts->of_source ? counts->of_source : counts->corpora[0].lengths;
}
