#include "model/text/pipeline_parts.h"

#include <stdlib.h>
#include <string.h>

#include <nettle/base64.h>
#include <utf8proc.h>

#include "model/text/charsmap.h"
#include "model/text/quote.h"
#include "model/text/utf8.h"

enum { STEPS_MOST = 32 };

struct step;
typedef bool apply_step(const struct step *step, const char *text, struct text_buffer *out,
                        struct status *status);

struct step {
    apply_step *apply;
    char *pattern, *content; // for Replace; for Prepend: content
    bool several;            // for Replace: the pattern is two blanks or more
    bool left, right;        // for Strip
    utf8proc_option_t form;  // for Unicode's forms
    void *table;             // for Precompiled
    size_t table_bytes;
};

struct normalizer {
    struct step steps[STEPS_MOST];
    int count;
};

/* Steps ---------------------------------------------------------------------------------------- */

static bool apply_table(const struct step *step, const char *text, struct text_buffer *out,
                        struct status *status)
{
    return charsmap_apply(step->table, step->table_bytes, text, out, status);
}

static bool apply_form(const struct step *step, const char *text, struct text_buffer *out,
                       struct status *status)
{
    utf8proc_uint8_t *other = NULL;
    utf8proc_ssize_t bytes =
        utf8proc_map((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)strlen(text), &other,
                     UTF8PROC_STABLE | step->form);
    bool good = bytes >= 0 ? buffer_add(out, (const char *)other, (size_t)bytes, status)
                           : status_fail(status, STATUS_MEMORY, "%s", utf8proc_errmsg(bytes));
    free(other);
    return good;
}

static bool apply_lowercase(const struct step *step, const char *text, struct text_buffer *out,
                            struct status *status)
{
    (void)step;
    return buffer_add_lowercase(out, text, status);
}

static bool apply_prepend(const struct step *step, const char *text, struct text_buffer *out,
                          struct status *status)
{
    return (!*text || buffer_add_text(out, step->content, status)) &&
           buffer_add_text(out, text, status);
}

/* Returns the bytes of the pattern at the beginning of the text; 0: it is not there. */
static size_t match(const struct step *step, const char *text)
{
    size_t blanks = strspn(text, " ");
    if (step->several)
        return blanks >= 2 ? blanks : 0;
    size_t bytes = strlen(step->pattern);
    return strncmp(text, step->pattern, bytes) == 0 ? bytes : 0;
}

static bool apply_replace(const struct step *step, const char *text, struct text_buffer *out,
                          struct status *status)
{
    for (size_t length; *text; text += length) {
        length = match(step, text);
        if (!(length ? buffer_add_text(out, step->content, status)
                     : buffer_add(out, text, length = 1, status)))
            return false;
    }
    return true;
}

/* Returns the bytes of a white-space character at the beginning of the text; 0: none. */
static size_t blank_length(const char *text)
{
    size_t length;
    uint32_t character = utf8_decode(text, &length);
    return utf8_is_space(character) ? length : 0;
}

static bool apply_strip(const struct step *step, const char *text, struct text_buffer *out,
                        struct status *status)
{
    size_t length;
    while (step->left && *text && (length = blank_length(text)))
        text += length;
    size_t end = 0;
    for (size_t at = 0; text[at]; at += length) {
        length = utf8_length(text[at]);
        if (!step->right || !blank_length(text + at))
            end = at + length;
    }
    return buffer_add(out, text, end, status);
}

/* Reading -------------------------------------------------------------------------------------- */

static bool copy_member(const json_t *json, const char *key, char **out, struct status *status)
{
    const char *text = json_string_value(json_object_get(json, key));
    if (!text || strlen(text) != json_string_length(json_object_get(json, key)))
        return status_fail(status, STATUS_INVALID, "normalizer: %s: missing, expected text", key);
    *out = strdup(text);
    return *out || status_no_memory(status);
}

static bool read_nothing(const json_t *json, struct step *step, struct status *status)
{
    (void)json;
    (void)step;
    (void)status;
    return true;
}

static bool read_prepend(const json_t *json, struct step *step, struct status *status)
{
    return copy_member(json, "prepend", &step->content, status);
}

static bool read_strip(const json_t *json, struct step *step, struct status *status)
{
    (void)status;
    step->left = json_is_true(json_object_get(json, "strip_left"));
    step->right = json_is_true(json_object_get(json, "strip_right"));
    return true;
}

/* The only supported regular expression is the one in exports of SentencePiece models. */
static bool read_replace(const json_t *json, struct step *step, struct status *status)
{
    const json_t *pattern = json_object_get(json, "pattern");
    const char *regex = json_string_value(json_object_get(pattern, "Regex"));
    step->several = regex && strcmp(regex, " {2,}") == 0;
    if (regex && !step->several)
        return status_fail(status, STATUS_INVALID,
                           "normalizer: Replace: the expression \"%s\" is not supported, expected "
                           "\" {2,}\"",
                           QUOTED(regex));
    if (!copy_member(json, "content", &step->content, status) ||
        (!regex && !copy_member(pattern, "String", &step->pattern, status)))
        return false;
    return regex || *step->pattern ||
           status_fail(status, STATUS_INVALID, "normalizer: Replace: empty, expected a pattern");
}

static bool read_table(const json_t *json, struct step *step, struct status *status)
{
    const json_t *member = json_object_get(json, "precompiled_charsmap");
    const char *text = json_string_value(member);
    size_t length = json_string_length(member);
    struct base64_decode_ctx context;
    if (!text)
        return json_is_null(member) ||
               status_fail(status, STATUS_INVALID,
                           "normalizer: precompiled_charsmap: missing, expected text");
    step->table = memory_new(BASE64_DECODE_LENGTH(length) + 1, 1, status);
    if (!step->table)
        return false;
    base64_decode_init(&context);
    if (!base64_decode_update(&context, &step->table_bytes, step->table, length, text) ||
        !base64_decode_final(&context))
        return status_fail(status, STATUS_INVALID,
                           "normalizer: precompiled_charsmap: expected base64");
    return charsmap_check(step->table, step->table_bytes, status) ||
           status_prefix(status, "normalizer");
}

static const struct {
    const char *type;
    apply_step *apply;
    bool (*read)(const json_t *json, struct step *step, struct status *status);
    utf8proc_option_t form;
} kinds[] = {
    {"Precompiled", apply_table, read_table, 0},
    {"Replace", apply_replace, read_replace, 0},
    {"Prepend", apply_prepend, read_prepend, 0},
    {"Strip", apply_strip, read_strip, 0},
    {"Lowercase", apply_lowercase, read_nothing, 0},
    {"NFC", apply_form, read_nothing, UTF8PROC_COMPOSE},
    {"NFD", apply_form, read_nothing, UTF8PROC_DECOMPOSE},
    {"NFKC", apply_form, read_nothing, UTF8PROC_COMPOSE | UTF8PROC_COMPAT},
    {"NFKD", apply_form, read_nothing, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT},
};

static bool read_step(const json_t *json, const char *type, struct normalizer *normalizer,
                      struct status *status)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].type, type) != 0)
            continue;
        if (normalizer->count == STEPS_MOST)
            return status_fail(status, STATUS_INVALID, "normalizer: expected at most %d steps",
                               STEPS_MOST);
        struct step *step = &normalizer->steps[normalizer->count++];
        *step = (struct step){.apply = kinds[i].apply, .form = kinds[i].form};
        return kinds[i].read(json, step, status);
    }
    return status_fail(status, STATUS_INVALID, "normalizer: %s is not supported", QUOTED(type));
}

static bool read_steps(const json_t *json, struct normalizer *normalizer, int depth,
                       struct status *status)
{
    const char *type = json_string_value(json_object_get(json, "type"));
    const json_t *parts = json_object_get(json, "normalizers");
    if (!type || depth > 8)
        return status_fail(status, STATUS_INVALID, "normalizer: expected steps with a type");
    if (strcmp(type, "Sequence") != 0)
        return read_step(json, type, normalizer, status);
    for (size_t i = 0; i < json_array_size(parts); i++)
        if (!read_steps(json_array_get(parts, i), normalizer, depth + 1, status))
            return false;
    return true;
}

struct normalizer *normalizer_open(const json_t *json, struct status *status)
{
    struct normalizer *normalizer = memory_new(1, sizeof *normalizer, status);
    if (!normalizer || !json || json_is_null(json) || read_steps(json, normalizer, 0, status))
        return normalizer;
    normalizer_close(normalizer);
    return NULL;
}

void normalizer_close(struct normalizer *normalizer)
{
    for (int i = 0; normalizer && i < normalizer->count; i++) {
        free(normalizer->steps[i].pattern);
        free(normalizer->steps[i].content);
        free(normalizer->steps[i].table);
    }
    free(normalizer);
}

bool normalizer_replaces_blanks(const struct normalizer *normalizer)
{
    const struct step *last =
        normalizer->count > 0 ? &normalizer->steps[normalizer->count - 1] : NULL;
    return last && last->apply == apply_replace && last->pattern &&
           strcmp(last->pattern, " ") == 0 && !strchr(last->content, ' ');
}

bool normalizer_apply(const struct normalizer *normalizer, struct text_buffer *text,
                      struct text_buffer *work, struct status *status)
{
    for (int i = 0; i < normalizer->count; i++) {
        const struct step *step = &normalizer->steps[i];
        if (!buffer_clear(work, status) || !step->apply(step, text->data, work, status))
            return false;
        buffer_swap(text, work);
    }
    return true;
}
