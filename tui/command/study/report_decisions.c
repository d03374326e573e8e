#include "tui/command/study/report_contrast.h"

/* Makes rows as they are read. */
struct reader {
    struct decision_list list;
    struct table *candidates;        // of the decision read last
    const struct decision *decision; // the decision read last
    char place[40], change[80];      // texts for the last rows
    int row, at, candidate;          // where report_candidates is
};

static struct reader *reader_new(struct report *report, const struct decision_list *list)
{
    struct reader *reader = report_new(report, 1, sizeof *reader);
    if (reader)
        *reader = (struct reader){.list = *list, .row = -1};
    return reader;
}

/* Returns the number of decision `row` of the list. */
static int number_of(const struct decision_list *list, int row)
{
    return list->numbers ? list->numbers[row] : row;
}

static const struct decision *decision_at(const struct decision_list *list, int row)
{
    return &list->suite->decisions[number_of(list, row)];
}

static const struct suite_item *item_of(const struct decision_list *list,
                                        const struct decision *decision)
{
    return &list->suite->items[decision->item];
}

/* True if the decision is correct; with two states, in the second. */
static bool is_correct(const struct decision_list *list, const struct decision *decision)
{
    const struct contrast_scores *scores = list->scores[list->scores[1] != NULL];
    return decision_correct(list->suite, scores, decision, list->normalize);
}

/* Returns "right" or "wrong", "won" or "lost". */
static struct value verdict(const struct decision_list *list, const struct decision *decision)
{
    static const char *const verdicts[][2] = {{"wrong", "right"}, {"lost", "won"}};
    return value_text(verdicts[list->scores[1] != NULL][is_correct(list, decision)]);
}

static struct value count_value(int count)
{
    return count == SUITE_ABSENT ? value_null() : value_int(count);
}

/* Puts the columns type, sense, distance and frequency. Returns the cell after them. */
static struct value *put_kind(struct value *cell, const struct suite *suite,
                              const struct decision *decision)
{
    *cell++ = value_text(decision_type(suite, decision));
    *cell++ = value_text(suite->items[decision->item].sense);
    *cell++ = count_value(decision_distance(suite, decision));
    *cell++ = count_value(decision_frequency(suite, decision));
    return cell;
}

/* Returns which of its item's candidates a decision's candidate `i` is: the reference, then those
 * with errors. */
static int candidate_of(const struct decision *decision, int i)
{
    return i == 0 ? 0 : decision->first + i;
}

static const struct candidate_score *score_of(const struct decision_list *list, int state,
                                              const struct decision *decision, int candidate)
{
    return &list->scores[state]->candidates[item_of(list, decision)->first + candidate];
}

static double value_of(const struct decision_list *list, int state, const struct decision *decision,
                       int candidate)
{
    return contrast_value(score_of(list, state, decision, candidate), list->normalize);
}

/* Returns the reference's value minus that of the best error, *rival. */
static double margin_of(const struct decision_list *list, int state,
                        const struct decision *decision, int *rival)
{
    *rival = decision_rival(list->suite, list->scores[state], decision, list->normalize);
    return value_of(list, state, decision, 0) - value_of(list, state, decision, *rival);
}

/* Puts the margins in both states; there may be one. Returns the cell after them. */
static struct value *put_margins(struct value *cell, const struct decision_list *list,
                                 const struct decision *decision, int *rival)
{
    *cell++ = value_real(margin_of(list, 0, decision, rival));
    *cell++ = list->scores[1] ? value_real(margin_of(list, 1, decision, rival)) : value_null();
    return cell;
}

/* Puts the columns logprob, tokens and score. Returns the cell after them. */
static struct value *put_score(struct value *cell, const struct decision_list *list, int state,
                               const struct decision *decision, int candidate)
{
    const struct candidate_score *score = score_of(list, state, decision, candidate);
    *cell++ = value_real(score->logprob);
    *cell++ = value_int(score->tokens);
    *cell++ = value_real(contrast_value(score, list->normalize));
    return cell;
}

/* Decisions with their candidates -------------------------------------------------------------- */

static const struct column in_one_state[] = {
    {.key = "text"},   {.key = "logprob"},
    {.key = "tokens"}, {.key = "score", .title = "", .type = COLUMN_REAL, .digits = 4},
    {.title = ""},     {.title = "", .type = COLUMN_SENTENCE},
};

enum { CHANGE_COLUMNS = 23 }; // "  -12.3456 →   -13.4567"

static const struct column in_two_states[] = {
    {.key = "text"},
    {.key = "before.logprob"},
    {.key = "before.tokens"},
    {.key = "before.score"},
    {.key = "after.logprob"},
    {.key = "after.tokens"},
    {.key = "after.score"},
    {.title = "", .least = CHANGE_COLUMNS},
    {.title = ""},
    {.title = "", .type = COLUMN_SENTENCE},
};

static void fill_candidate(void *data, int row, struct value *cells)
{
    struct reader *reader = data;
    const struct decision_list *list = &reader->list;
    const struct decision *decision = reader->decision;
    int candidate = candidate_of(decision, row);
    struct value text = value_text(suite_candidate(item_of(list, decision), candidate));
    *cells++ = text;
    cells = put_score(cells, list, 0, decision, candidate);
    if (list->scores[1]) {
        cells = put_score(cells, list, 1, decision, candidate);
        snprintf(reader->change, sizeof reader->change, "%10.4f → %10.4f",
                 value_of(list, 0, decision, candidate), value_of(list, 1, decision, candidate));
        *cells++ = value_text(reader->change);
    }
    *cells++ = value_text(row ? "incorrect" : "correct");
    *cells = text;
}

static void fill_decision(void *data, int row, struct value *cells)
{
    struct reader *reader = data;
    const struct decision_list *list = &reader->list;
    const struct decision *decision = decision_at(list, row);
    const struct suite_item *item = item_of(list, decision);
    const struct suite_set *set = &list->suite->sets[item->set];
    int rival;
    reader->decision = decision;
    table_rows_change(reader->candidates, 1 + decision->count);
    snprintf(reader->place, sizeof reader->place, "%s %d", set->lines ? "line" : "item",
             item->number);
    *cells++ = value_text(reader->place);
    *cells++ = verdict(list, decision);
    *cells++ = value_int(number_of(list, row) + 1);
    *cells++ = value_text(set->paths[0]);
    *cells++ = value_int(item->number);
    cells = put_kind(cells, list->suite, decision);
    *cells++ = value_text(item->source);
    *cells++ = value_bool(is_correct(list, decision));
    cells = put_margins(cells, list, decision, &rival);
    *cells++ = value_text(item->source);
    *cells++ = value_text(item->reference);
    *cells = value_table(reader->candidates);
}

void report_decisions(struct report *report, unsigned in, const char *key,
                      const struct decision_list *list)
{
    bool two = list->scores[1] != NULL;
    const char *correct = two ? "won" : "correct";
    const struct column columns[] = {{.title = ""},
                                     {.title = ""},
                                     {.name = "decision"},
                                     {.key = "file"},
                                     {.key = "number", .name = "number"},
                                     {.all = "type", .title = ""},
                                     {.all = "sense", .title = ""},
                                     {.all = "distance", .type = COLUMN_INT},
                                     {.all = "frequency", .type = COLUMN_INT},
                                     {.key = "source", .title = "source", .type = COLUMN_SENTENCE},
                                     {.key = correct, .name = correct},
                                     {.name = two ? "margin_before" : "margin"},
                                     {.name = two ? "margin_after" : NULL},
                                     {.name = "source"},
                                     {.name = "reference"},
                                     {.key = "candidates", .title = ""}};
    struct reader *reader = reader_new(report, list);
    struct table *table = report_table(report, in, key, columns, COUNT(columns));
    table->style = TABLE_RECORDS;
    if (!reader)
        return;
    reader->candidates = two ? report_inner_table(report, in_two_states, COUNT(in_two_states))
                             : report_inner_table(report, in_one_state, COUNT(in_one_state));
    table_rows_from(reader->candidates, 0, fill_candidate, reader);
    table_rows_from(table, list->count, fill_decision, reader);
}

/* Candidates ----------------------------------------------------------------------------------- */

/* Rows are read in order, or from the first one again. */
static void seek(struct reader *reader, int row)
{
    if (row < reader->row || reader->row < 0)
        reader->row = reader->at = reader->candidate = 0;
    for (; reader->row < row; reader->row++)
        if (++reader->candidate > decision_at(&reader->list, reader->at)->count) {
            reader->candidate = 0;
            reader->at++;
        }
}

static void fill_line(void *data, int row, struct value *cells)
{
    struct reader *reader = data;
    const struct decision_list *list = &reader->list;
    seek(reader, row);
    const struct decision *decision = decision_at(list, reader->at);
    const struct suite_item *item = item_of(list, decision);
    int candidate = candidate_of(decision, reader->candidate);
    *cells++ = value_int(number_of(list, reader->at) + 1);
    *cells++ = value_int(item->number);
    cells = put_kind(cells, list->suite, decision);
    *cells++ = value_bool(is_correct(list, decision));
    *cells++ = value_int(candidate);
    cells = put_score(cells, list, 0, decision, candidate);
    *cells++ = value_text(item->source);
    *cells = value_text(suite_candidate(item, candidate));
}

void report_candidates(struct report *report, const struct decision_list *list)
{
    static const struct column columns[] = {
        {.name = "decision"}, {.name = "number"},    {.name = "type"},    {.name = "sense"},
        {.name = "distance"}, {.name = "frequency"}, {.name = "correct"}, {.name = "candidate"},
        {.name = "logprob"},  {.name = "tokens"},    {.name = "score"},   {.name = "source"},
        {.name = "text"}};
    struct reader *reader = reader_new(report, list);
    struct table *table = report_table(report, IN_TABLE, NULL, columns, COUNT(columns));
    int lines = 0;
    for (int i = 0; i < list->count; i++)
        lines += 1 + decision_at(list, i)->count;
    table_rows_from(table, lines, fill_line, reader);
}

/* The screen ----------------------------------------------------------------------------------- */

static void fill_sheet(void *data, int row, struct value *cells)
{
    const struct decision_list *list = &((struct reader *)data)->list;
    const struct decision *decision = decision_at(list, row);
    const struct suite_item *item = item_of(list, decision);
    int rival;
    *cells++ = value_int(item->number);
    *cells++ = verdict(list, decision);
    cells = put_margins(cells, list, decision, &rival);
    cells = put_kind(cells, list->suite, decision);
    *cells++ = value_text(item->source);
    *cells++ = value_text(item->reference);
    *cells++ = value_text(suite_candidate(item, rival));
    *cells++ = value_real(value_of(list, 0, decision, 0));
    *cells = value_real(value_of(list, 0, decision, rival));
}

static bool fits_a_line(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            return false;
    return true;
}

/* Writes commands for the source, and for what the model's heads look at for the reference. If a
 * text does not fit in a line, Enter does nothing. */
static void write_enter(void *data, int row, FILE *out)
{
    const struct decision_list *list = &((struct reader *)data)->list;
    const struct suite_item *item = item_of(list, decision_at(list, row));
    if (!fits_a_line(item->source) || !fits_a_line(item->reference))
        return;
    fprintf(out, " %s\n:force \"", item->source); // after a blank it is not a command
    for (const char *c = item->reference; *c; c++)
        fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    fputc('"', out);
}

/* Kinds that the suite never states have no title and therefore no column. */
struct kinds {
    const char *type, *sense, *distance, *frequency;
};

static struct kinds kinds_of(const struct suite *suite)
{
    struct kinds kinds = {NULL, NULL, NULL, NULL};
    for (int i = 0; i < suite->decision_count; i++) {
        const struct decision *decision = &suite->decisions[i];
        if (decision_type(suite, decision))
            kinds.type = "type";
        if (suite->items[decision->item].sense)
            kinds.sense = "sense";
        if (decision_distance(suite, decision) != SUITE_ABSENT)
            kinds.distance = "distance";
        if (decision_frequency(suite, decision) != SUITE_ABSENT)
            kinds.frequency = "frequency";
    }
    return kinds;
}

void report_decision_sheet(struct report *report, const struct decision_list *list)
{
    const bool two = list->scores[1] != NULL;
    const struct kinds kinds = kinds_of(list->suite);
    const struct column columns[] = {
        {.title = "item", .type = COLUMN_INT},
        {.title = "", .heading = "decision"},
        {.title = two ? "margin before" : "margin", .type = COLUMN_REAL, .digits = 4},
        {.title = two ? "margin after" : NULL, .type = COLUMN_REAL, .digits = 4},
        {.title = kinds.type},
        {.title = kinds.sense},
        {.title = kinds.distance, .type = COLUMN_INT},
        {.title = kinds.frequency, .type = COLUMN_INT},
        {.title = "source", .type = COLUMN_SENTENCE},
        {.title = "reference", .type = COLUMN_SENTENCE, .compared = true},
        {.title = "contrastive", .type = COLUMN_SENTENCE, .compared = true},
        {.title = two ? NULL : "of reference", .type = COLUMN_REAL, .digits = 4},
        {.title = two ? NULL : "of contrastive", .type = COLUMN_REAL, .digits = 4}};
    struct reader *reader = reader_new(report, list);
    struct table *table =
        report_table(report, IN_SCREEN | IN_TYPESET, NULL, columns, COUNT(columns));
    table_rows_from(table, list->count, fill_sheet, reader);
    table_enter_from(table, write_enter);
}
