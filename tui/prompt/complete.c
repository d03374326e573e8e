#include "tui/prompt/complete.h"

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

/* A word being completed. */
struct typing {
    const struct session *session;
    const struct command *command;
    const char *const *before; // (count): the words of the command before this one
    int count;
    const char *word; // the part typed so far, without quotes
    struct strings *out;
    struct status *status;
};

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

static bool is_folder(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISDIR(file.st_mode);
}

/* `folder` as typed, with its slash; "" is the current one. Folders end in a slash. */
static bool offer_entry(struct typing *typing, const char *folder, const char *name,
                        bool models_only)
{
    char *path = NULL;
    if (asprintf(&path, "%s%s/", folder, name) < 0)
        return true;
    char *whole = arguments_path(path);
    const bool is_inner = whole && is_folder(whole);
    if (!is_inner)
        path[strlen(path) - 1] = '\0';
    bool ok = (models_only && !is_inner && !own_begins(path)) || offer(typing, path);
    free(whole);
    free(path);
    return ok;
}

/* Names that begin with a dot are skipped unless the dot is typed. A folder that cannot be read
 * offers nothing. `models_only`: models, and folders, which may hold some. */
static bool offer_paths(struct typing *typing, bool models_only)
{
    const char *slash = strrchr(typing->word, '/');
    const char *start = slash ? slash + 1 : typing->word; // of the name
    char *folder = strndup(typing->word, start - typing->word);
    char *whole = folder ? arguments_path(folder) : NULL;
    DIR *entries = whole ? opendir(*whole ? whole : ".") : NULL;
    bool ok = true;
    for (const struct dirent *entry; ok && entries && (entry = readdir(entries));) {
        bool hidden = entry->d_name[0] == '.' && *start != '.';
        if (!hidden && begins_with(entry->d_name, start))
            ok = offer_entry(typing, folder, entry->d_name, models_only);
    }
    if (entries)
        closedir(entries);
    free(whole);
    free(folder);
    return ok;
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

static bool offer_path(struct typing *typing, const struct argument *argument,
                       const struct argument_values *values)
{
    const bool model = argument->kind == ARGUMENT_MODEL;
    (void)values;
    return offer_paths(typing, model) && (!model || offer_hub_models(typing));
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

static bool offer_command(struct typing *typing)
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

static bool offer_arguments(struct typing *typing);

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

/* The table ------------------------------------------------------------------------------------ */

// Arguments of other kinds have no completions.
static offer_kind *const kinds[ARGUMENT_KINDS] = {
    [ARGUMENT_FILE] = offer_path,         [ARGUMENT_MODEL] = offer_path,
    [ARGUMENT_STATE] = offer_state,       [ARGUMENT_CHOICE] = offer_choices,
    [ARGUMENT_INTEGER] = offer_choices,   [ARGUMENT_NUMBER] = offer_choices,
    [ARGUMENT_NUMBERS] = offer_first,     [ARGUMENT_TOKEN] = offer_token,
    [ARGUMENT_SELECTOR] = offer_selector, [ARGUMENT_SELECTORS] = offer_selector,
    [ARGUMENT_SETTING] = offer_setting,   [ARGUMENT_VALUE] = offer_value,
    [ARGUMENT_COMMAND] = offer_topic,     [ARGUMENT_VIEW] = offer_view,
};

static bool offer_all(struct typing *typing, const struct argument_values *values)
{
    struct argument_next next[2 * ARGUMENTS_MOST];
    int count = arguments_next(values, next);
    for (int i = 0; i < count; i++) {
        const struct argument *argument = next[i].argument;
        offer_kind *offer_value_of = kinds[argument->kind];
        if (next[i].keyword ? !offer(typing, argument->keyword)
                            : offer_value_of && !offer_value_of(typing, argument, values))
            return false;
    }
    return true;
}

static bool offer_arguments(struct typing *typing)
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

/* The line ------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Orders numbers by value, everything else by strcmp, without duplicates. */
static int by_number(const void *a, const void *b)
{
    const char *first = *(char *const *)a, *second = *(char *const *)b;
    bool numbers = *first >= '0' && *first <= '9' && *second >= '0' && *second <= '9';
    size_t lengths[] = {strlen(first), strlen(second)};
    if (numbers && lengths[0] != lengths[1])
        return lengths[0] < lengths[1] ? -1 : 1;
    return by_text(a, b);
}

static void sort_words(struct strings *words)
{
    int kept = 0;
    if (words->count)
        qsort(words->text, words->count, sizeof *words->text, by_number);
    for (int i = 0; i < words->count; i++)
        if (kept && strcmp(words->text[kept - 1], words->text[i]) == 0)
            free(words->text[i]);
        else
            words->text[kept++] = words->text[i];
    words->count = kept;
}

/* `text` is the line up to the cursor. */
static bool complete_text(struct typing *typing, const char *text, struct completions *completions)
{
    struct strings words = {0};
    struct status unused;
    size_t start;
    char *last = arguments_split_typed(text, &words, &start, typing->status);
    bool ok = last != NULL;
    if (ok) {
        completions->start = start;
        typing->word = last;
        typing->before = (const char *const *)words.text + 1;
        typing->count = words.count - 1;
    }
    if (ok && words.count == 0) {
        ok = offer_command(typing);
    } else if (ok) {
        typing->command = command_find(words.text[0] + 1, &unused);
        if (typing->command && !typing->command->takes_text)
            ok = offer_arguments(typing);
    }
    free(last);
    strings_free(&words);
    return ok;
}

bool complete(const struct session *session, const char *line, size_t cursor,
              struct completions *completions, struct status *status)
{
    struct typing typing = {.session = session, .out = &completions->words, .status = status};
    *completions = (struct completions){.start = cursor};
    if (*line != ':' || cursor == 0)
        return true;
    char *text = strndup(line, cursor);
    bool ok = text ? complete_text(&typing, text, completions) : status_no_memory(status);
    free(text);
    sort_words(&completions->words);
    return ok;
}

void completions_free(struct completions *completions)
{
    strings_free(&completions->words);
    *completions = (struct completions){0};
}

size_t completions_common(const struct completions *completions)
{
    const struct strings *words = &completions->words;
    size_t common = words->count ? strlen(words->text[0]) : 0, backslashes = 0;
    for (int i = 1; i < words->count; i++)
        for (size_t k = 0; k < common; k++)
            if (words->text[0][k] != words->text[i][k])
                common = k;
    if (words->count < 2)
        return common;
    while (common && ((unsigned char)words->text[0][common] & 0xC0) == 0x80)
        common--;
    while (backslashes < common && words->text[0][common - 1 - backslashes] == '\\')
        backslashes++;
    return common - backslashes % 2;
}

bool completion_open(const char *word)
{
    size_t length = strlen(word);
    return length && word[length - 1] == '/';
}
