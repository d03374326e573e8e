/* Switches heads off and on; changes their masks, entmax and patterns. */
#include <limits.h>
#include <string.h>

#include "model/text/quote.h"
#include "report/origins.h"
#include "report/view.h"
#include "report/view_report.h"
#include "terminal/text/arguments.h"
#include "tui/command/command.h"

#define HEADS_EXAMPLE "such as head 8 or dec layer 1 head 2-3"

/* The present state of heads ------------------------------------------------------------------- */

static void report_heads_line(struct report *report, unsigned in, const char *title,
                              const char *heads)
{
    if (*heads)
        report_line(report, in, "%s: %s", title, heads);
}

static void report_heads(struct report *report, unsigned in, const struct session *session)
{
    const char *off = report_heads_off(report, session);
    const char *changed = report_heads_changed(report, session);
    report_json(report, "disabled", heads_off_value(report, session));
    report_json(report, "changed", heads_changed_value(report, session));
    if (!*off && !*changed)
        report_line(report, in, "all heads are on and as the checkpoint has them");
    report_heads_line(report, in, "off", off);
    report_heads_line(report, in, "changed", changed);
}

/* Changes -------------------------------------------------------------------------------------- */

/* A head of a layer; 0-based. */
struct place {
    enum module module;
    int layer, head;
};

/* A change, `change`, for every selected head of a copy of head_settings, which then becomes the
 * session's. Without a layer, every layer is meant; without a head, every head. */
struct head_change {
    /* Returns false if this head cannot be changed like this. */
    bool (*change)(const struct head_change *self, const struct config *config,
                   const struct place *place, struct head_settings *head_settings,
                   struct status *status);
    struct head head; // for mask, entmax and pattern: what the head becomes, or partly becomes
    float gain;       // for disable and enable
};

static bool change_selected(const struct config *config, const struct selector *selector,
                            const struct head_change *change, struct head_settings *head_settings,
                            struct status *status)
{
    enum module module = selector->module;
    int layers = head_settings->layers[module], heads = head_settings->count[module];
    for (int layer = 0; layer < layers; layer++)
        for (int head = 0; head < heads; head++) {
            struct place place = {module, layer, head};
            if (!selector_has_layer(selector, layer) || !selector_has_head(selector, head))
                continue;
            if (!change->change(change, config, &place, head_settings, status))
                return false;
        }
    return true;
}

/* Makes a copy of the settings, which it takes, the session's and reports the result. */
static bool commit(struct session *session, struct head_settings *head_settings,
                   struct report *report, struct status *status)
{
    struct sentence_pair *before = NULL;
    if (!session_change_head_settings(session, head_settings, &before, status))
        return false;
    report_heads(report, FOR_PEOPLE, session);
    report_change(report, session, before);
    return report_end(report, status);
}

static bool change_head_settings(struct session *session, const struct selector *given,
                                 const struct head_change *change, struct report *report,
                                 struct status *status)
{
    struct selector complete = *given; // its lists are borrowed
    const struct selector *selector = &complete;
    if (!given->module_given)
        complete.module = view_module(session);
    if (!selector_check(selector, session_config(session), status))
        return false;
    struct head_settings *head_settings = head_settings_copy(session->state.head_settings, status);
    if (!head_settings)
        return false;
    if (change_selected(session_config(session), selector, change, head_settings, status))
        return commit(session, head_settings, report, status);
    head_settings_free(head_settings);
    return false;
}

static bool set_gain(const struct head_change *self, const struct config *config,
                     const struct place *place, struct head_settings *head_settings,
                     struct status *status)
{
    (void)config;
    (void)status;
    *head_settings_gain(head_settings, place->module, place->layer, place->head) = self->gain;
    return true;
}

/* `:disable` and `:enable` take only a selector. */
enum { HEADS };
static const struct argument heads_off[] = {
    [HEADS] = {.kind = ARGUMENT_SELECTOR,
               .required = true,
               .expected = "the heads to switch off, " HEADS_EXAMPLE},
};
static const struct argument heads_on[] = {
    [HEADS] = {.kind = ARGUMENT_SELECTOR},
};

static bool enable_all(struct session *session, struct report *report, struct status *status)
{
    struct head_settings *head_settings = head_settings_copy(session->state.head_settings, status);
    if (!head_settings)
        return false;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < head_settings->layers[m] * head_settings->count[m]; i++)
            head_settings->gains[m][i] = 1;
    return commit(session, head_settings, report, status);
}

/* `:disable` and `:enable`. */
static bool run_switch(struct session *session, const struct request *request,
                       struct report *report, struct status *status)
{
    const struct head_change change = {.change = set_gain, .gain = (float)request->command->which};
    return argument_given(request->given, HEADS)
               ? change_head_settings(session, &request->given->selector, &change, report, status)
               : enable_all(session, report, status);
}

static bool run_disabled(struct session *session, const struct request *request,
                         struct report *report, struct status *status)
{
    (void)request;
    report_heads(report, FOR_PEOPLE, session);
    return report_end(report, status);
}

/* Masks, entmax and patterns ------------------------------------------------------------------- */

static bool set_head(const struct head_change *self, const struct config *config,
                     const struct place *place, struct head_settings *head_settings,
                     struct status *status)
{
    return head_settings_set_head(head_settings, config, place->module, place->layer, place->head,
                                  self->head, status);
}

/* Returns the head or, if it was given a pattern, the checkpoint's. */
static struct head learned_head(const struct config *config, const struct place *place,
                                const struct head_settings *head_settings)
{
    const struct head *now =
        head_settings_head(head_settings, place->module, place->layer, place->head);
    return now->energy == ENERGY_LEARNED
               ? *now
               : config->attention[place->module][place->layer].heads[place->head];
}

static bool set_mask(const struct head_change *self, const struct config *config,
                     const struct place *place, struct head_settings *head_settings,
                     struct status *status)
{
    struct head head = self->head;
    head.entmax = learned_head(config, place, head_settings).entmax;
    return head_settings_set_head(head_settings, config, place->module, place->layer, place->head,
                                  head, status);
}

static bool set_alpha(const struct head_change *self, const struct config *config,
                      const struct place *place, struct head_settings *head_settings,
                      struct status *status)
{
    struct head head = learned_head(config, place, head_settings);
    if (head.energy != ENERGY_LEARNED)
        return status_fail(status, STATUS_INVALID,
                           "%s layer %d head %d is fixed: it has no energies",
                           module_names[place->module], place->layer + 1, place->head + 1);
    head.entmax = self->head.entmax;
    return head_settings_set_head(head_settings, config, place->module, place->layer, place->head,
                                  head, status);
}

enum { MASK = 1, WINDOW };
static const struct argument masked[] = {
    [HEADS] = {.kind = ARGUMENT_SELECTOR,
               .required = true,
               .expected = "the heads to mask, " HEADS_EXAMPLE},
    [MASK] = {.kind = ARGUMENT_CHOICE,
              .choices = mask_names,
              .required = true,
              .name = "global|local W|forward|backward",
              .expected = "global, local W, forward or backward"},
    [WINDOW] = {"W", .kind = ARGUMENT_INTEGER, .to = INT_MAX, .needs = ARG(MASK), .hidden = true},
};

static bool run_mask(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    const struct argument_values *given = request->given;
    const int mask = argument_choice(given, MASK, MASK_GLOBAL);
    struct head_change change = {.change = set_mask,
                                 .head = {.energy = ENERGY_LEARNED, .mask = (uint8_t)mask}};
    if (mask == MASK_LOCAL && !argument_given(given, WINDOW))
        return status_fail(status, STATUS_INVALID, "local: expected its window, such as local 2");
    if (mask != MASK_LOCAL && argument_given(given, WINDOW))
        return status_fail(status, STATUS_INVALID, "\"%s\": unexpected after %s",
                           QUOTED(argument_text(given, WINDOW)), mask_names[mask]);
    change.head.window = argument_integer(given, WINDOW, 0);
    return change_head_settings(session, &given->selector, &change, report, status);
}

enum { ALPHA = 1 };
static const struct argument sharpened[] = {
    [HEADS] = {.kind = ARGUMENT_SELECTOR,
               .required = true,
               .expected = "the heads to change, " HEADS_EXAMPLE},
    [ALPHA] = {"ALPHA", "alpha", ARGUMENT_NUMBER, .from = 1, .to = 2, .required = true},
};

static bool run_entmax(struct session *session, const struct request *request,
                       struct report *report, struct status *status)
{
    const double alpha = request->given->each[ALPHA].number;
    const struct head_change change = {.change = set_alpha, .head.entmax = entmax_of(alpha)};
    return change_head_settings(session, &request->given->selector, &change, report, status);
}

enum { PATTERN = 1, OFFSET, DEVIATION, WORD };
static const struct argument patterned[] = {
    [HEADS] = {.kind = ARGUMENT_SELECTOR,
               .required = true,
               .expected = "the heads to replace, " HEADS_EXAMPLE},
    [PATTERN] = {"NAME", .kind = ARGUMENT_CHOICE, .choices = pattern_names, .required = true},
    [OFFSET] = {"OFFSET", .kind = ARGUMENT_INTEGER, .from = -PATTERN_OFFSET_MOST,
                .to = PATTERN_OFFSET_MOST, .needs = ARG(PATTERN)},
    [DEVIATION] = {"DEVIATION", .kind = ARGUMENT_NUMBER, .from = DEVIATION_LEAST,
                   .to = DEVIATION_MOST, .needs = ARG(OFFSET)},
    [WORD] = {.keyword = "word", .kind = ARGUMENT_FLAG},
};

/* Reads the centre and the width of a Gaussian; no other pattern has them. */
static bool read_shape(const struct argument_values *given, struct head *head,
                       struct status *status)
{
    const double deviation = argument_given(given, DEVIATION) ? given->each[DEVIATION].number : 1;
    if (head->pattern != PATTERN_GAUSSIAN)
        return !argument_given(given, OFFSET) ||
               status_fail(status, STATUS_INVALID, "\"%s\": unexpected after %s",
                           QUOTED(argument_text(given, OFFSET)), pattern_names[head->pattern]);
    head->offset = argument_integer(given, OFFSET, 0);
    head->deviation = (float)deviation;
    return true;
}

/* True if the words of the module's keys have no blanks between them. */
static bool is_by_script(const struct session *session, const struct selector *given)
{
    const enum module module = given->module_given ? given->module : view_module(session);
    const int side = module == MODULE_DECODER ? SIDE_TARGET : SIDE_SOURCE;
    return tokenizer_unspaced(session->loaded->checkpoint->tokenizer[side]);
}

static bool run_pattern(struct session *session, const struct request *request,
                        struct report *report, struct status *status)
{
    const struct argument_values *given = request->given;
    struct head_change change = {
        .change = set_head,
        .head = {.energy = ENERGY_FIXED,
                 .pattern = (uint8_t)argument_choice(given, PATTERN, 0),
                 .unit = argument_given(given, WORD) ? UNIT_WORD : UNIT_TOKEN}};
    if (!read_shape(given, &change.head, status) ||
        !change_head_settings(session, &given->selector, &change, report, status))
        return false;
    if (argument_given(given, WORD) && is_by_script(session, &given->selector))
        report_line(report, FOR_PEOPLE, " " WORDS_BY_SCRIPT);
    return true;
}

/* Restores what the checkpoint says, including heads switched off. */
static bool run_reset(struct session *session, const struct request *request, struct report *report,
                      struct status *status)
{
    struct head_settings *head_settings =
        head_settings_copy(model_head_settings(session->state.model), status);
    (void)request;
    return head_settings && commit(session, head_settings, report, status);
}

/* The commands --------------------------------------------------------------------------------- */

#define CHANGE_NOTES                                                                               \
    "Without a module: the one that was shown last, cross-attention before any was. Without a "    \
    "layer: every layer; without a head: every head.",                                             \
        "The current sentence is translated again. " COMPARED_NOTE

static const struct help_item meanings_of_change[] = {SELECTOR_ITEM, {NULL, NULL}};
static const char *const notes_of_switch[] = {
    "The output of a head that is off is 0 before the output projection, whose bias stays. Other "
    "heads are as they were; with DHICM, they share out its importance. Its attention weights are "
    "still shown.",
    CHANGE_NOTES, NULL};

const struct command command_disable = {
    .name = "disable",
    .summary = "switch heads off",
    .arguments = ARGUMENT_LIST(heads_off),
    .meanings = meanings_of_change,
    .notes = notes_of_switch,
    .examples =
        (const char *const[]){STARS, ":disable cross layer 2 head 1-4", ":disable enc 3.7", NULL},
    .run = run_switch,
    .which = 0,
    .group = GROUP_HEADS,
};

const struct command command_enable = {
    .name = "enable",
    .summary = "switch heads on again; without a selector, all of them",
    .arguments = ARGUMENT_LIST(heads_on),
    .meanings = meanings_of_change,
    .notes = notes_of_switch,
    .examples = (const char *const[]){":disable enc head 5-8", ":enable enc layer 1 head 8",
                                      ":enable", NULL},
    .run = run_switch,
    .which = 1,
    .group = GROUP_HEADS,
};

const struct command command_disabled = {
    .name = "disabled",
    .summary = "list the heads that are off or changed",
    .examples = (const char *const[]){":disable enc 3.7", ":disabled",
                                      ":mask cross layer 2 backward", ":disabled", NULL},
    .run = run_disabled,
    .group = GROUP_HEADS,
    .needs = NEEDS_SESSION,
};

static const struct help_item meanings_of_mask[] = {
    SELECTOR_ITEM,
    {"global", "all positions"},
    {"local W", "positions at most W away"},
    {"forward", "the position itself and those after it"},
    {"backward", "the position itself and those before it"},
    {NULL, NULL}};
static const char *const notes_of_mask[] = {
    CHANGE_NOTES,
    "Only heads with queries and keys can be masked; a head whose pattern is fixed in the "
    "checkpoint has none.",
    NULL};

const struct command command_mask = {
    .name = "mask",
    .summary = "restrict what heads may attend to",
    .arguments = ARGUMENT_LIST(masked),
    .meanings = meanings_of_mask,
    .notes = notes_of_mask,
    .examples = (const char *const[]){STARS, ":mask cross layer 2 backward",
                                      ":mask enc layer 1 head 3-4 local 2", NULL},
    .run = run_mask,
    .group = GROUP_HEADS,
};

static const struct help_item meanings_of_entmax[] = {
    SELECTOR_ITEM,
    {"ALPHA",
     "1 is softmax, 2 is sparsemax; the greater it is, the more positions have no weight at all"},
    {NULL, NULL}};
static const char *const notes_of_entmax[] = {
    CHANGE_NOTES,
    "Entmax (Peters et al. 2019; Correia et al. 2019, who learn an α for each head) replaces "
    "softmax of the energies. A head keeps its mask. A head that was trained with another α was "
    "not trained for this one.",
    NULL};

const struct command command_entmax = {
    .name = "entmax",
    .summary = "use entmax in learned heads, with weights that are exactly 0",
    .arguments = ARGUMENT_LIST(sharpened),
    .meanings = meanings_of_entmax,
    .notes = notes_of_entmax,
    .examples =
        (const char *const[]){STARS, ":entmax cross alpha 1.5", ":entmax enc 1.3 alpha 2", NULL},
    .run = run_entmax,
    .group = GROUP_HEADS,
};

static const struct help_item meanings_of_pattern[] = {
    SELECTOR_ITEM,
    {"NAME", "current, previous, next, left_context, right_context, sentence_end, "
             "sentence_start or last, as defined in section 3.2 of Raganato et al. 2020; "
             "their table 4 has sentence_end and sentence_start the other way round; or gaussian"},
    {"OFFSET DEVIATION",
     "for gaussian: a normal distribution around the position OFFSET places to the right (default "
     "0), with the standard DEVIATION (default 1), as in section 3 of You et al. 2020. Weight "
     "beyond the ends of the sentence is lost, so that rows there sum to less than 1"},
    {"word",
     "the pattern is over words instead of tokens. Words of text without blanks end where the "
     "script changes: in Japanese runs of Han, of Hiragana, of Katakana and of other letters are "
     "words; in Chinese, Thai, Lao, Burmese and Khmer each token is one"},
    {NULL, NULL}};
static const char *const notes_of_pattern[] = {CHANGE_NOTES, NULL};

const struct command command_pattern = {
    .name = "pattern",
    .summary = "give heads a fixed pattern",
    .arguments = ARGUMENT_LIST(patterned),
    .meanings = meanings_of_pattern,
    .notes = notes_of_pattern,
    .examples = (const char *const[]){STARS, ":pattern enc 1.1 previous",
                                      ":pattern enc layer 2 left_context word",
                                      ":pattern enc head 1 gaussian -1", NULL},
    .run = run_pattern,
    .group = GROUP_HEADS,
};

const struct command command_reset = {
    .name = "reset",
    .summary = "restore all heads as the checkpoint has them, and switch them on",
    .examples = (const char *const[]){":disable enc head 8", ":reset",
                                      ":mask cross layer 2 backward", ":reset", NULL},
    .run = run_reset,
    .group = GROUP_HEADS,
};
