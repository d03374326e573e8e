#include "tui/report/labels.h"

#include <string.h>

char *copy_text(const char *text, struct status *status)
{
    char *copy = strdup(text);
    if (!copy)
        status_no_memory(status);
    return copy;
}

bool labels_of_tokens(const struct token_list *tokens, struct labels *labels, struct status *status)
{
    labels->side = tokens->side;
    labels->role = tokens->role;
    for (int i = 0; i < tokens->count; i++)
        if (!strings_add(&labels->texts, tokens->texts[i], strlen(tokens->texts[i]), status))
            return false;
    return true;
}

const char *labels_title(const struct labels *labels)
{
    static const char *const sources[2] = {"source", "source words"};
    static const char *const targets[][2] = {
        [TOKENS_OF_TEXT] = {"target", "target words"},
        [TOKENS_READ] = {"target (input)", "target words (input)"},
        [TOKENS_PREDICTED] = {"target (predicted)", "target words (predicted)"}};
    return labels->side == SIDE_SOURCE ? sources[labels->words]
                                       : targets[labels->role][labels->words];
}

bool labels_equal(const struct labels *a, const struct labels *b)
{
    if (a->texts.count != b->texts.count)
        return false;
    for (int i = 0; i < a->texts.count; i++)
        if (strcmp(a->texts.text[i], b->texts.text[i]) != 0)
            return false;
    return true;
}
