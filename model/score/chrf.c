#include "model/score/corpus.h"

#include <stdlib.h>
#include <string.h>

#include "model/score/characters.h"
#include "model/score/ngrams.h"

/* Reads the characters of a text without its blanks. */
static bool read_text(bool lowercase, const char *text, struct characters *out,
                      struct status *status)
{
    size_t kept = 0;
    if (!characters_add_text(out, text, status) || (lowercase && !characters_lower(out, status)))
        return false;
    for (size_t i = 0; i < out->count; i++)
        if (!character_is_space(out->at[i]))
            out->at[kept++] = out->at[i];
    out->count = kept;
    return true;
}

static bool count_pair(const struct characters *text, const struct characters *reference,
                       int64_t counts[CHRF_COUNTS], struct status *status)
{
    const struct sequence own = {text->at, (int)text->count};
    const struct sequence other = {reference->at, (int)reference->count};
    int64_t matched[CHRF_ORDER];
    if (!ngrams_match(&own, &other, 1, CHRF_ORDER, matched, status))
        return false;
    for (int n = 1; n <= CHRF_ORDER; n++) {
        int64_t *of_order = counts + (ptrdiff_t)CHRF_EACH * (n - 1);
        of_order[CHRF_REFERENCE] = ngrams_count(other.count, n);
        // N-grams of an order that the reference lacks are not mistakes.
        of_order[CHRF_TEXT] = of_order[CHRF_REFERENCE] ? ngrams_count(own.count, n) : 0;
        of_order[CHRF_MATCHED] = matched[n - 1];
    }
    return true;
}

bool chrf_count(bool lowercase, const char *text, const char *const *references,
                int reference_count, int64_t counts[CHRF_COUNTS], struct status *status)
{
    struct characters own = {0};
    double best = -1;
    bool ok = read_text(lowercase, text, &own, status);
    for (int i = 0; ok && i < reference_count; i++) {
        struct characters reference = {0};
        int64_t these[CHRF_COUNTS];
        ok = read_text(lowercase, references[i], &reference, status) &&
             count_pair(&own, &reference, these, status);
        characters_free(&reference);
        if (ok && chrf_score(these) > best) {
            best = chrf_score(these);
            memcpy(counts, these, sizeof these);
        }
    }
    characters_free(&own);
    return ok;
}

double chrf_score(const int64_t counts[CHRF_COUNTS])
{
    const double factor = CHRF_BETA * CHRF_BETA;
    double precision = 0, recall = 0;
    int orders = 0;
    for (const int64_t *n = counts; n < counts + CHRF_COUNTS; n += CHRF_EACH) {
        if (n[CHRF_TEXT] == 0 || n[CHRF_REFERENCE] == 0)
            continue;
        precision += (double)n[CHRF_MATCHED] / (double)n[CHRF_TEXT];
        recall += (double)n[CHRF_MATCHED] / (double)n[CHRF_REFERENCE];
        orders++;
    }
    if (precision + recall == 0)
        return 0;
    precision /= orders;
    recall /= orders;
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall));
}

static double metric_score(const void *unused, const int64_t *sums)
{
    (void)unused;
    return chrf_score(sums);
}

struct metric chrf_metric(void)
{
    return (struct metric){CHRF_COUNTS, metric_score, NULL};
}

void chrf_write_signature(FILE *out, bool lowercase, int references, const char *tests,
                          const char *version)
{
    fprintf(out, "nrefs:%d|%scase:%s|eff:yes|nc:%d|nw:0|space:no|version:%s", references, tests,
            lowercase ? "lc" : "mixed", CHRF_ORDER, version);
}
