/* Reports `:contrast`, its ablations, and `:flips`: decisions in groups, and those that change. */
#include "tui/command/study/report_contrast.h"

#include "report/origins.h"
#include "tui/command/command.h"
#include "tui/command/study/report_ablation.h"
#include "tui/command/study/report_study.h"

void contrast_release(void *contrast)
{
    contrast_free(contrast);
}

/* Parts ---------------------------------------------------------------------------------------- */

/* Returns "decisions of FILE, FILE  by length", to which more is added. */
static const char *decisions_title(struct report *report, const struct strings *files,
                                   enum contrast_normalize normalize)
{
    return report_format(report, "decisions of %s%s", report_joined(report, files, ", "),
                         normalize == NORMALIZE_LENGTH ? "  by length" : "");
}

/* Puts JSON `file`, `files`, `normalize`. */
static void report_suite(struct report *report, const struct suite *suite,
                         enum contrast_normalize normalize)
{
    int count = 0, number = 0;
    for (int s = 0; s < suite->set_count; s++)
        count += suite->sets[s].path_count;
    const char **files = report_new(report, (size_t)count, sizeof *files);
    for (int s = 0; files && s < suite->set_count; s++)
        for (int i = 0; i < suite->sets[s].path_count; i++)
            files[number++] = report_copy(report, suite->sets[s].paths[i]);
    report_json(report, "file", value_text(files ? files[0] : ""));
    report_json(report, "files", value_texts(files, number));
    report_json(report, "normalize", value_text(contrast_normalize_names[normalize]));
}

/* Puts JSON `correct`, `accuracy`. */
static void report_accuracy(struct report *report, int correct, int decisions)
{
    report_json(report, "correct", value_int(correct));
    report_json(report, "accuracy", value_real(decisions ? (double)correct / decisions : 0));
}

/* Returns "12 of 40 correct: 30.00%". */
static const char *accuracy_text(struct report *report, int correct, int decisions)
{
    return report_format(report, "%d of %d correct: %.*f%%", correct, decisions, PERCENT_DIGITS,
                         decisions ? 100.0 * correct / decisions : 0);
}

static void release_run(void *run)
{
    suite_run_release(run);
}

/* Holds a run whose rows the report reads later. */
static void report_hold_run(struct report *report, const struct suite_run *run)
{
    suite_run_hold(run);
    report_keep(report, (struct suite_run *)run, release_run);
}

/* Returns the state that a suite was run in. */
static struct saved_state state_of_run(const struct session *session, const struct suite_run *run)
{
    struct saved_state state = {.loaded = session_loaded(session, run->checkpoint),
                                .head_settings = run->head_settings,
                                .search = session->state.search};
    state.search.languages = run->languages;
    return state;
}

/* Groups --------------------------------------------------------------------------------------- */

/* Group 0 is all decisions. */
static void put_group(struct table *table, int number, const struct contrast_group *group)
{
    table_put(table, number ? value_int(number) : value_null(),
              value_text(number ? contrast_by_names[group->by] : ""),
              value_text(number ? group->name : "all"), value_int(group->decisions),
              value_int(group->correct),
              value_real(group->decisions ? (double)group->correct / group->decisions : NAN));
}

/* `command` with " group N" appended shows a group. */
static void report_groups(struct report *report, const struct contrast_result *contrast,
                          const char *command)
{
    static const struct column columns[] = {
        {.name = "group", .title = "group", .type = COLUMN_INT},
        {.all = "by", .least = 9},
        {.all = "name"},
        {.all = "decisions", .type = COLUMN_INT},
        {.all = "correct", .type = COLUMN_INT},
        {.name = "accuracy", .title = "accuracy %", .type = COLUMN_PERCENT},
    };
    const struct contrast_group all = {.decisions = contrast->decisions,
                                       .correct = contrast->correct};
    const unsigned of_all = IN_SCREEN | IN_TYPESET | IN_TABLE | IN_ARRAYS;
    unsigned in = IN_JSON | (contrast->groups.count ? IN_TEXT : 0) |
                  (contrast->request.listed == LISTED_NONE ? of_all : 0);
    struct table *table = report_table(report, in, "groups", columns, COUNT(columns));
    for (int i = 0; i < contrast->groups.count; i++) {
        table_row(table);
        put_group(table, i + 1, &contrast->groups.groups[i]);
        table_enter(table, ":%s group %d", command, i + 1);
    }
    table_row_in(table, of_all);
    put_group(table, 0, &all);
    table_enter(table, ":%s group all", command);
}

/* Figures -------------------------------------------------------------------------------------- */

/* Groups of one kind, which are adjacent; by CONTRAST_BYS: there are none. */
struct kind {
    enum contrast_by by;
    int first, count;
};

static int points_of(const struct kind *kind)
{
    return kind->count ? kind->count : 1;
}

/* Returns lines for kinds that have an order. */
static enum plot_kind plot_kind_of(const struct kind *kind)
{
    return kind->by == BY_DISTANCE || kind->by == BY_FREQUENCY ? PLOT_LINES : PLOT_BARS;
}

/* Chooses the most informative kind: one with an order rather than one with names only. */
static struct kind choose_kind(const struct contrast_groups *groups)
{
    static const enum contrast_by order[] = {
        BY_DISTANCE, BY_FREQUENCY, BY_SENSE, BY_PRONOUN, BY_TYPE, BY_INTRASEGMENTAL, BY_REFERENCE};
    struct kind kind = {CONTRAST_BYS, groups->count, 0};
    for (int o = 0; o < CONTRAST_BYS && kind.count == 0; o++)
        for (int i = groups->count - 1; i >= 0; i--)
            if (groups->groups[i].by == order[o]) {
                kind.by = order[o];
                kind.first = i;
                kind.count++;
            }
    return kind;
}

/* Names the points of a kind; without groups there is one point for all decisions. */
static void name_points(struct report *report, struct plot *plot,
                        const struct contrast_groups *groups, const struct kind *kind)
{
    static const char *const titles[] = {
        [BY_TYPE] = "type of error",  [BY_SENSE] = "sense",
        [BY_PRONOUN] = "pronouns",    [BY_INTRASEGMENTAL] = "intrasegmental",
        [BY_REFERENCE] = "reference", [BY_DISTANCE] = "distance",
        [BY_FREQUENCY] = "frequency", [CONTRAST_BYS] = "decisions"};
    const char **labels = report_new(report, (size_t)plot->points, sizeof *labels);
    for (int i = 0; labels && i < plot->points; i++)
        labels[i] = kind->count ? groups->groups[kind->first + i].name : "all";
    plot->labels = labels;
    plot->x_title = titles[kind->by];
    plot->y_title = "accuracy";
    plot->title = kind->by == CONTRAST_BYS
                      ? "Contrastive accuracy"
                      : report_format(report, "Contrastive accuracy by %s", titles[kind->by]);
    plot->most = 1;
}

static void plot_contrast(struct report *report, const struct contrast_result *contrast)
{
    const struct contrast_groups *groups = &contrast->groups;
    const struct kind kind = choose_kind(groups);
    struct plot *plot = report_plot(report, IN_FIGURE, plot_kind_of(&kind), 1, points_of(&kind));
    name_points(report, plot, groups, &kind);
    plot->mean = (double)contrast->correct / contrast->decisions;
    plot->mean_name = "all decisions";
    plot->series[0] = "accuracy";
    for (int i = 0; plot->values && i < plot->points; i++) {
        const struct contrast_group *group = &groups->groups[kind.first + i];
        plot->values[i] =
            (float)(kind.count ? (double)group->correct / group->decisions : plot->mean);
    }
}

/* In one state --------------------------------------------------------------------------------- */

/* Returns "contrast FILE by type". */
static const char *command_of(struct report *report, const struct contrast_request *request)
{
    bool by = request->by != CONTRAST_BYS;
    return report_format(report, "contrast %s%s%s", report_paths(report, &request->files),
                         by ? " by " : "", by ? contrast_by_names[request->by] : "");
}

/* CSV has the candidates of the listed decisions. */
static void report_lists(struct report *report, const struct contrast_result *contrast)
{
    const struct suite_run *run = contrast->run;
    if (contrast->request.listed == LISTED_NONE)
        return;
    struct decision_list list = {.suite = &run->suite,
                                 .scores = {&run->scores},
                                 .normalize = contrast->normalize,
                                 .numbers = contrast->list,
                                 .count = contrast->list_count};
    report_decisions(report, IN_TEXT | IN_JSON, "listed", &list);
    report_decision_sheet(report, &list);
    if (contrast->request.listed == LISTED_ALL) {
        list.numbers = NULL;
        list.count = contrast->decisions;
    }
    report_candidates(report, &list);
}

static void report_head(struct report *report, const struct contrast_result *contrast,
                        const char *command)
{
    const struct contrast_request *request = &contrast->request;
    const char *group = report_group_words(report, request->listed);
    report_title(report, "%s%s%s", decisions_title(report, &request->files, contrast->normalize),
                 request->listed > 0 ? " " : "", request->listed > 0 ? group : "");
    report_command(report, "%s%s", command, group);
}

void report_contrast(struct report *report, const struct session *session,
                     const struct contrast_result *contrast)
{
    const struct suite_run *run = contrast->run;
    const char *command = command_of(report, &contrast->request);
    report_head(report, contrast, command);
    report_hold_run(report, run);
    report_is_scores(report);
    report->origin.state = state_of_run(session, run);
    report_suite(report, &run->suite, contrast->normalize);
    report_json(report, "items", value_int(run->scores.items));
    report_json(report, "partial", value_bool(contrast_partial(contrast)));
    report_json(report, "decisions", value_int(contrast->decisions));
    report_accuracy(report, contrast->correct, contrast->decisions);
    report_partial(report, FOR_PEOPLE, run->scores.items, run->suite.count, "items");
    report_line(report, FOR_PEOPLE, " %s",
                accuracy_text(report, contrast->correct, contrast->decisions));
    report_groups(report, contrast, command);
    report_lists(report, contrast);
    if (run->suite.without_context)
        report_warn(report, "%s: sentences of documents, scored without the sentences before them",
                    run->suite.sets[0].paths[0]);
    if (contrast->request.listed == LISTED_NONE)
        plot_contrast(report, contrast);
}

/* In several states ---------------------------------------------------------------------------- */

void report_contrast_in_states(struct report *report, const struct several_states *several)
{
    const struct contrast_result *contrast = &several->contrasts[0];
    const struct strings *files = &contrast->request.files;
    const struct kind kind = choose_kind(&contrast->groups);
    report_is_scores(report);
    report_title(report, "%s", decisions_title(report, files, contrast->normalize));
    report_command(report, "%s%s", command_of(report, &contrast->request),
                   report_in_states(report, &several->names));
    report_json(report, "name", value_text(several_states_measure(several)));
    report_json(report, "normalize", value_text(contrast_normalize_names[contrast->normalize]));
    report_json(report, "files", value_texts((const char *const *)files->text, files->count));
    report_several_states(report, several, NULL, contrast->request.by != CONTRAST_BYS);
    struct plot *plot =
        report_several_plot(report, several, plot_kind_of(&kind), kind.first, points_of(&kind));
    name_points(report, plot, &contrast->groups, &kind);
}

/* `:flips` and `:contrast … ablate`: the decisions that change. */

void flips_release(void *flips)
{
    flips_free(flips);
}

void contrast_ablate_release(void *ablate)
{
    contrast_ablate_free(ablate);
}

/* Puts `flips` in JSON, and the table on the screen and in CSV. */
static void report_flipped(struct report *report, const struct flips_result *flips)
{
    const struct decision_list list = {.suite = flips->suite,
                                       .scores = {flips->scores[0], flips->scores[1]},
                                       .normalize = flips->normalize,
                                       .numbers = flips->list,
                                       .count = flips->lost + flips->won};
    report_decisions(report, IN_TEXT | IN_JSON | IN_TABLE, "flips", &list);
    report_decision_sheet(report, &list);
}

/* Two runs ------------------------------------------------------------------------------------- */

static void report_heads(struct report *report, const char *title, const char *heads)
{
    if (*heads)
        report_line(report, FOR_PEOPLE, "         %s: %s", title, heads);
}

static void report_side(struct report *report, const struct session *session,
                        const struct flips_result *flips, int side)
{
    static const char *const keys[] = {"before", "after"};
    const struct saved_state state = state_of_run(session, flips->runs[side]);
    const struct session other = session_under(session, &state, NULL);
    report_group(report, IN_JSON, keys[side]);
    report_json(report, "model", value_text(state.loaded->path));
    report_json(report, "disabled", heads_off_value(report, &other));
    report_json(report, "changed", heads_changed_value(report, &other));
    report_accuracy(report, flips->correct[side], flips->decisions);
    report_group_end(report);
    report_line(report, FOR_PEOPLE, " %-6s  %s  (%s)", keys[side],
                accuracy_text(report, flips->correct[side], flips->decisions),
                states_model_name(session, state.loaded));
    report_heads(report, "off", report_heads_off(report, &other));
    report_heads(report, "changed", report_heads_changed(report, &other));
}

static void report_origin(struct report *report, const struct session *session,
                          const struct flips_result *flips)
{
    struct origin *origin = &report->origin;
    origin->states[0] =
        (struct origin_state){.name = "before", .state = state_of_run(session, flips->runs[0])};
    origin->states[1] =
        (struct origin_state){.name = "after", .state = state_of_run(session, flips->runs[1])};
    origin->count = 2;
    origin->suite = &flips->runs[1]->files;
}

void report_flips(struct report *report, const struct session *session,
                  const struct flips_result *flips)
{
    const struct suite *suite = flips->suite;
    bool partial = flips->decisions < suite->decision_count;
    char p[P_BYTES];
    report_is_scores(report);
    for (int side = 0; side < 2; side++)
        report_hold_run(report, flips->runs[side]);
    report_origin(report, session, flips);
    report_title(report, "changed decisions of %s%s", suite->sets[0].paths[0],
                 flips->normalize == NORMALIZE_LENGTH ? "  by length" : "");
    report_command(report, "flips");
    report_suite(report, suite, flips->normalize);
    report_json(report, "decisions", value_int(flips->decisions));
    report_json(report, "partial", value_bool(partial));
    report_partial(report, FOR_PEOPLE, flips->decisions, suite->decision_count, "decisions");
    for (int side = 0; side < 2; side++)
        report_side(report, session, flips, side);
    report_json(report, "lost", value_int(flips->lost));
    report_json(report, "won", value_int(flips->won));
    report_json(report, "p", value_real(flips->p));
    report_line(report, FOR_PEOPLE, " lost %d  won %d  %s (McNemar)", flips->lost, flips->won,
                p_equation(flips->p, p));
    report_flipped(report, flips);
}

/* Ablations ------------------------------------------------------------------------------------ */

static void put_decider(struct table *table, const struct session *session,
                        const struct contrast_ablate_result *ablate, int number)
{
    const struct decider *row = &ablate->rows[number];
    bool adjusted = ablate->done == ablate->ablations.count;
    table_put(table, value_int(number + 1));
    table_put_ablation(table, session, &ablate->ablations.items[number], NULL);
    table_put(table, value_int(row->correct),
              value_real(ablate->decisions ? (double)row->correct / ablate->decisions : 0),
              value_int(row->lost), value_int(row->won), value_real(row->p),
              value_real(adjusted ? row->p_adjusted : NAN));
}

/* `command` with " show N" appended shows what a row changes. */
static void report_deciders(struct report *report, const struct session *session,
                            const struct contrast_ablate_result *ablate, const char *command)
{
    static const struct column columns[] = {
        {.name = "ablation", .title = "row", .type = COLUMN_INT, .least = 5},
        ABLATION_COLUMNS,
        {.all = "correct", .type = COLUMN_INT},
        {.all = "accuracy", .title = "accuracy %", .type = COLUMN_PERCENT},
        {.all = "lost", .type = COLUMN_INT, .least = 6},
        {.all = "won", .type = COLUMN_INT, .least = 6},
        {.all = "p", .type = COLUMN_P, .least = 6},
        {.all = "p_adjusted", .title = "p adjusted", .type = COLUMN_P},
    };
    unsigned in = IN_TEXT | IN_JSON | (ablate->shown.suite ? 0 : IN_TABLE | IN_SCREEN);
    struct table *table = report_table(report, in, "ablations", columns, COUNT(columns));
    for (int i = 0; i < ablate->done; i++) {
        table_row(table);
        put_decider(table, session, ablate, i);
        table_enter(table, ":%s show %d", command, i + 1);
    }
}

static void report_shown(struct report *report, const struct contrast_ablate_result *ablate)
{
    const struct flips_result *shown = &ablate->shown;
    int number = ablate->ablate.shown;
    char p[P_BYTES];
    const char *off = report_take_text(report, ablation_text(&ablate->ablations.items[number - 1]));
    report_json(report, "show", value_int(number));
    report_line(report, FOR_PEOPLE, " row %d: %s off: lost %d  won %d  %s (McNemar)", number, off,
                shown->lost, shown->won, p_equation(shown->p, p));
    report_flipped(report, shown);
}

static double adjusted_p(const void *ablate, int number)
{
    return ((const struct contrast_ablate_result *)ablate)->rows[number].p_adjusted;
}

/* Plots accuracies minus that without an ablation. */
static void plot_deciders(struct report *report, const struct session *session,
                          const struct contrast_ablate_result *ablate, enum ablate_by by)
{
    struct plot *plot = report_ablation_plot(report, session, &ablate->ablations, ablate->done, by);
    plot->title = report_ablation_title(report, "Contrastive accuracy", &ablate->ablations, by);
    plot->y_title = "change in accuracy";
    for (int i = 0; plot->values && i < ablate->done; i++)
        plot->values[i] =
            (float)((double)(ablate->rows[i].correct - ablate->correct) / ablate->decisions);
    if (ablate->done == ablate->ablations.count)
        report_ablation_marks(report, plot, "McNemar", adjusted_p, ablate);
}

void report_contrast_ablate(struct report *report, const struct session *session,
                            const struct ablate_words *words,
                            const struct contrast_ablate_result *ablate)
{
    const struct strings *files = &ablate->ablate.files;
    const char *off = ablation_words(report, words->by, &words->selectors->words);
    const char *command =
        report_format(report, "contrast %s ablate%s", report_paths(report, files), off);
    bool partial = ablate->done < ablate->ablations.count;
    report_is_scores(report);
    report_hold_run(report, ablate->run);
    report->origin.state = state_of_run(session, ablate->run);
    const struct session ablated = session_under(session, &report->origin.state, NULL);
    report_title(report, "%s  ablated%s", decisions_title(report, files, ablate->normalize), off);
    report_command(report, "%s%s", command, report_show_words(report, ablate->ablate.shown));
    report_suite(report, &ablate->run->suite, ablate->normalize);
    report_json(report, "partial", value_bool(partial));
    report_json(report, "decisions", value_int(ablate->decisions));
    report_accuracy(report, ablate->correct, ablate->decisions);
    report_partial(report, FOR_PEOPLE, ablate->done, ablate->ablations.count, "ablations");
    report_line(report, FOR_PEOPLE, " %s",
                accuracy_text(report, ablate->correct, ablate->decisions));
    report_deciders(report, &ablated, ablate, command);
    if (ablate->shown.suite)
        report_shown(report, ablate);
    if (!ablate->ablate.shown)
        plot_deciders(report, &ablated, ablate, words->by);
}
