#include "tui/titles.h"

#include <stdlib.h>
#include <string.h>

#include "tui/arguments.h"
#include "tui/describe.h"
#include "tui/display.h"
#include "tui/eye.h"
#include "tui/selector.h"

typedef void write(FILE *out, const struct session *session, const struct result *view);

/* Runs a writer into a text. */
static char *write_text(write *writer, const struct session *session, const struct result *view,
                        struct status *status)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out)
        writer(out, session, view);
    if (out && fclose(out) == 0)
        return text;
    free(text);
    status_fail(status, STATUS_MEMORY, "out of memory");
    return display_have(NULL);
}

static void write_grid(FILE *out, const struct head_grid *grid, const char *gap)
{
    fprintf(out, "%s%slayer ", module_names[grid->module], gap);
    number_list_write(out, grid->layers, grid->layer_count);
    fprintf(out, "%shead ", gap);
    number_list_write(out, grid->heads, grid->head_count);
}

/* Titles ----------------------------------------------------------------------------------------- */

static void title_attention(FILE *out, const struct session *session, const struct result *result)
{
    const struct attention_result *attention = &result->attention;
    const struct view *view = &attention->view;
    const struct dials *dials = session->state.dials;
    int heads = dials->count[view->module];
    char what[64];
    describe_head(&attention->head, what, sizeof what);
    fprintf(out, "%s  layer %d/%d  ", module_names[view->module], view->layer + 1,
            dials->layers[view->module]);
    if (view->head == VIEW_MEAN || view->head == VIEW_MAX)
        fprintf(out, "%s of %d heads", view->head == VIEW_MEAN ? "mean" : "maximum", heads);
    else
        fprintf(out, "head %d/%d  %s%s", view->head + 1, heads, what,
                attention->off ? "  off" : "");
}

static void title_alignment(FILE *out, const struct session *session, const struct result *result)
{
    title_attention(out, session, result);
    fputs("  alignment", out);
}

static void title_heads(FILE *out, const struct session *session, const struct result *result)
{
    (void)session;
    write_grid(out, &result->heads.grid, "  ");
    if (result->heads.words)
        fputs("  words", out);
}

/* 1-based, as the command counts: rows, then columns that are not the same tokens. */
static int token_number(const struct token_result *token)
{
    bool of_columns = token->grid.module == MODULE_CROSS && token->side == SIDE_SOURCE;
    return token->first + 1 + (of_columns ? token->rows.texts.count : 0);
}

static void title_token(FILE *out, const struct session *session, const struct result *result)
{
    const struct token_result *token = &result->token;
    int first = token_number(token);
    fprintf(out, "%s  ", module_names[token->grid.module]);
    if (token->count > 1)
        fprintf(out, "tokens %d-%d", first, first + token->count - 1);
    else
        fprintf(out, "token %d", first);
    char *text = eye_label(session, token->side, token->count > 1, token->text);
    fprintf(out, "  \"%s\"", text ? text : "");
    free(text);
    if (token->grid.module == MODULE_CROSS)
        fprintf(out, "  of the %s", token->side == SIDE_SOURCE ? "source" : "target");
}

static void title_importance(FILE *out, const struct session *session, const struct result *result)
{
    const struct importance_result *importance = &result->importance;
    fprintf(out, "%s  layer %d/%d  importance of heads", module_names[importance->module],
            importance->layer + 1, session->state.dials->layers[importance->module]);
}

static void title_gates(FILE *out, const struct session *session, const struct result *result)
{
    bool by_head = false;
    (void)session;
    for (int i = 0; i < result->gates.layers; i++)
        by_head |= result->gates.layer[i].by_head;
    fprintf(out, "%s  gates of %s by layer%s", module_names[result->gates.module],
            result->gates.side == SIDE_Q ? "queries" : "keys", by_head ? ".learned head" : "");
}

static void title_gate_groups(FILE *out, const struct session *session, const struct result *result)
{
    static const char *const sides[] = {
        [SIDE_Q] = "queries", [SIDE_K] = "keys", [GATES_BOTH] = "queries and keys"};
    const struct gate_groups_result *groups = &result->gate_groups;
    (void)session;
    fprintf(out, "%s  gates of %s", module_names[groups->module], sides[groups->side]);
    if (gate_groups_partial(groups))
        fprintf(out, "  partial: the first %d of %d sentences", groups->sentences, groups->lines);
}

/* "learned, local 2, off" */
static void describe_side(const struct attention_result *attention, char *text, size_t size)
{
    char what[64];
    describe_head(&attention->head, what, sizeof what);
    snprintf(text, size, "%s%s", what, attention->off ? ", off" : "");
}

/* States stand over their panels. What the difference is over must be read with it. */
static void title_beside(FILE *out, const struct session *session, const struct result *result)
{
    const struct beside_result *beside = &result->beside;
    const struct view *view = &beside->side[0].attention.view;
    char what[2][80];
    (void)session;
    fprintf(out, "%s  layer %d  ", module_names[view->module], view->layer + 1);
    if (view->head >= 0) {
        for (int i = 0; i < 2; i++)
            describe_side(&beside->side[i].attention, what[i], sizeof what[i]);
        fprintf(out, "head %d  ", view->head + 1);
        if (strcmp(what[0], what[1]) == 0)
            fputs(what[0], out);
        else
            fprintf(out, "a: %s  b: %s", what[0], what[1]);
    } else {
        fprintf(out, "%s of heads", view->head == VIEW_MEAN ? "mean" : "maximum");
    }
    if (beside->note)
        fprintf(out, "  %s", beside->note);
}

static void write_names(FILE *out, const struct pieces *names, const char *between)
{
    for (int i = 0; i < names->count; i++)
        fprintf(out, "%s%s", i ? between : "", names->text[i]);
}

static void title_study(FILE *out, const struct session *session, const struct result *result)
{
    const struct study_request *request = &result->study.request;
    (void)session;
    if (request->systems > 1)
        fprintf(out, "a: %s  b: %s  ", request->names[0], request->names[1]);
    fputs(request->scored ? "scores of " : "translations of ", out);
    write_names(out, &request->files, ", ");
    if (request->of_source)
        fputs("  by length of the source", out);
    if (request->listed > 0)
        fprintf(out, "  group %d", request->listed);
}

static void write_words(FILE *out, const struct pieces *words)
{
    for (int i = 0; i < words->count; i++)
        fprintf(out, " %s", words->text[i]);
}

/* " by head encoder layer 1-2 or cross": what was asked for besides files. */
static void write_ablations(FILE *out, const struct ablate_request *request)
{
    if (request->by != ABLATE_SELECTED)
        fprintf(out, " by %s", ablate_by_names[request->by]);
    write_words(out, &request->selectors.words);
}

static void title_ablate(FILE *out, const struct session *session, const struct result *result)
{
    const struct ablate_request *request = &result->ablate.request;
    (void)session;
    fputs("ablations of ", out);
    write_names(out, &request->files, ", ");
    write_ablations(out, request);
}

static void title_prune(FILE *out, const struct session *session, const struct result *result)
{
    const struct prune_request *request = &result->prune.request;
    (void)session;
    fputs("heads pruned by ", out);
    write_names(out, &request->files, ", ");
    fprintf(out, " until %.9g", request->until);
    write_words(out, &request->selectors.words);
}

static void title_contrast(FILE *out, const struct session *session, const struct result *result)
{
    const struct contrast_request *request = &result->contrast.request;
    (void)session;
    fputs("decisions of ", out);
    write_names(out, &request->files, ", ");
    if (result->contrast.normalize == NORMALIZE_LENGTH)
        fputs("  by length", out);
    if (request->listed > 0)
        fprintf(out, "  group %d", request->listed);
}

/* States are in the legend. */
static void title_across(FILE *out, const struct session *session, const struct result *result)
{
    const struct across_result *across = &result->across;
    struct result one = {.kind = RESULT_BLEU};
    if (across->studies) {
        one.study = across->studies[0];
        title_study(out, session, &one);
    } else {
        one.contrast = across->contrasts[0];
        title_contrast(out, session, &one);
    }
}

static void title_contrast_ablate(FILE *out, const struct session *session,
                                  const struct result *result)
{
    const struct ablate_request *request = &result->contrast_ablate.ablate;
    (void)session;
    fputs("decisions of ", out);
    write_names(out, &request->files, ", ");
    if (result->contrast_ablate.normalize == NORMALIZE_LENGTH)
        fputs("  by length", out);
    fputs("  ablated", out);
    write_ablations(out, request);
}

static void title_flips(FILE *out, const struct session *session, const struct result *result)
{
    (void)session;
    fprintf(out, "changed decisions of %s", result->flips.suite->sets[0].paths[0]);
    if (result->flips.normalize == NORMALIZE_LENGTH)
        fputs("  by length", out);
}

/* Commands --------------------------------------------------------------------------------------- */

static void arguments_attention(FILE *out, const struct session *session,
                                const struct result *result)
{
    const struct attention_result *attention = &result->attention;
    const struct view *view = &attention->view;
    (void)session;
    fprintf(out, "%s layer %d head ", module_names[view->module], view->layer + 1);
    if (view->head >= 0)
        fprintf(out, "%d", view->head + 1);
    else
        fputs(view->head == VIEW_MEAN ? "mean" : "max", out);
    fputs(attention->words ? " word" : "", out);
}

static void arguments_heads(FILE *out, const struct session *session, const struct result *result)
{
    (void)session;
    write_grid(out, &result->heads.grid, " ");
    fputs(result->heads.words ? " word" : "", out);
}

/* Words were found by what they read, and are again. */
static void arguments_token(FILE *out, const struct session *session, const struct result *result)
{
    const struct token_result *token = &result->token;
    (void)session;
    if (token->count > 1)
        arguments_quote(out, token->text);
    else
        fprintf(out, "%d", token_number(token));
    fputc(' ', out);
    write_grid(out, &token->grid, " ");
}

static void arguments_importance(FILE *out, const struct session *session,
                                 const struct result *result)
{
    (void)session;
    fprintf(out, "%s layer %d", module_names[result->importance.module],
            result->importance.layer + 1);
}

static void arguments_gates(FILE *out, const struct session *session, const struct result *result)
{
    (void)session;
    fprintf(out, "%s %s", module_names[result->gates.module], gate_side_names[result->gates.side]);
}

static void arguments_gate_groups(FILE *out, const struct session *session,
                                  const struct result *result)
{
    const struct gate_groups_result *groups = &result->gate_groups;
    (void)session;
    fprintf(out, "%s %s ", module_names[groups->module], gates_side_name(groups->side));
    arguments_quote(out, groups->path);
    fprintf(out, " by %s", gate_grouping_names[groups->by]);
}

static void write_group(FILE *out, int listed)
{
    if (listed == LISTED_ALL)
        fputs(" group all", out);
    else if (listed > 0)
        fprintf(out, " group %d", listed);
}

/* A model's name may be of any bytes. */
static void write_name(FILE *out, const char *text)
{
    char *name = display_clean(text);
    arguments_quote(out, name ? name : "");
    free(name);
}

static void arguments_study(FILE *out, const struct session *session, const struct result *result)
{
    const struct study_request *request = &result->study.request;
    (void)session;
    fputs(request->scored ? "--scored" : "", out);
    for (int s = 0; request->systems > 1 && s < request->systems; s++) {
        fputs(s ? " " : "", out);
        write_name(out, request->names[s]);
    }
    for (int i = 0; i < request->files.count; i++) {
        fputs(i || request->scored || request->systems > 1 ? " " : "", out);
        arguments_quote(out, request->files.text[i]);
    }
    if (request->by || request->of_source)
        fputs(request->of_source ? " by source" : " by", out);
    for (int i = 0; request->by && i < request->groups.count; i++)
        fprintf(out, "%s%d", i ? "," : " ", request->groups.cutoffs[i]);
    write_group(out, request->listed);
}

static void write_paths(FILE *out, const struct pieces *paths)
{
    for (int i = 0; i < paths->count; i++) {
        fputs(i ? " " : "", out);
        arguments_quote(out, paths->text[i]);
    }
}

static void arguments_ablate(FILE *out, const struct session *session, const struct result *result)
{
    const struct ablate_request *request = &result->ablate.request;
    (void)session;
    write_paths(out, &request->files);
    write_ablations(out, request);
    if (request->shown)
        fprintf(out, " show %d", request->shown);
}

/* As it is shown, unless that reads as another number. */
static void write_exactly(FILE *out, double number)
{
    char text[40];
    snprintf(text, sizeof text, "%.9g", number);
    if (strtod(text, NULL) != number)
        snprintf(text, sizeof text, "%.17g", number);
    fputs(text, out);
}

static void arguments_prune(FILE *out, const struct session *session, const struct result *result)
{
    const struct prune_request *request = &result->prune.request;
    (void)session;
    write_paths(out, &request->files);
    fputs(" until ", out);
    write_exactly(out, request->until);
    write_words(out, &request->selectors.words);
    if (request->shown)
        fprintf(out, " show %d", request->shown);
}

static void arguments_contrast_ablate(FILE *out, const struct session *session,
                                      const struct result *result)
{
    const struct ablate_request *request = &result->contrast_ablate.ablate;
    (void)session;
    write_paths(out, &request->files);
    fputs(" ablate", out);
    write_ablations(out, request);
    if (request->shown)
        fprintf(out, " show %d", request->shown);
}

static void arguments_contrast(FILE *out, const struct session *session,
                               const struct result *result)
{
    const struct contrast_request *request = &result->contrast.request;
    (void)session;
    write_paths(out, &request->files);
    if (request->by != CONTRAST_BYS)
        fprintf(out, " by %s", contrast_by_names[request->by]);
    write_group(out, request->listed);
}

static void arguments_across(FILE *out, const struct session *session, const struct result *result)
{
    const struct across_result *across = &result->across;
    struct result one = {.kind = RESULT_BLEU};
    if (across->studies) {
        one.study = across->studies[0];
        arguments_study(out, session, &one);
    } else {
        one.contrast = across->contrasts[0];
        arguments_contrast(out, session, &one);
    }
    fputs(" " ACROSS_IN, out);
    for (int s = 0; s < across->names.count; s++) {
        fputc(' ', out);
        write_name(out, across->names.text[s]);
    }
}

static void arguments_beside(FILE *out, const struct session *session, const struct result *result)
{
    (void)session;
    for (int i = 0; i < 2; i++) {
        fputs(i ? " " : "", out);
        write_name(out, result->beside.side[i].name);
    }
}

/* ----------------------------------------------------------------------------------------------- */

static const struct {
    const char *name; // of the command
    write *title, *arguments;
} kinds[RESULT_KINDS] = {
    [RESULT_ATTENTION] = {"attn", title_attention, arguments_attention},
    [RESULT_ALIGNMENT] = {"align", title_alignment, arguments_attention},
    [RESULT_HEADS] = {"heads", title_heads, arguments_heads},
    [RESULT_TOKEN] = {"token", title_token, arguments_token},
    [RESULT_IMPORTANCE] = {"importance", title_importance, arguments_importance},
    [RESULT_GATES] = {"gates", title_gates, arguments_gates},
    [RESULT_GATE_GROUPS] = {"gates", title_gate_groups, arguments_gate_groups},
    [RESULT_BESIDE] = {"beside", title_beside, arguments_beside},
    [RESULT_BLEU] = {"bleu", title_study, arguments_study},
    [RESULT_COMPARE] = {"compare", title_study, arguments_study},
    [RESULT_ABLATE] = {"ablate", title_ablate, arguments_ablate},
    [RESULT_PRUNE] = {"prune", title_prune, arguments_prune},
    [RESULT_CONTRAST] = {"contrast", title_contrast, arguments_contrast},
    [RESULT_FLIPS] = {"flips", title_flips, NULL},
    [RESULT_CONTRAST_ABLATE] = {"contrast", title_contrast_ablate, arguments_contrast_ablate},
    [RESULT_BLEU_ACROSS] = {"bleu", title_across, arguments_across},
    [RESULT_CONTRAST_ACROSS] = {"contrast", title_across, arguments_across},
};

const char *view_name(const struct result *view)
{
    return kinds[view->kind].name;
}

char *view_title(const struct session *session, const struct result *view, struct status *status)
{
    return write_text(kinds[view->kind].title, session, view, status);
}

static void write_command(FILE *out, const struct session *session, const struct result *view)
{
    fputs(view_name(view), out);
    if (!kinds[view->kind].arguments)
        return;
    fputc(' ', out);
    kinds[view->kind].arguments(out, session, view);
}

char *view_command(const struct result *view, struct status *status)
{
    return write_text(write_command, NULL, view, status);
}
