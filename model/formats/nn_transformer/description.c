/* Reads attnscope.json: sizes and conventions that the weights do not show. */
#include <math.h>
#include <string.h>

#include "model/formats/nn_transformer/reader.h"
#include "model/text/quote.h"

const char nn_description[] = "attnscope.json";
const char *const nn_sides[2] = {"source", "target"};

bool nn_fail(struct nn_reader *reader, const char *member, const char *expected)
{
    const json_t *value = json_object_get(reader->description, member);
    struct quoted text;
    const char *found = json_is_string(value) ? quote_text(&text, json_string_value(value))
                        : json_is_null(value) ? "null"
                        : value               ? "another kind of value"
                                              : "missing";
    return status_fail(reader->status, STATUS_INVALID, "%s: %s: %s, expected %s", nn_description,
                       member, found, expected);
}

const json_t *nn_of_side(const json_t *value, int side)
{
    const json_t *own = json_is_object(value) ? json_object_get(value, nn_sides[side]) : value;
    return json_is_null(own) ? NULL : own;
}

static const json_t *member(const struct nn_reader *reader, const char *key)
{
    const json_t *value = json_object_get(reader->description, key);
    return json_is_null(value) ? NULL : value;
}

static bool check_members(struct nn_reader *reader)
{
    const char *key;
    json_t *value;
    if (!json_is_object(reader->description))
        return status_fail(reader->status, STATUS_INVALID, "%s: expected an object",
                           nn_description);
    json_object_foreach(reader->description, key, value)
    {
        if (!options_find(&options_nn_transformer, key))
            return status_fail(reader->status, STATUS_INVALID,
                               "%s: %s: unknown; :help nn.Transformer has what is known",
                               nn_description, QUOTED(key));
    }
    return true;
}

/* "heads": 8, or {"encoder": 8, "decoder": 4} */
static bool read_heads(struct nn_reader *reader)
{
    static const char *const stacks[2] = {"encoder", "decoder"};
    const json_t *heads = member(reader, "heads");
    for (int stack = 0; stack < 2; stack++) {
        const json_t *own = json_is_object(heads) ? json_object_get(heads, stacks[stack]) : heads;
        int64_t count = json_is_integer(own) ? json_integer_value(own) : 0;
        if (count < 1 || count > INT32_MAX)
            return nn_fail(reader, "heads",
                           "how many heads an attention has, or {\"encoder\": …, \"decoder\": …}");
        reader->plain.stacks[stack].heads = count;
    }
    return true;
}

static bool read_flag(struct nn_reader *reader, const char *key, bool *flag)
{
    const json_t *value = member(reader, key);
    *flag = json_is_true(value);
    return !value || json_is_boolean(value) || nn_fail(reader, key, "true or false");
}

static bool read_text(struct nn_reader *reader, const char *key, const char **text)
{
    const json_t *value = member(reader, key);
    if (value)
        *text = json_string_value(value);
    return !value || *text || nn_fail(reader, key, "a text");
}

static bool read_number(struct nn_reader *reader, const char *key, double *number)
{
    const json_t *value = member(reader, key);
    if (value)
        *number = json_number_value(value);
    return !value || (json_is_number(value) && isfinite(*number)) ||
           nn_fail(reader, key, "a number");
}

/* The scale is a flag until the width is known: 0 means the width's square root. */
static bool read_scale(struct nn_reader *reader)
{
    static const char key[] = "embedding_scale";
    const json_t *scale = member(reader, key);
    reader->plain.embedding_scale = json_is_true(scale)    ? 0
                                    : json_is_false(scale) ? 1
                                                           : json_number_value(scale);
    return json_is_boolean(scale) || (json_is_number(scale) && json_number_value(scale) != 0) ||
           nn_fail(reader, key,
                   "true (embeddings are multiplied by the square root of their width), false, or "
                   "a number");
}

static bool read_activation(struct nn_reader *reader)
{
    const char *name = "relu";
    if (!read_text(reader, "activation", &name))
        return false;
    reader->plain.activation = strcmp(name, "gelu") == 0 ? "gelu" : "relu";
    return strcmp(name, reader->plain.activation) == 0 ||
           nn_fail(reader, "activation", "relu or gelu");
}

/* "max_length": 100, or {"factor": 1, "plus": 5} */
static bool read_length(struct nn_reader *reader)
{
    enum { PLUS = 50, MOST = 1 << 20 };
    const json_t *length = member(reader, "max_length");
    double factor = json_is_object(length) ? family_number(length, "factor", 0) : length ? 0 : 1;
    double plus = json_is_object(length) ? family_number(length, "plus", 0)
                  : length               ? json_number_value(length)
                                         : PLUS;
    reader->plain.length_factor = factor;
    reader->plain.length_plus = plus >= 0 && plus <= MOST ? (int64_t)plus : -1;
    bool good =
        factor >= 0 && factor <= MOST && reader->plain.length_plus >= 0 && (factor > 0 || plus > 0);
    return good || nn_fail(reader, "max_length",
                           "a number of tokens, or {\"factor\": …, \"plus\": …} for each token of "
                           "the source");
}

/* Home-made programs search greedily and simply stop at the maximum length. */
static bool read_search(struct nn_reader *reader)
{
    double beam = 1;
    if (!read_number(reader, "beam", &beam) || !read_length(reader))
        return false;
    if (!(beam >= 1 && beam <= 1000))
        return nn_fail(reader, "beam", "1 to 1000");
    reader->plain.beam = (int64_t)beam;
    reader->plain.limit = "open";
    reader->plain.specials_allowed = true;
    return true;
}

bool nn_read_description(struct nn_reader *reader)
{
    struct plain_config *plain = &reader->plain;
    bool norm_first;
    plain->name = reader->name;
    plain->source_language = "source";
    plain->target_language = "target";
    plain->norm_eps = 1e-5;
    if (!check_members(reader) ||
        (!reader->fixed && !read_text(reader, "weights", &reader->weights)) ||
        !read_text(reader, "name", &plain->name) ||
        !read_text(reader, "source_language", &plain->source_language) ||
        !read_text(reader, "target_language", &plain->target_language) || !read_heads(reader) ||
        !read_flag(reader, "norm_first", &norm_first) || !read_activation(reader) ||
        !read_number(reader, "layer_norm_eps", &plain->norm_eps) || !read_scale(reader))
        return false;
    for (int stack = 0; stack < 2; stack++)
        plain->stacks[stack].pre_norm = norm_first;
    return read_search(reader);
}
