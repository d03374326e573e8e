#include "tui/command/study/report_head.h"

#include <stdlib.h>

#include "model/study/sentences/head_pairs.h"
#include "report/view.h"
#include "report/view_report.h"
#include "session/head_description.h"
#include "tui/command/study/report_align.h"
#include "tui/command/study/report_stats.h"

/* Lines ---------------------------------------------------------------------------------------- */

static void put(const struct head_report *work, const char *part, struct value value,
                const char *text)
{
    table_add(work->table, value_text(part), value, value_text(text));
}

/* The same where people read several items in one line, and files have a row for each. */
static void put_line(const struct head_report *work, const char *part, struct value value,
                     const char *text)
{
    table_add_in(work->table, FOR_PEOPLE, value_text(part), value, value_text(text));
}

static void put_item(const struct head_report *work, const char *part, double value,
                     const char *text)
{
    table_add_in(work->table, IN_TABLE | IN_ARRAYS, value_text(part), value_real(value),
                 value_text(text));
}

struct share {
    const char *name;
    double share;
};

/* Orders the greatest first, NaN last. */
static int compare_shares(const void *a, const void *b)
{
    const struct share *one = a, *other = b;
    if (isnan(one->share) || isnan(other->share))
        return isnan(one->share) - isnan(other->share);
    return (one->share < other->share) - (one->share > other->share);
}

/* Puts the greatest shares in one line, and as a list in JSON. */
static void put_shares(const struct head_report *work, const char *key, struct share *shares,
                       int count, int most)
{
    static const struct column columns[] = {{.key = "name"}, {.key = "share"}};
    enum { LEAST = 200 }; // less than a 200th part is left out
    struct report *report = work->report;
    struct table *list = report_table(report, IN_JSON, key, columns, COUNT(columns));
    struct report_writer writer;
    qsort(shares, (size_t)count, sizeof *shares, compare_shares);
    FILE *out = report_write(&writer, report);
    for (int i = 0; out && i < count && i < most && shares[i].share * LEAST >= 1; i++) {
        table_add(list, value_text(shares[i].name), value_real(shares[i].share));
        put_item(work, key, shares[i].share, shares[i].name);
        fprintf(out, "%s%s %.0f %%", i ? "  " : "", shares[i].name, 100 * shares[i].share);
    }
    const char *text = report_written(&writer);
    if (*text)
        put_line(work, key, value_shown(report, value_real(shares[0].share), "", shares[0].share),
                 text);
}

/* Enter lists sentences by the measure. */
static void enter_measure(const struct head_report *work, enum head_measure measure)
{
    if (*work->files && work->table->row_count)
        table_enter(work->table, ":stats%s %s show %s", work->files, work->selector,
                    head_measure_names[measure]);
}

static void put_places(const struct head_report *work)
{
    static const char *const names[2][HEAD_PLACES] = {
        {"itself", "before it", "after it", "further left", "further right"},
        {"same place", "before it", "after it", "further left", "further right"}};
    const struct head_card *card = &work->card;
    struct share shares[HEAD_PLACES];
    for (int p = 0; p < HEAD_PLACES; p++)
        shares[p] =
            (struct share){names[card->module == MODULE_CROSS][p],
                           head_place_share(head_report_stats(work), card->module, card->index, p)};
    put_shares(work, "places", shares, HEAD_PLACES, HEAD_PLACES);
    enter_measure(work, MEASURE_DISTANCE);
}

static void put_offsets(const struct head_report *work)
{
    enum { FURTHEST = 60, MOST = 4 };
    const struct head_card *card = &work->card;
    struct share shares[2 * FURTHEST + 1];
    for (int i = 0; i <= 2 * FURTHEST; i++)
        shares[i] = (struct share){
            report_format(work->report, i == FURTHEST ? "%d" : "%+d", i - FURTHEST),
            head_offset_share(head_report_stats(work), card->module, card->index, i - FURTHEST)};
    put_shares(work, "offsets", shares, COUNT(shares), MOST);
    enter_measure(work, MEASURE_OFFSET);
}

static void put_tokens(const struct head_report *work)
{
    static const struct {
        enum head_measure measure;
        const char *name;
    } kinds[] = {{MEASURE_EOS, "</s>"},
                 {MEASURE_PUNCTUATION, "punctuation"},
                 {MEASURE_RARE, "rarest"},
                 {MEASURE_WITHIN_WORD, "own word"}};
    struct share shares[COUNT(kinds)];
    enum head_measure most = kinds[0].measure;
    for (int i = 0; i < COUNT(kinds); i++) {
        shares[i] = (struct share){kinds[i].name, head_report_mean(work, kinds[i].measure)};
        most = shares[i].share > head_report_mean(work, most) ? kinds[i].measure : most;
    }
    const int rows = work->table->row_count;
    put_shares(work, "tokens", shares, COUNT(shares), COUNT(shares));
    if (work->table->row_count > rows)
        enter_measure(work, most);
}

static void put_pos(const struct head_report *work)
{
    enum { MOST = 5 };
    const struct pos_sums *sums = &work->card.pairs.pos;
    struct share *shares = report_new(work->report, (size_t)sums->places, sizeof *shares);
    for (int i = 0; shares && i < sums->places; i++)
        shares[i] =
            (struct share){report_copy(work->report, sums->names[i]),
                           *sums->names[i] ? head_pairs_pos_share(&work->card.pairs, i) : NAN};
    if (shares && sums->places)
        put_shares(work, "pos", shares, sums->places, MOST);
}

/* Reports how often the head is right about a relation, if there are enough rows. */
static void put_relations(const struct head_report *work)
{
    enum { MOST = 4 };
    const struct head_stats_result *result = work->card.result;
    const struct head_relations *all = &result->stats.relations;
    const int most = work->card.module == MODULE_ENCODER ? all->count : 0;
    struct share *shares = report_new(work->report, (size_t)most, sizeof *shares);
    int count = 0;
    for (int i = 0; shares && i < most; i++) {
        const int relation = i / RELATION_DIRECTIONS;
        const enum relation_direction direction =
            (enum relation_direction)(i % RELATION_DIRECTIONS);
        if (relation_rows(all, relation, direction) < RELATION_ROWS_LEAST)
            continue;
        shares[count++] =
            (struct share){report_format(work->report, "%s to %s", result->relations.text[relation],
                                         relation_direction_names[direction]),
                           relation_accuracy(all, relation, direction, work->card.index)};
    }
    if (count)
        put_shares(work, "relations", shares, count, MOST);
}

/* Pairs ---------------------------------------------------------------------------------------- */

static const char *piece(const struct head_report *work, bool of_row, int id)
{
    const struct checkpoint *checkpoint = work->session->loaded->checkpoint;
    const enum module module = work->card.module;
    const int side =
        module == MODULE_DECODER || (of_row && module == MODULE_CROSS) ? SIDE_TARGET : SIDE_SOURCE;
    return report_take_text(
        work->report,
        display_label(checkpoint, side, false, vocabulary_piece(checkpoint->vocabulary[side], id)));
}

/* Puts the strongest pairs: those with the most weight in all. */
static void put_pairs(const struct head_report *work)
{
    enum { MOST = 6 };
    static const struct column columns[] = {
        {.key = "row"}, {.key = "column"}, {.key = "count"}, {.key = "weight"}};
    const struct head_pairs *pairs = &work->card.pairs;
    struct report *report = work->report;
    const char *part = !work->card.pairs_most ? "pairs" : "pairs (most)";
    struct table *list = report_table(report, IN_JSON, "pairs", columns, COUNT(columns));
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    for (int i = 0; out && i < pairs->count && i < MOST; i++) {
        const struct head_pair *pair = &pairs->pairs[i];
        const char *row = piece(work, true, pair->row), *column = piece(work, false, pair->column);
        const double weight = pair->weight / (double)pair->count;
        table_add(list, value_text(row), value_text(column), value_int(pair->count),
                  value_real(weight));
        put_item(work, part, weight, report_format(report, "%s \xe2\x86\x92 %s", row, column));
        fprintf(out, "%s%s \xe2\x86\x92 %s %.2f", i ? "  " : "", row, column, weight);
        if (pair->count > 1)
            fprintf(out, " \xc3\x97%lld", (long long)pair->count);
    }
    const char *text = report_written(&writer);
    if (pairs->count)
        put_line(work, part, value_null(), text);
}

/* Sentences and heads -------------------------------------------------------------------------- */

enum { LISTED = 3 };

static void put_examples(const struct head_report *work, const struct head_example *examples,
                         int count, struct example_texts *texts, bool most, struct table *list)
{
    const struct head_card *card = &work->card;
    struct report *report = work->report;
    for (int i = 0; i < count; i++) {
        const struct value mean = value_real(examples[i].mean);
        table_add(list, value_text(most ? "most" : "least"), value_int(examples[i].sentence), mean,
                  value_text(texts[i].source), value_text(texts[i].target));
        put(work, most ? "shown most" : "shown least", mean,
            report_format(report, "%d  %s", examples[i].sentence,
                          texts[i].source ? texts[i].source : ""));
        report_example_enter(work->table, work->files, card->target != NULL, &examples[i],
                             work->selector);
    }
}

static bool add_examples(const struct head_report *work, struct status *status)
{
    static const struct column columns[] = {{.key = "shows"},
                                            {.key = "sentence"},
                                            {.key = "mean"},
                                            {.key = "source"},
                                            {.key = "target"}};
    const struct head_card *card = &work->card;
    const struct head_examples *of =
        head_examples(head_report_stats(work), card->module, card->index, card->measure);
    const int count = of->count < LISTED ? of->count : LISTED;
    struct example_texts texts[2][LISTED] = {{{NULL, NULL}}};
    if (!report_examples_read(work->report, card->source, card->target, of->most, count, texts[0],
                              status) ||
        !report_examples_read(work->report, card->source, card->target, of->least, count, texts[1],
                              status))
        return false;
    struct table *list = report_table(work->report, IN_JSON, "examples", columns, COUNT(columns));
    put_examples(work, of->most, count, texts[0], true, list);
    put_examples(work, of->least, count, texts[1], false, list);
    return true;
}

/* Puts the module's nearest heads. */
static void put_nearest(const struct head_report *work)
{
    static const struct column columns[] = {
        {.key = "layer"}, {.key = "head"}, {.key = "name"}, {.key = "distance"}};
    const struct head_card *card = &work->card;
    const struct module_stats *module = &head_report_stats(work)->modules[card->module];
    struct report *report = work->report;
    struct table *list = report_table(report, IN_JSON, "nearest", columns, COUNT(columns));
    double last = -1;
    for (int n = 0, last_at = -1; n < LISTED; n++) {
        int best = -1;
        double least = INFINITY;
        for (int k = 0; k < module->count; k++) {
            const double distance =
                head_distance(head_report_stats(work), card->module, card->index, k);
            const bool later = distance > last || (distance == last && k > last_at);
            if (k != card->index && later && distance < least) {
                least = distance;
                best = k;
            }
        }
        if (best < 0)
            return;
        last = least;
        last_at = best;
        const int layer = module->of[best] / module->heads, head = module->of[best] % module->heads;
        const char *name = report_head_kind(report, card->result, card->module, best);
        table_add(list, value_int(layer + 1), value_int(head + 1), value_text(name),
                  value_real(least));
        put(work, "nearest", value_real(least),
            report_format(report, "%s  %s",
                          report_head_name(report, module_names[card->module], layer, head), name));
        table_enter(work->table, ":head %s layer %d head %d%s", module_names[card->module],
                    layer + 1, head + 1, work->all_files);
    }
}

/* What else is known --------------------------------------------------------------------------- */

static void put_error(const struct head_report *work, const struct align_head *best)
{
    const double error = alignment_error_rate(&best->counts);
    report_json(work->report, "aer", value_real(error));
    put(work, "alignment",
        value_shown(work->report, value_real(error),
                    report_format(work->report, "%.1f %%", 100 * error), error),
        report_format(work->report, "alignment error rate%s", best->shifted ? ", shifted" : ""));
}

/* Reports the agreement with another alignment if there is none made by hand. */
static void put_agreement(const struct head_report *work, const struct align_head *best)
{
    struct report *report = work->report;
    const double error = alignment_error_rate(&best->counts), alike = align_agreement(best);
    const char *silver = report_silver(report, work->session, &work->align.silver);
    report_json(report, "against", value_text(silver));
    report_json(report, "agreement", value_real(alike));
    report_json(report, "silver_aer", value_real(error));
    put(work, "alignment",
        value_shown(report, value_real(alike), report_format(report, "%.1f %%", 100 * alike),
                    alike),
        report_format(report, "agreement%s with %s (silver, not made by hand)",
                      best->shifted ? ", shifted," : "", silver));
}

static void put_alignment(const struct head_report *work)
{
    const struct align_head *best = &work->align.heads[work->align.best];
    if (!work->align.sentences)
        return;
    report_json(work->report, "shift", value_bool(best->shifted));
    (work->gold ? put_error : put_agreement)(work, best);
    table_enter(work->table, ":align%s %s%s", work->all_files, work->selector,
                best->shifted ? " shifted" : "");
}

/* What takes time is run by Enter. */
static void put_ablation(const struct head_report *work)
{
    if (!work->card.target)
        return;
    put(work, "BLEU", value_null(), "Enter measures BLEU without this head");
    table_enter(work->table, ":ablate %s %s %s", report_quoted(work->report, work->card.source),
                report_quoted(work->report, work->card.target), work->selector);
}

static void put_settings(const struct head_report *work)
{
    const struct session *session = work->session;
    const struct head_card *card = &work->card;
    struct report *report = work->report;
    const struct head *head =
        head_settings_head(session->state.head_settings, card->module, card->layer, card->head);
    const bool off = head_off(session, card->module, card->layer, card->head);
    char text[100], exception[100];
    describe_head(head, text, sizeof text);
    describe_exception(head, exception, sizeof exception);
    report_json(report, "setting", value_text(report_copy(report, text)));
    report_json(report, "off", value_bool(off));
    if (*exception || off)
        put(work, "setting", value_null(),
            report_format(report, "%s%s", text, off ? "  switched off" : ""));
}

/* Reports how many positions entmax leaves without weight. */
static void put_zeros(const struct head_report *work)
{
    const struct head_card *card = &work->card;
    const struct head *head = head_settings_head(work->session->state.head_settings, card->module,
                                                 card->layer, card->head);
    const double zeros = head_zeros(head_report_stats(work), card->module, card->index);
    if (!head_has_entmax(head) || isnan(zeros))
        return;
    report_json(work->report, "alpha", value_real(head_alpha(head)));
    report_json(work->report, "zeros", value_real(zeros));
    put(work, "zeros", value_real(zeros),
        report_format(work->report, "%.0f %% of the positions of a row have no weight at all",
                      100 * zeros));
}

/* What needs translations is measured by Enter. */
static void put_importance(const struct head_report *work)
{
    const struct head_card *card = &work->card;
    const struct config *config = session_config(work->session);
    struct report *report = work->report;
    if (!layer_has_importance(config, card->module, card->layer) || !card->pairs.rows)
        return;
    const double importance =
        card->pairs_most ? NAN : card->pairs.importance / (double)card->pairs.rows;
    report_json(report, "importance", value_real(importance));
    if (card->pairs_most)
        put(work, "importance", value_null(), "Enter measures how important it is (dhicm)");
    else
        put(work, "importance",
            value_shown(report, value_real(importance),
                        report_format(report, "%.1f %%", 100 * importance), importance),
            report_format(report, "mean over tokens (dhicm); %.1f %% would be even",
                          100.0 / module_heads(config, card->module)));
    if (*work->files)
        table_enter(work->table, ":importance %s layer %d %s", module_names[card->module],
                    card->layer + 1, report_quoted(report, card->source));
}

/* The report ----------------------------------------------------------------------------------- */

static void plot_offsets(const struct head_report *work)
{
    enum { FURTHEST = 8, POINTS = 2 * FURTHEST + 1 };
    const struct head_card *card = &work->card;
    struct report *report = work->report;
    struct plot *plot = report_plot(report, IN_FIGURE, PLOT_BARS, 1, POINTS);
    const char **labels = report_new(report, POINTS, sizeof *labels);
    for (int i = 0; plot->values && labels && i < POINTS; i++) {
        labels[i] = report_format(report, i == FURTHEST ? "%d" : "%+d", i - FURTHEST);
        plot->values[i] = (float)head_offset_share(head_report_stats(work), card->module,
                                                   card->index, i - FURTHEST);
    }
    plot->labels = labels;
    plot->x_title = "offset of the greatest weight";
    plot->y_title = "share of rows";
}

static void describe(const struct head_report *work)
{
    const struct head_card *card = &work->card;
    const struct config *config = session_config(work->session);
    struct report *report = work->report;
    const struct head_stats_result *result = card->result;
    const char *name = report_head_kind(report, result, card->module, card->index);
    const char *summary = head_sentence(work);
    report_title(report, "%s  layer %d/%d  head %d/%d  %s", module_names[card->module],
                 card->layer + 1, module_layers(config, card->module), card->head + 1,
                 module_heads(config, card->module), name);
    report_command(report, "head %s%s", work->selector, work->all_files);
    report_json(report, "module", value_text(module_names[card->module]));
    report_json(report, "layer", value_int(card->layer + 1));
    report_json(report, "head", value_int(card->head + 1));
    report_json(report, "name", value_text(name));
    report_json(report, "summary", value_text(summary));
    report_json(report, "file", value_text(report_copy(report, card->source)));
    report_json(report, "target", value_text(report_copy(report, card->target)));
    report_sentences(report, result->done, result->lines);
    report_json(report, "rows", value_int(head_rows(&result->stats, card->module, card->index)));
    report_json(report, "measure", value_text(head_measure_names[card->measure]));
    report_paragraph(report, FOR_PEOPLE, summary);
    if (card->source)
        report_line(report, FOR_PEOPLE, "over %d sentences of%s; shown by %s", result->done,
                    work->files, head_measure_names[card->measure]);
    else
        report_line(report, FOR_PEOPLE,
                    "over the current sentence alone; :open SRC [REF] gives it a test set");
}

bool report_head(struct head_report *work, struct status *status)
{
    static const struct column columns[] = {
        {.name = "part", .title = "", .heading = "part", .type = COLUMN_TEXT},
        {.name = "value", .title = "", .heading = "value", .type = COLUMN_REAL, .digits = 2},
        {.name = "text", .title = "", .heading = "text", .type = COLUMN_PARTS},
    };
    describe(work);
    work->table = report_table(work->report, FOR_PEOPLE | IN_TABLE | IN_ARRAYS, NULL, columns,
                               COUNT(columns));
    put_places(work);
    put_offsets(work);
    put_tokens(work);
    put_pos(work);
    put_relations(work);
    put_pairs(work);
    if (work->card.source && !add_examples(work, status))
        return false;
    put_nearest(work);
    if (work->align.head_count)
        put_alignment(work);
    put_settings(work);
    put_zeros(work);
    put_importance(work);
    put_ablation(work);
    plot_offsets(work);
    return true;
}
