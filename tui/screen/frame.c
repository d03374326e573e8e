#include "tui/screen/frame.h"

#include <stdlib.h>
#include <string.h>

#include "tui/describe.h"
#include "tui/eye.h"
#include "tui/session.h"
#include "tui/titles.h"
#include "tui/view.h"

/* The header ------------------------------------------------------------------------------------- */

/* "7 fixed + 1 learned" where the encoder's layers are alike and have both, as the papers name models. */
static void write_kinds(FILE *out, const struct config *config)
{
    const struct attention_config *layers = config->attention[MODULE_ENCODER];
    int heads = module_heads(config, MODULE_ENCODER), fixed[2] = {0};
    for (int layer = 0; layer < module_layers(config, MODULE_ENCODER); layer++) {
        fixed[layer > 0] = 0;
        for (int h = 0; h < heads; h++)
            fixed[layer > 0] += layers[layer].heads[h].energy == ENERGY_FIXED;
        if (layer > 0 && fixed[1] != fixed[0])
            return;
    }
    if (fixed[0] == heads)
        fprintf(out, "%d fixed  ", heads);
    else if (fixed[0])
        fprintf(out, "%d fixed + %d learned  ", fixed[0], heads - fixed[0]);
}

/* "4+4 layers × 8 heads" */
static void write_size(FILE *out, const struct config *config)
{
    const struct stack_config *encoder = &config->stacks[STACK_ENCODER],
                              *decoder = &config->stacks[STACK_DECODER];
    fprintf(out, "%d+%d layers \xc3\x97 %d", encoder->layers, decoder->layers, encoder->heads);
    if (decoder->heads != encoder->heads)
        fprintf(out, "+%d", decoder->heads);
    fputs(" heads", out);
}

static char *describe_model(const struct session *session)
{
    const struct config *config = session_config(session);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "%s  ", config->name);
    if (*config->source_language || *config->target_language)
        fprintf(out, "%s\xe2\x86\x92%s  ", config->source_language, config->target_language);
    write_kinds(out, config);
    write_size(out, config);
    fprintf(out, "  %s", session->opened.backend->name);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static bool keep(char **place, char *text, struct status *status)
{
    *place = text;
    return text || status_fail(status, STATUS_MEMORY, "out of memory");
}

static bool take_sentence(struct frame *frame, const struct session *session,
                          const struct subject *before, struct status *status)
{
    const struct subject *subject = session->subject;
    const struct testset *testset = session->testset;
    struct changed in_before = {0};
    if (testset) {
        frame->position = testset->current + 1;
        frame->sentences = testset->sources.count;
        const char *reference = testset_reference(testset);
        if (reference && !keep(&frame->reference, strdup(reference), status))
            return false;
    }
    if (!subject)
        return true;
    frame->score = subject_hypothesis(subject)->score;
    frame->hypothesis = subject->chosen;
    frame->hypotheses = subject->translation.count;
    bool ok = keep(&frame->source, strdup(subject->text), status) &&
              keep(&frame->target, strdup(subject_target(subject)), status) &&
              (!before || changed_words(subject_target(before), frame->target, &in_before,
                                        &frame->changed, status));
    changed_free(&in_before);
    return ok;
}

/* The map of heads --------------------------------------------------------------------------------- */

static unsigned char mark_of(const struct session *session, enum module module, int layer, int head)
{
    const struct head *dial = dials_head(session->state.dials, module, layer, head);
    return (unsigned char)((head_off(session, module, layer, head) ? MARK_OFF : 0) |
                           (dial->energy == ENERGY_FIXED ? MARK_FIXED : 0) |
                           (dial->energy == ENERGY_LEARNED && dial->mask != MASK_GLOBAL
                                ? MARK_MASKED
                                : 0) |
                           (head_changed(session, module, layer, head) ? MARK_CHANGED : 0));
}

static bool take_maps(struct frame *frame, const struct session *session, struct status *status)
{
    const struct dials *dials = session->state.dials;
    for (int m = 0; m < MODULE_COUNT; m++) {
        struct head_map *map = &frame->maps[m];
        map->layers = dials->layers[m];
        map->heads = dials->count[m];
        map->marks = memory_new((size_t)map->layers * map->heads, 1, status);
        if (!map->marks)
            return false;
        for (int i = 0; i < map->layers * map->heads; i++)
            map->marks[i] = mark_of(session, m, i / map->heads, i % map->heads);
    }
    return true;
}

/* The view ----------------------------------------------------------------------------------------- */

static bool can_draw(const struct result *result)
{
    switch (result->kind) {
    case RESULT_ATTENTION:
    case RESULT_HEADS:
    case RESULT_TOKEN:
    case RESULT_IMPORTANCE:
    case RESULT_GATES:
    case RESULT_GATE_GROUPS:
    case RESULT_BESIDE:
        return true;
    default:
        return false;
    }
}

bool frame_can(const struct result *result)
{
    return can_draw(result) || sheet_can(result);
}

/* An overview shows tiles: of long sentences the weights behind them would take more memory than all else. */
static void drop_weights(struct frame *frame)
{
    enum { MOST_KEPT = 8 << 20 }; // floats
    const struct figure *figure = &frame->drawing.figure;
    const struct figure_matrix *matrix = &figure->panels[0].matrix;
    int panels = figure->rows * figure->columns;
    if ((size_t)panels * matrix->rows * matrix->columns <= MOST_KEPT)
        return;
    free(frame->result.heads.weights);
    frame->result.heads.weights = NULL;
    for (int i = 0; i < panels; i++)
        frame->drawing.panels[i].matrix.values = NULL;
}

static bool take_picture(struct frame *frame, const struct session *session, struct status *status)
{
    if (!drawing_make(&frame->drawing, session, &frame->result, status))
        return false;
    frame->kind = FRAME_PICTURE;
    frame->drawn = true;
    if (!picture_make(&frame->picture, &frame->drawing.figure, status))
        return false;
    if (frame->result.kind == RESULT_HEADS)
        drop_weights(frame);
    return true;
}

static bool take_sheet(struct frame *frame, const struct session *session, struct status *status)
{
    frame->listed = true;
    if (!frame->drawn)
        frame->kind = FRAME_SHEET;
    return sheet_make(&frame->sheet, session, &frame->result, status);
}

static bool take_view(struct frame *frame, const struct session *session, const char *text,
                      struct status *status)
{
    const struct result *result = &frame->result;
    if (view_name(result) && (!keep(&frame->title, view_title(session, result, status), status) ||
                              !keep(&frame->command, view_command(result, status), status)))
        return false;
    frame->words = (result->kind == RESULT_ATTENTION && result->attention.words) ||
                   (result->kind == RESULT_HEADS && result->heads.words);
    if (frame_can(result))
        return (!can_draw(result) || take_picture(frame, session, status)) &&
               (!sheet_can(result) || take_sheet(frame, session, status));
    if (!text || !*text)
        return true;
    frame->kind = FRAME_PAGE;
    char *copy = strdup(text);
    return copy ? page_make(&frame->page, copy, status)
                : status_fail(status, STATUS_MEMORY, "out of memory");
}

struct frame *frame_make(const struct session *session, struct result *result, const char *text,
                         const struct subject *before, struct status *status)
{
    struct frame *frame = memory_new(1, sizeof *frame, status);
    if (!frame) {
        result_free(result);
        return NULL;
    }
    frame->result = *result;
    *result = (struct result){.kind = RESULT_NONE};
    frame->view = view_fit(session_config(session), session->view);
    struct saved_state unused;
    frame->states = states_before(session, &unused);
    bool ok = keep(&frame->name, strdup(session_config(session)->name), status) &&
              keep(&frame->model, describe_model(session), status) &&
              keep(&frame->off, describe_heads(session, head_off), status) &&
              take_sentence(frame, session, before, status) && take_maps(frame, session, status) &&
              take_view(frame, session, text, status);
    if (ok)
        return frame;
    frame_free(frame);
    return NULL;
}

void frame_mark_as(struct frame *frame, const struct frame *before)
{
    const struct changed *from = &before->changed;
    bool same = frame->target && before->target && strcmp(frame->target, before->target) == 0 &&
                strcmp(frame->source, before->source) == 0;
    if (!same || frame->changed.count || !from->count)
        return;
    frame->changed.spans = calloc((size_t)from->count, sizeof *from->spans);
    if (!frame->changed.spans)
        return;
    memcpy(frame->changed.spans, from->spans, (size_t)from->count * sizeof *from->spans);
    frame->changed.count = from->count;
    frame->changed.capacity = (size_t)from->count;
}

static char *copy_of(const char *text)
{
    return text ? strdup(text) : NULL;
}

static void copy_numbers(const struct frame *from, struct frame *frame)
{
    frame->score = from->score;
    frame->hypothesis = from->hypothesis;
    frame->hypotheses = from->hypotheses;
    frame->position = from->position;
    frame->sentences = from->sentences;
    frame->states = from->states;
    frame->view = from->view;
}

static bool copy_header(const struct frame *from, struct frame *frame, struct status *status)
{
    char *const *const texts[][2] = {
        {&from->name, &frame->name},     {&from->model, &frame->model},
        {&from->off, &frame->off},       {&from->source, &frame->source},
        {&from->target, &frame->target}, {&from->reference, &frame->reference}};
    bool ok = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char **copy = (char **)texts[i][1];
        *copy = copy_of(*texts[i][0]);
        ok &= *copy || !*texts[i][0];
    }
    copy_numbers(from, frame);
    return ok || status_fail(status, STATUS_MEMORY, "out of memory");
}

struct frame *frame_of_text(const struct frame *from, const char *title, char *text,
                            struct status *status)
{
    struct frame *frame = memory_new(1, sizeof *frame, status);
    if (!frame) {
        free(text);
        return NULL;
    }
    frame->kind = FRAME_PAGE;
    bool paged = page_make(&frame->page, text, status);
    if (paged && copy_header(from, frame, status) && keep(&frame->title, strdup(title), status)) {
        frame_mark_as(frame, from);
        return frame;
    }
    frame_free(frame);
    return NULL;
}

static void free_header(struct frame *frame)
{
    changed_free(&frame->changed);
    free(frame->model);
    free(frame->name);
    free(frame->off);
    free(frame->source);
    free(frame->target);
    free(frame->reference);
}

bool frame_follow(struct frame *frame, const struct frame *now, struct status *status)
{
    struct frame header = {0};
    if (!copy_header(now, &header, status)) {
        free_header(&header);
        return false;
    }
    frame_mark_as(&header, now);
    free_header(frame);
    frame->model = header.model;
    frame->name = header.name;
    frame->off = header.off;
    frame->source = header.source;
    frame->target = header.target;
    frame->reference = header.reference;
    frame->changed = header.changed;
    copy_numbers(&header, frame);
    return true;
}

void frame_free(struct frame *frame)
{
    if (!frame)
        return;
    for (int m = 0; m < MODULE_COUNT; m++)
        free(frame->maps[m].marks);
    picture_free(&frame->picture);
    drawing_free(&frame->drawing);
    sheet_free(&frame->sheet);
    page_free(&frame->page);
    result_free(&frame->result);
    free_header(frame);
    free(frame->title);
    free(frame->command);
    free(frame);
}
