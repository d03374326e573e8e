/* `:gates`: how much context queries and keys use, for the current sentence or over a file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "report/gates.h"
#include "report/report.h"
#include "report/view.h"
#include "report/view_report.h"
#include "terminal/progress.h"
#include "terminal/text/arguments.h"
#include "tui/command/command.h"
#include "tui/command/study/report_study.h"

/* A sentence ----------------------------------------------------------------------------------- */

static bool any_by_head(const struct gates_view *gates)
{
    bool by_head = false;
    for (int i = 0; i < gates->layers; i++)
        by_head |= gates->layer[i].by_head;
    return by_head;
}

/* Returns the value of a layer: null without a gate, else one number per row, or per row and
 * learned head. */
static struct value layer_value(struct report *report, const struct gate_layer *layer, int rows)
{
    struct array *array = layer->values ? report_new(report, 1, sizeof *array) : NULL;
    if (!array)
        return value_null();
    *array = (struct array){.values = layer->values,
                            .dimensions = layer->by_head ? 2 : 1,
                            .shape = {(size_t)rows, (size_t)layer->columns}};
    return value_array(array);
}

static void add_json(struct report *report, const struct gates_view *gates, const struct axis *rows)
{
    struct value *layers = report_new(report, (size_t)gates->layers, sizeof *layers);
    for (int i = 0; layers && i < gates->layers; i++)
        layers[i] = layer_value(report, &gates->layer[i], rows->count);
    report_json(report, "module", value_text(module_names[gates->module]));
    report_json(report, "side", value_text(gate_side_names[gates->side]));
    report_json(report, "rows", value_texts(rows->texts, rows->count));
    report_json(report, "gates", value_list(layers, gates->layers));
}

/* Makes an axis with one column per layer, or per learned head. */
static struct axis columns_axis(struct report *report, const struct gate_columns *columns)
{
    const char **names = report_new(report, (size_t)columns->count, sizeof *names);
    for (int i = 0; names && i < columns->count; i++)
        names[i] = report_copy(report, columns->names[i]);
    return axis_of_names("columns", columns->by_head ? "layer.learned head" : "layer", names,
                         columns->count);
}

static void keep_values(struct report *report, struct gates_view *gates)
{
    for (int i = 0; i < gates->layers; i++) {
        report_keep(report, gates->layer[i].values, free);
        gates->layer[i].values = NULL;
    }
}

/* Takes the values of the gates. */
static bool report_gates(struct report *report, const struct session *session,
                         const struct sentence_pair *pair, struct gates_view *gates,
                         struct status *status)
{
    const char *module = module_names[gates->module];
    struct gate_columns columns;
    if (!gate_columns_make(gates, &columns, status))
        return false;
    report_title(report, "%s  gates of %s by layer%s", module,
                 gates->side == SIDE_Q ? "queries" : "keys",
                 any_by_head(gates) ? ".learned head" : "");
    report_command(report, "gates %s %s", module, gate_side_names[gates->side]);
    report_origin(report, session, pair);
    report->navigation = (struct navigation){
        .kind = VIEW_GATES, .view = {.module = gates->module}, .side = gates->side};
    struct axis rows = report_axis(report, session->loaded, "rows", &gates->rows, false);
    add_json(report, gates, &rows);
    struct matrix *matrix = report_matrix(report, EVERYWHERE & ~(unsigned)IN_JSON, columns.values);
    columns.values = NULL;
    matrix->name = "gates";
    matrix->rows = rows;
    matrix->columns = columns_axis(report, &columns);
    matrix->scale = "gate";
    matrix->style = MATRIX_NUMBERS;
    matrix->range = RANGE_OF_SHARES;
    gate_columns_free(&columns);
    keep_values(report, gates);
    return report_end(report, status);
}

/* Over a file ---------------------------------------------------------------------------------- */

static const char *const side_titles[] = {
    [SIDE_Q] = "queries", [SIDE_K] = "keys", [GATES_BOTH] = "queries and keys"};

/* Returns "encoder", or "encoder,decoder". */
static const char *modules_of(const struct gates_study *groups)
{
    return groups->both_stacks ? "encoder,decoder" : module_names[groups->module];
}

static double mean_of(const struct gate_group *group)
{
    return group->sum / (double)group->count;
}

static const char *write_command(struct report *report, const struct gates_study *groups)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out) {
        fprintf(out, "gates %s %s ", groups->both_stacks ? "enc,dec" : module_names[groups->module],
                gates_side_name(groups->side));
        arguments_quote(out, groups->walk.path);
        fprintf(out, " by %s", gate_grouping_names[groups->by]);
    }
    return report_written(&writer);
}

static void add_facts(struct report *report, const struct gates_study *groups)
{
    report_json(report, "module", value_text(modules_of(groups)));
    report_json(report, "side", value_text(gates_side_name(groups->side)));
    report_json(report, "file", value_text(report_copy(report, groups->walk.path)));
    report_json(report, "by", value_text(gate_grouping_names[groups->by]));
    report_json(report, "sentences", value_int(groups->walk.sentences));
    report_json(report, "partial", value_bool(groups->walk.sentences < groups->walk.lines));
}

/* With both sides, a column names the side: the first in files, the last on the screen, where rows
 * are sorted by it last. */
static void add_table(struct report *report, const struct gates_study *groups)
{
    static const char *const titles[] = {"layer", "position", "length", "part of speech"};
    bool both = groups->side == GATES_BOTH;
    const char *module_title = groups->both_stacks ? "module" : NULL;
    const struct column columns[] = {
        {.all = module_title, .least = 7},
        {.key = both ? "side" : NULL,
         .name = both ? "side" : NULL,
         .title = both ? "side" : NULL,
         .in = EVERYWHERE & ~(unsigned)IN_SCREEN},
        {.key = "name",
         .name = gate_grouping_names[groups->by],
         .title = titles[groups->by],
         .type = groups->by == BY_POS ? COLUMN_TEXT : COLUMN_INT,
         .least = 10},
        {.all = "count", .title = "gates", .type = COLUMN_INT, .least = 10},
        {.all = "mean", .type = COLUMN_REAL, .digits = 4, .least = 8},
        {.title = both ? "side" : NULL, .in = IN_SCREEN},
    };
    struct table *table =
        report_table(report, FOR_PEOPLE | IN_JSON | IN_TABLE, "groups", columns, COUNT(columns));
    for (int i = 0; i < groups->count; i++) {
        const struct gate_group *group = &groups->groups[i];
        const char *name = report_copy(report, group->name);
        const char *side = gate_side_names[group->side];
        table_add(table, value_text(module_names[group->module]), value_text(side),
                  value_shown(table->report, value_text(name), name, group->place),
                  value_int(group->count), value_real(mean_of(group)), value_text(side));
    }
}

/* Returns the mean over all groups. */
static double mean_gate(const struct gates_study *groups)
{
    double sum = 0, gates = 0;
    for (int i = 0; i < groups->count; i++) {
        sum += groups->groups[i].sum;
        gates += (double)groups->groups[i].count;
    }
    return sum / gates;
}

static const char **copy_names(struct report *report, const struct gate_points *points)
{
    const char **names = report_new(report, (size_t)points->count, sizeof *names);
    for (int i = 0; names && i < points->count; i++)
        names[i] = report_copy(report, points->names[i]);
    return names;
}

/* Plots averages: as lines over layers and positions, as bars over lengths and parts of speech.
 * With one side, bars also have the mean of all. */
static struct plot *add_plot(struct report *report, const struct gates_study *groups,
                             const struct gate_points *points)
{
    static const char *const titles[] = {"layer", "position", "length in tokens", "part of speech"};
    bool bars = groups->by == BY_LENGTH || groups->by == BY_POS;
    struct plot *plot = report_plot(report, IN_FIGURE | IN_SCREEN, bars ? PLOT_BARS : PLOT_LINES,
                                    points->sides, points->count);
    for (int s = 0; s < points->sides; s++) {
        const char *side = side_titles[points->side[s]], *module = module_names[points->module[s]];
        plot->series[s] = !groups->both_stacks ? side
                          : groups->side != GATES_BOTH
                              ? module
                              : report_format(report, "%s %s", module, side);
        plot->colours[s] = groups->both_stacks ? s : points->side[s];
    }
    size_t values = (size_t)points->sides * (size_t)points->count;
    if (plot->values && values)
        memcpy(plot->values, points->values, values * sizeof *plot->values);
    plot->labels = copy_names(report, points);
    plot->x_title = titles[groups->by];
    plot->y_title = "mean gate \xce\xbb";
    plot->most = 1;
    if (bars && points->sides == 1)
        plot->mean = mean_gate(groups);
    return plot;
}

/* With only one side, its dimension would be in the way. */
static struct array points_array(const struct gate_points *points)
{
    size_t sides = (size_t)points->sides, count = (size_t)points->count;
    return points->sides == 1 ? (struct array){.dimensions = 1, .shape = {count}}
                              : (struct array){.dimensions = 2, .shape = {sides, count}};
}

static void add_arrays(struct report *report, const struct gate_points *points,
                       const struct plot *plot, bool both_stacks)
{
    size_t values = (size_t)points->sides * (size_t)points->count;
    struct array *arrays = report_new(report, 2, sizeof *arrays);
    int64_t *counts = report_new(report, values, sizeof *counts);
    const char **sides = report_new(report, (size_t)points->sides, sizeof *sides);
    if (!arrays || !counts || !sides)
        return;
    for (int s = 0; s < points->sides; s++)
        sides[s] = !both_stacks ? gate_side_names[points->side[s]]
                                : report_format(report, "%s %s", module_names[points->module[s]],
                                                gate_side_names[points->side[s]]);
    if (values)
        memcpy(counts, points->gates, values * sizeof *counts);
    arrays[0] = arrays[1] = points_array(points);
    arrays[0].values = plot->values;
    arrays[1].integers = counts;
    report_field(report, IN_ARRAYS, "means", NULL, value_array(&arrays[0]));
    report_field(report, IN_ARRAYS, "counts", NULL, value_array(&arrays[1]));
    report_field(report, IN_ARRAYS, "groups", NULL, value_texts(plot->labels, points->count));
    report_field(report, IN_ARRAYS, "sides", NULL, value_texts(sides, points->sides));
}

static void add_title(struct report *report, const struct gates_study *groups)
{
    const char *module = groups->both_stacks ? "encoder and decoder" : module_names[groups->module];
    const char *partial =
        report_partial_words(report, groups->walk.sentences, groups->walk.lines, "sentences");
    report_title(report, "%s  gates of %s%s%s", module, side_titles[groups->side],
                 *partial ? "  " : "", partial);
}

/* Copies the groups. */
static void report_gate_groups(struct report *report, const struct session *session,
                               const struct gates_study *groups)
{
    struct gate_points points;
    struct status unused;
    report->lacking |= !gate_points_make(groups, &points, &unused);
    if (report->lacking)
        return;
    add_title(report, groups);
    report->command = write_command(report, groups);
    report_origin(report, session, NULL);
    report->navigation = (struct navigation){
        .kind = VIEW_FILE, .view = {.module = groups->module}, .side = groups->side};
    add_facts(report, groups);
    add_table(report, groups);
    add_arrays(report, &points, add_plot(report, groups, &points), groups->both_stacks);
    gate_points_free(&points);
}

/* Arguments ------------------------------------------------------------------------------------ */

#define BOTH_STACKS "enc,dec"

/* Module and side come before the file: a file called "q" must be given as ./q. */
static const char *const stack_choices[] = {"enc",     "dec",   BOTH_STACKS, "encoder",
                                            "decoder", "cross", NULL};
enum { STACK_BOTH = 2, STACK_ANY = 6 };
static const enum module stack_modules[] = {MODULE_ENCODER, MODULE_DECODER, MODULE_ENCODER,
                                            MODULE_ENCODER, MODULE_DECODER, MODULE_CROSS,
                                            MODULE_ENCODER};
static const char *const side_choices[] = {"q", "k", "qk", NULL};

enum { IN, STACK, SIDE, CORPUS, BY };
static const struct argument arguments[] = {
    [IN] = {.keyword = "in", .kind = ARGUMENT_FLAG, .anywhere = true, .hidden = true},
    [STACK] = {.kind = ARGUMENT_CHOICE, .choices = stack_choices, .aliases = 3},
    [SIDE] = {.kind = ARGUMENT_CHOICE, .choices = side_choices},
    [CORPUS] = {"FILE", .kind = ARGUMENT_FILE, .sources = true},
    [BY] = {.keyword = "by",
            .kind = ARGUMENT_CHOICE,
            .choices = gate_grouping_names,
            .needs = ARG(CORPUS)},
};

struct gates_request {
    bool module_given, side_given, both_stacks;
    enum module module;
    int side;         // GATES_BOTH: only for a file
    const char *path; // NULL: the current sentence
    enum gate_grouping by;
};

static bool has_gates(const struct config *config, enum module module, int side)
{
    if (side == GATES_BOTH)
        return has_gates(config, module, SIDE_Q) && has_gates(config, module, SIDE_K);
    for (int i = 0; i < module_layers(config, module); i++)
        if (gate_columns(config, module, i, side))
            return true;
    return false;
}

/* Reads the words given. */
static bool read_request(const struct argument_values *given, struct gates_request *gates,
                         struct status *status)
{
    const int stack = argument_choice(given, STACK, STACK_ANY);
    *gates = (struct gates_request){
        .both_stacks = stack == STACK_BOTH,
        .module_given = stack != STACK_ANY && stack != STACK_BOTH,
        .module = stack_modules[stack],
        .side_given = argument_given(given, SIDE),
        .side = argument_choice(given, SIDE, SIDE_Q),
        .path = argument_text(given, CORPUS),
        .by = (enum gate_grouping)argument_choice(given, BY, BY_LAYER),
    };
    if (argument_given(given, IN) && stack == STACK_ANY)
        return status_fail(status, STATUS_INVALID, "in: expected enc or dec after it");
    if (gates->both_stacks && !gates->path)
        return status_fail(status, STATUS_INVALID,
                           BOTH_STACKS ": averages of both over a file, expected FILE after it");
    return gates->side != GATES_BOTH || gates->path ||
           status_fail(status, STATUS_INVALID,
                       "qk: averages of both over a file, expected FILE after it");
}

/* The file tags the source's words, not those of the translation that the decoder reads. */
static bool check_grouping(const struct gates_request *gates, struct status *status)
{
    return gates->by != BY_POS || (gates->module == MODULE_ENCODER && !gates->both_stacks) ||
           status_fail(status, STATUS_INVALID,
                       "by pos: FILE has no parts of speech of translations: expected enc");
}

/* True if the requested module has gates on that side; of both stacks, each must have them. */
static bool fits(const struct config *config, const struct gates_request *gates, enum module module,
                 int side)
{
    if (gates->side_given && gates->side != side)
        return false;
    if (gates->both_stacks)
        return has_gates(config, MODULE_ENCODER, side) && has_gates(config, MODULE_DECODER, side);
    return (!gates->module_given || gates->module == module) && has_gates(config, module, side);
}

static bool fail_none(const struct gates_request *gates, struct status *status)
{
    static const char *const sides[] = {
        [SIDE_Q] = " of queries", [SIDE_K] = " of keys", [GATES_BOTH] = " of queries and keys"};
    if (gates->both_stacks)
        return status_fail(status, STATUS_INVALID, "encoder and decoder have no gates%s in common",
                           gates->side_given ? " of that side" : "");
    return status_fail(status, STATUS_INVALID, "%s has no gates%s",
                       gates->module_given ? module_titles[gates->module] : "the model",
                       gates->side_given ? sides[gates->side] : "");
}

/* By default chooses the encoder if it has gates, else the decoder; queries if they have gates,
 * else keys. */
static bool choose_gates(const struct config *config, struct gates_request *gates,
                         struct status *status)
{
    if (gates->module_given && gates->module == MODULE_CROSS)
        return status_fail(status, STATUS_INVALID,
                           "cross-attention takes no context: expected enc or dec");
    for (enum module module = MODULE_ENCODER; module <= MODULE_DECODER; module++)
        for (int side = 0; side <= GATES_BOTH; side++)
            if (fits(config, gates, module, side)) {
                gates->module = module;
                gates->side = side;
                return check_grouping(gates, status);
            }
    return fail_none(gates, status);
}

/* Running -------------------------------------------------------------------------------------- */

static bool gates_of_file(struct session *session, const struct gates_request *gates,
                          struct report *report, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct gates_study study = {.config = session_config(session),
                                .module = gates->module,
                                .both_stacks = gates->both_stacks,
                                .side = gates->side,
                                .by = gates->by,
                                .walk = {.path = gates->path}};
    const bool ok = gates_run(&context, &study, status);
    const bool found = study_walk_found(&context, &study.walk, ok, status);
    if (found)
        report_gate_groups(report, session, &study);
    gates_free(&study);
    return study_finish(ok, found, report, status);
}

static bool run_gates(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    struct gates_request wanted;
    if (!read_request(request->given, &wanted, status) ||
        !choose_gates(session_config(session), &wanted, status))
        return false;
    if (wanted.path)
        return gates_of_file(session, &wanted, report, status);
    const struct sentence_pair *pair = session_current(session, status);
    struct gates_view gates = {.layers = 0};
    bool ok = pair && view_gates(session, pair, wanted.module, wanted.side, &gates, status) &&
              report_gates(report, session, pair, &gates, status);
    gates_view_free(&gates);
    return ok;
}

static const struct help_item meanings[] = {
    {"enc, dec",
     "default: the encoder if it has gates, otherwise the decoder; enc,dec is for files: both "
     "are averaged"},
    {"q, k",
     "default: queries if they have gates, otherwise keys; qk is for files: both are averaged"},
    {"FILE", "one sentence a line"},
    {"by layer", "averages by layer, the default"},
    {"by position", "by position of the token in the sentence"},
    {"by length", "by length of the sentence in tokens, in groups of ten lengths"},
    {"by pos",
     "by part of speech, which needs the encoder and a CoNLL-U file. A token takes the part of "
     "speech of the word that holds most of its characters; special tokens such as "
     "end-of-sentence have none and are left out"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "A gate is the share of context in a query or a key: 0 is the token alone, 1 the context "
    "alone (Yang et al. 2019). Rows are tokens, columns layers, but `gates` of JSON has a list for "
    "each layer; a column such as 2.1 is layer 2, "
    "learned head 1.",
    NULL,
};

const struct command command_gates = {
    .name = "gates",
    .summary = "gates of context-aware attention, or their averages over a file",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .notes = notes,
    .examples = (const char *const[]){":load samples/en-de-context.bin", STARS, ":gates enc k",
                                      ":gates enc qk samples/sentences.en by layer", NULL},
    .run = run_gates,
    .group = GROUP_VIEWS,
    .view = true,
    .needs = NEEDS_SESSION,
    .continues = true,
};
