/* Tables of contrastive suites: groups of decisions, decisions, those that changed, and heads that decide. */
#include <math.h>

#include "tui/plain.h"
#include "tui/screen/sheet_results.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static double percent(int correct, int decisions)
{
    return decisions ? 100.0 * correct / decisions : NAN;
}

/* Decisions -------------------------------------------------------------------------------------- */

enum { VALUES_MOST = 4, COLUMNS_MOST = 2 + VALUES_MOST + 4 + 3 };

/* Numbers of a decision: some in front of the texts, the others behind them. NULL at the ends. */
struct titles {
    const char *front[VALUES_MOST + 1], *behind[VALUES_MOST + 1];
};

/* A table of decisions: what the suite never says has no column. */
struct list {
    struct sheet *sheet;
    const struct suite *suite;
    int front, behind; // values on both sides of the texts
    bool type, sense, distance, frequency;
};

struct row {
    const struct decision *decision;
    const char *verdict;
    double values[VALUES_MOST]; // in front, then behind
    int rival;                  // the candidate that is shown beside the reference
};

static void find_columns(struct list *list)
{
    const struct suite *suite = list->suite;
    for (int i = 0; i < suite->decision_count; i++) {
        const struct decision *decision = &suite->decisions[i];
        list->type |= decision_type(suite, decision) != NULL;
        list->sense |= suite->items[decision->item].sense != NULL;
        list->distance |= decision_distance(suite, decision) != SUITE_ABSENT;
        list->frequency |= decision_frequency(suite, decision) != SUITE_ABSENT;
    }
}

static bool begin_list(struct list *list, const struct titles *titles, struct status *status)
{
    struct sheet_column columns[COLUMNS_MOST] = {{"item", true, 0}, {"", false, 0}};
    int count = 2;
    find_columns(list);
    for (; titles->front[list->front]; list->front++)
        columns[count++] = (struct sheet_column){titles->front[list->front], true, 0};
    if (list->type)
        columns[count++] = (struct sheet_column){"type", false, 0};
    if (list->sense)
        columns[count++] = (struct sheet_column){"sense", false, 0};
    if (list->distance)
        columns[count++] = (struct sheet_column){"distance", true, 0};
    if (list->frequency)
        columns[count++] = (struct sheet_column){"frequency", true, 0};
    columns[count++] = (struct sheet_column){"source", false, 0};
    columns[count++] = (struct sheet_column){"reference", false, 0};
    columns[count++] = (struct sheet_column){"contrastive", false, 0};
    for (; titles->behind[list->behind]; list->behind++)
        columns[count++] = (struct sheet_column){titles->behind[list->behind], true, 0};
    return sheet_begin(list->sheet, columns, count, status);
}

static bool put_count(struct sheet *sheet, int column, int count, struct status *status)
{
    return sheet_put_number(sheet, column, count == SUITE_ABSENT ? NAN : count, 0, status);
}

/* What the suite says of it, from that column on. */
static bool put_kind(const struct list *list, const struct decision *decision, int *column,
                     struct status *status)
{
    const struct suite *suite = list->suite;
    struct sheet *sheet = list->sheet;
    return (!list->type ||
            sheet_put_text(sheet, (*column)++, decision_type(suite, decision), status)) &&
           (!list->sense ||
            sheet_put_text(sheet, (*column)++, suite->items[decision->item].sense, status)) &&
           (!list->distance ||
            put_count(sheet, (*column)++, decision_distance(suite, decision), status)) &&
           (!list->frequency ||
            put_count(sheet, (*column)++, decision_frequency(suite, decision), status));
}

static bool fits_a_line(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            return false;
    return true;
}

/* The source, and what the model's heads look at for the reference. A text that a line cannot hold goes to nothing. */
static bool put_sentence(struct sheet *sheet, const struct suite_item *item, struct status *status)
{
    struct text_stream stream;
    if (!fits_a_line(item->source) || !fits_a_line(item->reference))
        return true;
    if (!text_begin(&stream, status))
        return false;
    fprintf(stream.out, " %s\n:force \"", item->source); // after a blank it is no command
    for (const char *c = item->reference; *c; c++)
        fprintf(stream.out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    fputc('"', stream.out);
    return text_command(&stream, sheet, status);
}

static bool put_texts(const struct list *list, const struct row *row, int column,
                      struct status *status)
{
    const struct suite_item *item = &list->suite->items[row->decision->item];
    const char *const texts[] = {item->source, item->reference, suite_candidate(item, row->rival)};
    for (int i = 0; i < COUNT(texts); i++)
        if (!sheet_put_text(list->sheet, column + i, texts[i], status))
            return false;
    for (int i = 0; i < list->behind; i++)
        if (!sheet_put_number(list->sheet, column + COUNT(texts) + i, row->values[list->front + i],
                              4, status))
            return false;
    return true;
}

static bool put_decision(const struct list *list, const struct row *row, struct status *status)
{
    struct sheet *sheet = list->sheet;
    const struct suite_item *item = &list->suite->items[row->decision->item];
    int column = 2;
    if (!sheet_row(sheet, status) || !sheet_put_number(sheet, 0, item->number, 0, status) ||
        !sheet_put_text(sheet, 1, row->verdict, status))
        return false;
    for (int i = 0; i < list->front; i++)
        if (!sheet_put_number(sheet, column++, row->values[i], 4, status))
            return false;
    return put_kind(list, row->decision, &column, status) && put_texts(list, row, column, status) &&
           put_sentence(sheet, item, status);
}

static bool of_listed(struct sheet *sheet, const struct contrast_result *contrast,
                      struct status *status)
{
    static const struct titles titles = {{"margin"}, {"of reference", "of contrastive"}};
    const struct contrasted *run = contrast->run;
    struct list list = {.sheet = sheet, .suite = &run->suite};
    bool ok = begin_list(&list, &titles, status);
    for (int i = 0; ok && i < contrast->list_count; i++) {
        const struct decision *decision = &run->suite.decisions[contrast->list[i]];
        bool right = decision_correct(&run->suite, &run->scores, decision, contrast->normalize);
        struct row row = {.decision = decision, .verdict = right ? "right" : "wrong"};
        row.rival = decision_rival(&run->suite, &run->scores, decision, contrast->normalize);
        row.values[1] = contrast_candidate(contrast, decision->item, 0);
        row.values[2] = contrast_candidate(contrast, decision->item, row.rival);
        row.values[0] = row.values[1] - row.values[2];
        ok = put_decision(&list, &row, status);
    }
    return ok;
}

/* Groups ----------------------------------------------------------------------------------------- */

static bool put_group(struct sheet *sheet, const struct result *result, int number,
                      const struct contrast_group *group, struct status *status)
{
    struct result listed = *result; // borrows all
    listed.contrast.request.listed = number;
    return sheet_row(sheet, status) &&
           sheet_put_number(sheet, 0, number != LISTED_ALL ? number : NAN, 0, status) &&
           sheet_put_text(sheet, 1, number != LISTED_ALL ? contrast_by_names[group->by] : "",
                          status) &&
           sheet_put_text(sheet, 2, group->name, status) &&
           sheet_put_number(sheet, 3, group->decisions, 0, status) &&
           sheet_put_number(sheet, 4, group->correct, 0, status) &&
           sheet_put_number(sheet, 5, percent(group->correct, group->decisions), 2, status) &&
           sheet_put_view(sheet, &listed, status);
}

static bool of_groups(struct sheet *sheet, const struct result *result, struct status *status)
{
    static const struct sheet_column columns[] = {{"group", true, 0},   {"by", false, 0},
                                                  {"name", false, 0},   {"decisions", true, 0},
                                                  {"correct", true, 0}, {"accuracy", true, 0}};
    const struct contrast_result *contrast = &result->contrast;
    const struct contrast_group all = {
        .name = (char[]){"all"}, .decisions = contrast->decisions, .correct = contrast->correct};
    if (!sheet_begin(sheet, columns, COUNT(columns), status))
        return false;
    for (int i = 0; i < contrast->groups.count; i++)
        if (!put_group(sheet, result, i + 1, &contrast->groups.groups[i], status))
            return false;
    return put_group(sheet, result, LISTED_ALL, &all, status);
}

bool sheet_of_contrast(struct sheet *sheet, const struct session *session,
                       const struct result *result, struct status *status)
{
    const struct contrast_result *contrast = &result->contrast;
    struct text_stream stream;
    (void)session;
    if (!(contrast->request.listed == LISTED_NONE ? of_groups(sheet, result, status)
                                                  : of_listed(sheet, contrast, status)) ||
        !text_begin(&stream, status))
        return false;
    plain_contrast_facts(stream.out, contrast);
    return text_note(&stream, sheet, status);
}

/* Flips ------------------------------------------------------------------------------------------ */

static double margin_of(const struct flips_result *flips, int side, const struct decision *decision,
                        int *rival)
{
    const struct contrast_scores *scores = flips->scores[side];
    const struct candidate_score *candidates =
        &scores->candidates[flips->suite->items[decision->item].first];
    *rival = decision_rival(flips->suite, scores, decision, flips->normalize);
    return contrast_value(&candidates[0], flips->normalize) -
           contrast_value(&candidates[*rival], flips->normalize);
}

static bool of_flips(struct sheet *sheet, const struct flips_result *flips, struct status *status)
{
    static const struct titles titles = {{"margin before", "margin after"}, {NULL}};
    struct list list = {.sheet = sheet, .suite = flips->suite};
    bool ok = begin_list(&list, &titles, status);
    for (int i = 0; ok && i < flips->lost + flips->won; i++) {
        const struct decision *decision = &flips->suite->decisions[flips->list[i]];
        bool won = decision_correct(flips->suite, flips->scores[1], decision, flips->normalize);
        struct row row = {.decision = decision, .verdict = won ? "won" : "lost"};
        row.values[0] = margin_of(flips, 0, decision, &row.rival);
        row.values[1] = margin_of(flips, 1, decision, &row.rival);
        ok = put_decision(&list, &row, status);
    }
    return ok;
}

bool sheet_of_flips(struct sheet *sheet, const struct session *session, const struct result *result,
                    struct status *status)
{
    struct text_stream stream;
    if (!of_flips(sheet, &result->flips, status) || !text_begin(&stream, status))
        return false;
    plain_flips_facts(stream.out, session, &result->flips);
    return text_note(&stream, sheet, status);
}

/* Ablations -------------------------------------------------------------------------------------- */

static bool put_decider(struct sheet *sheet, const struct result *result, int index,
                        struct status *status)
{
    const struct contrast_ablate_result *ablate = &result->contrast_ablate;
    const struct decider *one = &ablate->rows[index];
    bool adjusted = ablate->done == ablate->ablations.count;
    int column = 1 + ABLATION_COLUMNS;
    struct result listed = *result; // borrows all
    listed.contrast_ablate.ablate.shown = index + 1;
    return sheet_row(sheet, status) && sheet_put_number(sheet, 0, index + 1, 0, status) &&
           sheet_put_ablation(sheet, 1, &ablate->ablations.items[index], status) &&
           sheet_put_number(sheet, column, one->correct, 0, status) &&
           sheet_put_number(sheet, column + 1, percent(one->correct, ablate->decisions), 2,
                            status) &&
           sheet_put_number(sheet, column + 2, one->lost, 0, status) &&
           sheet_put_number(sheet, column + 3, one->won, 0, status) &&
           sheet_put_p(sheet, column + 4, one->p, status) &&
           sheet_put_p(sheet, column + 5, adjusted ? one->p_adjusted : NAN, status) &&
           sheet_put_view(sheet, &listed, status);
}

static bool of_deciders(struct sheet *sheet, const struct result *result, struct status *status)
{
    struct sheet_column columns[] = {
        {"row", true, 0},     {"", false, 0},         {"", false, 0},    {"", false, 0},
        {"correct", true, 0}, {"accuracy", true, 0},  {"lost", true, 0}, {"won", true, 0},
        {"p", true, 0},       {"p adjusted", true, 0}};
    sheet_ablation_columns(columns + 1);
    bool ok = sheet_begin(sheet, columns, COUNT(columns), status);
    for (int i = 0; ok && i < result->contrast_ablate.done; i++)
        ok = put_decider(sheet, result, i, status);
    return ok;
}

static void write_shown(FILE *out, const struct contrast_ablate_result *ablate)
{
    const struct flips_result *shown = &ablate->shown;
    if (!shown->suite)
        return;
    fprintf(out, " row %d: ", ablate->ablate.shown);
    ablation_write(out, &ablate->ablations.items[ablate->ablate.shown - 1]);
    fprintf(out, " off: lost %d  won %d  p = %.4g (McNemar)\n", shown->lost, shown->won, shown->p);
}

bool sheet_of_contrast_ablate(struct sheet *sheet, const struct session *session,
                              const struct result *result, struct status *status)
{
    const struct contrast_ablate_result *ablate = &result->contrast_ablate;
    struct text_stream stream;
    (void)session;
    if (!(ablate->shown.suite ? of_flips(sheet, &ablate->shown, status)
                              : of_deciders(sheet, result, status)) ||
        !text_begin(&stream, status))
        return false;
    plain_contrast_ablate_facts(stream.out, ablate);
    write_shown(stream.out, ablate);
    return text_note(&stream, sheet, status);
}
