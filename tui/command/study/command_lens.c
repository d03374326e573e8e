/* `:lens [enc|dec] [SRC [TGT]]`: what the model says before its last layer, for the current
 * sentence or over a file (model/study/sentences/lens.h). */
#include "model/study/sentences/lens.h"

#include <math.h>
#include <stdlib.h>

#include "report/labels.h"
#include "report/view_report.h"
#include "terminal/interrupt.h"
#include "terminal/progress.h"
#include "tui/command/command.h"
#include "tui/command/study/report_study.h"

enum { STACK, SRC, TGT };
static const char *const stacks[] = {"enc", "dec", NULL};
static const struct argument arguments[] = {
    [STACK] = {.kind = ARGUMENT_CHOICE, .choices = stacks},
    [SRC] = {"SRC", .kind = ARGUMENT_FILE, .sources = true},
    [TGT] = {"TGT", .kind = ARGUMENT_FILE, .needs = ARG(SRC)},
};

/* The decoder: a token predicted by each layer ------------------------------------------------- */

struct layer_tokens {
    const struct lens *lens;
    const struct sentence_pair *pair;
    struct lens_token *tokens; // (layers, count)
    int count;
};

static const struct lens_token *predicted(const struct layer_tokens *all, int layer, int token)
{
    return &all->tokens[(size_t)layer * (size_t)all->count + (size_t)token];
}

static const char *piece_of(const struct layer_tokens *all, int id)
{
    return vocabulary_piece(all->pair->checkpoint->vocabulary[SIDE_TARGET], id);
}

/* Returns the token as people read it. */
static const char *label_of(struct report *report, const struct layer_tokens *all, int id)
{
    return report_take_text(
        report, display_label(all->pair->checkpoint, SIDE_TARGET, false, piece_of(all, id)));
}

static void put_token(struct report *report, struct table *table, const struct layer_tokens *all,
                      int id)
{
    table_put(table, value_shown(table->report, value_text(report_copy(report, piece_of(all, id))),
                                 label_of(report, all, id), NAN));
}

/* Makes the columns "token", "decided" and, for each layer, what it predicts and how probable that
 * is. */
static const struct column *prediction_columns(struct report *report, int layers)
{
    struct column *columns = report_new(report, 2 + 2 * (size_t)layers, sizeof *columns);
    if (!columns)
        return NULL;
    columns[0] = (struct column){.all = "token"};
    columns[1] = (struct column){.all = "decided", .type = COLUMN_INT};
    for (int k = 0; k < layers; k++) {
        const char *token = report_format(report, "layer_%d", k + 1);
        const char *share = report_format(report, "p_%d", k + 1);
        columns[2 + 2 * k] =
            (struct column){.all = token, .title = report_format(report, "layer %d", k + 1)};
        columns[3 + 2 * k] =
            (struct column){.all = share, .title = "p", .type = COLUMN_REAL, .digits = 3};
    }
    return columns;
}

static void put_predictions(struct report *report, const struct layer_tokens *all)
{
    const int layers = all->lens->layers;
    const struct column *columns = prediction_columns(report, layers);
    const struct hypothesis *given = pair_hypothesis(all->pair);
    if (!columns)
        return;
    struct table *table =
        report_table(report, FOR_PEOPLE | FOR_PROGRAMS, "tokens", columns, 2 + 2 * layers);
    for (int t = 0; t < all->count; t++) {
        table_row(table);
        put_token(report, table, all, given->ids[t]);
        table_put(table, value_int(lens_decided(all->tokens, layers, all->count, t)));
        for (int k = 0; k < layers; k++) {
            const struct lens_token *token = predicted(all, k, t);
            put_token(report, table, all, token->best);
            table_put(table, value_real(exp((double)token->best_logprob)));
        }
    }
}

/* Reports how probable each layer finds the translation's tokens. */
static void put_probabilities(struct report *report, const struct layer_tokens *all)
{
    const int layers = all->lens->layers;
    const struct hypothesis *given = pair_hypothesis(all->pair);
    float *values = malloc((size_t)layers * (size_t)all->count * sizeof *values);
    const char **texts = report_new(report, (size_t)all->count, sizeof *texts);
    const char **labels = report_new(report, (size_t)all->count, sizeof *labels);
    for (int i = 0; values && i < layers * all->count; i++)
        values[i] = expf(all->tokens[i].logprob);
    struct matrix *matrix = report_matrix(report, IN_JSON | IN_ARRAYS | IN_FIGURE, values);
    matrix->key = matrix->name = "probabilities";
    matrix->rows = report_numbers_axis(report, "layer", layers);
    matrix->rows.key = "layers";
    for (int t = 0; texts && labels && t < all->count; t++) {
        texts[t] = report_copy(report, piece_of(all, given->ids[t]));
        labels[t] = label_of(report, all, given->ids[t]);
    }
    matrix->columns = (struct axis){.key = "columns",
                                    .title = "translation",
                                    .count = all->count,
                                    .texts = texts,
                                    .labels = labels};
    matrix->scale = "probability";
    matrix->range = RANGE_OF_SHARES;
}

static bool show_predictions(const struct lens *lens, const struct sentence_pair *pair,
                             struct report *report, struct status *status)
{
    const struct hypothesis *given = pair_hypothesis(pair);
    struct layer_tokens all = {.lens = lens, .pair = pair, .count = given->count};
    all.tokens = memory_new((size_t)lens->layers * (size_t)all.count, sizeof *all.tokens, status);
    bool ok = all.tokens &&
              lens_predict(lens, &pair->source, given->ids, given->count, all.tokens, status);
    if (ok) {
        report_title(report, "what each layer of the decoder predicts");
        put_probabilities(report, &all);
        put_predictions(report, &all);
    }
    free(all.tokens);
    return ok;
}

/* The encoder: a translation from each layer --------------------------------------------------- */

static void put_translations(struct report *report, const struct lens *lens,
                             const struct sentence_pair *pair,
                             const struct translation *translations, const double *logprobs)
{
    static const struct column columns[] = {
        {.all = "layer", .type = COLUMN_INT},
        {.all = "score", .type = COLUMN_REAL, .digits = 4},
        {.all = "logprob", .title = "log p of current", .type = COLUMN_REAL, .digits = 4},
        {.all = "translation", .type = COLUMN_SENTENCE}};
    struct table *table =
        report_table(report, EVERYWHERE & ~IN_FIGURE, "layers", columns, COUNT(columns));
    for (int k = 0; k < lens->layers; k++) {
        const struct hypothesis *best = &translations[k].hypotheses[0];
        struct status unused;
        table_add(table, value_int(k + 1), value_real(best->score), value_real(logprobs[k]),
                  value_text(report_take_text(
                      report, target_text(pair->checkpoint, best->ids, best->count, &unused))));
    }
    struct plot *plot = report_plot_table(report, IN_FIGURE, PLOT_LINES, table, 0, (int[]){2}, 1);
    plot->x_title = "layer of the encoder";
    plot->y_title = "log-probability of the translation";
    plot->without_zero = true;
}

static bool show_translations(const struct lens *lens, const struct sentence_pair *pair,
                              struct report *report, struct status *status)
{
    const struct hypothesis *given = pair_hypothesis(pair);
    struct translation *translations =
        memory_new((size_t)lens->layers, sizeof *translations, status);
    double *logprobs = memory_new((size_t)lens->layers, sizeof *logprobs, status);
    bool ok = translations && logprobs &&
              lens_score(lens, &pair->source, given->ids, given->count, logprobs, status) &&
              lens_translate(lens, &pair->source, translations, status);
    if (ok) {
        report_title(report, "translations from each layer of the encoder");
        put_translations(report, lens, pair, translations, logprobs);
    }
    for (int k = 0; ok && k < lens->layers; k++)
        translation_free(&translations[k]);
    free(translations);
    free(logprobs);
    return ok;
}

/* A file --------------------------------------------------------------------------------------- */

static const struct column decoder_columns[] = {
    {.all = "layer", .type = COLUMN_INT},
    {.all = "decided", .title = "decided %", .type = COLUMN_PERCENT},
    {.all = "agreed", .title = "as last %", .type = COLUMN_PERCENT},
    {.all = "logprob", .title = "log p a token", .type = COLUMN_REAL, .digits = 4}};
static const struct column encoder_columns[] = {
    {.all = "layer", .type = COLUMN_INT},
    {.all = "bleu", .title = "BLEU", .type = COLUMN_REAL, .digits = 2},
    {.all = "same", .title = "as last %", .type = COLUMN_PERCENT},
    {.all = "logprob", .title = "log p a token", .type = COLUMN_REAL, .digits = 4}};

static void put_layers(struct report *report, const struct lens_study *study)
{
    const bool encoder = study->lens->stack == STACK_ENCODER;
    const double tokens = (double)study->tokens;
    struct table *table =
        report_table(report, FOR_PEOPLE | FOR_PROGRAMS, "layers",
                     encoder ? encoder_columns : decoder_columns, COUNT(decoder_columns));
    for (int k = 0; k < study->lens->layers; k++) {
        const struct lens_layer *layer = &study->layers[k];
        table_add(table, value_int(k + 1),
                  value_real(encoder ? bleu_score(&study->bleu, layer->bleu).score
                                     : (double)layer->decided / tokens),
                  value_real(encoder ? (double)layer->same / study->walk.taken
                                     : (double)layer->agreed / tokens),
                  value_real(layer->logprob / tokens));
    }
    struct plot *plot =
        report_plot_table(report, IN_FIGURE, PLOT_LINES, table, 0, (int[]){encoder ? 1 : 2}, 1);
    plot->x_title = encoder ? "layer of the encoder" : "layer of the decoder";
    plot->y_title = encoder ? "BLEU" : "tokens predicted as by the last layer";
}

static void describe_file(struct report *report, const struct session *session,
                          const struct lens_study *study)
{
    const struct study_walk *walk = &study->walk;
    const char *stack = stacks[study->lens->stack == STACK_DECODER];
    report_title(report, "layers of the %s over %s", stack_names[study->lens->stack], walk->path);
    report_command(report, "lens %s %s%s%s", stack, report_quoted(report, walk->path),
                   walk->targets ? " " : "",
                   walk->targets ? report_quoted(report, walk->targets) : "");
    report->navigation.kind = VIEW_FILE;
    report->origin.state = states_current(session);
    report_json(report, "file", value_text(report_copy(report, walk->path)));
    report_json(report, "targets", value_text(report_copy(report, walk->targets)));
    report_json(report, "tokens", value_int(study->tokens));
    report_sentences(report, walk->sentences, walk->lines);
}

static bool run_file(struct session *session, const struct argument_values *given,
                     const struct lens *lens, struct report *report, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct lens_study study = {
        .lens = lens,
        .bleu = study_bleu_options(&session->settings.study),
        .walk = {.path = argument_text(given, SRC), .targets = argument_text(given, TGT)}};
    bool ok = lens_study_run(&context, &study, status);
    const bool found = study_walk_found(&context, &study.walk, ok, status);
    if (found) {
        describe_file(report, session, &study);
        put_layers(report, &study);
    }
    lens_study_free(&study);
    return study_finish(ok, found, report, status);
}

/* Command -------------------------------------------------------------------------------------- */

static bool run_sentence(struct session *session, const struct lens *lens, struct report *report,
                         struct status *status)
{
    const struct sentence_pair *pair = session_current(session, status);
    bool ok = pair && (lens->stack == STACK_ENCODER ? show_translations
                                                    : show_predictions)(lens, pair, report, status);
    if (!interrupt_check(status) || !ok)
        return false;
    report_command(report, "lens %s", stacks[lens->stack == STACK_DECODER]);
    report_origin(report, session, pair);
    return report_end(report, status);
}

static bool run_lens(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    const struct argument_values *given = request->given;
    const bool file = argument_given(given, SRC);
    struct lens lens;
    if ((!file && !session_current(session, status)) ||
        !lens_open(&lens, &session->state,
                   argument_choice(given, STACK, 1) == 0 ? STACK_ENCODER : STACK_DECODER, status))
        return false;
    bool ok = file ? run_file(session, given, &lens, report, status)
                   : run_sentence(session, &lens, report, status);
    lens_close(&lens);
    return ok;
}

static const struct help_item meanings[] = {
    {"enc", "the translation that results when the decoder attends to layer 1, 2, ... of the "
            "encoder instead of the last one (DecoderLens, Langedijk et al. 2023)"},
    {"dec", "the default: at every position of the translation, the token that the output layer "
            "predicts from layer 1, 2, ... of the decoder, and its probability (the logit lens)"},
    {"SRC", "over a file, one sentence a line: with enc, BLEU of the translations from each layer, "
            "and how many are those of the last one; with dec, the share of tokens that each layer "
            "decides, and that it predicts as the last one does"},
    {"TGT", "the translations of SRC; without it, the model's own"},
    {NULL, NULL},
};
static const struct help_item column_meanings[] = {
    {"decided %",
     "the share of tokens decided here: from this layer on all predict what the last one does"},
    {"as last %", "the share of tokens, or of translations, that are those of the last layer"},
    {"log p a token", "the mean log-probability of the given tokens"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "The layers above are left out; the norm after the last layer, if there is one, follows the "
    "layer shown. \"decided\" is the first layer from which every layer predicts the same token as "
    "the last.",
    "\"log p of current\" is the log-probability of the current translation, as the decoder gives "
    "it after that layer.",
    "The figure shows how probable each layer finds the tokens of the translation; with enc, the "
    "whole translation.",
    NULL,
};

const struct command command_lens = {
    .name = "lens",
    .summary = "what the model would predict at earlier layers",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .columns = column_meanings,
    .notes = notes,
    .examples = (const char *const[]){DOGS, ":lens", ":lens enc", ":lens dec samples/aligned.en",
                                      ":lens enc samples/aligned.en samples/aligned.de", NULL},
    .run = run_lens,
    .group = GROUP_VIEWS,
    .view = true,
    .continues = true,
};
