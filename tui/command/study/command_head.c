/* `:head`: one head in full, over files, the open test set, or the current sentence: what it does,
 * where it looks, which sentences show it, which heads are like it. */
#include <stdlib.h>
#include <string.h>

#include "model/study/alignment/align_files.h"
#include "model/study/sentences/head_card.h"
#include "tui/command/command.h"
#include "tui/command/study/report_stats.h"
#include "tui/command/study/report_study.h"
#include "tui/report/view.h"
#include "tui/report/view_report.h"
#include "tui/session/head_description.h"
#include "tui/terminal/progress.h"

static const char *const from_choices[] = {"0", "1", NULL};
enum { SELECTED, SRC, TGT, GOLD, FROM };
static const struct argument arguments[] = {
    [SELECTED] = {.kind = ARGUMENT_SELECTOR},
    [SRC] = {"SRC", .kind = ARGUMENT_FILE, .sources = true},
    [TGT] = {"TGT", .kind = ARGUMENT_FILE, .needs = ARG(SRC)},
    [GOLD] = {"GOLD", .kind = ARGUMENT_FILE, .needs = ARG(TGT)},
    [FROM] = {.keyword = "from",
              .kind = ARGUMENT_CHOICE,
              .choices = from_choices,
              .needs = ARG(GOLD)},
};

/* The card, with what the report needs of it. */
struct work {
    const struct session *session;
    struct report *report;
    struct head_card card;
    const char *gold;          // NULL: none
    struct align_result align; // of the head, where there is GOLD
    const char *files;         // SRC and TGT as words, each after a blank; "": a sentence
    const char *all_files;     // likewise with GOLD
    const char *selector;      // "cross layer 2 head 7"
    struct table *table;
};

static const struct head_stats *stats_of(const struct work *work)
{
    return &work->card.result->stats;
}

static double mean_of(const struct work *work, enum head_measure measure)
{
    return head_mean(stats_of(work), work->card.module, work->card.index, measure);
}

/* What it does --------------------------------------------------------------------------------- */

/* In self-attention, and in cross-attention. */
static const char *const habits[HEAD_KINDS][2] = {
    [HEAD_CURRENT] = {"Each token looks at itself",
                      "Each target token looks at the source token in its own place"},
    [HEAD_PREVIOUS] = {"Each token looks at the one before it",
                       "Each target token looks at the source token one place before its own"},
    [HEAD_NEXT] = {"Each token looks at the one after it",
                   "Each target token looks at the source token one place after its own"},
    [HEAD_WITHIN_WORD] = {"Each token looks at the other tokens of its word", ""},
    [HEAD_EOS] = {"Tokens look at the end-of-sentence token",
                  "Target tokens look at the source's end-of-sentence token"},
    [HEAD_PUNCTUATION] = {"Tokens look at punctuation",
                          "Target tokens look at punctuation of the source"},
    [HEAD_RARE] = {"Tokens look at the sentence's rarest token",
                   "Target tokens look at the source's rarest token"},
    [HEAD_SYNTACTIC] = {"Words look along a syntactic relation", ""},
    [HEAD_START] = {"Tokens look at the beginning of the sentence",
                    "Target tokens look at the beginning of the source"},
    [HEAD_END] = {"Tokens look at the end of the sentence",
                  "Target tokens look at the end of the source"},
    [HEAD_BROAD] = {"Each token looks at the whole sentence, almost evenly",
                    "Each target token looks at the whole source, almost evenly"},
    [HEAD_LEFT] = {"Each token looks further left than the one before it",
                   "Each target token looks at the source left of its own place"},
    [HEAD_RIGHT] = {"Each token looks further right than the one after it",
                    "Each target token looks at the source right of its own place"},
    [HEAD_FOCUSED] = {"Each token picks one token, now here, now there",
                      "Each target token picks one source token, now here, now there"},
    [HEAD_MIXED] = {"No single habit", "No single habit"},
    [HEAD_UNUSED] = {"No token has any weight", "No target token has any weight"},
};

/* Of the kinds whose rule is a share of the weight. NaN: it is another one. */
static double share_of_kind(const struct work *work, enum head_kind kind)
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
        return head_place_share(stats_of(work), card->module, card->index, places[kind]);
    case HEAD_WITHIN_WORD:
    case HEAD_EOS:
    case HEAD_PUNCTUATION:
    case HEAD_RARE:
        return mean_of(work, head_kinds[kind].measure);
    default:
        return NAN;
    }
}

static const char *evidence(const struct work *work, enum head_kind kind)
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
        head_relation(stats_of(work), work->card.index, &relation, &direction))
        return report_format(report, ", %s to %s.", work->card.result->relations.text[relation],
                             relation_direction_names[direction]);
    if (kind == HEAD_BROAD)
        return report_format(report, ": the entropy is %.1f bits.", mean_of(work, MEASURE_ENTROPY));
    return report_format(report, ": the greatest weight of a row is %.0f %% on average.",
                         100 * mean_of(work, MEASURE_CONFIDENCE));
}

/* Lines ---------------------------------------------------------------------------------------- */

static void put(const struct work *work, const char *part, struct value value, const char *text)
{
    table_add(work->table, value_text(part), value, value_text(text));
}

struct share {
    const char *name;
    double share;
};

/* The greatest first, NaN last. */
static int compare_shares(const void *a, const void *b)
{
    const struct share *one = a, *other = b;
    if (isnan(one->share) || isnan(other->share))
        return isnan(one->share) - isnan(other->share);
    return (one->share < other->share) - (one->share > other->share);
}

/* The greatest shares in one line, and as a list of JSON. */
static void put_shares(const struct work *work, const char *key, struct share *shares, int count,
                       int most)
{
    static const struct column columns[] = {{.key = "name"}, {.key = "share"}};
    enum { LEAST = 200 }; // what is less than the 200th part is left out
    struct report *report = work->report;
    struct table *list = report_table(report, IN_JSON, key, columns, COUNT(columns));
    struct report_writer writer;
    qsort(shares, (size_t)count, sizeof *shares, compare_shares);
    FILE *out = report_write(&writer, report);
    for (int i = 0; out && i < count && i < most && shares[i].share * LEAST >= 1; i++) {
        table_add(list, value_text(shares[i].name), value_real(shares[i].share));
        fprintf(out, "%s%s %.0f %%", i ? "  " : "", shares[i].name, 100 * shares[i].share);
    }
    const char *text = report_written(&writer);
    if (*text)
        put(work, key, value_shown(report, value_real(shares[0].share), "", shares[0].share), text);
}

/* Enter lists sentences by the measure. */
static void enter_measure(const struct work *work, enum head_measure measure)
{
    if (*work->files && work->table->row_count)
        table_enter(work->table, ":stats%s %s show %s", work->files, work->selector,
                    head_measure_names[measure]);
}

static void put_places(const struct work *work)
{
    static const char *const names[2][HEAD_PLACES] = {
        {"itself", "before it", "after it", "further left", "further right"},
        {"same place", "before it", "after it", "further left", "further right"}};
    const struct head_card *card = &work->card;
    struct share shares[HEAD_PLACES];
    for (int p = 0; p < HEAD_PLACES; p++)
        shares[p] = (struct share){names[card->module == MODULE_CROSS][p],
                                   head_place_share(stats_of(work), card->module, card->index, p)};
    put_shares(work, "places", shares, HEAD_PLACES, HEAD_PLACES);
    enter_measure(work, MEASURE_DISTANCE);
}

static void put_offsets(const struct work *work)
{
    enum { FURTHEST = 60, MOST = 4 };
    const struct head_card *card = &work->card;
    struct share shares[2 * FURTHEST + 1];
    for (int i = 0; i <= 2 * FURTHEST; i++)
        shares[i] = (struct share){
            report_format(work->report, i == FURTHEST ? "%d" : "%+d", i - FURTHEST),
            head_offset_share(stats_of(work), card->module, card->index, i - FURTHEST)};
    put_shares(work, "offsets", shares, COUNT(shares), MOST);
    enter_measure(work, MEASURE_OFFSET);
}

static void put_tokens(const struct work *work)
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
        shares[i] = (struct share){kinds[i].name, mean_of(work, kinds[i].measure)};
        most = shares[i].share > mean_of(work, most) ? kinds[i].measure : most;
    }
    const int rows = work->table->row_count;
    put_shares(work, "tokens", shares, COUNT(shares), COUNT(shares));
    if (work->table->row_count > rows)
        enter_measure(work, most);
}

static void put_pos(const struct work *work)
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

/* How often it is right about a relation, where there are rows enough. */
static void put_relations(const struct work *work)
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

static const char *piece(const struct work *work, bool of_row, int id)
{
    const struct checkpoint *checkpoint = work->session->loaded->checkpoint;
    const enum module module = work->card.module;
    const int side =
        module == MODULE_DECODER || (of_row && module == MODULE_CROSS) ? SIDE_TARGET : SIDE_SOURCE;
    return report_take_text(
        work->report,
        display_label(checkpoint, side, false, vocabulary_piece(checkpoint->vocabulary[side], id)));
}

/* The strongest: those with the most weight in all. */
static void put_pairs(const struct work *work)
{
    enum { MOST = 6 };
    static const struct column columns[] = {
        {.key = "row"}, {.key = "column"}, {.key = "count"}, {.key = "weight"}};
    const struct head_pairs *pairs = &work->card.pairs;
    struct report *report = work->report;
    struct table *list = report_table(report, IN_JSON, "pairs", columns, COUNT(columns));
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    for (int i = 0; out && i < pairs->count && i < MOST; i++) {
        const struct head_pair *pair = &pairs->pairs[i];
        const char *row = piece(work, true, pair->row), *column = piece(work, false, pair->column);
        const double weight = pair->weight / (double)pair->count;
        table_add(list, value_text(row), value_text(column), value_int(pair->count),
                  value_real(weight));
        fprintf(out, "%s%s \xe2\x86\x92 %s %.2f", i ? "  " : "", row, column, weight);
        if (pair->count > 1)
            fprintf(out, " \xc3\x97%lld", (long long)pair->count);
    }
    const char *text = report_written(&writer);
    if (pairs->count)
        put(work, !work->card.pairs_most ? "pairs" : "pairs (most)", value_null(), text);
}

/* Sentences and heads -------------------------------------------------------------------------- */

enum { LISTED = 3 };

static void put_examples(const struct work *work, const struct head_example *examples, int count,
                         struct example_texts *texts, bool most, struct table *list)
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

static bool add_examples(const struct work *work, struct status *status)
{
    static const struct column columns[] = {{.key = "shows"},
                                            {.key = "sentence"},
                                            {.key = "mean"},
                                            {.key = "source"},
                                            {.key = "target"}};
    const struct head_card *card = &work->card;
    const struct head_examples *of =
        head_examples(stats_of(work), card->module, card->index, card->measure);
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

/* The heads of the module that are nearest. */
static void put_nearest(const struct work *work)
{
    static const struct column columns[] = {
        {.key = "layer"}, {.key = "head"}, {.key = "name"}, {.key = "distance"}};
    const struct head_card *card = &work->card;
    const struct module_stats *module = &stats_of(work)->modules[card->module];
    struct report *report = work->report;
    struct table *list = report_table(report, IN_JSON, "nearest", columns, COUNT(columns));
    double last = -1;
    for (int n = 0, last_at = -1; n < LISTED; n++) {
        int best = -1;
        double least = INFINITY;
        for (int k = 0; k < module->count; k++) {
            const double distance = head_distance(stats_of(work), card->module, card->index, k);
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

static void put_alignment(const struct work *work)
{
    const struct align_head *best = &work->align.heads[work->align.best];
    const double error = alignment_error_rate(&best->counts);
    if (!work->align.sentences)
        return;
    report_json(work->report, "aer", value_real(error));
    report_json(work->report, "shift", value_bool(best->shifted));
    put(work, "alignment",
        value_shown(work->report, value_real(error),
                    report_format(work->report, "%.1f %%", 100 * error), error),
        report_format(work->report, "alignment error rate%s", best->shifted ? ", shifted" : ""));
    table_enter(work->table, ":align%s %s%s", work->all_files, work->selector,
                best->shifted ? " shifted" : "");
}

/* Enter runs what takes time. */
static void put_ablation(const struct work *work)
{
    if (!work->card.target)
        return;
    put(work, "BLEU", value_null(), "Enter measures BLEU without this head");
    table_enter(work->table, ":ablate %s %s %s", report_quoted(work->report, work->card.source),
                report_quoted(work->report, work->card.target), work->selector);
}

static void put_settings(const struct work *work)
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

/* What it would take translations to know is measured by Enter. */
static void put_importance(const struct work *work)
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

static void plot_offsets(const struct work *work)
{
    enum { FURTHEST = 8, POINTS = 2 * FURTHEST + 1 };
    const struct head_card *card = &work->card;
    struct report *report = work->report;
    struct plot *plot = report_plot(report, IN_FIGURE, PLOT_BARS, 1, POINTS);
    const char **labels = report_new(report, POINTS, sizeof *labels);
    for (int i = 0; plot->values && labels && i < POINTS; i++) {
        labels[i] = report_format(report, i == FURTHEST ? "%d" : "%+d", i - FURTHEST);
        plot->values[i] =
            (float)head_offset_share(stats_of(work), card->module, card->index, i - FURTHEST);
    }
    plot->labels = labels;
    plot->x_title = "offset of the greatest weight";
    plot->y_title = "share of rows";
}

static void describe(const struct work *work)
{
    const struct head_card *card = &work->card;
    const struct config *config = session_config(work->session);
    struct report *report = work->report;
    const struct head_stats_result *result = card->result;
    const enum head_kind kind = head_kind(&result->stats, card->module, card->index);
    const char *name = report_head_kind(report, result, card->module, card->index);
    const char *summary = report_format(report, "%s%s", habits[kind][card->module == MODULE_CROSS],
                                        evidence(work, kind));
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

static bool fill_report(struct work *work, struct status *status)
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
    put_importance(work);
    put_ablation(work);
    plot_offsets(work);
    return true;
}

/* Running -------------------------------------------------------------------------------------- */

static void release(void *data)
{
    struct work *work = data;
    head_card_free(&work->card);
    align_free(&work->align);
}

/* Files that are named, or those of the open test set; without either it is of the sentence. */
static void choose_files(struct work *work, const struct argument_values *given)
{
    const struct testset *testset = work->session->testset;
    struct report *report = work->report;
    const char *files[] = {argument_text(given, SRC), argument_text(given, TGT),
                           argument_text(given, GOLD)};
    if (!files[0] && testset) {
        files[0] = testset->path;
        files[1] = testset->reference_path;
    }
    work->card.source = report_copy(report, files[0]);
    work->card.target = report_copy(report, files[1]);
    work->gold = report_copy(report, files[2]);
    work->all_files = work->files = "";
    for (int i = 0; i < COUNT(files) && files[i]; i++) {
        work->all_files =
            report_format(report, "%s %s", work->all_files, report_quoted(report, files[i]));
        work->files = i < 2 ? work->all_files : work->files;
    }
    work->align.gold_from = argument_choice(given, FROM, GOLD_FROM_USUAL);
    if (argument_given(given, FROM))
        work->all_files =
            report_format(report, "%s from %d", work->all_files, work->align.gold_from);
}

static bool choose_head(struct session *session, const struct argument_values *given,
                        struct work *work, struct status *status)
{
    struct view view;
    if (!view_choose(session, &given->selector, &view, status))
        return false;
    if (view.head < 0)
        return status_fail(status, STATUS_INVALID, "expected one head, such as cross 2.7");
    work->card.module = view.module;
    work->card.layer = view.layer;
    work->card.head = view.head;
    work->selector = report_format(work->report, "%s layer %d head %d", module_names[view.module],
                                   view.layer + 1, view.head + 1);
    session->view = view;
    return true;
}

static bool align_gold(const struct study_context *context, struct work *work,
                       struct status *status)
{
    const char *const files[] = {work->card.source, work->card.target, work->gold};
    if (!work->gold || work->card.module != MODULE_CROSS)
        return true;
    for (int i = 0; i < COUNT(files); i++)
        if (!strings_add(&work->align.files, files[i], strlen(files[i]), status))
            return false;
    work->align.heads = memory_new(2, sizeof *work->align.heads, status);
    if (!work->align.heads)
        return false;
    for (int shifted = 0; shifted < 2; shifted++)
        work->align.heads[work->align.head_count++] = (struct align_head){
            .layer = work->card.layer, .head = work->card.head, .shifted = shifted};
    return align_run(context, &work->align, status);
}

static bool measure_sentence(struct session *session, struct work *work, struct status *status)
{
    const struct sentence_pair *pair = session_current(session, status);
    if (!pair)
        return false;
    const struct hypothesis *target = pair_hypothesis(pair);
    const struct walk_sentence sentence = {.state = &session->state,
                                           .watch = &progress_watch,
                                           .text = pair->text,
                                           .source = pair->source,
                                           .ids = target->ids,
                                           .count = target->count};
    report_origin(work->report, session, pair);
    return head_card_add(&sentence, &work->card, status);
}

/* Those of the test set stand in no argument. */
static void keep_files(struct work *work)
{
    struct origin *origin = &work->report->origin;
    const char *const files[] = {work->card.source, work->card.target, work->gold};
    origin->files = report_new(work->report, COUNT(files), sizeof *origin->files);
    for (int i = 0; origin->files && i < COUNT(files) && files[i]; i++)
        origin->files[origin->file_count++] = files[i];
}

/* Results of other sessions are of other questions. */
static bool measure_files(struct session *session, struct work *work, struct status *status)
{
    struct study_context context = session_study(session, &progress_watch);
    context.shards = NULL;
    work->report->navigation.kind = VIEW_FILE;
    work->report->of_testset = true;
    work->report->origin.state = states_current(session);
    keep_files(work);
    return head_card_run(&context, &work->card, status) && align_gold(&context, work, status);
}

static bool run_head(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    struct work *work = report_hold(report, sizeof *work, release);
    struct status other;
    if (!work || report_needs_whole(report, session))
        return report_end(report, status);
    *work = (struct work){.session = session, .report = report};
    choose_files(work, request->given);
    bool ok = choose_head(session, request->given, work, status) &&
              (work->card.source ? measure_files : measure_sentence)(session, work, status);
    const bool found = work->card.result && study_found(ok, true, status);
    if (found && !fill_report(work, &other)) {
        *status = other;
        return false;
    }
    return study_finish(ok, found, report, status);
}

static const struct help_item meanings[] = {
    {"SELECTOR", "the head, such as cross 2.7; by default the one last shown"},
    {"SRC, TGT",
     "what it is measured over: one sentence a line, and translations that are forced; without TGT "
     "the model's own. Without SRC it is the open test set, with its references; where none is "
     "open, the current sentence"},
    {"GOLD, from",
     "word alignments made by hand (:help align), for the error rate of cross-attention"},
    {NULL, NULL},
};
static const struct help_item column_meanings[] = {
    {"places",
     "the mean weight on each place; further left and right are beyond the neighbours. In "
     "cross-attention places are counted as :stats does"},
    {"offsets", "how often the greatest weight of a row is there"},
    {"tokens",
     "the mean weight on end-of-sentence, punctuation, the sentence's rarest token, other tokens "
     "of the same word"},
    {"pos, relations",
     "of a CoNLL-U file (:help gates): the weight on parts of speech; in the encoder also "
     "relations, and how often they are found"},
    {"pairs",
     "tokens and the tokens that their greatest weight is on, by the sum of these weights; the "
     "mean, and how often if more than once. Heads of the decoder and of cross-attention, where "
     "there is no TGT: in the ten sentences that show the head most"},
    {"shown most", "sentences by the measure that goes with the name; Enter opens one"},
    {"nearest", "heads of the module by Jensen-Shannon distance (:help stats); Enter shows one"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "The name and its rule are those of :stats. On the screen Enter leads here from a head's "
    "picture, and in tables of heads from the columns that name one; on a line here it opens what "
    "the line is of.",
    "After Ctrl-C the card is of the sentences before it.",
    "Figures show how often the greatest weight is at each offset.",
    NULL,
};

const struct command command_head = {
    .name = "head",
    .summary = "one head in full: what it does, where it looks, what shows it",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .columns = column_meanings,
    .notes = notes,
    .examples = (const char *const[]){STARS, ":head cross 2.7", ":open " TESTSET, ":head enc 1.3",
                                      ":head cross 2.7 " ALIGNED " samples/aligned.pharaoh", NULL},
    .run = run_head,
    .group = GROUP_VIEWS,
    .view = true,
};
