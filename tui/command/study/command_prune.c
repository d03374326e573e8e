/* `:prune`: how many heads a model can do without. */
#include "model/study/prune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/command/command.h"
#include "tui/command/report_part.h"
#include "tui/command/study/ablate_gradient.h"
#include "tui/command/study/ablate_words.h"
#include "tui/command/study/report_ablation.h"
#include "tui/command/study/report_study.h"
#include "tui/terminal/progress.h"
#include "tui/text/arguments.h"

/* Words ------------------------------------------------------------------------------------------ */

static bool parse_until(const struct pieces *words, int at, double *out, struct status *status)
{
    if (at + 1 >= words->count || strcmp(words->text[at], "until") != 0)
        return status_fail(status, STATUS_INVALID,
                           "expected until DELTA after the files, how far BLEU may fall");
    return parse_double("until", words->text[at + 1], 0, 100, out, status);
}

/* What follows DELTA; words that are part of a selector go to `selected`. */
static bool parse_rest(const struct pieces *words, int first, struct ablate_words *out,
                       struct pieces *selected, struct status *status)
{
    for (int i = first; i < words->count; i++) {
        const char *word = words->text[i];
        bool ok;
        if (strcmp(word, SHOW_WORD) == 0) {
            ok = show_parse(++i < words->count ? words->text[i] : NULL, "a step", &out->shown,
                            status);
        } else {
            ok = pieces_add(selected, word, strlen(word), status);
        }
        if (!ok)
            return false;
    }
    return true;
}

/* SRC REF… until DELTA [SELECTOR or …] [show N]. On failure nothing needs to be freed. */
static bool parse_words(const struct pieces *words, struct ablate_words *out, double *until,
                        struct status *status)
{
    struct pieces selected = {0};
    *out = (struct ablate_words){.by = ABLATE_LAYER_HEAD};
    int first = ablate_take_files(words, &out->files, status);
    bool ok = first >= 0 && parse_until(words, first, until, status) &&
              parse_rest(words, first + 2, out, &selected, status) &&
              selectors_parse(&selected, &out->selectors, status);
    pieces_free(&selected);
    if (!ok)
        ablate_words_free(out);
    return ok;
}

static bool parse(const struct session *session, const struct pieces *typed,
                  struct ablate_words *words, struct prune_request *out, struct status *status)
{
    if (!parse_words(typed, words, &out->until, status))
        return false;
    out->shown = words->shown;
    if (!ablation_list_select(&words->selectors, words->by, session_config(session), &out->heads,
                              status))
        return false;
    out->files = words->files;
    words->files = (struct pieces){0};
    return true;
}

/* Report ----------------------------------------------------------------------------------------- */

/* As it is shown, unless that reads as another number. */
static const char *exactly(struct report *report, double number)
{
    const char *text = report_format(report, "%.9g", number);
    return strtod(text, NULL) == number ? text : report_format(report, "%.17g", number);
}

static const char *signature_of(struct report *report, const struct prune_result *prune)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        prune_write_signature(out, prune);
    return report_written(&writer);
}

/* Before the first step all heads are on. */
static void put_base(struct table *table, double base)
{
    table_row_in(table, IN_TABLE | IN_ARRAYS);
    table_put(table, value_int(0));
    for (int i = 0; i < ABLATION_COLUMN_COUNT + 1; i++)
        table_put(table, value_null());
    table_put(table, value_real(base));
}

static void put_step(struct table *table, const struct session *session,
                     const struct prune_step *step, int number, bool compared)
{
    int layer = step->layer, head = step->head;
    table_put(table, value_int(number));
    table_put_ablation(table, session,
                       &(struct ablation){.module = step->module,
                                          .layers = &layer,
                                          .heads = &head,
                                          .layer_count = 1,
                                          .head_count = 1});
    table_put(table, value_int(step->left));
    table_put(table, value_real(step->score));
    table_put(table, value_real(step->delta));
    if (!compared)
        return;
    table_put(table, value_real(step->greedy));
    table_put(table, value_real(step->greedy - step->score));
}

/* Where sentences are asked for, they are the table of files and of the screen. `command`: that shows a step's. */
static void add_steps(struct report *report, const struct session *session,
                      const struct prune_result *prune, const char *command)
{
    static const struct column all[] = {
        {.name = "step", .title = "step", .type = COLUMN_INT},
        ABLATION_COLUMNS,
        {.key = "left", .name = "left", .title = "left", .type = COLUMN_INT},
        {.key = "score", .name = "score", .title = "BLEU", .type = COLUMN_REAL, .digits = 2},
        {.key = "delta", .name = "delta", .title = "delta", .type = COLUMN_SIGNED, .digits = 2},
        // Of the order by gradient alone:
        {.key = "greedy", .name = "greedy", .title = "greedy", .type = COLUMN_REAL, .digits = 2},
        {.key = "cost", .name = "cost", .title = "cost", .type = COLUMN_SIGNED, .digits = 2},
    };
    int count = COUNT(all) - (prune->request.by_gradient ? 0 : 2);
    unsigned others = IN_SCREEN | IN_TABLE | IN_ARRAYS;
    unsigned in = IN_TEXT | IN_JSON | (prune->request.shown ? 0 : others);
    struct table *table = report_table(report, in, "steps", all, count);
    put_base(table, prune->base);
    for (int i = 0; i < prune->count; i++) {
        table_row(table);
        put_step(table, session, &prune->steps[i], i + 1, prune->request.by_gradient);
        table_enter(table, ":%s show %d", command, i + 1);
    }
}

static void add_shown(struct report *report, const struct prune_result *prune)
{
    int shown = prune->request.shown;
    const struct prune_step *step = &prune->steps[shown - 1];
    report_json(report, "show", value_int(shown));
    report_line(report, IN_SCREEN, " step %d  BLEU %.2f  delta %+.2f", shown, step->score,
                step->delta);
    report_line(report, FOR_PEOPLE,
                " step %d: a with all heads, b without those of steps 1 to %d; %d of %d sentences "
                "differ",
                shown, shown, prune->shown.differing, prune->sentences);
    report_listed(report, FOR_PEOPLE | FOR_PROGRAMS, &prune->shown, &prune->request.files);
}

/* BLEU over the heads that are left. The last step may be the one that fell too far: below the line. */
static void add_plot(struct report *report, const struct prune_result *prune, const char *heads)
{
    int points = prune->count + 1;
    struct plot *plot = report_plot(report, IN_FIGURE, PLOT_LINES, 1, points);
    const char **labels = report_new(report, (size_t)points, sizeof *labels);
    for (int i = 0; plot->values && labels && i < points; i++) {
        const struct prune_step *step = i ? &prune->steps[i - 1] : NULL;
        labels[i] = report_format(report, "%d", step ? step->left : prune->heads);
        plot->values[i] = (float)(step ? step->score : prune->base);
    }
    plot->labels = labels;
    plot->series[0] = "BLEU";
    plot->x_title = "heads left";
    plot->y_title = "BLEU";
    double limit = prune->base - prune->request.until;
    plot->mean = limit > 0 ? limit : NAN; // where BLEU can be
    plot->mean_name = "limit";
    plot->without_zero = true;
    plot->title = report_format(report, "%s (ΔBLEU ≤ %.9g)%s",
                                prune->request.by_gradient ? "Head pruning by gradient"
                                                           : "Greedy head pruning",
                                prune->request.until, heads);
}

static void tell_facts(struct report *report, const struct prune_result *prune)
{
    if (prune->partial)
        report_line(report, FOR_PEOPLE, " partial: the first %d steps", prune->count);
    report_line(report, FOR_PEOPLE, " baseline BLEU %.2f with all of %d heads  %d sentence%s",
                prune->base, prune->heads, prune->sentences, prune->sentences == 1 ? "" : "s");
}

static void set_title(struct report *report, const struct prune_request *request, const char *heads)
{
    report_title(report, "heads pruned by %s until %.9g%s",
                 report_joined(report, &request->files, ", "), request->until, heads);
}

/* In JSON `base`, `heads` (on at first), `steps` [{`module`, `layer`, `head`, `left`, `score`, `delta`}], `until`,
 * `signature`, `files`, `sentences`, `partial`; `show` and `listed` as in `:ablate`. */
static void report_prune(struct report *report, const struct session *session,
                         const struct prune_result *prune, const struct pieces *selectors)
{
    const struct prune_request *request = &prune->request;
    const char *heads = ablation_words(report, ABLATE_SELECTED, selectors);
    const char *by_gradient = request->by_gradient ? " by gradient" : "";
    const char *command =
        report_format(report, "prune %s until %s%s%s", report_paths(report, &request->files),
                      exactly(report, request->until), by_gradient, heads);
    const char *signature = signature_of(report, prune);
    set_title(report, request, report_format(report, "%s%s", by_gradient, heads));
    report_command(report, "%s%s", command, report_show_words(report, request->shown));
    if (request->by_gradient)
        report_json(report, "by", value_text("gradient"));
    report_json(report, "base", value_real(prune->base));
    report_json(report, "heads", value_int(prune->heads));
    tell_facts(report, prune);
    add_steps(report, session, prune, command);
    if (prune_fell(prune))
        report_line(report, FOR_PEOPLE, " with step %d it falls by more than %.9g", prune->count,
                    request->until);
    if (request->by_gradient && prune->count && isnan(prune->steps[0].greedy))
        report_line(report, FOR_PEOPLE,
                    " greedy: run the command without by gradient before, to see what this order "
                    "costs");
    report_json(report, "until", value_real(request->until));
    report_json(report, "signature", value_text(signature));
    report_json(report, "files", report_files(&request->files));
    report_json(report, "sentences", value_int(prune->sentences));
    report_json(report, "partial", value_bool(prune->partial));
    if (request->shown)
        add_shown(report, prune);
    else
        add_plot(report, prune, *heads ? report_format(report, ", %s", heads + 1) : "");
    report_line(report, FOR_PEOPLE, " BLEU|%s", signature);
}

/* Running ---------------------------------------------------------------------------------------- */

COMMAND(prune)
{
    struct study_context context = session_study(session, &progress_watch);
    context.parts = NULL; // a step needs the whole of the one before
    if (report_needs_whole(report, session))
        return report_end(report, status);
    struct prune_result *prune = report_hold(report, sizeof *prune, prune_release);
    struct ablate_words words = {.shown = 0};
    struct pieces typed = request->words;
    typed.text = memory_new((size_t)typed.count, sizeof *typed.text, status);
    bool ok = prune && typed.text;
    if (ok) {
        for (int i = 0; i < typed.count; i++)
            typed.text[i] = request->words.text[i];
        prune->request.by_gradient = gradient_words_take(&typed);
        ok = parse(session, &typed, &words, &prune->request, status);
    }
    free(typed.text);
    if (ok) {
        prune->settings = session->settings.study;
        ok = prune_run(&context, prune, status);
    }
    bool found = ok || (prune && prune->partial && !prune->request.shown);
    report_is_of_current(report, session);
    if (found)
        report_prune(report, session, prune, &words.selectors.words);
    ablate_words_free(&words);
    return study_finish(ok, found, report, status);
}
