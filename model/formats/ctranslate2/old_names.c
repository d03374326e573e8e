#include "model/formats/ctranslate2/old_names.h"

#include <stdlib.h>
#include <string.h>

struct replacement {
    const char *old, *name;
};

/* In this order, each at the first place where it occurs. */
static const struct replacement everywhere[] = {
    {"transformer/", ""},
    {":0", ""},
    {"w_embs", "embeddings/weight"},
    {"kernel", "weight"},
    {"LayerNorm", "layer_norm"},
    {"dense", "projection"},
    {"conv1d_", "linear_"},
    {"conv1d", "linear_0"},
};
static const struct replacement in_encoder[] = {{"multi_head", "self_attention"}};
static const struct replacement elsewhere[] = {{"masked_multi_head", "self_attention"},
                                               {"multi_head", "attention"}};

/* `text` has room for the longer name. */
static void replace_first(char *text, const struct replacement *replacement)
{
    char *at = strstr(text, replacement->old);
    if (!at)
        return;
    size_t old = strlen(replacement->old), length = strlen(replacement->name);
    memmove(at + length, at + old, strlen(at + old) + 1);
    memcpy(at, replacement->name, length);
}

static void replace_all(char *text, const struct replacement *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        replace_first(text, &list[i]);
}

bool ct2_rename_old(char **name, struct status *status)
{
    enum { LONGEST_GROWTH = 64 }; // above that of all replacements together
    char *text = memory_new(strlen(*name) + LONGEST_GROWTH, 1, status);
    if (!text)
        return false;
    strcpy(text, *name);
    replace_all(text, everywhere, sizeof everywhere / sizeof *everywhere);
    if (strstr(text, "encoder"))
        replace_all(text, in_encoder, sizeof in_encoder / sizeof *in_encoder);
    else
        replace_all(text, elsewhere, sizeof elsewhere / sizeof *elsewhere);
    free(*name);
    *name = text;
    return true;
}
