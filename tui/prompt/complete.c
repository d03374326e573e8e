#include "tui/prompt/complete.h"

#include <stdlib.h>
#include <string.h>

#include "terminal/text/arguments.h"
#include "tui/prompt/complete_arguments.h"

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
