/* `:align`: the source and translation of the current sentence, joined by cross-attention. With SRC
 * TGT [GOLD]: word alignments of a file and its translation, by one head, by a method of
 * attribution, or by the best of many. */
#include <stdlib.h>
#include <string.h>

#include "model/study/alignment/align_files.h"
#include "model/text/quote.h"
#include "report/labels.h"
#include "report/view_report.h"
#include "terminal/progress.h"
#include "tui/command/command.h"
#include "tui/command/study/align_heads.h"
#include "tui/command/study/report_align.h"
#include "tui/command/study/report_study.h"

static const char *const by_choices[] = {"layer,head", NULL};
static const char *const from_choices[] = {"0", "1", NULL};
static const char *const against_choices[] = {"contributions", "alti", "consensus", NULL};
enum { AGAINST_ALTI = 1, AGAINST_CONSENSUS }; // the choices' numbers
enum { SRC, TGT, GOLD, FROM, AGAINST, BY, SELECTED, SHOW, SHIFTED, WORD };
static const struct argument arguments[] = {
    [SRC] = {"SRC", .kind = ARGUMENT_FILE, .sources = true},
    [TGT] = {"TGT", .kind = ARGUMENT_FILE, .required = true, .needs = ARG(SRC)},
    [GOLD] = {"GOLD", .kind = ARGUMENT_FILE, .needs = ARG(TGT)},
    [FROM] = {.keyword = "from",
              .kind = ARGUMENT_CHOICE,
              .choices = from_choices,
              .needs = ARG(GOLD)},
    [AGAINST] = {"STATE", "against", ARGUMENT_STATE, .choices = against_choices, .needs = ARG(TGT),
                 .without = ARG(GOLD)},
    [BY] = {.keyword = "by", .kind = ARGUMENT_CHOICE, .choices = by_choices, .needs = ARG(TGT)},
    [SELECTED] = {.kind = ARGUMENT_SELECTOR, .heads = HEADS_OR_MERGED},
    [SHOW] = {"N", "show", ARGUMENT_INTEGER, .needs = ARG(GOLD), .without = ARG(BY),
              .expected = "the number of a sentence"},
    [SHIFTED] = {.keyword = "shifted", .kind = ARGUMENT_FLAG, .anywhere = true},
    [WORD] = {.keyword = "word", .kind = ARGUMENT_FLAG, .anywhere = true, .without = ARG(SRC)},
};

/* The current sentence ------------------------------------------------------------------------- */

/* Returns the tokens of the chosen translation. A start token after another one is predicted,
 * too. */
static struct token_list outputs_of(const struct sentence_pair *pair)
{
    const struct token_list all = pair_predicted(pair);
    int count = pair_hypothesis(pair)->count, before = all.count - count;
    return (struct token_list){SIDE_TARGET,      TOKENS_OF_TEXT,     all.texts + before,
                               all.ids + before, all.words + before, count};
}

static bool label(const struct checkpoint *checkpoint, const struct token_list *rows,
                  const struct token_list *columns, struct attention_view *out,
                  struct status *status)
{
    if (out->words)
        return words_merge(checkpoint, rows, columns, 1, &out->rows, &out->columns, &out->weights,
                           status);
    return labels_of_tokens(rows, &out->rows, status) &&
           labels_of_tokens(columns, &out->columns, status);
}

/* Moves to each token of the translation the row in which it was predicted or, if shifted, the next
 * row, in which it is read. End-of-sentence is never read, so it keeps its own. */
static void move_rows(struct attention_view *out, int starts, int rows, size_t columns)
{
    for (int t = 0; t < rows; t++) {
        int from = starts - 1 + t + (out->shifted && t + 1 < rows);
        memmove(out->weights + (size_t)t * columns, out->weights + (size_t)from * columns,
                columns * sizeof *out->weights);
        if (out->rest)
            out->rest[t] = out->rest[from];
    }
}

/* Computes cross-attention for the tokens of the translation, including end-of-sentence. The caller
 * fills in out->words and shifted. */
static bool view_alignment(const struct session *session, const struct sentence_pair *pair,
                           const struct view *view, struct attention_view *out,
                           struct status *status)
{
    const struct checkpoint *checkpoint = session->loaded->checkpoint;
    struct token_list rows = outputs_of(pair), columns = pair_columns(pair, MODULE_CROSS);
    if (!view_matrix(session, pair, view, out, status))
        return false;
    move_rows(out, checkpoint->config->start.count, rows.count, (size_t)columns.count);
    return label(checkpoint, &rows, &columns, out, status);
}

/* The last layer but one aligns best in deep decoders (Garg et al. 2019), the last one in two-layer
 * decoders. */
static int aligning_layer(const struct config *config)
{
    int layers = module_layers(config, MODULE_CROSS);
    return layers > 2 ? layers - 2 : layers - 1;
}

/* DHICM weights the heads of a layer differently for each token, unlike their mean: other layers
 * are preferred. */
static int clearest_layer(const struct config *config)
{
    int clearest = aligning_layer(config), layer = clearest;
    while (layer >= 0 && config->attention[MODULE_CROSS][layer].dhicm)
        layer--;
    return layer >= 0 ? layer : clearest;
}

/* Returns the head that the model was trained to align with. A view shows one head or the mean of a
 * layer: if several heads are named, it is the mean of their layer. */
static int named_head(const struct config *config, int layer)
{
    const struct id_list *heads = &config->alignment.heads;
    return heads->count == 1 && layer == config->alignment.layer ? heads->ids[0] : VIEW_MEAN;
}

/* Omitted parts come from the last view of cross-attention; without one, from the head that the
 * model names, or from the mean of one layer. */
static bool align_choose(const struct session *session, const struct selector *given,
                         struct view *view, struct status *status)
{
    struct selector selected = *given; // its lists are borrowed
    const struct selector *selector = &selected;
    if (given->module_given && given->module != MODULE_CROSS)
        return status_fail(status, STATUS_INVALID,
                           "source and translation meet in cross-attention: expected cross");
    selected.module = MODULE_CROSS;
    selected.module_given = true;
    if (!view_choose(session, selector, view, status))
        return false;
    if (session->view.module == MODULE_CROSS && !session->view.overview)
        return true;
    const struct config *config = session_config(session);
    const struct method_info *method = &method_table[view->as];
    if (selector->layer == PART_ABSENT && !method->joint)
        view->layer =
            config->alignment.heads.count ? config->alignment.layer : clearest_layer(config);
    if (selector->head == PART_ABSENT && method->of_heads)
        view->head = named_head(config, view->layer);
    return true;
}

/* Report --------------------------------------------------------------------------------------- */

enum { PLACES = 3 }; // source tokens that a row names

/* Finds the columns that a row names: those of its greatest weights, if at least half of the
 * greatest. Returns how many; 0 for a row of zeros. */
static int find_named(const float *weights, int count, int places[PLACES])
{
    int most = count < PLACES ? count : PLACES, named = 0;
    strongest_places(weights, count, places, most);
    while (named < most && weights[places[named]] > 0 &&
           weights[places[named]] >= weights[places[0]] / 2)
        named++;
    return named;
}

/* Writes the runners-up: "dog 0.2345 cat 0.1234". */
static const char *write_more(struct report *report, const float *weights,
                              const struct axis *columns, const int *places, int named)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    for (int p = 1; out && p < named; p++)
        fprintf(out, "%s%s %.4f", p > 1 ? "  " : "", columns->labels[places[p]],
                weights[places[p]]);
    return report_written(&writer);
}

/* Fills the table; Enter opens the row's matrix. */
static void fill_table(struct report *report, const struct attention_view *attention,
                       const struct matrix *matrix)
{
    static const struct column titles[] = {
        {.title = "#", .type = COLUMN_INT},
        {.title = "target", .type = COLUMN_TEXT},
        {.title = "source", .type = COLUMN_TEXT},
        {.title = "weight", .type = COLUMN_REAL, .digits = 4},
        {.title = "also", .type = COLUMN_PARTS},
    };
    const char *command = report_head_command(report, "attn", &attention->view, attention->words);
    struct table *table = report_table(report, FOR_PEOPLE, NULL, titles, COUNT(titles));
    table->style = TABLE_FITTED;
    for (int r = 0; !report->lacking && r < matrix->rows.count; r++) {
        int places[PLACES], count = matrix->columns.count;
        const float *weights = matrix->values + (size_t)r * (size_t)count;
        int named = find_named(weights, count, places);
        table_row(table);
        table_enter(table, ":%s", command);
        table_put(table, value_int(r + 1), value_text(matrix->rows.labels[r]),
                  value_text(named ? matrix->columns.labels[places[0]] : "-"),
                  named ? value_real(weights[places[0]]) : value_null(),
                  named > 1
                      ? value_text(write_more(report, weights, &matrix->columns, places, named))
                      : value_null());
    }
}

/* Lists the greatest weight of every row that has one. */
static void fill_links(struct report *report, const struct matrix *matrix)
{
    static const struct column keys[] = {{.key = "row"}, {.key = "column"}, {.key = "weight"}};
    struct table *table = report_table(report, IN_JSON, "links", keys, COUNT(keys));
    for (int r = 0; !report->lacking && r < matrix->rows.count; r++) {
        const float *weights = matrix->values + (size_t)r * (size_t)matrix->columns.count;
        int best;
        strongest_places(weights, matrix->columns.count, &best, 1);
        if (best < 0 || !(weights[best] > 0))
            continue;
        table_add(table, value_int(r + 1), value_int(best + 1), value_real(weights[best]));
    }
}

/* `word` is its last word, so that keys can add and remove it. */
static const char *align_command(struct report *report, const struct attention_view *attention)
{
    return report_format(report, "%s%s%s",
                         report_head_command(report, "align", &attention->view, false),
                         attention->shifted ? " shifted" : "", attention->words ? " word" : "");
}

static bool fill_report(const struct session *session, const struct sentence_pair *pair,
                        struct attention_view *attention, struct report *report,
                        struct status *status)
{
    const struct view *view = &attention->view;
    const char *unspaced = report_unspaced(report, &attention->rows, &attention->columns);
    const char *shifted = attention->shifted ? ", shifted" : "";
    report_head_title(report, session, attention,
                      report_format(report, "  alignment%s%s", shifted, unspaced));
    report->command = align_command(report, attention);
    report->navigation =
        (struct navigation){.kind = VIEW_ALIGNMENT, .view = *view, .words = attention->words};
    report_origin(report, session, pair);
    report_head_fields(report, view);
    report_json(report, "unit", value_text(attention->words ? "word" : "token"));
    if (attention->shifted)
        report_json(report, "shift", value_bool(true));
    struct matrix *matrix =
        report_weights(report, FOR_PROGRAMS | IN_FIGURE, session->loaded, attention);
    matrix->style = MATRIX_CURVES;
    fill_links(report, matrix);
    fill_table(report, attention, matrix);
    report_keep(report, attention->weights, free);
    attention->weights = NULL;
    return report_end(report, status);
}

static bool align_sentence(struct session *session, const struct selector *selector, bool shifted,
                           bool words, struct report *report, struct status *status)
{
    struct view view;
    struct attention_view attention = {.shifted = shifted, .words = words};
    const struct sentence_pair *pair =
        align_choose(session, selector, &view, status) ? session_current(session, status) : NULL;
    bool ok = pair && view_alignment(session, pair, &view, &attention, status) &&
              fill_report(session, pair, &attention, report, status);
    attention_view_free(&attention);
    if (ok)
        session->view = view;
    return ok;
}

/* Over files ----------------------------------------------------------------------------------- */

/* True if the selector leaves nothing to choose. */
static bool is_one(const struct selector *selector)
{
    bool one = merged_by(selector->head) || !method_table[selector->method].of_heads;
    return number_list_single(&selector->layers) && (one || number_list_single(&selector->heads));
}

/* With alignments to compare with, tries all heads that the selector allows. */
static bool choose_heads(const struct session *session, const struct argument_values *given,
                         struct align_heads *heads, struct status *status)
{
    const bool shifted = argument_given(given, SHIFTED);
    struct selector selector = given->selector; // its lists are borrowed
    struct view view;
    if (selector.module_given && selector.module != MODULE_CROSS)
        return status_fail(status, STATUS_INVALID,
                           "source and translation meet in cross-attention: expected cross");
    selector.module = MODULE_CROSS;
    selector.module_given = true;
    const bool scored = argument_given(given, GOLD) || argument_given(given, AGAINST);
    if (argument_given(given, BY) && !scored)
        return status_fail(status, STATUS_INVALID,
                           "by layer,head: nothing to measure heads against: expected GOLD, or "
                           "against contributions, alti, consensus or a state");
    if (argument_given(given, BY) || (scored && !is_one(&selector)))
        return align_heads_select(heads, session_config(session), &selector, shifted, status);
    return align_choose(session, &selector, &view, status) &&
           align_heads_add(heads, view.layer, view.head, shifted, status);
}

/* Running -------------------------------------------------------------------------------------- */

static void align_release(void *align)
{
    align_free(align);
}

bool align_silver_by(const struct saved_state *state, enum method method, struct align_silver *out,
                     struct status *status)
{
    const struct config *config = state->loaded->checkpoint->config;
    *out = (struct align_silver){.kind = SILVER_METHOD,
                                 .state = saved_state_parts(state),
                                 .method = method,
                                 .layer = method_table[method].joint
                                              ? module_layers(config, MODULE_CROSS) - 1
                                              : aligning_layer(config)};
    return method_check(method, config, MODULE_CROSS, status);
}

/* Chooses the alignment that heads are compared with. Another state stands for its
 * contributions. */
static bool choose_silver(const struct session *session, const struct argument_values *given,
                          struct align_silver *out, struct status *status)
{
    const int choice = argument_choice(given, AGAINST, -1);
    struct saved_state state = states_current(session);
    if (!argument_given(given, AGAINST))
        return true;
    if (choice == AGAINST_CONSENSUS) {
        out->kind = SILVER_CONSENSUS;
        return true;
    }
    return (choice >= 0 || states_find(session, argument_text(given, AGAINST), &state, status)) &&
           align_silver_by(&state, choice == AGAINST_ALTI ? METHOD_ALTI : METHOD_CONTRIBUTIONS, out,
                           status);
}

static bool read_request(const struct session *session, const struct argument_values *given,
                         struct align_result *out, struct status *status)
{
    struct align_heads heads = {.count = 0};
    bool ok = choose_heads(session, given, &heads, status) &&
              choose_silver(session, given, &out->silver, status);
    out->method = given->selector.method;
    out->gold_from = argument_choice(given, FROM, GOLD_FROM_USUAL);
    out->shown = argument_integer(given, SHOW, 0);
    out->heads = heads.heads;
    out->head_count = heads.count;
    return ok && arguments_copy(given, SRC, GOLD, &out->files, status);
}

static bool align_files(struct session *session, const struct request *request,
                        struct report *report, struct status *status)
{
    const struct study_context context = session_study(session, &progress_watch);
    struct align_result *align = report_hold(report, sizeof *align, align_release);
    bool ok = align && read_request(session, request->given, align, status) &&
              align_run(&context, align, status);
    bool found = align && align->sentences > 0;
    if (found && align->shown)
        ok = report_align_sentence(report, session, &request->words, align, status) && ok;
    else if (found)
        report_align(report, session, &request->words, align, argument_given(request->given, BY));
    return study_finish(ok, found, report, status);
}

/* Without files: aligns the current sentence. */
static bool run_align(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    const struct argument_values *given = request->given;
    if (argument_given(given, SRC))
        return align_files(session, request, report, status);
    return align_sentence(session, &given->selector, argument_given(given, SHIFTED),
                          argument_given(given, WORD), report, status);
}

static const struct help_item meanings[] = {
    {"SRC TGT",
     "align the words of a file with those of its translation. Words are separated by blanks; in "
     "text without blanks, such as Japanese, each token is a word (in JSON source_words and "
     "target_words have them, with blanks between). Each word of TGT is linked to "
     "the word of SRC that it attends to most; end-of-sentence and other special tokens are left "
     "out. Text is one line of links a sentence, as Pharaoh writes them: 2-0 links word 2 of SRC "
     "to word 0 of TGT. On the screen Enter opens a sentence"},
    {"GOLD",
     "alignments made by hand, as Pharaoh writes them (3-4 is sure, 3?4 or 3p4 possible, words "
     "from 0, or from 1 if from 1 follows the file), or as in the shared task of NAACL 2003 "
     "(sentence, source word, target word, S or "
     "P, from 1). Every selected head, and the mean of every layer, is then scored by alignment "
     "error rate, precision and recall (Och and Ney 2003), and the best one aligns. It is chosen "
     "on the sentences that it is scored on: report its error rate on others"},
    {"against",
     "without GOLD: every selected head is measured against another alignment, which is silver, "
     "not gold: that of contributions (:help methods), in the last layer but one, or the last of "
     "two; that of alti, in the last layer; the consensus of the heads, the word that most of "
     "the other single heads link to, without the shift unless shifted is given; or that of the "
     "contributions of "
     "another state or model"},
    {"by layer,head", "list all heads, the best first; figures show their error rates"},
    {"show N",
     "the links of sentence N beside those of GOLD: right, wrong or missed (sure in GOLD, and not "
     "found), which figures colour blue, red and a thin grey. On the screen Enter shows it"},
    {"SELECTOR", "the cross-attention (:help selector)"},
    {"as METHOD",
     "link each word of TGT to the word of SRC that the method gives most (:help methods), in "
     "exports too. norms are per head; the other methods have one matrix per layer"},
    {"shifted",
     "align with the row in which the decoder reads a token, one step after the row that "
     "predicts it (Garg et al. 2019; Chen et al. 2020). With GOLD both are tried, unless layer "
     "and head are given"},
    WORD_ITEM,
    {NULL, NULL},
};
static const struct help_item column_meanings[] = {
    {"AER %", "alignment error rate against GOLD (Och and Ney 2003)"},
    {"precision %", "the share of links that are in GOLD"},
    {"recall %", "the share of GOLD's sure links that are found"},
    {"shift", "the row that reads a token aligns it, not the one that predicts it"},
    {"also", "source tokens with at least half of the greatest weight"},
    {"link", "right: in GOLD; wrong: not there; missed: sure there, and not found"},
    {"in GOLD", "sure or possible"},
    {NULL, NULL},
};
static const char *const notes[] = {
    "For the current sentence, parts of the selector that are left out keep their last value, if "
    "the last view was of one head there. Otherwise the head is shown that the model was trained "
    "to align with (guided alignment), if it names one, or the mean of its layer, if it names "
    "several. Without such heads, the mean over the heads of one layer is shown: of the last but "
    "one, or of the last of two. Layers with DHICM are passed over: a mean does not weight heads "
    "as they do.",
    "A token of the translation is shown with the weights that it was predicted with, whatever "
    "cross_rows is. Beside it stand the source token with the greatest weight and up to two more "
    "with at least half of that weight.",
    "Which layer aligns best depends on the model: often the last but one of a deep decoder "
    "(Garg et al. 2019), in OPUS-MT and other families one of the first two, in most samples the "
    "second of two. In the samples, contributions align with fewer errors than weights, except "
    "in en-de-dhicm.",
    "Figures show two rows of tokens joined by curves: the greater the weight, the thicker the "
    "curve. Weights below 0.05 are not drawn.",
    "agreement is the share of the target's words, linked by the head or by the silver alignment, "
    "that both link to the same word; silver AER is the alignment error rate as if silver were "
    "gold. Both say how near a head is to that alignment, and nothing of whether this is right.",
    "Exports: .pharaoh; .marian and .nematus have the weights of all tokens, as these toolkits "
    "write soft alignments.",
    NULL,
};

const struct command command_align = {
    .name = "align",
    .summary = "the source that each target token attends to; word alignments of files",
    .arguments = ARGUMENT_LIST(arguments),
    .meanings = meanings,
    .columns = column_meanings,
    .notes = notes,
    .examples =
        (const char *const[]){STARS, ":align", ":align layer 2 head 7 word", ":align " ALIGNED,
                              ":align " ALIGNED " samples/aligned.pharaoh by layer,head",
                              ":align " ALIGNED " against contributions by layer,head", NULL},
    .run = run_align,
    .group = GROUP_VIEWS,
    .view = true,
    .continues = true,
};
