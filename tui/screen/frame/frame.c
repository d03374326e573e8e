#include "tui/screen/frame/frame.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/strings.h"
#include "report/comparison.h"
#include "report/labels.h"
#include "report/view.h"
#include "session/head_description.h"
#include "session/session.h"
#include "session/testset.h"
#include "tui/screen/sheet/sheet.h"

/* The header ----------------------------------------------------------------------------------- */

/* Writes "7 fixed + 1 learned", as the papers name models, if all encoder layers have the same
 * numbers of both. */
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

/* Writes "4+4 layers × 8 heads". */
static void write_size(FILE *out, const struct config *config)
{
    const struct stack_config *encoder = &config->stacks[STACK_ENCODER],
                              *decoder = &config->stacks[STACK_DECODER];
    fprintf(out, "%d+%d layers \xc3\x97 %d", encoder->layers, decoder->layers, encoder->heads);
    if (decoder->heads != encoder->heads)
        fprintf(out, "+%d", decoder->heads);
    fputs(" heads", out);
}

/* Returns the session's languages, unless the sentence names another. */
static const struct language_pair *shown_languages(const struct session *session)
{
    const struct sentence_pair *pair = session->current;
    bool named = pair && pair->checkpoint == session->loaded->checkpoint &&
                 !language_pair_equal(&pair->source.languages, &pair->search.languages);
    return named ? &pair->source.languages : &session->state.search.languages;
}

static char *describe_model(const struct session *session)
{
    const struct config *config = session_config(session);
    struct written written;
    FILE *out = written_open(&written);
    if (!out)
        return NULL;
    fprintf(out, "%s  ", config->name);
    const struct language_pair *languages = shown_languages(session);
    const char *source = language_pair_name(config, languages, SIDE_SOURCE);
    const char *target = language_pair_name(config, languages, SIDE_TARGET);
    if (*source || *target)
        fprintf(out, "%s\xe2\x86\x92%s  ", source, target);
    write_kinds(out, config);
    write_size(out, config);
    fprintf(out, "  %s", session->opened.backend->name);
    return written_close(&written);
}

static bool keep(char **place, char *text, struct status *status)
{
    *place = text;
    return text || status_no_memory(status);
}

static bool compare(struct frame *frame, const struct sentence_pair *before,
                    const struct sentence_pair *after, struct status *status)
{
    const char *const titles[2] = {"before", "after"};
    const struct sentence_pair *const pairs[2] = {before, after};
    return comparison_of_pairs(&frame->changed, titles, pairs, status);
}

/* True if the current sentence belongs to the walk and the walk has several. At a blank line of a
 * test set there is no sentence. */
static bool in_walk(const struct session *session, const struct testset *walk)
{
    return walk && (walk->path || walk->sources.count > 1) &&
           (!session->current || strcmp(session->current->text, testset_source(walk)) == 0);
}

static bool take_sentence(struct frame *frame, const struct session *session,
                          const struct sentence_pair *before, struct status *status)
{
    const struct sentence_pair *pair = session->current;
    const struct testset *walk = session_walk(session);
    if (in_walk(session, walk)) {
        frame->position = walk->current + 1;
        frame->sentences = walk->sources.count;
        const char *reference = testset_reference(walk);
        if (reference && !keep(&frame->reference, strdup(reference), status))
            return false;
    }
    if (!pair)
        return true;
    frame->forced = pair->forced;
    frame->held = pair_holds_weights(pair) && pair_holds(pair, &session->state);
    frame->score = pair_hypothesis(pair)->score;
    frame->hypothesis = pair->chosen;
    frame->hypotheses = pair->translation.count;
    return keep(&frame->source, strdup(pair->text), status) &&
           keep(&frame->target, strdup(pair_target(pair)), status) &&
           (!before || compare(frame, before, pair, status));
}

/* The first suggestion ------------------------------------------------------------------------- */

static const struct {
    const char *codes[3]; // codes of ISO 639-1 and 639-3
    const char *text;
} examples[] = {
    {{"en", "eng"}, "I have never seen so many stars in the sky."},
    {{"de", "deu", "ger"}, "Ich habe noch nie so viele Sterne am Himmel gesehen."},
    {{"fr", "fra", "fre"}, "Je n'ai jamais vu autant d'étoiles dans le ciel."},
    {{"es", "spa"}, "Nunca he visto tantas estrellas en el cielo."},
    {{"it", "ita"}, "Non ho mai visto così tante stelle nel cielo."},
    {{"pt", "por"}, "Nunca vi tantas estrelas no céu."},
    {{"nl", "nld", "dut"}, "Ik heb nog nooit zoveel sterren aan de hemel gezien."},
    {{"cs", "ces", "cze"}, "Nikdy jsem neviděl na obloze tolik hvězd."},
    {{"ru", "rus"}, "Я никогда не видел столько звёзд на небе."},
    {{"ja", "jpn"}, "空にこんなにたくさんの星を見たことがない。"},
    {{"zh", "zho", "cmn"}, "我从来没有在天上看到过这么多星星。"},
};

/* True if `code` is the part of a language's name before its script or country. */
static bool is_code(const char *code, const char *language)
{
    size_t length = code ? strlen(code) : 0;
    return length && strncasecmp(code, language, length) == 0 &&
           !isalnum((unsigned char)language[length]);
}

/* A first sentence to suggest. `language`: its code, "en", "eng_Latn", "zh-CN"; "", for a model
 * that names none, means English. Returns a constant; NULL: no sentence in that language. */
static const char *welcome_example(const char *language)
{
    if (!*language)
        return examples[0].text;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        for (int k = 0; k < 3; k++)
            if (is_code(examples[i].codes[k], language))
                return examples[i].text;
    return NULL;
}

/* The map of heads ----------------------------------------------------------------------------- */

static unsigned char mark_of(const struct session *session, enum module module, int layer, int head)
{
    const struct head *of = head_settings_head(session->state.head_settings, module, layer, head);
    return (
        unsigned char)((head_off(session, module, layer, head) ? MARK_OFF : 0) |
                       (of->energy == ENERGY_FIXED ? MARK_FIXED : 0) |
                       (of->energy == ENERGY_LEARNED && of->mask != MASK_GLOBAL ? MARK_MASKED : 0) |
                       (head_changed(session, module, layer, head) ? MARK_CHANGED : 0));
}

static bool take_maps(struct frame *frame, const struct session *session, struct status *status)
{
    const struct head_settings *head_settings = session->state.head_settings;
    for (int m = 0; m < MODULE_COUNT; m++) {
        struct head_map *map = &frame->maps[m];
        map->layers = head_settings->layers[m];
        map->heads = head_settings->count[m];
        map->marks = memory_new((size_t)map->layers * map->heads, 1, status);
        if (!map->marks)
            return false;
        for (int i = 0; i < map->layers * map->heads; i++)
            map->marks[i] = mark_of(session, m, i / map->heads, i % map->heads);
    }
    return true;
}

enum module frame_module(const struct frame *frame)
{
    const struct navigation *at = frame_navigation(frame);
    switch (at->kind) {
    case VIEW_HEADS:
    case VIEW_TOKEN:
    case VIEW_IMPORTANCE:
    case VIEW_GATES:
        return at->view.module;
    default:
        return frame->view.module;
    }
}

/* The command that shows it again -------------------------------------------------------------- */

int frame_command_length(const struct frame *frame)
{
    size_t length = frame->command ? strlen(frame->command) : 0;
    return (int)(frame->words && length ? length - strlen(" word") : length);
}

/* The view ------------------------------------------------------------------------------------- */

bool frame_can(const struct report *report)
{
    return report_pictured(report) || report_sheet(report);
}

/* Overviews show tiles. For long sentences, the weights behind them would take more memory than
 * everything else, and they are no longer needed. */
static void drop_weights(struct frame *frame)
{
    enum { MOST_KEPT = 8 << 20 }; // floats
    const struct figure *figure = &frame->drawing.figure;
    const struct figure_matrix *matrix = &figure->panels[0].matrix;
    int panels = figure->rows * figure->columns;
    if ((size_t)panels * matrix->rows * matrix->columns <= MOST_KEPT)
        return;
    report_drop_values(&frame->report);
    for (int i = 0; i < panels; i++)
        frame->drawing.panels[i].matrix.values = NULL;
}

static bool take_picture(struct frame *frame, const struct session *session, struct status *status)
{
    struct figure_settings settings = session->settings.figure;
    settings.width = 0; // of exported figures; the screen has its own
    if (!drawing_of_report(&frame->drawing, &frame->report, &settings, status))
        return false;
    frame->kind = FRAME_PICTURE;
    frame->drawn = true;
    if (!picture_make(&frame->picture, &frame->drawing.figure, status))
        return false;
    if (frame_navigation(frame)->kind == VIEW_HEADS)
        drop_weights(frame);
    return true;
}

static bool take_sheet(struct frame *frame, struct status *status)
{
    frame->listed = true;
    if (!frame->drawn)
        frame->kind = FRAME_SHEET;
    return sheet_of_report(&frame->sheet, &frame->report, status);
}

static bool take_view(struct frame *frame, const struct session *session, const char *text,
                      struct status *status)
{
    const struct report *report = &frame->report;
    if ((report->title && !keep(&frame->title, strdup(report->title), status)) ||
        (report->command && !keep(&frame->command, strdup(report->command), status)))
        return false;
    frame->words = report->navigation.words;
    if (frame_can(report))
        return (!report_pictured(report) || take_picture(frame, session, status)) &&
               (!report_sheet(report) || take_sheet(frame, status));
    if (!text || !*text)
        return true;
    frame->kind = FRAME_PAGE;
    char *copy = strdup(text);
    return copy ? page_make(&frame->page, copy, status) : status_no_memory(status);
}

struct frame *frame_make(const struct session *session, struct report *result, const char *text,
                         const struct sentence_pair *before, struct status *status)
{
    struct frame *frame = memory_new(1, sizeof *frame, status);
    if (!frame) {
        report_free(result);
        return NULL;
    }
    frame->report = *result;
    *result = (struct report){0};
    frame->view = view_fit(session_config(session), session->view);
    struct saved_state unused;
    frame->states = states_before(session, &unused);
    frame->checkpoint = session->loaded->checkpoint;
    if (!session->current && !session->testset)
        frame->example = welcome_example(
            language_pair_name(session_config(session), shown_languages(session), SIDE_SOURCE));
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
    struct status unused;
    bool same = frame->target && before->target && strcmp(frame->target, before->target) == 0 &&
                strcmp(frame->source, before->source) == 0;
    if (same && !frame->changed.texts[0] && before->changed.texts[0] &&
        !comparison_copy(&before->changed, &frame->changed, &unused))
        comparison_free(&frame->changed);
}

const struct comparison *frame_change(const struct frame *frame)
{
    const struct block *block = report_find(&frame->report, BLOCK_COMPARISON, IN_SCREEN);
    if (block)
        return block->comparison;
    return frame->changed.texts[0] ? &frame->changed : NULL;
}

const struct comparison *frame_comparison(const struct frame *frame)
{
    const struct comparison *change = frame_change(frame);
    return change && (change != &frame->changed || comparison_differs(change)) ? change : NULL;
}

static void copy_numbers(const struct frame *from, struct frame *frame)
{
    frame->forced = from->forced;
    frame->score = from->score;
    frame->hypothesis = from->hypothesis;
    frame->hypotheses = from->hypotheses;
    frame->position = from->position;
    frame->sentences = from->sentences;
    frame->states = from->states;
    frame->checkpoint = from->checkpoint;
    frame->example = from->example;
    frame->held = from->held;
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
        *copy = *texts[i][0] ? strdup(*texts[i][0]) : NULL;
        ok &= *copy || !*texts[i][0];
    }
    copy_numbers(from, frame);
    return ok || status_no_memory(status);
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
    comparison_free(&frame->changed);
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

struct frame *frame_hold(struct frame *frame)
{
    frame->holders++;
    return frame;
}

void frame_free(struct frame *frame)
{
    if (!frame || frame->holders-- > 0)
        return;
    for (int m = 0; m < MODULE_COUNT; m++)
        free(frame->maps[m].marks);
    picture_free(&frame->picture);
    drawing_free(&frame->drawing);
    sheet_free(&frame->sheet);
    page_free(&frame->page);
    report_free(&frame->report);
    free_header(frame);
    free(frame->title);
    free(frame->command);
    free(frame);
}

/* ASCII ---------------------------------------------------------------------------------------- */

#define CONTINUES "\xc2\xb7" // ·, before a token that continues a word
#define MINUS "\xe2\x88\x92"

/* Rewrites the program's own labels in ASCII: a text that begins with that sign, or contains parts
 * that do (a table's cell: "read 0.20  ·s 0.13"). A token that is the same sign cannot be told
 * apart and is rewritten, too. */
static char *in_ascii(const char *text)
{
    struct written written;
    size_t bytes = strlen(CONTINUES);
    FILE *out = written_open(&written);
    for (bool begins = true; out && *text; text++) {
        bool sign = begins && strncmp(text, CONTINUES, bytes) == 0;
        begins = text[0] == ' ' && (begins || text[1] == ' ');
        fputc(sign ? '-' : *text, out);
        text += sign ? bytes - 1 : 0;
    }
    return out ? written_close(&written) : NULL;
}

static const char *label_in_ascii(struct report *report, const char *label)
{
    return report_take_text(report, in_ascii(label));
}

static bool cell_in_ascii(char **text, struct status *status)
{
    char *ascii = *text ? in_ascii(*text) : NULL;
    if (*text && !ascii)
        return status_no_memory(status);
    free(*text);
    *text = ascii;
    return true;
}

static bool sheet_in_ascii(struct sheet *sheet, struct status *status)
{
    for (long i = 0; i < (long)sheet->row_count * sheet->column_count; i++)
        if (!cell_in_ascii(&sheet->cells[i].text, status))
            return false;
    sheet_end(sheet);
    return true;
}

static bool picture_in_ascii(struct frame *frame, struct status *status)
{
    const struct figure *figure = &frame->drawing.figure;
    if (frame_navigation(frame)->kind == VIEW_HEADS)
        return true; // it has no labels, and perhaps no values any more
    if (!report_relabel(&frame->report, label_in_ascii, status))
        return false;
    for (int i = 0; i < figure->rows * figure->columns; i++) {
        const char *title = frame->drawing.panels[i].title;
        const char *minus = title ? strstr(title, MINUS) : NULL;
        if (minus)
            frame->drawing.panels[i].title = report_format(
                &frame->report, "%.*s-%s", (int)(minus - title), title, minus + strlen(MINUS));
    }
    // The labels have new sizes.
    picture_free(&frame->picture);
    return picture_make(&frame->picture, figure, status);
}

bool frame_in_ascii(struct frame *frame, struct status *status)
{
    return (!frame->drawn || picture_in_ascii(frame, status)) &&
           (!frame->listed || sheet_in_ascii(&frame->sheet, status));
}
