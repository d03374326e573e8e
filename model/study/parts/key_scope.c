#include "model/study/parts/key_scope.h"

#include <string.h>

#include "base/version.h"

void key_scope_text(struct key_scope *scope, const char *text)
{
    // With the zero at the end, so that no two lists of texts are the same bytes.
    sha256_update(&scope->context, 1, (const uint8_t *)(text ? "t" : "n"));
    if (text)
        sha256_update(&scope->context, strlen(text) + 1, (const uint8_t *)text);
}

void key_scope_number(struct key_scope *scope, double number)
{
    char text[40];
    snprintf(text, sizeof text, "%a", number + 0.0); // -0 is 0
    key_scope_text(scope, text);
}

/* As far as head_settings_equal looks. */
static void add_head(struct key_scope *scope, const struct head *head)
{
    key_scope_number(scope, head->energy);
    if (head->energy == ENERGY_FIXED) {
        key_scope_number(scope, head->pattern);
        key_scope_number(scope, head->unit);
    } else {
        key_scope_number(scope, head->mask);
        key_scope_number(scope, head->mask == MASK_LOCAL ? head->window : 0);
    }
}

static void add_heads(struct key_scope *scope, const struct head_settings *settings)
{
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < settings->layers[m] * settings->count[m]; i++) {
            add_head(scope, &settings->heads[m][i]);
            key_scope_number(scope, settings->gains[m][i]);
        }
}

/* As far as search_equal looks. */
static void add_search(struct key_scope *scope, const struct search_options *search)
{
    const double numbers[] = {search->beam,       (int)search->penalty, search->offset,
                              search->alpha,      search->factor,       search->plus,
                              search->min_length, (int)search->endings, (int)search->at_limit};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        key_scope_number(scope, numbers[i]);
}

void key_scope_open(struct key_scope *scope, const char *kind, const char *model,
                    const struct state *state, enum key_search search)
{
    sha256_init(&scope->context);
    key_scope_text(scope, "attnscope " ATTNSCOPE_VERSION);
    key_scope_text(scope, kind);
    key_scope_text(scope, model);
    add_heads(scope, state->head_settings);
    for (int side = 0; side < 2; side++)
        key_scope_number(scope, state->search.languages.of[side]);
    if (search == KEY_SEARCH)
        add_search(scope, &state->search);
}

struct journal_key key_scope_key(const struct key_scope *scope, const char *const *texts, int count)
{
    struct key_scope own = *scope;
    struct journal_key key;
    uint8_t digest[SHA256_DIGEST_SIZE];
    for (int i = 0; i < count; i++)
        key_scope_text(&own, texts[i]);
    sha256_digest(&own.context, sizeof digest, digest);
    memcpy(key.bytes, digest, sizeof key.bytes);
    return key;
}
