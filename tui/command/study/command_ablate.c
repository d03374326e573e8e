/* `:ablate`: measures how much heads contribute to the score of a test set. */
#include <stdlib.h>
#include <string.h>

#include "model/study/ablate.h"
#include "model/study/head_gradients.h"
#include "model/text/parallel.h"
#include "terminal/progress.h"
#include "tui/command/command.h"
#include "tui/command/study/report_ablation.h"
#include "tui/command/study/report_study.h"

/* Words by gradient (model/study/head_gradients.h) --------------------------------------------- */

/* Keeps only heads that are on; each ablation has one head. */
static bool drop_heads_off(const struct session *session, struct ablation_list *list,
                           struct status *status)
{
    for (int i = list->count - 1; i >= 0; i--) {
        const struct ablation *one = &list->items[i];
        if (*head_settings_gain(session->state.head_settings, one->module, one->layers[0],
                                one->heads[0]) == 0)
            ablation_list_remove(list, i);
    }
    return list->count || status_fail(status, STATUS_INVALID, "all selected heads are off");
}

/* On failure nothing needs to be freed. */
static bool parse_gradient(const struct session *session, const struct argument_values *given,
                           const struct ablate_places *places, struct ablate_words *out,
                           struct ablation_list *list, struct status *status)
{
    if (!ablate_words_read(given, places, out, status))
        return false;
    out->by = ABLATE_LAYER_HEAD;
    if (ablate_words_select(out, session_config(session), list, status)) {
        if (drop_heads_off(session, list, status))
            return true;
        ablation_list_free(list);
    }
    ablate_words_free(out);
    return false;
}

/* Report by gradient --------------------------------------------------------------------------- */

struct gradient_work {
    struct ablate_words words;
    struct ablation_list list;
    struct parallel files;
    struct head_gradients gradients;
};

static void gradients_release(void *data)
{
    struct gradient_work *work = data;
    ablate_words_free(&work->words);
    ablation_list_free(&work->list);
    parallel_free(&work->files);
    head_gradients_free(&work->gradients);
}

/* Enter measures the head's contribution in BLEU. */
static void add_gradients(struct report *report, const struct session *session,
                          const struct gradient_work *work)
{
    static const struct column columns[] = {
        {.name = "head_number", .title = "row", .type = COLUMN_INT},
        ABLATION_COLUMNS,
        {.all = "importance", .type = COLUMN_REAL, .digits = 4},
        {.all = "normalized", .title = "in layer", .type = COLUMN_REAL, .digits = 4},
        {.all = "mean", .type = COLUMN_SIGNED, .digits = 4},
    };
    const char *files = report_paths(report, &work->words.files);
    struct table *table =
        report_table(report, FOR_PEOPLE | FOR_PROGRAMS, "heads", columns, COUNT(columns));
    for (int i = 0; i < work->gradients.count; i++) {
        const struct head_gradient *head = &work->gradients.heads[i];
        table_add(table, value_int(i + 1));
        table_put_ablation(table, session, &work->list.items[i], &work->words.files);
        table_put(table, value_real(head->importance), value_real(head->normalized),
                  value_real(head->mean));
        table_enter(table, ":ablate %s %s layer %d head %d", files, module_names[head->module],
                    head->layer + 1, head->head + 1);
    }
}

static void plot_gradients(struct report *report, const struct session *session,
                           const struct gradient_work *work)
{
    struct plot *plot =
        report_ablation_plot(report, session, &work->list, work->list.count, ABLATE_LAYER_HEAD);
    for (int i = 0; plot->values && i < work->list.count; i++)
        plot->values[i] = (float)work->gradients.heads[i].importance;
    plot->title = "Importance of each head by gradient";
    plot->x_title = "head (layer.head)";
    plot->y_title = "mean |∂ log p / ∂ gain|";
}

static void report_gradients(struct report *report, const struct session *session,
                             const struct gradient_work *work)
{
    const struct head_gradients *gradients = &work->gradients;
    const struct strings *files = &work->words.files;
    const char *heads = ablation_words(report, ABLATE_SELECTED, &work->words.selectors->words);
    report_title(report, "importance of heads in %s by gradient%s",
                 report_joined(report, files, ", "), heads);
    report_command(report, "ablate %s by gradient%s", report_paths(report, files), heads);
    report_json(report, "by", value_text("gradient"));
    report_json(report, "files", report_files(files));
    report_sentences(report, gradients->sentences, gradients->lines);
    add_gradients(report, session, work);
    plot_gradients(report, session, work);
}

/* Running by gradient -------------------------------------------------------------------------- */

static bool fill_heads(struct gradient_work *work, struct status *status)
{
    struct head_gradients *out = &work->gradients;
    out->count = work->list.count;
    out->heads = memory_new((size_t)out->count, sizeof *out->heads, status);
    for (int i = 0; out->heads && i < out->count; i++)
        out->heads[i] = (struct head_gradient){.module = work->list.items[i].module,
                                               .layer = work->list.items[i].layers[0],
                                               .head = work->list.items[i].heads[0]};
    return out->heads != NULL;
}

static bool compute_gradients(struct session *session, struct gradient_work *work,
                              struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    const char *path = work->words.files.text[0];
    return head_gradients_run(&context, path, &work->files.lines[0], &work->files.lines[1],
                              &work->gradients, status);
}

/* Runs the command; its arguments are at these places. */
static bool ablate_by_gradient(struct session *session, const struct argument_values *given,
                               const struct ablate_places *places, struct report *report,
                               struct status *status)
{
    struct gradient_work *work = report_hold(report, sizeof *work, gradients_release);
    report_is_of_current(report, session);
    bool ok = work && parse_gradient(session, given, places, &work->words, &work->list, status) &&
              parallel_read(&work->words.files, &progress_watch, &work->files, status) &&
              fill_heads(work, status) && compute_gradients(session, work, status);
    if (shards_divided(session->shards))
        return study_finish(ok, false, report, status);
    bool found = ok || (work && status->code == STATUS_CANCELLED && work->gradients.taken > 0);
    if (found)
        report_gradients(report, session, work);
    return study_finish(ok, found, report, status);
}

enum { SRC, REF, BY, SELECTED, SHOW };
static const struct argument arguments[] = {
    [SRC] = {"SRC", .kind = ARGUMENT_FILE, .required = true, .sources = true},
    [REF] = {"REF", .kind = ARGUMENT_FILE, .required = true, .most = ARGUMENT_MANY},
    [BY] = {.keyword = "by", .kind = ARGUMENT_CHOICE, .choices = ablate_choices},
    [SELECTED] = {.kind = ARGUMENT_SELECTORS},
    [SHOW] = {"N", "show", ARGUMENT_INTEGER, .expected = "the number of an ablation"},
};
static const struct ablate_places places = {SRC, REF, BY, SELECTED, SHOW};

/* Words ---------------------------------------------------------------------------------------- */

/* Errors in the words are reported before anything is translated. */
static bool parse(const struct session *session, const struct request *request,
                  struct ablate_words *words, struct ablate_result *out, struct status *status)
{
    if (!ablate_words_read(request->given, &places, words, status) ||
        !ablate_words_select(words, session_config(session), &out->ablations, status))
        return false;
    out->request = (struct ablate_request){words->files, words->shown};
    words->files = (struct strings){0};
    return true;
}

/* Report --------------------------------------------------------------------------------------- */

static const char *signature_of(struct report *report, const struct ablate_result *ablate)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        ablate_write_signature(out, ablate);
    return report_written(&writer);
}

static void tell_greatest_loss(struct report *report, const struct ablate_result *ablate)
{
    int worst = 0;
    for (int i = 1; i < ablate->ablations.count; i++)
        if (ablate->scores[i].delta < ablate->scores[worst].delta)
            worst = i;
    if (ablate->ablations.count > 1 && ablate->scores[worst].delta < 0)
        report_line(report, FOR_PEOPLE, " greatest loss: row %d, %s  BLEU %.2f  delta %+.2f",
                    worst + 1,
                    report_take_text(report, ablation_text(&ablate->ablations.items[worst])),
                    ablate->scores[worst].score, ablate->scores[worst].delta);
}

static void tell_facts(struct report *report, const struct ablate_result *ablate,
                       const struct ablate_words *words)
{
    report_partial(report, FOR_PEOPLE, ablate->sentences, ablate->lines, "sentences");
    if (ablate->sentences == ablate->lines && ablate_partial(ablate))
        report_line(report, FOR_PEOPLE, " partial: not tested");
    report_line(report, FOR_PEOPLE, " baseline BLEU %.2f  %d sentence%s", ablate->base,
                ablate->sentences, ablate->sentences == 1 ? "" : "s");
    tell_greatest_loss(report, ablate);
    if (words->by != ABLATE_SELECTED && !words->selectors->words.count)
        report_line(report, FOR_PEOPLE,
                    " heads of the encoder alone; \"enc or dec or cross\" tries all heads");
}

static void put_base(struct table *table, double base)
{
    table_add_in(table, IN_TABLE | IN_ARRAYS | IN_TYPESET, value_int(0));
    for (int i = 1; i < ABLATION_COLUMN_COUNT; i++)
        table_put(table, value_null());
    table_put(table, value_text("none")); // for people, who have only the last of these columns
    table_put(table, value_real(base));
}

/* If sentences are requested, they are the table in files and on the screen. `command` shows those
 * of a row. */
static void add_rows(struct report *report, const struct session *session,
                     const struct ablate_result *ablate, const char *command)
{
    static const struct column columns[] = {
        {.name = "ablation", .title = "row", .type = COLUMN_INT},
        ABLATION_COLUMNS,
        {.all = "score", .title = "BLEU", .type = COLUMN_REAL, .digits = 2},
        {.all = "delta", .type = COLUMN_SIGNED, .digits = 2},
        {.all = "differing", .type = COLUMN_INT},
        {.all = "p", .type = COLUMN_P},
        {.all = "p_adjusted", .title = "p adjusted", .type = COLUMN_P},
    };
    unsigned others = IN_SCREEN | IN_TABLE | IN_ARRAYS;
    unsigned in = IN_TEXT | IN_JSON | (ablate->request.shown ? 0 : others);
    struct table *table = report_table(report, in, "ablations", columns, COUNT(columns));
    put_base(table, ablate->base);
    for (int i = 0; i < ablate->ablations.count; i++) {
        const struct ablation_score *score = &ablate->scores[i];
        table_add(table, value_int(i + 1));
        table_put_ablation(table, session, &ablate->ablations.items[i], &ablate->request.files);
        table_put(table, value_real(score->score), value_real(score->delta),
                  value_int(score->differing), value_real(score->p), value_real(score->p_adjusted));
        table_enter(table, ":%s show %d", command, i + 1);
    }
}

static void add_shown(struct report *report, const struct ablate_result *ablate)
{
    int shown = ablate->request.shown;
    const struct ablation_score *score = &ablate->scores[shown - 1];
    report_json(report, "show", value_int(shown));
    report_line(report, IN_SCREEN, " row %d  BLEU %.2f  delta %+.2f", shown, score->score,
                score->delta);
    report_line(report, FOR_PEOPLE,
                " row %d: a without, b with the ablation; %d of %d sentences differ", shown,
                ablate->shown.differing, ablate->sentences);
    report_listed(report, FOR_PEOPLE | FOR_PROGRAMS, &ablate->shown, &ablate->request.files);
}

static double adjusted_p(const void *ablate, int number)
{
    return ((const struct ablate_result *)ablate)->scores[number].p_adjusted;
}

static void add_plot(struct report *report, const struct session *session,
                     const struct ablate_result *ablate, enum ablate_by by)
{
    int count = ablate->ablations.count;
    struct plot *plot = report_ablation_plot(report, session, &ablate->ablations, count, by);
    for (int i = 0; plot->values && i < count; i++)
        plot->values[i] = (float)ablate->scores[i].delta;
    plot->title = report_ablation_title(report, "BLEU", &ablate->ablations, by);
    plot->y_title = "change in BLEU";
    report_ablation_marks(report, plot, "approximate randomisation", adjusted_p, ablate);
}

/* JSON has `base`, `ablations` [{`module`, `layer` (null: every layer), `head` (null: every head),
 * each a number or a list of numbers, `score`, `delta`: score - base, `differing`: sentences
 * translated differently, `p`, `p_adjusted`: null if not tested}]; `by` (null: by selectors),
 * `signature`, `files`, `sentences`, `partial`; if sentences are requested, also `show` and
 * `listed` as in `:compare`. */
static void report_ablate(struct report *report, const struct session *session,
                          const struct ablate_result *ablate, const struct ablate_words *words)
{
    const struct strings *files = &ablate->request.files;
    const char *asked = ablation_words(report, words->by, &words->selectors->words);
    const char *command = report_format(report, "ablate %s%s", report_paths(report, files), asked);
    const char *signature = signature_of(report, ablate);
    report_title(report, "ablations of %s%s", report_joined(report, files, ", "), asked);
    report_command(report, "%s%s", command, report_show_words(report, ablate->request.shown));
    report_json(report, "base", value_real(ablate->base));
    tell_facts(report, ablate, words);
    add_rows(report, session, ablate, command);
    report_json(report, "by",
                words->by == ABLATE_SELECTED ? value_null()
                                             : value_text(ablate_by_names[words->by]));
    report_json(report, "signature", value_text(signature));
    report_json(report, "files", report_files(files));
    report_json(report, "sentences", value_int(ablate->sentences));
    report_json(report, "partial", value_bool(ablate_partial(ablate)));
    if (ablate->request.shown)
        add_shown(report, ablate);
    else
        add_plot(report, session, ablate, words->by);
    report_line(report, FOR_PEOPLE, " BLEU|%s", signature);
}

/* Running -------------------------------------------------------------------------------------- */

static bool ablate(struct session *session, const struct request *request, struct report *report,
                   struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct ablate_result *ablate = report_hold(report, sizeof *ablate, ablate_release);
    struct ablate_words words = {.shown = 0};
    bool ok = ablate && parse(session, request, &words, ablate, status);
    if (ok) {
        ablate->settings = session->settings.study;
        ok = ablate_run(&context, ablate, status);
    }
    bool found = ablate && ablate->sentences > 0;
    report_is_of_current(report, session);
    if (found)
        report_ablate(report, session, ablate, &words);
    ablate_words_free(&words);
    return study_finish(ok, found, report, status);
}

static bool run_ablate(struct session *session, const struct request *request,
                       struct report *report, struct status *status)
{
    const struct argument_values *given = request->given;
    if (argument_choice(given, BY, -1) != ABLATE_CHOICE_GRADIENT)
        return ablate(session, request, report, status);
    if (argument_given(given, SHOW))
        return status_fail(status, STATUS_INVALID,
                           "show: by gradient nothing is translated, expected no show");
    return ablate_by_gradient(session, given, &places, report, status);
}

static const struct help_item meanings[] = {
    {"by head", "one head at a time, in every layer; taken without by and SELECTOR"},
    {"by layer", "one layer at a time"},
    {"by layer,head", "one head of one layer at a time"},
    {"by gradient",
     "instead of BLEU, the derivative of the log-probability of the (first) reference by the "
     "gain of each selected head of each layer, without a translation (Michel et al. 2019): on "
     "the CPU exact, on a GPU from scores with the gain a little lower and higher. "
     "Enter measures a head in BLEU"},
    {"SELECTOR",
     "the heads (:help selector); by default the encoder's. Without by, all heads of a "
     "SELECTOR are off together, one row for each SELECTOR, as in: cross layer 1 or dec head 2"},
    {"show N",
     "also list the sentences of row N whose BLEU differs most, as many as compare.sentences"},
    {NULL, NULL},
};
static const struct help_item column_meanings[] = {
    {"row, off", "the number of the ablation, for show N, and the heads that are off"},
    {"delta", "BLEU minus BLEU without an ablation"},
    {"differing", "the number of sentences whose translation changes"},
    {"p", "p of approximate randomisation, as p random. in :compare"},
    {"p adjusted",
     "p by Holm's method, which limits the chance of even one false difference among all rows. No "
     "p is below 1/(N + 1), where N is significance.trials: for many rows, raise that setting"},
    {"importance", "by gradient: the mean of the derivative's absolute value over the sentences"},
    {"in layer",
     "importance divided by its Euclidean norm over the heads of the layer that are listed"},
    {"mean", "the mean of the derivative, above 0 where the head helps"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "For each row of the table, some heads are switched off, the file is translated without "
    "them, and the translations are scored. Heads that are off already stay off.",
    "Translations and tests made earlier are used again. After Ctrl-C, the same command "
    "continues; with show N it lists what there is.",
    "csv, tsv: the rows, or after show N the sentences. Figures show a bar for each row.",
    NULL,
};

const struct command command_ablate = {
    .name = "ablate",
    .summary = "each head's contribution to BLEU: a file translated without it",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .columns = column_meanings,
    .notes = notes,
    .examples = (const char *const[]){":ablate " TESTSET " by layer",
                                      ":ablate " TESTSET " by layer show 2", NULL},
    .run = run_ablate,
    .group = GROUP_STUDY,
    .view = true,
    .continues = true,
};
