/* Tables of decisions of contrastive suites. */
#include <math.h>

#include "tui/table_cells.h"

static void put_maybe_text(struct table *table, const char *text)
{
    put_text(table, text ? text : "");
}

static void put_maybe_count(struct table *table, int value)
{
    put_value(table, value == SUITE_ABSENT ? NAN : value);
}

/* What the suite says of a decision. */
static void put_decision(struct table *table, const struct suite *suite,
                         const struct decision *decision)
{
    put_count(table, suite->items[decision->item].number);
    put_maybe_text(table, decision_type(suite, decision));
    put_maybe_text(table, suite->items[decision->item].sense);
    put_maybe_count(table, decision_distance(suite, decision));
    put_maybe_count(table, decision_frequency(suite, decision));
}

static void put_candidate(struct table *table, const struct contrasted *run, int item,
                          int candidate, enum contrast_normalize normalize)
{
    const struct suite_item *one = &run->suite.items[item];
    const struct candidate_score *scores = &run->scores.candidates[one->first];
    put_count(table, candidate);
    put_value(table, scores[candidate].logprob);
    put_count(table, scores[candidate].tokens);
    put_value(table, contrast_value(&scores[candidate], normalize));
}

/* The reference, and what has an error. */
static bool put_contrasted(struct table *table, const struct contrast_result *contrast, int number)
{
    const struct contrasted *run = contrast->run;
    const struct decision *decision = &run->suite.decisions[number];
    const struct suite_item *item = &run->suite.items[decision->item];
    for (int i = 0; i <= decision->count; i++) {
        int candidate = i ? decision->first + i : 0;
        if (!pace_step(table->pace, 1))
            return false;
        put_count(table, number + 1);
        put_decision(table, &run->suite, decision);
        put_count(table,
                  decision_correct(&run->suite, &run->scores, decision, contrast->normalize));
        put_candidate(table, run, decision->item, candidate, contrast->normalize);
        put_text(table, item->source);
        put_text(table, suite_candidate(item, candidate));
        end_line(table);
    }
    return true;
}

/* All decisions in the order of the suite, or those listed. */
bool table_contrast(struct table *table, const struct result *view, struct status *status)
{
    const struct contrast_result *contrast = &view->contrast;
    bool all = contrast->request.listed <= LISTED_ALL;
    (void)status;
    put_header(table, (const char *const[]){"decision", "number", "type", "sense", "distance",
                                            "frequency", "correct", "candidate", "logprob",
                                            "tokens", "score", "source", "text", NULL});
    for (int i = 0; i < (all ? contrast->decisions : contrast->list_count); i++)
        if (!put_contrasted(table, contrast, all ? i : contrast->list[i]))
            return false;
    return true;
}

static bool put_flips(struct table *table, const struct flips_result *flips)
{
    const struct suite *suite = flips->suite;
    put_header(table, (const char *const[]){"decision", "number", "type", "sense", "distance",
                                            "frequency", "won", "source", "reference", NULL});
    for (int i = 0; i < flips->lost + flips->won; i++) {
        const struct decision *decision = &suite->decisions[flips->list[i]];
        if (!pace_step(table->pace, 1))
            return false;
        put_count(table, flips->list[i] + 1);
        put_decision(table, suite, decision);
        put_count(table, decision_correct(suite, flips->scores[1], decision, flips->normalize));
        put_text(table, suite->items[decision->item].source);
        put_text(table, suite->items[decision->item].reference);
        end_line(table);
    }
    return true;
}

bool table_flips(struct table *table, const struct result *view, struct status *status)
{
    (void)status;
    return put_flips(table, &view->flips);
}

static bool put_deciders(struct table *table, const struct contrast_ablate_result *ablate)
{
    bool adjusted = ablate->done == ablate->ablations.count;
    put_header(table, (const char *const[]){"ablation", "module", "layer", "head", "correct",
                                            "accuracy", "lost", "won", "p", "p_adjusted", NULL});
    for (int i = 0; i < ablate->done; i++) {
        const struct decider *row = &ablate->rows[i];
        if (!pace_step(table->pace, 1))
            return false;
        put_count(table, i + 1);
        put_ablation(table, &ablate->ablations.items[i]);
        put_count(table, row->correct);
        put_value(table, (double)row->correct / ablate->decisions);
        put_count(table, row->lost);
        put_count(table, row->won);
        put_value(table, row->p);
        put_value(table, adjusted ? row->p_adjusted : NAN);
        end_line(table);
    }
    return true;
}

bool table_contrast_ablate(struct table *table, const struct result *view, struct status *status)
{
    const struct contrast_ablate_result *ablate = &view->contrast_ablate;
    (void)status;
    return ablate->shown.suite ? put_flips(table, &ablate->shown) : put_deciders(table, ablate);
}
