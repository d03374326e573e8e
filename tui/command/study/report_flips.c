/* `:flips` and `:contrast … ablate`: what is decided otherwise. */
#include "tui/command/command.h"
#include "tui/command/study/report_ablation.h"
#include "tui/command/study/report_contrast.h"
#include "tui/command/study/report_decisions.h"
#include "tui/command/study/report_study.h"
#include "tui/report/head_values.h"

void flips_release(void *flips)
{
    flips_free(flips);
}

void contrast_ablate_release(void *ablate)
{
    contrast_ablate_free(ablate);
}

/* `flips` in JSON; on the screen and in csv the table. */
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
    report_line(report, FOR_PEOPLE, " lost %d  won %d  p = %.4g (McNemar)", flips->lost, flips->won,
                flips->p);
    report_flipped(report, flips);
}

/* Ablations ------------------------------------------------------------------------------------ */

static void put_decider(struct table *table, const struct session *session,
                        const struct contrast_ablate_result *ablate, int number)
{
    const struct decider *row = &ablate->rows[number];
    bool adjusted = ablate->done == ablate->ablations.count;
    table_put(table, value_int(number + 1));
    table_put_ablation(table, session, &ablate->ablations.items[number]);
    table_put(table, value_int(row->correct));
    table_put(table, value_real(ablate->decisions ? (double)row->correct / ablate->decisions : 0));
    table_put(table, value_int(row->lost));
    table_put(table, value_int(row->won));
    table_put(table, value_real(row->p));
    table_put(table, value_real(adjusted ? row->p_adjusted : NAN));
}

/* `command` shows what a row changes with " show N" behind it. */
static void report_deciders(struct report *report, const struct session *session,
                            const struct contrast_ablate_result *ablate, const char *command)
{
    static const struct column columns[] = {
        {.name = "ablation", .title = "row", .type = COLUMN_INT, .least = 5},
        ABLATION_COLUMNS,
        {.key = "correct", .name = "correct", .title = "correct", .type = COLUMN_INT},
        {.key = "accuracy",
         .name = "accuracy",
         .title = "accuracy",
         .type = COLUMN_PERCENT,
         .digits = 2},
        {.key = "lost", .name = "lost", .title = "lost", .type = COLUMN_INT, .least = 6},
        {.key = "won", .name = "won", .title = "won", .type = COLUMN_INT, .least = 6},
        {.key = "p", .name = "p", .title = "p", .type = COLUMN_P, .least = 10},
        {.key = "p_adjusted", .name = "p_adjusted", .title = "p adjusted", .type = COLUMN_P},
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
    const char *off = report_take_text(report, ablation_text(&ablate->ablations.items[number - 1]));
    report_json(report, "show", value_int(number));
    report_line(report, FOR_PEOPLE, " row %d: %s off: lost %d  won %d  p = %.4g (McNemar)", number,
                off, shown->lost, shown->won, shown->p);
    report_flipped(report, shown);
}

static double adjusted_p(const void *ablate, int number)
{
    return ((const struct contrast_ablate_result *)ablate)->rows[number].p_adjusted;
}

/* Plots the accuracy less that without an ablation. */
static void plot_deciders(struct report *report, const struct session *session,
                          const struct contrast_ablate_result *ablate, enum ablate_by by)
{
    struct plot *plot = report_ablation_plot(report, session, &ablate->ablations, ablate->done, by);
    plot->title = report_ablation_title(report, "Contrastive accuracy", by);
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
