#include "model/study/shards/identity.h"

#include <stdio.h>
#include <string.h>

#include "base/version.h"

void identity_text(struct identity *identity, const char *text)
{
    // Includes the zero at the end, so that different lists of texts never have the same bytes.
    sha256_update(&identity->context, 1, (const uint8_t *)(text ? "t" : "n"));
    if (text)
        sha256_update(&identity->context, strlen(text) + 1, (const uint8_t *)text);
}

void identity_number(struct identity *identity, double number)
{
    char text[40];
    snprintf(text, sizeof text, "%a", number + 0.0); // -0 counts as 0
    identity_text(identity, text);
}

static void add_numbers(struct identity *identity, const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        identity_number(identity, numbers[i]);
}

static void add_heads(struct identity *identity, const struct head_settings *settings)
{
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < settings->layers[m] * settings->count[m]; i++) {
            double numbers[HEAD_NUMBERS];
            head_numbers(&settings->heads[m][i], numbers);
            add_numbers(identity, numbers, HEAD_NUMBERS);
            identity_number(identity, settings->gains[m][i]);
        }
}

void identity_open(struct identity *identity, const char *kind, const char *model,
                   const struct state *state, enum identity_search search)
{
    const struct language_pair *languages = &state->search.languages;
    double numbers[SEARCH_NUMBERS];
    char device[DEVICE_TEXT];
    sha256_init(&identity->context);
    identity_text(identity, "attnscope " ATTNSCOPE_VERSION);
    identity_text(identity, kind);
    identity_text(identity, model);
    if (!model_device(state->model, device))
        identity_number(identity, state->search.batch);
    identity_text(identity, device);
    add_heads(identity, state->head_settings);
    add_numbers(identity, (const double[]){languages->of[0], languages->of[1]}, 2);
    if (search == IDENTITY_LANGUAGES)
        return;
    search_numbers(&state->search, numbers);
    add_numbers(identity, numbers, SEARCH_NUMBERS);
}

struct journal_key identity_key(const struct identity *identity, const char *const *texts,
                                int count)
{
    struct identity own = *identity;
    struct journal_key key;
    uint8_t digest[SHA256_DIGEST_SIZE];
    for (int i = 0; i < count; i++)
        identity_text(&own, texts[i]);
    sha256_digest(&own.context, sizeof digest, digest);
    memcpy(key.bytes, digest, sizeof key.bytes);
    return key;
}
