#include "tui/command/study/report_align.h"

#include <stdlib.h>
#include <string.h>

#include "render/figure.h"
#include "report/view_report.h"
#include "terminal/progress.h"
#include "terminal/text/arguments.h"
#include "tui/command/study/report_study.h"

/* Words ---------------------------------------------------------------------------------------- */

const char *align_head_words(struct report *report, const struct align_result *align,
                             const struct align_head *head)
{
    const struct method_info *method = &method_table[align->method];
    const char *of = "", *as = "";
    if (method->of_heads)
        of = head->head < 0 ? report_format(report, " head %s", merged_of(head->head)->name)
                            : report_format(report, " head %d", head->head + 1);
    if (align->method != METHOD_WEIGHTS)
        as = report_format(report, " as %s", method->name);
    return report_format(report, "layer %d%s%s%s", head->layer + 1, of, as,
                         head->shifted ? " shifted" : "");
}

static struct value head_value(const struct align_head *head)
{
    return head->head < 0 ? value_text(merged_of(head->head)->name) : value_int(head->head + 1);
}

/* Returns the command's words. Without alignments to compare with, it names the head that the
 * session chose. */
static const char *command_words(struct report *report, const struct strings *words,
                                 const struct align_result *align)
{
    if (align_is_scored(align))
        return report_format(report, "align %s", report_paths(report, words));
    return report_format(report, "align %s cross %s", report_paths(report, &align->files),
                         align_head_words(report, align, &align->heads[align->best]));
}

/* Links ---------------------------------------------------------------------------------------- */

/* Returns "0-0 1-2". */
static const char *pharaoh(struct report *report, const struct align_result *align, int sentence)
{
    struct report_writer writer;
    int words = align->each[sentence].words;
    struct word_link *links = words ? calloc((size_t)words, sizeof *links) : NULL;
    int count = links ? align_links(align, sentence, align->best, links) : 0;
    FILE *out = report_write(&writer, report);
    report->lacking |= words && !links;
    for (int i = 0; out && i < count; i++)
        fprintf(out, "%s%d-%d", i ? " " : "", links[i].source, links[i].target);
    free(links);
    return report_written(&writer);
}

static const char *const *all_links(struct report *report, const struct align_result *align)
{
    const char **links = report_new(report, (size_t)align->sentences, sizeof *links);
    for (int i = 0; links && i < align->sentences; i++)
        links[i] = pharaoh(report, align, i);
    return links;
}

/* Computes weights for files, in the state that the report is made in. */
struct soft_source {
    struct state state;
    const struct align_result *align;
};

static void free_settings(void *head_settings)
{
    head_settings_free(head_settings);
}

static bool read_soft(void *data, int i, struct align_soft *out, struct status *status)
{
    const struct soft_source *source = data;
    return align_soft(&source->state, source->align, i, &progress_watch, out, status);
}

static struct soft_source *soft_of(struct report *report, const struct session *session,
                                   const struct align_result *align)
{
    struct status unused;
    struct soft_source *source = report_new(report, 1, sizeof *source);
    if (!source)
        return NULL;
    *source = (struct soft_source){session->state, align};
    source->state.head_settings = head_settings_copy(session->state.head_settings, &unused);
    report->lacking |= !source->state.head_settings;
    report_keep(report, source->state.head_settings, free_settings);
    return source;
}

static const char *const *add_links(struct report *report, unsigned in,
                                    const struct session *session, const struct align_result *align)
{
    struct alignments *alignments = report_alignments(report, in, "alignments");
    alignments->links = all_links(report, align);
    alignments->count = alignments->links ? align->sentences : 0;
    alignments->soft = read_soft;
    alignments->data = soft_of(report, session, align);
    return alignments->links;
}

/* Sentences ------------------------------------------------------------------------------------ */

static const struct column sentence_columns[] = {
    {.name = "sentence", .title = "#", .type = COLUMN_INT},
    {.name = "aer", .title = "AER %", .type = COLUMN_PERCENT},
    {.name = "source", .title = "source", .type = COLUMN_SENTENCE},
    {.name = "target", .title = "target", .type = COLUMN_SENTENCE},
    {.name = "alignment", .title = "alignment", .type = COLUMN_TEXT},
};
static const char aer_key[] = "aer", silver_key[] = "silver_aer";

/* The heading says if an error rate is against an automatic alignment. */
static void name_silver(struct column *column)
{
    column->all = column->all ? silver_key : NULL;
    column->name = silver_key;
    column->title = "silver AER %";
}

double align_agreement(const struct align_head *head)
{
    return head->words ? (double)head->alike / (double)head->words : NAN;
}

/* Describes what heads are compared with: "contributions of layer 2", "the consensus of the
 * heads". */
const char *report_silver(struct report *report, const struct session *session,
                          const struct align_silver *silver)
{
    if (silver->kind == SILVER_CONSENSUS)
        return "the consensus of the heads";
    const struct checkpoint *checkpoint = model_checkpoint(silver->state.model);
    const char *model =
        checkpoint == session->loaded->checkpoint
            ? ""
            : report_format(report, " of %s",
                            states_model_name(session, session_loaded(session, checkpoint)));
    return report_format(report, "%s in layer %d%s", method_table[silver->method].name,
                         silver->layer + 1, model);
}

static struct value error_of(const struct align_result *align, int sentence)
{
    struct status unused;
    struct align_head of = {.layer = 0};
    bool counted =
        align_is_scored(align) && align_counts(align, sentence, align->best, &of, &unused);
    return counted ? value_real(alignment_error_rate(&of.counts)) : value_null();
}

static const char *from_words(const struct align_result *align)
{
    return align->gold_from == 0 ? " from 0" : align->gold_from == 1 ? " from 1" : "";
}

/* Enter forces the sentence and shows how the head aligns its words and where that is wrong. */
static void enter_sentence(struct table *table, const struct align_result *align, int sentence)
{
    struct report *report = table->report;
    const char *head = align_head_words(report, align, &align->heads[align->best]);
    const char *shown = align_has_gold(align) ? report_format(report, "align %s%s cross %s show %d",
                                                              report_paths(report, &align->files),
                                                              from_words(align), head, sentence + 1)
                                              : report_format(report, "align cross %s word", head);
    if (align->each[sentence].words)
        table_enter(table, ":open %s %s\n:goto %d\n:force\n:%s",
                    report_quoted(report, align->files.text[0]),
                    report_quoted(report, align->files.text[1]), sentence + 1, shown);
}

static void add_sentences(struct report *report, unsigned in, const struct align_result *align,
                          const char *const *links)
{
    struct column columns[COUNT(sentence_columns)];
    memcpy(columns, sentence_columns, sizeof columns);
    if (!align_is_scored(align))
        columns[1].name = columns[1].title = NULL;
    else if (!align_has_gold(align))
        name_silver(&columns[1]);
    struct table *table = report_table(report, in, NULL, columns, COUNT(columns));
    for (int i = 0; links && i < align->sentences; i++) {
        table_add(table, value_int(i + 1), error_of(align, i),
                  value_text(align->lines[SIDE_SOURCE].text[i]),
                  value_text(align->lines[SIDE_TARGET].text[i]), value_text(links[i]));
        enter_sentence(table, align, i);
    }
}

/* Heads ---------------------------------------------------------------------------------------- */

static const struct column head_columns[] = {
    {.all = "layer", .type = COLUMN_INT, .names_head = true},
    {.all = "head", .type = COLUMN_TEXT, .names_head = true},
    {.all = "shift", .type = COLUMN_TEXT},
    {.all = aer_key, .title = "AER %", .type = COLUMN_PERCENT},
    {.all = "precision", .title = "precision %", .type = COLUMN_PERCENT},
    {.all = "recall", .title = "recall %", .type = COLUMN_PERCENT},
};
static const struct column silver_columns[] = {
    {.all = "layer", .type = COLUMN_INT, .names_head = true},
    {.all = "head", .type = COLUMN_TEXT, .names_head = true},
    {.all = "shift", .type = COLUMN_TEXT},
    {.all = silver_key, .title = "silver AER %", .type = COLUMN_PERCENT},
    {.all = "agreement", .title = "agreement %", .type = COLUMN_PERCENT},
};

/* Orders by error rate, the lowest first, then by head. */
static int compare_heads(const void *a, const void *b)
{
    const struct align_head *const *first = a, *const *second = b;
    double one = alignment_error_rate(&(*first)->counts);
    double other = alignment_error_rate(&(*second)->counts);
    if (isnan(one) != isnan(other))
        return isnan(one) ? 1 : -1;
    if (one < other || one > other)
        return one < other ? -1 : 1;
    return *first < *second ? -1 : 1;
}

static const struct align_head **ranked_heads(struct report *report,
                                              const struct align_result *align)
{
    const struct align_head **order =
        report_new(report, (size_t)align->head_count, sizeof(struct align_head *));
    for (int i = 0; order && i < align->head_count; i++)
        order[i] = &align->heads[i];
    if (order)
        qsort(order, (size_t)align->head_count, sizeof *order, compare_heads);
    return order;
}

static void put_head(struct table *table, const struct align_result *align,
                     const struct align_head *head, const char *files)
{
    const struct alignment_counts *counts = &head->counts;
    struct report *report = table->report;
    table_add(table, value_int(head->layer + 1));
    // In files, a column holds one kind of value: names and numbers are texts there.
    table_put(table,
              table->key || head->head < 0
                  ? head_value(head)
                  : value_text(report_format(report, "%d", head->head + 1)),
              value_shown(table->report, value_bool(head->shifted),
                          head->shifted ? "shifted" : "no", head->shifted),
              value_real(alignment_error_rate(counts)));
    if (align_has_gold(align))
        table_put(table, value_real(alignment_precision(counts)),
                  value_real(alignment_recall(counts)));
    else
        table_put(table, value_real(align_agreement(head)));
    table_enter(table, ":align %s cross %s", files, align_head_words(report, align, head));
    if (head->head >= 0)
        table_enter_head(table, module_names[MODULE_CROSS], head->layer, head->head, files);
}

/* In JSON, heads and layers are separate lists; people read them in one. */
static void add_ranking(struct report *report, unsigned in, const struct align_result *align)
{
    static const char *const keys[] = {"heads", "layers", NULL};
    const unsigned audience[] = {IN_JSON, IN_JSON, in};
    const struct align_head **order = ranked_heads(report, align);
    const char *from = align->gold_from == GOLD_FROM_USUAL
                           ? ""
                           : report_format(report, " from %d", align->gold_from);
    const char *files = report_format(report, "%s%s", report_paths(report, &align->files), from);
    for (int list = 0; order && list < 3; list++) {
        if (!audience[list])
            continue;
        struct table *table = align_has_gold(align)
                                  ? report_table(report, audience[list], keys[list], head_columns,
                                                 COUNT(head_columns))
                                  : report_table(report, audience[list], keys[list], silver_columns,
                                                 COUNT(silver_columns));
        for (int i = 0; i < align->head_count; i++)
            if (list == 2 || (order[i]->head < 0) == list)
                put_head(table, align, order[i], files);
    }
}

/* Returns a head's column in a figure; methods that take all heads together have one. -1: none. */
static int column_of(const struct align_result *align, const struct align_head *head)
{
    if (head->head >= 0)
        return head->head;
    return method_table[align->method].of_heads ? -1 : 0;
}

static struct axis heads_axis(struct report *report, const struct align_result *align, int count)
{
    struct axis axis = report_numbers_axis(report, "head", count);
    if (!method_table[align->method].of_heads && !report->lacking)
        ((const char **)axis.labels)[0] = merged_of(HEADS_TOGETHER)->name;
    return axis;
}

/* Adds error rates, layers by heads, if single heads are among those measured with this shift, or
 * all are taken together. */
static void add_errors(struct report *report, const struct align_result *align, bool shifted)
{
    int layers = 0, heads = 0;
    for (int i = 0; i < align->head_count; i++) {
        const struct align_head *head = &align->heads[i];
        int column = column_of(align, head);
        layers = head->layer >= layers ? head->layer + 1 : layers;
        heads = head->shifted == shifted && column >= heads ? column + 1 : heads;
    }
    float *values = heads ? malloc((size_t)layers * (size_t)heads * sizeof *values) : NULL;
    if (!values) {
        report->lacking |= heads > 0;
        return;
    }
    for (int i = 0; i < layers * heads; i++)
        values[i] = NAN;
    for (int i = 0; i < align->head_count; i++) {
        const struct align_head *head = &align->heads[i];
        int column = column_of(align, head);
        if (column >= 0 && head->shifted == shifted)
            values[head->layer * heads + column] = (float)alignment_error_rate(&head->counts);
    }
    struct matrix *matrix = report_matrix(report, IN_FIGURE, values);
    matrix->rows = report_numbers_axis(report, "layer", layers);
    matrix->columns = heads_axis(report, align, heads);
    matrix->scale = align_has_gold(align) ? "alignment error rate" : "silver error rate";
    matrix->range = RANGE_OF_SHARES;
    matrix->title = shifted ? "shifted" : "not shifted";
}

/* Lines above the table ------------------------------------------------------------------------ */

static void tell_scores(struct report *report, unsigned in, const char *before,
                        const struct align_result *align, const struct align_head *head,
                        const char *behind)
{
    const struct alignment_counts *counts = &head->counts;
    if (!align_has_gold(align)) {
        report_line(report, in, " %sagreement %.*f %%  silver AER %.*f %%  %s%s", before,
                    PERCENT_DIGITS, 100 * align_agreement(head), PERCENT_DIGITS,
                    100 * alignment_error_rate(counts), align_head_words(report, align, head),
                    behind);
        return;
    }
    report_line(report, in, " %sAER %.*f %%  precision %.*f %%  recall %.*f %%  %s%s", before,
                PERCENT_DIGITS, 100 * alignment_error_rate(counts), PERCENT_DIGITS,
                100 * alignment_precision(counts), PERCENT_DIGITS, 100 * alignment_recall(counts),
                align_head_words(report, align, head), behind);
}

/* Returns the best single head. NULL: there is none. */
static const struct align_head *best_single(const struct align_result *align)
{
    const struct align_head *best = NULL;
    for (int i = 0; i < align->head_count; i++) {
        const struct align_head *head = &align->heads[i];
        if (head->head >= 0 && (!best || compare_heads(&head, &best) < 0))
            best = head;
    }
    return best;
}

void report_gold_from_1(struct report *report, const struct align_result *align)
{
    if (!isnan(align->error_from_1))
        report_warn(report,
                    "%s: no link has a word 0, so its words seem to be counted from 1: with from 1 "
                    "behind the file AER is %.*f %% instead of %.*f %%",
                    align->files.text[2], PERCENT_DIGITS, 100 * align->error_from_1, PERCENT_DIGITS,
                    100 * alignment_error_rate(&align->heads[align->best].counts));
}

/* Adds the scores of the head that aligned. */
static void add_scores(struct report *report, const struct session *session,
                       const struct align_result *align)
{
    const struct align_head *best = &align->heads[align->best];
    report_json(report, "layer", value_int(best->layer + 1));
    report_json(report, "head", head_value(best));
    if (align->method != METHOD_WEIGHTS)
        report_json(report, "as", value_text(method_table[align->method].name));
    report_json(report, "shift", value_bool(best->shifted));
    if (align->silver.kind != SILVER_NONE) {
        report_json(report, "against", value_text(report_silver(report, session, &align->silver)));
        report_json(report, silver_key, value_real(alignment_error_rate(&best->counts)));
        report_json(report, "agreement", value_real(align_agreement(best)));
    }
    if (!align_has_gold(align))
        return;
    report_json(report, aer_key, value_real(alignment_error_rate(&best->counts)));
    report_json(report, "precision", value_real(alignment_precision(&best->counts)));
    report_json(report, "recall", value_real(alignment_recall(&best->counts)));
    report_json(report, "gold_from", value_int(align->gold.from));
    report_gold_from_1(report, align);
}

static void add_facts(struct report *report, const struct session *session,
                      const struct align_result *align)
{
    int lines = align->lines[SIDE_SOURCE].count;
    report_json(report, "file", value_text(align->files.text[0]));
    report_json(report, "files", report_files(&align->files));
    report_json(report, "sentences", value_int(align->sentences));
    report_json(report, "partial", value_bool(align->sentences < lines));
    add_scores(report, session, align);
}

static void tell_facts(struct report *report, unsigned in, const struct session *session,
                       const struct align_result *align)
{
    int lines = align->lines[SIDE_SOURCE].count;
    const struct align_head *best = &align->heads[align->best], *single = best_single(align);
    const char *of =
        align->head_count > 1 ? report_format(report, ", the best of %d", align->head_count) : "";
    report_partial(report, in, align->sentences, lines, "sentences");
    if (align->silver.kind != SILVER_NONE)
        report_line(report, in, " against %s: silver, not alignments made by hand",
                    report_silver(report, session, &align->silver));
    if (!align_is_scored(align))
        report_line(report, in, " %s", align_head_words(report, align, best));
    else
        tell_scores(report, in, "", align, best, of);
    if (align_is_scored(align) && best->head < 0 && single)
        tell_scores(report, in, "best head: ", align, single, "");
    if (align->unspaced[SIDE_SOURCE] || align->unspaced[SIDE_TARGET])
        report_line(report, in, " no blanks between words: tokens are counted as words");
}

/* In text without blanks the links count words that the file does not show. */
static void add_unspaced_words(struct report *report, const struct session *session,
                               const struct align_result *align, int side)
{
    static const char *const keys[] = {"source_words", "target_words"};
    const char **lines = report_new(report, (size_t)align->sentences, sizeof *lines);
    for (int i = 0; lines && i < align->sentences; i++) {
        struct strings words = {0};
        struct status unused;
        report->lacking |= !align_word_texts(&session->state, align, i, side, &words, &unused);
        lines[i] = report_joined(report, &words, " ");
        strings_free(&words);
    }
    if (lines)
        report_json(report, keys[side], value_texts(lines, align->sentences));
}

void report_align(struct report *report, const struct session *session, const struct strings *words,
                  const struct align_result *align, bool ranked)
{
    unsigned table = IN_SCREEN | IN_TABLE | IN_ARRAYS;
    bool measured = align->head_count > 1;
    report->bare = !ranked;
    report->of_testset = true;
    report->navigation.kind = VIEW_FILE;
    report->origin.state = states_current(session);
    report_title(report, "%s of %s%s", ranked ? "alignment by each head" : "alignments",
                 report_joined(report, &align->files, ", "),
                 align->method == METHOD_WEIGHTS
                     ? ""
                     : report_format(report, "  %s", method_table[align->method].title));
    report_command(report, "%s", command_words(report, words, align));
    add_facts(report, session, align);
    if (ranked)
        tell_facts(report, FOR_PEOPLE, session, align);
    const char *const *links =
        add_links(report, IN_JSON | IN_ALIGNMENTS | (ranked ? 0 : IN_TEXT), session, align);
    for (int side = 0; side < 2; side++)
        if (align->unspaced[side])
            add_unspaced_words(report, session, align, side);
    if (measured)
        add_ranking(report, ranked ? IN_TEXT | table : 0, align);
    if (!ranked) {
        tell_facts(report, FOR_PEOPLE | IF_WATCHED, session, align); // after lines that may be many
        add_sentences(report, table, align, links);
    }
    if (measured && align_is_scored(align)) {
        add_errors(report, align, false);
        add_errors(report, align, true);
    }
}
