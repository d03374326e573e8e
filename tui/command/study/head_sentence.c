#include <math.h>

#include "tui/command/study/report_head.h"

/* For self-attention and cross-attention, following "Each token looks at" and "Each target token
 * looks at". A text with a capital is a sentence of its own. */
static const char *const habits[HEAD_KINDS][2] = {
    [HEAD_CURRENT] = {"itself", "the source token in its own place"},
    [HEAD_PREVIOUS] = {"the one before it", "the source token one place before its own"},
    [HEAD_NEXT] = {"the one after it", "the source token one place after its own"},
    [HEAD_WITHIN_WORD] = {"the other tokens of its word", ""},
    [HEAD_EOS] = {"the end-of-sentence token", "the source's end-of-sentence token"},
    [HEAD_PUNCTUATION] = {"punctuation", "punctuation of the source"},
    [HEAD_RARE] = {"the sentence's rarest token", "the source's rarest token"},
    [HEAD_SYNTACTIC] = {"Words look along a syntactic relation", ""},
    [HEAD_START] = {"the beginning of the sentence", "the beginning of the source"},
    [HEAD_END] = {"the end of the sentence", "the end of the source"},
    [HEAD_BROAD] = {"the whole sentence, almost evenly", "the whole source, almost evenly"},
    [HEAD_LEFT] = {"what is further left than the one before it",
                   "the source left of its own place"},
    [HEAD_RIGHT] = {"what is further right than the one after it",
                    "the source right of its own place"},
    [HEAD_FOCUSED] = {"one token, now here, now there", "one source token, now here, now there"},
    [HEAD_MIXED] = {"No single habit", "No single habit"},
    [HEAD_UNUSED] = {"No token has any weight", "No target token has any weight"},
};

/* Returns the share for the kinds whose rule is a share of the weight; NaN for other kinds. */
static double share_of_kind(const struct head_report *work, enum head_kind kind)
{
    static const enum head_place places[HEAD_KINDS] = {[HEAD_PREVIOUS] = PLACE_PREVIOUS,
                                                       [HEAD_NEXT] = PLACE_NEXT,
                                                       [HEAD_LEFT] = PLACE_LEFT,
                                                       [HEAD_RIGHT] = PLACE_RIGHT};
    const struct head_card *card = &work->card;
    switch (kind) {
    case HEAD_CURRENT:
    case HEAD_PREVIOUS:
    case HEAD_NEXT:
    case HEAD_LEFT:
    case HEAD_RIGHT:
        return head_place_share(head_report_stats(work), card->module, card->index, places[kind]);
    case HEAD_WITHIN_WORD:
    case HEAD_EOS:
    case HEAD_PUNCTUATION:
    case HEAD_RARE:
        return head_report_mean(work, head_kinds[kind].measure);
    default:
        return NAN;
    }
}

static const char *evidence(const struct head_report *work, enum head_kind kind)
{
    struct report *report = work->report;
    const double share = share_of_kind(work, kind);
    enum relation_direction direction;
    int relation;
    if (!isnan(share))
        return report_format(report, ": %.0f %% of the weight is there.", 100 * share);
    if (kind == HEAD_UNUSED)
        return ".";
    if (kind == HEAD_SYNTACTIC &&
        head_relation(head_report_stats(work), work->card.index, &relation, &direction))
        return report_format(report, ", %s to %s.", work->card.result->relations.text[relation],
                             relation_direction_names[direction]);
    if (kind == HEAD_BROAD)
        return report_format(report, ": the entropy is %.1f bits.",
                             head_report_mean(work, MEASURE_ENTROPY));
    return report_format(report, ": the greatest weight of a row is %.0f %% on average.",
                         100 * head_report_mean(work, MEASURE_CONFIDENCE));
}

const char *head_sentence(const struct head_report *work)
{
    const struct head_card *card = &work->card;
    const enum head_kind kind = head_kind(head_report_stats(work), card->module, card->index);
    const bool cross = card->module == MODULE_CROSS;
    const char *habit = habits[kind][cross];
    const char *subject = *habit >= 'A' && *habit <= 'Z' ? ""
                          : cross                        ? "Each target token looks at "
                                                         : "Each token looks at ";
    return report_format(work->report, "%s%s%s", subject, habit, evidence(work, kind));
}
