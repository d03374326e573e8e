/* Decisions of contrastive suites as plain text. */
#include <stdlib.h>

#include "tui/display.h"
#include "tui/plain.h"

enum { NAME_LEAST = 4, NAME_MOST = 40 };

static double percent(int correct, int decisions)
{
    return decisions ? 100.0 * correct / decisions : 0;
}

/* As wide as the longest name, within limits. */
static int name_columns(const struct contrast_groups *groups)
{
    int columns = NAME_LEAST;
    for (int i = 0; i < groups->count; i++) {
        int own = display_width(groups->groups[i].name);
        columns = own > columns ? own : columns;
    }
    return columns < NAME_MOST ? columns : NAME_MOST;
}

static void print_groups(FILE *stream, const struct contrast_groups *groups)
{
    int columns = name_columns(groups);
    if (groups->count == 0)
        return;
    fprintf(stream, " %5s %-9s ", "group", "by");
    display_field(stream, "name", columns);
    fprintf(stream, " %9s %7s %8s\n", "decisions", "correct", "accuracy");
    for (int i = 0; i < groups->count; i++) {
        const struct contrast_group *group = &groups->groups[i];
        char *name = display_clean(group->name);
        fprintf(stream, " %5d %-9s ", i + 1, contrast_by_names[group->by]);
        display_field(stream, name ? name : "", columns);
        fprintf(stream, " %9d %7d %8.2f\n", group->decisions, group->correct,
                percent(group->correct, group->decisions));
        free(name);
    }
}

/* " item 12  wrong  subj_verb_agreement  distance 3" */
static void print_item(FILE *stream, const struct suite *suite, const struct decision *decision,
                       const char *verdict)
{
    const struct suite_item *item = &suite->items[decision->item];
    const char *type = decision_type(suite, decision);
    int distance = decision_distance(suite, decision);
    int frequency = decision_frequency(suite, decision);
    const struct suite_set *set = &suite->sets[item->set];
    fprintf(stream, " %s %d  %s", set->lines ? "line" : "item", item->number, verdict);
    if (type) {
        fputs("  ", stream);
        display_write(stream, type);
    }
    if (item->sense) {
        fputs("  ", stream);
        display_write(stream, item->sense);
    }
    if (distance != SUITE_ABSENT)
        fprintf(stream, "  distance %d", distance);
    if (frequency != SUITE_ABSENT)
        fprintf(stream, "  frequency %d", frequency);
    fputs("\n            source  ", stream);
    plain_text(stream, item->source);
}

static void print_candidate(FILE *stream, double value, const char *what, const char *text)
{
    fprintf(stream, " %10.4f  %-9s  ", value, what);
    plain_text(stream, text);
}

static void print_listed(FILE *stream, const struct contrast_result *contrast, int number)
{
    const struct suite *suite = &contrast->run->suite;
    const struct decision *decision = &suite->decisions[number];
    const struct suite_item *item = &suite->items[decision->item];
    bool correct = decision_correct(suite, &contrast->run->scores, decision, contrast->normalize);
    print_item(stream, suite, decision, correct ? "right" : "wrong");
    print_candidate(stream, contrast_candidate(contrast, decision->item, 0), "correct",
                    item->reference);
    for (int i = decision->first; i < decision->first + decision->count; i++)
        print_candidate(stream, contrast_candidate(contrast, decision->item, 1 + i), "incorrect",
                        item->errors[i].text);
}

void plain_contrast_facts(FILE *stream, const struct contrast_result *contrast)
{
    if (contrast_partial(contrast))
        fprintf(stream, " partial: the first %d of %d items\n", contrast->run->scores.items,
                contrast->run->suite.count);
    fprintf(stream, " %d of %d correct: %.2f%%\n", contrast->correct, contrast->decisions,
            percent(contrast->correct, contrast->decisions));
}

void plain_contrast(struct sink *sink, const struct session *session, const struct result *result)
{
    const struct contrast_result *contrast = &result->contrast;
    FILE *stream = sink->stream;
    plain_study_title(stream, session, result);
    plain_contrast_facts(stream, contrast);
    print_groups(stream, &contrast->groups);
    for (int i = 0; i < contrast->list_count; i++)
        print_listed(stream, contrast, contrast->list[i]);
}

/* Flips ------------------------------------------------------------------------------------------ */

static void print_side(FILE *stream, const struct session *session, const char *name,
                       const struct contrasted *run, int correct, int decisions)
{
    struct saved_state state = {.loaded = run->loaded, .dials = run->dials};
    struct session other = session_under(session, &state, NULL);
    fprintf(stream, " %-6s  %d of %d correct: %.2f%%  (", name, correct, decisions,
            percent(correct, decisions));
    display_write(stream, states_model_name(session, run->loaded));
    fputs(")\n", stream);
    plain_heads(stream, &other, "         ");
}

static double value_of(const struct flips_result *flips, int side, int item, int candidate)
{
    int first = flips->suite->items[item].first;
    return contrast_value(&flips->scores[side]->candidates[first + candidate], flips->normalize);
}

static void print_change(FILE *stream, const struct flips_result *flips, int item, int candidate,
                         const char *what)
{
    fprintf(stream, " %10.4f → %10.4f  %-9s  ", value_of(flips, 0, item, candidate),
            value_of(flips, 1, item, candidate), what);
    plain_text(stream, suite_candidate(&flips->suite->items[item], candidate));
}

static void print_flip(FILE *stream, const struct flips_result *flips, int number)
{
    const struct suite *suite = flips->suite;
    const struct decision *decision = &suite->decisions[number];
    bool won = decision_correct(suite, flips->scores[1], decision, flips->normalize);
    print_item(stream, suite, decision, won ? "won" : "lost");
    print_change(stream, flips, decision->item, 0, "correct");
    for (int i = decision->first; i < decision->first + decision->count; i++)
        print_change(stream, flips, decision->item, 1 + i, "incorrect");
}

static void print_flips(FILE *stream, const struct flips_result *flips)
{
    for (int i = 0; i < flips->lost + flips->won; i++)
        print_flip(stream, flips, flips->list[i]);
}

void plain_flips_facts(FILE *stream, const struct session *session,
                       const struct flips_result *flips)
{
    if (flips->decisions < flips->suite->decision_count)
        fprintf(stream, " partial: the first %d of %d decisions\n", flips->decisions,
                flips->suite->decision_count);
    print_side(stream, session, "before", flips->runs[0], flips->correct[0], flips->decisions);
    print_side(stream, session, "after", flips->runs[1], flips->correct[1], flips->decisions);
    fprintf(stream, " lost %d  won %d  p = %.4g (McNemar)\n", flips->lost, flips->won, flips->p);
}

void plain_flips(struct sink *sink, const struct session *session, const struct result *result)
{
    plain_study_title(sink->stream, session, result);
    plain_flips_facts(sink->stream, session, &result->flips);
    print_flips(sink->stream, &result->flips);
}

/* Ablations -------------------------------------------------------------------------------------- */

static void print_ablation(FILE *stream, const struct contrast_ablate_result *ablate, int number)
{
    const struct decider *row = &ablate->rows[number];
    char *text = ablation_text(&ablate->ablations.items[number]);
    fprintf(stream, " %5d ", number + 1);
    display_field(stream, text ? text : "", NAME_MOST);
    free(text);
    fprintf(stream, " %7d %8.2f %6d %6d %10.4g", row->correct,
            percent(row->correct, ablate->decisions), row->lost, row->won, row->p);
    if (ablate->done == ablate->ablations.count)
        fprintf(stream, " %10.4g", row->p_adjusted);
    fputc('\n', stream);
}

void plain_contrast_ablate_facts(FILE *stream, const struct contrast_ablate_result *ablate)
{
    if (ablate->done < ablate->ablations.count)
        fprintf(stream, " partial: the first %d of %d ablations\n", ablate->done,
                ablate->ablations.count);
    fprintf(stream, " %d of %d correct: %.2f%%\n", ablate->correct, ablate->decisions,
            percent(ablate->correct, ablate->decisions));
}

void plain_contrast_ablate(struct sink *sink, const struct session *session,
                           const struct result *result)
{
    const struct contrast_ablate_result *ablate = &result->contrast_ablate;
    FILE *stream = sink->stream;
    plain_study_title(stream, session, result);
    plain_contrast_ablate_facts(stream, ablate);
    fprintf(stream, " %5s ", "row");
    display_field(stream, "off", NAME_MOST);
    fprintf(stream, " %7s %8s %6s %6s %10s %10s\n", "correct", "accuracy", "lost", "won", "p",
            "p adjusted");
    for (int i = 0; i < ablate->done; i++)
        print_ablation(stream, ablate, i);
    if (ablate->shown.suite)
        print_flips(stream, &ablate->shown);
}
