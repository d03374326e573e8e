#include "model/study/study_counts.h"

#include <stdlib.h>

#include "base/minmax.h"
#include "model/text/words/blank_words.h"

static const char measuring[] = "measuring";

/* These tokenizers make one token of a Japanese sentence, or two. */
static bool splits_at_blanks(enum bleu_tokenizer tokenizer)
{
    return tokenizer == BLEU_13A || tokenizer == BLEU_INTL || tokenizer == BLEU_NONE;
}

static bool has_no_blanks(const struct study_texts *texts)
{
    struct spacing spacing = {0};
    for (int i = 0; i < texts->sentences; i++)
        spacing_add(&spacing, texts->sources[i]);
    return spacing_unspaced(&spacing);
}

bool study_counts_open(struct study_counts *counts, const struct corpus_options *options,
                       const struct study_texts *texts, bool of_source, struct status *status)
{
    *counts = (struct study_counts){.texts = *texts};
    for (int s = 0; s < texts->systems; s++)
        if (!corpus_open(&counts->corpora[s], options, texts->texts[s], texts->references,
                         texts->reference_count, texts->sentences, status))
            return false;
    counts->source_letters =
        of_source && splits_at_blanks(options->bleu.tokenizer) && has_no_blanks(texts);
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

/* Sources are split like references, so that their lengths compare, where they can be. */
static bool count_source(struct study_counts *counts, struct status *status)
{
    const struct bleu_options *options = &counts->corpora[0].options.bleu;
    const enum bleu_tokenizer tokenizer = counts->source_letters ? BLEU_CHAR : options->tokenizer;
    bleu_tokens_clear(&counts->tokens);
    if (!bleu_tokens_add(&counts->tokens, tokenizer, options->lowercase,
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
