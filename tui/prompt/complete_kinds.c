#include "tui/prompt/complete_kinds.h"

#include <stdlib.h>
#include <string.h>

#include "model/formats/formats.h"
#include "model/study/contrast/contrast_groups.h"
#include "model/study/heads/head_stats.h"
#include "tui/command/command.h"
#include "tui/command/study/ablate_words.h"
#include "tui/command/topics.h"
#include "tui/prompt/complete_files.h"
#include "tui/report/display_label.h"
#include "tui/report/gate_points.h"
#include "tui/session/selector.h"
#include "tui/text/arguments.h"
#include "tui/text/display.h"

/* Whether a terminal shows the text as it is: readline writes candidates raw. */
static bool is_clean(const char *text)
{
    char *clean = display_clean(text);
    bool same = clean && strcmp(clean, text) == 0;
    free(clean);
    return same;
}

static bool add_quoted(struct typing *typing, const char *text)
{
    char *quoted = NULL;
    size_t size;
    FILE *stream = open_memstream(&quoted, &size);
    if (!stream)
        return status_no_memory(typing->status);
    arguments_quote(stream, text);
    bool ok = fclose(stream) == 0 && pieces_add(typing->out, quoted, size, typing->status);
    free(quoted);
    return ok;
}

bool offer(struct typing *typing, const char *text)
{
    if (!begins_with(text, typing->word) || !*text || !is_clean(text))
        return true;
    return add_quoted(typing, text);
}

static bool offer_list(struct typing *typing, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (!offer(typing, names[i]))
            return false;
    return true;
}

static bool has_word(const struct typing *typing, const char *word)
{
    for (int i = 0; i < typing->count; i++)
        if (strcmp(typing->before[i], word) == 0)
            return true;
    return false;
}

const char *word_before(const struct typing *typing)
{
    return typing->count ? typing->before[typing->count - 1] : "";
}

static bool has_any(const struct typing *typing, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (has_word(typing, names[i]))
            return true;
    return false;
}

/* Selectors --------------------------------------------------------------------------------------- */

static bool module_before(const struct typing *typing, enum module *module)
{
    for (int i = 0; i < typing->count; i++)
        if (module_parse(typing->before[i], module))
            return true;
    return false;
}

static bool offer_numbers(struct typing *typing, int most)
{
    char number[16];
    for (int i = 1; i <= most; i++) {
        snprintf(number, sizeof number, "%d", i);
        if (!offer(typing, number))
            return false;
    }
    return true;
}

/* After `layer` and `head` their numbers are all that fits, but after `by head`. */
static bool in_list(const struct typing *typing)
{
    bool by = typing->count > 1 && strcmp(typing->before[typing->count - 2], "by") == 0;
    return typing->kinds & COMPLETE_SELECTOR && !by &&
           (strcmp(word_before(typing), "layer") == 0 || strcmp(word_before(typing), "head") == 0);
}

static bool offer_selector_list(struct typing *typing)
{
    static const char *const all[] = {"all"}, *const over[] = {"mean", "max", "importance", "all"};
    const struct head_settings *head_settings = typing->session->state.head_settings;
    bool views = typing->command->group == GROUP_VIEWS;
    enum module module = views ? typing->session->view.module : MODULE_ENCODER;
    module_before(typing, &module);
    if (strcmp(word_before(typing), "layer") == 0)
        return offer_numbers(typing, head_settings->layers[module]) && offer_list(typing, all, 1);
    return offer_numbers(typing, head_settings->count[module]) &&
           offer_list(typing, over, views ? 4 : 0);
}

static bool offer_selector(struct typing *typing)
{
    static const char *const modules[] = {"enc", "dec", "cross"}, *const parts[] = {"layer",
                                                                                    "head"};
    enum module unused;
    if (typing->kinds & COMPLETE_CONTRAST && !has_word(typing, "ablate"))
        return true;
    if (!module_before(typing, &unused) && !offer_list(typing, modules, 3))
        return false;
    for (int i = 0; i < 2; i++)
        if (!has_word(typing, parts[i]) && !offer(typing, parts[i]))
            return false;
    return true;
}

static bool after_as(const struct typing *typing)
{
    return typing->kinds & COMPLETE_METHOD && strcmp(word_before(typing), "as") == 0;
}

/* All heads side by side have only methods with a matrix for every head. */
static bool offer_methods(struct typing *typing)
{
    bool grid = strcmp(typing->command->name, "heads") == 0;
    for (int i = 0; i < METHOD_COUNT; i++)
        if ((!grid || method_table[i].of_heads) && !offer(typing, method_table[i].name))
            return false;
    return true;
}

static bool offer_as(struct typing *typing)
{
    return has_word(typing, "as") || offer(typing, "as");
}

static bool offer_word(struct typing *typing)
{
    return has_word(typing, "word") || offer(typing, "word");
}

static bool offer_mask(struct typing *typing)
{
    const int count = MASK_BACKWARD + 1;
    return has_any(typing, mask_names, count) || offer_list(typing, mask_names, count);
}

static bool offer_pattern(struct typing *typing)
{
    return has_any(typing, pattern_names, PATTERN_COUNT) ||
           offer_list(typing, pattern_names, PATTERN_COUNT);
}

/* Gates ------------------------------------------------------------------------------------------- */

static const char *const stacks[] = {"enc", "dec"};
static const char *const sides[] = {"q", "k", "qk"};

static bool is_stack_or_side(const char *word)
{
    enum module unused;
    for (int i = 0; i < 3; i++)
        if (strcmp(word, sides[i]) == 0)
            return true;
    return module_parse(word, &unused);
}

/* Whether the file has been named: stack and side come before it. */
static bool file_before(const struct typing *typing)
{
    for (int i = 0; i < typing->count; i++)
        if (!is_stack_or_side(typing->before[i]))
            return true;
    return false;
}

static bool offer_stack(struct typing *typing)
{
    return typing->count > 0 || offer_list(typing, stacks, 2);
}

static bool offer_side(struct typing *typing)
{
    return has_any(typing, sides, 3) || file_before(typing) || offer_list(typing, sides, 3);
}

static bool offer_grouping(struct typing *typing)
{
    int count = 0;
    while (gate_grouping_names[count])
        count++;
    if (strcmp(word_before(typing), "by") == 0)
        return offer_list(typing, gate_grouping_names, count);
    return !file_before(typing) || has_word(typing, "by") || offer(typing, "by");
}

/* "by layer,head" after files. */
static bool offer_alignment(struct typing *typing)
{
    static const char *const by[] = {"layer,head"}, *const from[] = {"0", "1"};
    if (strcmp(word_before(typing), "by") == 0)
        return offer_list(typing, by, 1);
    if (strcmp(word_before(typing), "from") == 0)
        return offer_list(typing, from, 2);
    if (typing->count >= 3 && !has_word(typing, "from") && !offer(typing, "from"))
        return false;
    return (typing->count < 2 || has_word(typing, "by") || offer(typing, "by")) &&
           (has_word(typing, "shifted") || offer(typing, "shifted"));
}

/* Scores ------------------------------------------------------------------------------------------ */

/* What is typed after two words that are not such themselves. */
static bool offer_group(struct typing *typing)
{
    static const char *const all[] = {"all"}, *const begin[] = {"by", "group"};
    const char *before = word_before(typing);
    if (strcmp(before, "group") == 0)
        return offer_list(typing, all, 1);
    if (strcmp(before, "by") == 0)
        return offer(typing, "source");
    if (typing->count < 2)
        return true;
    for (int i = has_word(typing, "by") ? 1 : 0; i < 2; i++)
        if (!has_word(typing, "group") && !offer(typing, begin[i]))
            return false;
    return true;
}

static bool offer_ablation(struct typing *typing)
{
    static const char *const one[] = {"by", "show"};
    const char *before = word_before(typing);
    if (strcmp(before, "by") == 0)
        return offer_list(typing, ablate_by_names + 1, ABLATE_LAYER_HEAD) &&
               (typing->kinds & COMPLETE_CONTRAST || offer(typing, "gradient"));
    if (strcmp(before, "show") == 0)
        return true;
    for (int i = 0; i < 2; i++)
        if (!has_word(typing, one[i]) && !offer(typing, one[i]))
            return false;
    return offer(typing, SELECTORS_OR);
}

static bool offer_pruning(struct typing *typing)
{
    if (!has_word(typing, "until"))
        return offer(typing, "until");
    if (strcmp(word_before(typing), "until") == 0 || strcmp(word_before(typing), SHOW_WORD) == 0)
        return true;
    if (strcmp(word_before(typing), "by") == 0)
        return offer(typing, "gradient");
    return (has_word(typing, "by") || offer(typing, "by")) &&
           (has_word(typing, SHOW_WORD) || offer(typing, SHOW_WORD)) && offer(typing, SELECTORS_OR);
}

/* What stands at the end of `:stats FILE …`. */
static bool offer_stats(struct typing *typing)
{
    if (strcmp(word_before(typing), SHOW_WORD) == 0)
        return offer_list(typing, head_measure_names, MEASURE_COUNT);
    return !file_before(typing) || has_word(typing, SHOW_WORD) ||
           (offer(typing, "distances") && offer(typing, SHOW_WORD) && offer(typing, "by pos"));
}

/* A suite is one path or at least three. */
static bool offer_contrast(struct typing *typing)
{
    static const char *const all[] = {"all"}, *const rest[] = {"by", "ablate", "group"};
    if (has_word(typing, "ablate"))
        return offer_ablation(typing) &&
               (strcmp(word_before(typing), "by") == 0 ||
                strcmp(word_before(typing), "show") == 0 || offer_selector(typing));
    if (strcmp(word_before(typing), "group") == 0)
        return offer_list(typing, all, 1);
    if (strcmp(word_before(typing), "by") == 0)
        return offer_list(typing, contrast_by_names, CONTRAST_BYS);
    if (has_word(typing, "by"))
        return has_word(typing, "group") || offer(typing, "group");
    return typing->count < 1 || has_word(typing, "group") || offer_list(typing, rest, 3);
}

/* After two files, or a suite. What follows it are states alone (offer_kinds). */
static bool offer_across(struct typing *typing)
{
    bool early = typing->count < (typing->kinds & COMPLETE_GROUP ? 2 : 1);
    return early || strcmp(word_before(typing), "by") == 0 || has_word(typing, "group") ||
           has_word(typing, "ablate") || offer(typing, STATES_IN);
}

/* Files ------------------------------------------------------------------------------------------- */

static bool offer_path(void *context, const char *path)
{
    return offer(context, path);
}

static bool offer_file(struct typing *typing)
{
    bool taken = typing->kinds & COMPLETE_GROUPING && file_before(typing);
    taken |=
        typing->kinds & COMPLETE_GROUP && (has_word(typing, "by") || has_word(typing, "group"));
    taken |= typing->kinds & (COMPLETE_ABLATION | COMPLETE_PRUNING) &&
             ablate_files_end(typing->before, typing->count);
    taken |= typing->kinds & COMPLETE_CONTRAST &&
             (has_word(typing, "by") || has_word(typing, "group") || has_word(typing, "ablate"));
    return taken || complete_files(typing->word, offer_path, typing);
}

/* Folders, too: models may be in them. */
static bool offer_if_model(void *context, const char *path)
{
    bool folder = *path && path[strlen(path) - 1] == '/';
    return !(folder || own_begins(path)) || offer(context, path);
}

static bool offer_model(struct typing *typing)
{
    return complete_files(typing->word, offer_if_model, typing);
}

/* Settings ---------------------------------------------------------------------------------------- */

static bool offer_setting(struct typing *typing)
{
    for (int i = 0; i < setting_count; i++)
        if (!offer(typing, setting_table[i].name))
            return false;
    return true;
}

/* A choice's names; of others the value that it has and the one that it had at first. */
static bool offer_value(struct typing *typing)
{
    struct status unused;
    const struct setting *setting = setting_find(word_before(typing), &unused);
    if (!setting)
        return true;
    const char *const *choices = setting_choices(setting, &typing->session->settings);
    if (choices) {
        for (int i = 0; choices[i]; i++)
            if (!offer(typing, choices[i]))
                return false;
        return true;
    }
    const struct settings *values[] = {&typing->session->settings, &typing->session->defaults};
    for (int i = 0; i < 2; i++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        if (!out)
            return status_no_memory(typing->status);
        setting_write(setting, values[i], false, out);
        bool ok = fclose(out) == 0 && offer(typing, text);
        free(text);
        if (!ok)
            return false;
    }
    return true;
}

/* Commands ---------------------------------------------------------------------------------------- */

bool offer_command(struct typing *typing)
{
    char name[64];
    for (int i = 0; i < command_count; i++) {
        snprintf(name, sizeof name, "%s%s", *typing->word == ':' ? ":" : "", command_table[i].name);
        if (!offer(typing, name))
            return false;
    }
    return true;
}

static bool offer_help(struct typing *typing)
{
    for (int i = 0; i < topic_count; i++)
        if (!offer(typing, topic_table[i].name))
            return false;
    return offer_command(typing);
}

static bool offer_view(struct typing *typing)
{
    for (int i = 0; i < command_count; i++)
        if (command_table[i].view && !offer(typing, command_table[i].name))
            return false;
    return true;
}

/* The session ------------------------------------------------------------------------------------- */

static bool offer_tokens_of(struct typing *typing, const struct token_list *tokens)
{
    struct labels labels = {0};
    bool ok = labels_of_tokens(tokens, &labels, typing->status);
    char **shown = ok ? display_labels(typing->session, &labels, false) : NULL;
    for (int i = 0; ok && shown && i < tokens->count; i++)
        ok = offer(typing, shown[i]);
    display_labels_free(shown, tokens->count);
    pieces_free(&labels.texts);
    return ok;
}

/* As they are shown along a view. */
static bool offer_token(struct typing *typing)
{
    const struct sentence_pair *pair = typing->session->current;
    if (!pair)
        return true;
    struct token_list source = pair_columns(pair, MODULE_CROSS),
                      target = session_rows(typing->session, pair, MODULE_CROSS);
    return offer_tokens_of(typing, &source) && offer_tokens_of(typing, &target);
}

static bool offer_state(struct typing *typing)
{
    for (int i = 0; i < states_count(typing->session); i++)
        if (!offer(typing, states_get(typing->session, i).name))
            return false;
    return offer(typing, STATE_CURRENT);
}

/* The table --------------------------------------------------------------------------------------- */

static const struct {
    enum completion_kind kind;
    bool (*offer)(struct typing *typing);
} kinds[] = {
    {COMPLETE_FILE, offer_file},       {COMPLETE_SELECTOR, offer_selector},
    {COMPLETE_WORD, offer_word},       {COMPLETE_MASK, offer_mask},
    {COMPLETE_PATTERN, offer_pattern}, {COMPLETE_STACK, offer_stack},
    {COMPLETE_SIDE, offer_side},       {COMPLETE_GROUPING, offer_grouping},
    {COMPLETE_SETTING, offer_setting}, {COMPLETE_VALUE, offer_value},
    {COMPLETE_COMMAND, offer_help},    {COMPLETE_TOKEN, offer_token},
    {COMPLETE_STATE, offer_state},     {COMPLETE_VIEW, offer_view},
    {COMPLETE_GROUP, offer_group},     {COMPLETE_ABLATION, offer_ablation},
    {COMPLETE_PRUNING, offer_pruning}, {COMPLETE_CONTRAST, offer_contrast},
    {COMPLETE_ACROSS, offer_across},   {COMPLETE_MODEL, offer_model},
    {COMPLETE_METHOD, offer_as},       {COMPLETE_ALIGNMENT, offer_alignment},
    {COMPLETE_STATS, offer_stats},
};

bool offer_kinds(struct typing *typing)
{
    if (in_list(typing))
        return offer_selector_list(typing);
    if (after_as(typing))
        return offer_methods(typing);
    if (typing->kinds & COMPLETE_ACROSS && has_word(typing, STATES_IN))
        return offer_state(typing);
    // What follows `by` is no part of anything else.
    const unsigned grouped = COMPLETE_GROUPING | COMPLETE_ABLATION | COMPLETE_PRUNING |
                             COMPLETE_CONTRAST | COMPLETE_ALIGNMENT;
    bool by = typing->kinds & grouped && strcmp(word_before(typing), "by") == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (typing->kinds & kinds[i].kind && (!by || kinds[i].kind & grouped) &&
            !kinds[i].offer(typing))
            return false;
    return true;
}
