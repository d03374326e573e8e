
#include <stdlib.h>
#include <string.h>

#include "report/view_report.h"
#include "session/head_description.h"
#include "terminal/text/arguments.h"
#include "terminal/text/display.h"
#include "tui/command/beside.h"
#include "tui/command/command.h"

void beside_free(struct beside *beside)
{
    for (int i = 0; i < 2; i++) {
        free(beside->side[i].name);
        pair_free(beside->side[i].pair);
        attention_view_free(&beside->side[i].attention);
    }
    attention_view_free(&beside->difference);
    free(beside->note);
}

static const struct view *view_of(const struct beside *beside)
{
    return &beside->side[0].attention.view;
}

static bool beside_identical(const struct beside *beside)
{
    const struct attention_view *difference = &beside->difference;
    size_t cells = (size_t)difference->rows.texts.count * (size_t)difference->columns.texts.count;
    for (size_t i = 0; difference->weights && i < cells; i++)
        if (difference->weights[i] != 0)
            return false;
    return difference->weights != NULL;
}

/* Title and command ---------------------------------------------------------------------------- */

/* Returns "b − a", with U+2212 as the minus. */
static const char *name_difference(struct report *report, const struct beside *beside)
{
    return report_format(report, "%s \xe2\x88\x92 %s", beside->names[1], beside->names[0]);
}

const char *beside_forced(struct report *report, const struct beside *beside)
{
    return report_format(report, "%s: both given translation %s", name_difference(report, beside),
                         beside->names[0]);
}

/* Returns "  current, off"; "" for a head that is learned and on. `state`: what comes before it. */
static const char *describe_side(struct report *report, const struct attention_view *attention,
                                 const char *state)
{
    char what[64];
    describe_exception(&attention->head, what, sizeof what);
    if (!*what && !attention->off)
        return "";
    return report_format(report, "  %s%s%s%s%s", state, *state ? ": " : "", what,
                         *what && attention->off ? ", " : "", attention->off ? "off" : "");
}

/* Returns "head 3  current", or its description in each of the states. */
static const char *describe_heads_of(struct report *report, const struct beside *beside)
{
    const struct attention_view *of_a = &beside->side[0].attention,
                                *of_b = &beside->side[1].attention;
    const char *a = describe_side(report, of_a, ""), *b = describe_side(report, of_b, "");
    int head = view_of(beside)->head;
    const struct method_info *method = &method_table[view_of(beside)->as];
    const char *name =
        view_of(beside)->as == METHOD_WEIGHTS ? "" : report_format(report, "  %s", method->title);
    if (!method->of_heads)
        return method->title;
    if (head < 0)
        return report_format(report, "%s heads%s", merged_of(head)->title, name);
    if (strcmp(a, b) == 0)
        return report_format(report, "head %d%s%s", head + 1, name, a);
    return report_format(report, "head %d%s%s%s", head + 1, name,
                         describe_side(report, of_a, beside->names[0]),
                         describe_side(report, of_b, beside->names[1]));
}

/* The states are above their matrices. Readers must see what the difference is over. */
static void add_title(struct report *report, const struct beside *beside, const char *note)
{
    const struct view *view = view_of(beside);
    const struct attention_view *of_a = &beside->side[0].attention;
    const char *until = method_table[view->as].joint ? "s 1-" : " ";
    report_title(report, "%s  layer%s%d  %s%s%s%s%s", module_names[view->module], until,
                 view->layer + 1, describe_heads_of(report, beside), of_a->words ? "  words" : "",
                 note ? "  " : "", note ? note : "",
                 !beside_identical(beside) ? ""
                 : note
                     ? ", identical"
                     : report_format(report, "  %s: identical", name_difference(report, beside)));
}

/* A model's name may consist of any bytes. */
static void write_name(FILE *out, const char *text)
{
    char *name = display_clean(text);
    arguments_quote(out, name ? name : "");
    free(name);
}

static const char *write_command(struct report *report, const struct beside *beside,
                                 const char *after)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    for (int i = 0; out && i < 2; i++) {
        fputs(i ? " " : "beside ", out);
        write_name(out, beside->side[i].name);
    }
    if (out)
        fputs(after, out);
    return report_written(&writer);
}

/* Translations --------------------------------------------------------------------------------- */

/* Returns "a  en-de.bin", or "before". */
static const char *name_side(struct report *report, const struct beside *beside, int side)
{
    const char *name = beside->names[side];
    return name[1] ? name : report_format(report, "%s  %s", name, beside->side[side].name);
}

/* Adds scores, the translations one above the other, and how many words differ. */
static const struct comparison *add_translations(struct report *report, const struct beside *beside)
{
    const struct sentence_pair *const pairs[2] = {beside->side[0].pair, beside->side[1].pair};
    for (int i = 0; i < 2; i++)
        report_line(report, IN_TEXT, "%s  score %.4f", name_side(report, beside, i),
                    pair_hypothesis(pairs[i])->score);
    const struct comparison *comparison =
        report_comparison(report, FOR_PEOPLE | IN_JSON, beside->names, pairs);
    char words[80];
    if (!comparison)
        return NULL;
    edit_script_describe(&comparison->script, words, sizeof words);
    report_line(report, IN_TEXT, "%s", *words ? words : "same translation");
    report_token_changes(report, IN_TEXT, comparison);
    return comparison;
}

/* Matrices ------------------------------------------------------------------------------------- */

/* Two translations must be told apart: "target (predicted) of a". */
static const char *title_of(struct report *report, const struct labels *labels, const char *name,
                            bool same)
{
    const char *title = labels_title(labels);
    return labels->side == SIDE_SOURCE || same ? title
                                               : report_format(report, "%s of %s", title, name);
}

/* Returns "a  local 2  off". */
static const char *describe_panel(struct report *report, const char *name,
                                  const struct attention_view *attention)
{
    char what[64] = "";
    if (attention->view.head >= 0)
        describe_exception(&attention->head, what, sizeof what);
    return report_format(report, "%s%s%s%s", name, *what ? "  " : "", what,
                         attention->off ? "  off" : "");
}

static struct matrix *add_matrix(struct report *report, const struct loaded *loaded,
                                 const struct attention_view *attention, const char *name,
                                 bool same)
{
    struct matrix *matrix = report_weights(report, EVERYWHERE, loaded, attention);
    matrix->rows.title = title_of(report, &attention->rows, name, same);
    matrix->columns.title = title_of(report, &attention->columns, name, same);
    return matrix;
}

/* Adds members of JSON. */
static void add_state(struct report *report, const struct beside_side *side)
{
    const struct hypothesis *hypothesis = pair_hypothesis(side->pair);
    report_json(report, "state", value_text(report_copy(report, side->name)));
    report_json(report, "model", value_text(side->loaded->path));
    report_json(report, "text", value_text(pair_target(side->pair)));
    report_json(report, "tokens", report_tokens(report, side->pair->checkpoint, hypothesis));
    report_json(report, "logprobs", report_floats(report, hypothesis->logprobs, hypothesis->count));
    report_json(report, "score", value_real(hypothesis->score));
}

static void add_side(struct report *report, const struct beside *beside, int i, bool same)
{
    const struct beside_side *side = &beside->side[i];
    const char *key = i ? "b" : "a";
    report_group(report, EVERYWHERE, key);
    add_state(report, side);
    const char *name = beside->names[i];
    struct matrix *matrix = add_matrix(report, side->loaded, &side->attention, name, same);
    matrix->name = key;
    matrix->title = strcmp(name, key) ? name : report_format(report, "%s: %s", key, side->name);
    matrix->said = describe_panel(report, name, &side->attention);
    report_group_end(report);
}

/* Adds the difference, over a's tokens. */
static void add_difference(struct report *report, const struct beside *beside, bool same)
{
    if (!beside->difference.weights) {
        report_json(report, "difference", value_null());
        return;
    }
    report_group(report, EVERYWHERE, "difference");
    report_json(report, "forced", value_bool(beside->forced));
    struct matrix *matrix =
        add_matrix(report, beside->side[0].loaded, &beside->difference, beside->names[0], same);
    matrix->name = "difference";
    matrix->title = matrix->scale = name_difference(report, beside);
    matrix->said = report_format(report, "%s - %s", beside->names[1], beside->names[0]);
    matrix->style = MATRIX_DIFFERENCE;
    report_group_end(report);
}

/* Provenance ----------------------------------------------------------------------------------- */

static void add_origin(struct report *report, const struct session *session,
                       const struct beside *beside, const char *view)
{
    struct origin *origin = &report->origin;
    origin->pair = session->current;
    origin->count = 2;
    origin->view = view;
    for (int i = 0; i < 2; i++) {
        const struct beside_side *side = &beside->side[i];
        const char *name = report_copy(report, side->name);
        origin->states[i] = (struct origin_state){
            name, {NULL, side->loaded, side->pair->head_settings, side->pair->search}, side->pair};
    }
}

/* Gives the report the data that it borrows. */
static void keep_sides(struct report *report, struct beside *beside)
{
    for (int i = 0; i < 2; i++) {
        report_keep(report, beside->side[i].pair, pair_release);
        report_keep(report, beside->side[i].attention.weights, free);
        beside->side[i].pair = NULL;
        beside->side[i].attention.weights = NULL;
    }
    report_keep(report, beside->difference.weights, free);
    beside->difference.weights = NULL;
}

bool report_beside(struct report *report, const struct session *session, struct beside *beside,
                   struct status *status)
{
    bool same = labels_equal(&beside->side[0].attention.rows, &beside->side[1].attention.rows);
    const char *note = beside->forced ? beside_forced(report, beside) : beside->note;
    add_title(report, beside, note);
    bool words = beside->side[0].attention.words;
    report->command = write_command(report, beside, words ? " word" : "");
    report->navigation =
        (struct navigation){.kind = VIEW_BESIDE, .view = *view_of(beside), .words = words};
    report->stacked = true;
    if (!beside->difference.weights || beside->forced)
        report->no_npy =
            "a and b have different tokens; .npy holds one shape: expected .npz, .csv or .png";
    add_origin(report, session, beside,
               report_head_command(report, "attn", view_of(beside), words));
    report_head_fields(report, view_of(beside));
    report_cross_rows(report, view_of(beside)->module, &beside->side[0].attention.rows);
    report_json(report, "unit", value_text(words ? "word" : "token"));
    add_translations(report, beside);
    report_cross_axes(report, view_of(beside)->module, &beside->side[0].attention.rows,
                      labels_title(&beside->side[0].attention.columns));
    add_side(report, beside, 0, same);
    add_side(report, beside, 1, same);
    add_difference(report, beside, same);
    report_json(report, "note", value_text(note ? report_copy(report, note) : NULL));
    keep_sides(report, beside);
    return report_end(report, status);
}

/* All heads ------------------------------------------------------------------------------------ */

enum { HEAD_NAME, HEAD_MODULE, HEAD_LAYER, HEAD_NUMBER, HEAD_CHANGE };

static const struct column head_columns[] = {
    [HEAD_NAME] = {0},
    [HEAD_MODULE] = {.all = "module"},
    [HEAD_LAYER] = {.all = "layer", .type = COLUMN_INT},
    [HEAD_NUMBER] = {.all = "head", .type = COLUMN_INT},
    [HEAD_CHANGE] = {.all = "change", .title = "how much", .type = COLUMN_REAL, .digits = 4},
    {.all = "largest", .title = "biggest cell", .type = COLUMN_SIGNED, .digits = 4},
    {.all = "row"},
    {.all = "column"},
    {.title = "off in state"},
    {.key = "off_a", .name = "off_a"},
    {.key = "off_b", .name = "off_b"},
};

static void add_head(struct table *table, const struct beside *beside,
                     const struct head_change *head, bool words)
{
    static const char *const off[] = {NULL, "a", "b", "a, b"};
    const char *module = module_names[head->module];
    bool identical = head->largest == 0;
    table_row_in(table, identical ? FOR_PROGRAMS : EVERYWHERE);
    table_put(table, value_text(report_head_name(table->report, module, head->layer, head->head)),
              value_text(module), value_int(head->layer + 1), value_int(head->head + 1));
    if (identical)
        table_put(table, value_shown(table->report, value_real(0), "identical", 0));
    else
        table_put(table, value_real(head->change));
    table_put(table, identical ? value_null() : value_real(head->largest), value_text(head->row),
              value_text(head->column), value_text(off[head->off[0] + 2 * head->off[1]]),
              value_bool(head->off[0]), value_bool(head->off[1]));
    table_enter(
        table, ":%s",
        write_command(table->report, beside,
                      report_format(table->report, " %s layer %d head %d%s", module,
                                    head->layer + 1, head->head + 1, words ? " word" : "")));
}

static int count_changed(const struct head_changes *changes)
{
    int count = 0;
    for (int i = 0; i < changes->count; i++)
        count += changes->heads[i].largest != 0;
    return count;
}

static bool any_off(const struct head_changes *changes)
{
    for (int i = 0; i < changes->count; i++)
        if (changes->heads[i].off[0] != changes->heads[i].off[1])
            return true;
    return false;
}

/* Puts all heads that did not change in one row, for people. */
static void add_identical(struct table *table, int count, int of)
{
    struct report *report = table->report;
    if (!count)
        return;
    const char *name = report_format(report, "%s %d", count == of ? "all" : "the other", count);
    table_row_in(table, FOR_PEOPLE | IN_TYPESET);
    table_put(table, value_null(), value_text(name), value_null(), value_null(),
              value_shown(report, value_null(), "identical", 0));
}

static void add_head_table(struct report *report, const struct beside *beside,
                           const struct head_changes *changes)
{
    struct table *table = report_table(report, EVERYWHERE & ~(unsigned)IN_FIGURE, "heads",
                                       head_columns, COUNT(head_columns));
    for (int i = 0; i < changes->count; i++)
        add_head(table, beside, &changes->heads[i], changes->words);
    struct plot *plot = report_plot_table(report, IN_FIGURE, PLOT_BARS, table, HEAD_NAME,
                                          (const int[]){HEAD_CHANGE}, 1);
    add_identical(table, changes->count - count_changed(changes), changes->count);
    plot->x_title =
        report_format(report, "head (%d of %d changed)", count_changed(changes), changes->count);
    plot->y_title = "total variation distance";
    if (count_changed(changes)) // changed heads come first
        plot->points = count_changed(changes);
}

bool report_beside_heads(struct report *report, const struct session *session,
                         struct beside *beside, const struct head_changes *changes,
                         const char *selection, struct status *status)
{
    const char *words = changes->words ? "  words" : "";
    report_title(report, "heads by change%s%s%s", words, changes->forced ? "  " : "",
                 changes->forced ? beside_forced(report, beside) : "");
    report->command = write_command(
        report, beside,
        report_format(report, " heads%s%s", selection, changes->words ? " word" : ""));
    report->navigation = (struct navigation){
        .kind = VIEW_BESIDE_HEADS, .view = session->view, .words = changes->words};
    add_origin(report, session, beside, NULL);
    report_json(report, "measure", value_text("total variation distance, mean over rows"));
    report_json(report, "unit", value_text(changes->words ? "word" : "token"));
    const struct comparison *translations = add_translations(report, beside);
    for (int i = 0; i < 2; i++) {
        report_group(report, IN_JSON, i ? "b" : "a");
        add_state(report, &beside->side[i]);
        report_group_end(report);
    }
    report_json(report, "forced", value_bool(changes->forced));
    report_line(report, FOR_PEOPLE, "%d of %d heads changed", count_changed(changes),
                changes->count);
    if (!count_changed(changes) && any_off(changes))
        report_line(report, FOR_PEOPLE,
                    "A head's output reaches later layers only: heads of the last layer change no "
                    "attention weight.");
    if (!count_changed(changes) && translations)
        report_token_changes(report, IN_SCREEN, translations);
    if (changes->note)
        report_line(report, FOR_PEOPLE, "%s", changes->note);
    report_json(report, "note", value_text(changes->note));
    add_head_table(report, beside, changes);
    keep_sides(report, beside);
    return report_end(report, status);
}
