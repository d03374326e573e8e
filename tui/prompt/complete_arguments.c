/* Offers the words for a command's arguments, according to their declaration. */
#include "tui/prompt/complete_arguments.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strings.h"
#include "model/formats/formats.h"
#include "report/labels.h"
#include "report/view.h"
#include "session/model_folders.h"
#include "terminal/text/arguments.h"
#include "terminal/text/display.h"
#include "tui/argument/argument.h"
#include "tui/command/commands.h"

/* Completes a path that is being typed. */

static bool is_folder(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISDIR(file.st_mode);
}

/* `folder` as typed, with its slash; "" is the current one. */
static bool offer_entry(const char *folder, const char *name,
                        bool (*offer)(void *context, const char *path), void *context)
{
    char *path = NULL;
    if (asprintf(&path, "%s%s/", folder, name) < 0)
        return true;
    char *whole = arguments_path(path);
    if (!whole || !is_folder(whole))
        path[strlen(path) - 1] = '\0';
    bool ok = offer(context, path);
    free(whole);
    free(path);
    return ok;
}

/* Calls `offer` with every path that begins with `typed`, until it returns false. Folders end in a
 * slash. Names that begin with a dot are skipped unless the dot is typed. A folder that cannot be
 * read offers nothing. Returns false if `offer` did. */
static bool complete_files(const char *typed, bool (*offer)(void *context, const char *path),
                           void *context)
{
    const char *slash = strrchr(typed, '/');
    const char *start = slash ? slash + 1 : typed; // of the name
    char *folder = strndup(typed, start - typed), *whole = folder ? arguments_path(folder) : NULL;
    DIR *entries = whole ? opendir(*whole ? whole : ".") : NULL;
    bool ok = true;
    for (const struct dirent *entry; ok && entries && (entry = readdir(entries));) {
        bool hidden = entry->d_name[0] == '.' && *start != '.';
        if (!hidden && begins_with(entry->d_name, start))
            ok = offer_entry(folder, entry->d_name, offer, context);
    }
    if (entries)
        closedir(entries);
    free(whole);
    free(folder);
    return ok;
}

/* Offers one kind of value. */
typedef bool offer_kind(struct typing *typing, const struct argument *argument,
                        const struct argument_values *values);

/* True if a terminal shows the text as it is: readline writes candidates raw. */
static bool is_clean(const char *text)
{
    char *clean = display_clean(text);
    bool same = clean && strcmp(clean, text) == 0;
    free(clean);
    return same;
}

static bool add_quoted(struct typing *typing, const char *text)
{
    struct written written;
    FILE *stream = written_open(&written);
    if (!stream)
        return status_no_memory(typing->status);
    arguments_quote(stream, text);
    char *quoted = written_close(&written);
    bool ok = quoted ? strings_add(typing->out, quoted, written.size, typing->status)
                     : status_no_memory(typing->status);
    free(quoted);
    return ok;
}

/* Offers a text if it begins with what is typed and can itself be typed. */
static bool offer(struct typing *typing, const char *text)
{
    if (!begins_with(text, typing->word) || !*text || !is_clean(text))
        return true;
    return add_quoted(typing, text);
}

static bool offer_names(struct typing *typing, const char *const *names)
{
    for (int i = 0; names && names[i]; i++)
        if (!offer(typing, names[i]))
            return false;
    return true;
}

/* Selectors ------------------------------------------------------------------------------------ */

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

/* For all heads side by side, only methods with a matrix for every head are offered. */
static bool offer_methods(struct typing *typing, enum heads_allowed heads)
{
    for (int i = 0; i < METHOD_COUNT; i++)
        if (method_table[i].of_layers && (heads != HEADS_GRID || method_table[i].of_heads) &&
            !offer(typing, method_table[i].name))
            return false;
    return true;
}

static bool offer_merged(struct typing *typing)
{
    for (int i = 0; i < merged_count; i++)
        if (!offer(typing, merged_table[i].name))
            return false;
    return true;
}

static const char *const modules[] = {"enc", "dec", "cross", NULL};

/* Offers the words after "layer", "head", "as", "in". */
static bool offer_rest_of_part(struct typing *typing, const struct argument *argument,
                               const struct argument_values *values)
{
    const struct head_settings *heads = typing->session->state.head_settings;
    enum module module = values->selector.module;
    if (!values->selector.module_given && typing->command->group == GROUP_VIEWS)
        module = typing->session->view.module;
    if (!values->selector.module_given && typing->command->group == GROUP_HEADS)
        module = view_module(typing->session);
    switch (*values->in_selector) {
    case 'l':
        return offer_numbers(typing, heads->layers[module]) && offer(typing, "all");
    case 'h':
        return offer_numbers(typing, heads->count[module]) &&
               (argument->heads != HEADS_OR_MERGED || offer_merged(typing));
    case 'a':
        return offer_methods(typing, argument->heads);
    default:
        return offer_names(typing, modules);
    }
}

static bool offer_selector(struct typing *typing, const struct argument *argument,
                           const struct argument_values *values)
{
    const struct selector *selector = &values->selector;
    if (values->in_selector)
        return offer_rest_of_part(typing, argument, values);
    bool or = argument->kind == ARGUMENT_SELECTORS && !selector_empty(selector);
    return (selector->module_given || offer_names(typing, modules)) &&
           (selector->layer != PART_ABSENT || offer(typing, "layer")) &&
           (selector->head != PART_ABSENT || offer(typing, "head")) &&
           (argument->heads == HEADS_SINGLE || selector->method_given || offer(typing, "as")) &&
           (! or || offer(typing, SELECTORS_OR));
}

/* Files ---------------------------------------------------------------------------------------- */

static bool offer_path(void *context, const char *path)
{
    return offer(context, path);
}

static bool offer_file(struct typing *typing, const struct argument *argument,
                       const struct argument_values *values)
{
    (void)argument;
    (void)values;
    return complete_files(typing->word, offer_path, typing);
}

/* Also offers folders, as models may be in them. */
static bool offer_if_model(void *context, const char *path)
{
    bool folder = *path && path[strlen(path) - 1] == '/';
    return !(folder || own_begins(path)) || offer(context, path);
}

/* Offers models in the Hugging Face hub's cache, by name. */
static bool offer_hub_models(struct typing *typing)
{
    char *cache = hub_cache_folder();
    DIR *entries = cache ? opendir(cache) : NULL;
    bool ok = true;
    for (const struct dirent *entry; ok && entries && (entry = readdir(entries));) {
        char *name = hub_name(entry->d_name);
        ok = !name || offer(typing, name);
        free(name);
    }
    if (entries)
        closedir(entries);
    free(cache);
    return ok;
}

static bool offer_model(struct typing *typing, const struct argument *argument,
                        const struct argument_values *values)
{
    (void)argument;
    (void)values;
    return complete_files(typing->word, offer_if_model, typing) && offer_hub_models(typing);
}

/* Names ---------------------------------------------------------------------------------------- */

static bool offer_choices(struct typing *typing, const struct argument *argument,
                          const struct argument_values *values)
{
    (void)values;
    for (int i = 0; i < argument_choices(argument); i++)
        if (!offer(typing, argument->choices[i]))
            return false;
    return true;
}

/* Offers the word that may come before numbers. */
static bool offer_first(struct typing *typing, const struct argument *argument,
                        const struct argument_values *values)
{
    return values->each[argument - values->list->each].count > 0 ||
           offer_choices(typing, argument, values);
}

static bool offer_state(struct typing *typing, const struct argument *argument,
                        const struct argument_values *values)
{
    (void)values;
    if (!offer_names(typing, argument->choices))
        return false;
    for (int i = 0; i < states_count(typing->session); i++)
        if (!offer(typing, states_get(typing->session, i).name))
            return false;
    return offer(typing, STATE_CURRENT);
}

static bool offer_tokens_of(struct typing *typing, const struct token_list *tokens)
{
    struct labels labels = {0};
    bool ok = labels_of_tokens(tokens, &labels, typing->status);
    char **shown = ok ? display_labels(typing->session, &labels, false) : NULL;
    for (int i = 0; ok && shown && i < tokens->count; i++)
        ok = offer(typing, shown[i]);
    display_labels_free(shown, tokens->count);
    strings_free(&labels.texts);
    return ok;
}

/* Offers tokens as views show them. */
static bool offer_token(struct typing *typing, const struct argument *argument,
                        const struct argument_values *values)
{
    const struct sentence_pair *pair = typing->session->current;
    (void)argument;
    (void)values;
    if (!pair)
        return true;
    struct token_list source = pair_columns(pair, MODULE_CROSS),
                      target = session_rows(typing->session, pair, MODULE_CROSS);
    return offer_tokens_of(typing, &source) && offer_tokens_of(typing, &target);
}

static bool offer_setting(struct typing *typing, const struct argument *argument,
                          const struct argument_values *values)
{
    (void)argument;
    (void)values;
    for (int i = 0; i < setting_count; i++)
        if (!offer(typing, setting_table[i].name))
            return false;
    return true;
}

static bool offer_written(struct typing *typing, const struct setting *setting,
                          const struct settings *settings)
{
    struct written written;
    FILE *out = written_open(&written);
    if (!out)
        return status_no_memory(typing->status);
    setting_write(setting, settings, false, out);
    char *text = written_close(&written);
    bool ok = text && offer(typing, text);
    free(text);
    return ok;
}

/* Offers the names of a choice; for other settings, the current value and the default. */
static bool offer_value(struct typing *typing, const struct argument *argument,
                        const struct argument_values *values)
{
    struct status unused;
    const char *name = values->each[0].count ? values->each[0].words[0] : "";
    const struct setting *setting = setting_find(name, &unused);
    if (!setting || values->each[argument - values->list->each].given)
        return true;
    const char *const *choices = setting_choices(setting, &typing->session->settings);
    if (choices)
        return offer_names(typing, choices);
    return offer_written(typing, setting, &typing->session->settings) &&
           offer_written(typing, setting, &typing->session->defaults);
}

bool offer_command(struct typing *typing)
{
    char name[64];
    for (int i = 0; i < command_count; i++) {
        snprintf(name, sizeof name, "%s%s", *typing->word == ':' ? ":" : "",
                 command_table[i]->name);
        if (!offer(typing, name))
            return false;
    }
    return true;
}

static bool offer_topic(struct typing *typing, const struct argument *argument,
                        const struct argument_values *values)
{
    (void)argument;
    (void)values;
    for (int i = 0; i < topic_count; i++)
        if (!offer(typing, topic_table[i].name))
            return false;
    return offer_command(typing);
}

/* Offers its name, then its own arguments. */
static bool offer_view(struct typing *typing, const struct argument *argument,
                       const struct argument_values *values)
{
    struct status unused;
    int first = typing->count - values->each[argument - values->list->each].count;
    if (first < typing->count) {
        const struct command *view = command_find(typing->before[first], &unused);
        struct typing inner = *typing;
        inner.command = view;
        inner.before += first + 1;
        inner.count -= first + 1;
        return !view || !view->view || view->takes_text || offer_arguments(&inner);
    }
    for (int i = 0; i < command_count; i++)
        if (command_table[i]->view && !offer(typing, command_table[i]->name))
            return false;
    return true;
}

static bool offer_nothing(struct typing *typing, const struct argument *argument,
                          const struct argument_values *values)
{
    (void)typing;
    (void)argument;
    (void)values;
    return true;
}

/* The table ------------------------------------------------------------------------------------ */

static offer_kind *const kinds[ARGUMENT_KINDS] = {
    [ARGUMENT_FLAG] = offer_nothing,       [ARGUMENT_FILE] = offer_file,
    [ARGUMENT_MODEL] = offer_model,        [ARGUMENT_STATE] = offer_state,
    [ARGUMENT_CHOICE] = offer_choices,     [ARGUMENT_INTEGER] = offer_choices,
    [ARGUMENT_NUMBER] = offer_choices,     [ARGUMENT_NUMBERS] = offer_first,
    [ARGUMENT_TOKEN] = offer_token,        [ARGUMENT_SELECTOR] = offer_selector,
    [ARGUMENT_SELECTORS] = offer_selector, [ARGUMENT_SETTING] = offer_setting,
    [ARGUMENT_VALUE] = offer_value,        [ARGUMENT_COMMAND] = offer_topic,
    [ARGUMENT_VIEW] = offer_view,          [ARGUMENT_TEXT] = offer_nothing,
    [ARGUMENT_PAIRS] = offer_nothing,      [ARGUMENT_SENTENCE] = offer_nothing,
};

static bool offer_all(struct typing *typing, const struct argument_values *values)
{
    struct argument_next next[2 * ARGUMENTS_MOST];
    int count = arguments_next(values, next);
    for (int i = 0; i < count; i++) {
        const struct argument *argument = next[i].argument;
        if (next[i].keyword ? !offer(typing, argument->keyword)
                            : !kinds[argument->kind](typing, argument, values))
            return false;
    }
    return true;
}

bool offer_arguments(struct typing *typing)
{
    const struct strings words = {.text = (char **)typing->before, .count = typing->count};
    struct argument_values values;
    struct status unused;
    bool ok = true;
    // Nothing is offered after a wrong word.
    if (arguments_parse_typed(&typing->command->arguments, &words, &values, &unused))
        ok = offer_all(typing, &values);
    else if (unused.code == STATUS_MEMORY)
        ok = status_no_memory(typing->status);
    arguments_free(&values);
    return ok;
}
