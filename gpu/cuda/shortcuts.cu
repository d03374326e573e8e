#include "gpu/cuda/shortcuts.cuh"

#include <string.h>

extern "C" __attribute__((visibility("default")))
const struct shortcut_entry attnscope_shortcuts[SHORTCUT_COUNT + 1] = {
    {"norm-in-product", true},   {"split-product", true},
    {"joined-products", true},   {"late-bias", true},
    {"narrow-once", true},       {"shared-keys", true},
    {"staged-keys", true},       {"narrow-caches", true},
    {"logit-parts", false},      {"early-launch", false},
    {"product-epilogues", true}, {"few-hypotheses", true},
    {"told-ends", true},         {nullptr, false}};

static const char *name_of(int i)
{
    return i == SWITCH_GRAPHS ? "graphs" : attnscope_shortcuts[i].name;
}

static void set_all(bool *on, bool value)
{
    for (int i = 0; i < SHORTCUT_COUNT; i++)
        on[i] = value;
}

static bool is_word(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

static bool read_word(const char *word, size_t length, bool *on, struct status *status)
{
    const bool off = length > 0 && word[0] == '-';
    if (is_word(word, length, "all") || is_word(word, length, "none")) {
        set_all(on, word[0] == 'a');
        return true;
    }
    for (int i = 0; i < SWITCH_COUNT; i++)
        if (is_word(word + off, length - off, name_of(i))) {
            on[i] = !off;
            return true;
        }
    return status_fail(status, STATUS_INVALID,
                       "ATTNSCOPE_CUDA: no shortcut \"%.*s\", expected all, none, or names as "
                       "norm-in-product or -norm-in-product, with commas between them",
                       (int)(length < 60 ? length : 60), word);
}

unsigned shortcuts_mask(const bool *on)
{
    unsigned mask = 0;
    for (int i = 0; i < SHORTCUT_COUNT; i++)
        mask |= (unsigned)on[i] << i;
    return mask;
}

bool shortcuts_read(const char *list, bool *on, struct status *status)
{
    for (int i = 0; i < SWITCH_COUNT; i++)
        on[i] = i == SWITCH_GRAPHS || attnscope_shortcuts[i].usual;
    while (list && *list) {
        const size_t length = strcspn(list, ",");
        if (length && !read_word(list, length, on, status))
            return false;
        list += length + (list[length] == ',');
    }
    return true;
}
