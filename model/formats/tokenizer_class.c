#include "model/formats/tokenizer_class.h"

#include <string.h>

#include "model/formats/language_tokens.h"

bool tokenizer_class_is(const json_t *config, const char *name)
{
    const char *class = json_string_value(json_object_get(config, "tokenizer_class"));
    size_t length = strlen(name);
    return class && strncmp(class, name, length) == 0 &&
           (!class[length] || strcmp(class + length, "Fast") == 0);
}

/* Reads it from the post-processor: {"single": [{"SpecialToken": {"id": "en_XX"}}, {"Sequence": …},
 * …]}. */
static bool is_behind_in_template(const json_t *whole, const json_t *languages, bool otherwise)
{
    const json_t *processor = json_object_get(whole, "post_processor");
    json_t *steps = json_object_get(processor, "single"), *step;
    bool passed = false; // the sentence
    size_t i;
    json_array_foreach(steps, i, step)
    {
        const char *token =
            json_string_value(json_object_get(json_object_get(step, "SpecialToken"), "id"));
        passed |= json_object_get(step, "Sequence") != NULL;
        if (languages_known(languages, token))
            return passed;
    }
    return otherwise;
}

bool tokenizer_language_behind(const json_t *names, const json_t *config, const json_t *whole,
                               const json_t *languages, bool otherwise)
{
    bool legacy = json_is_true(json_object_get(config, "legacy_behaviour"));
    if (tokenizer_class_is(names, "MBart50Tokenizer") ||
        tokenizer_class_is(names, "M2M100Tokenizer"))
        return false;
    if (tokenizer_class_is(names, "MBartTokenizer"))
        return true;
    return tokenizer_class_is(names, "NllbTokenizer")
               ? legacy
               : is_behind_in_template(whole, languages, legacy || otherwise);
}

bool tokenizer_keeps_last_blank(const json_t *config)
{
    static const char *const keepers[] = {"MBart50Tokenizer", "NllbTokenizer", "PegasusTokenizer"};
    for (size_t i = 0; i < sizeof keepers / sizeof *keepers; i++)
        if (tokenizer_class_is(config, keepers[i]))
            return true;
    return false;
}
