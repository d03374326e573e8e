#include "tests/model/score/bleu_support.h"
#include "tests/support/packed.h"
#include "tests/support/test.h"

json_t *bleu_golden(void)
{
    return packed_json_load("tests/golden/bleu.json.gz");
}

/* Returns a list of borrowed strings; only the list is freed, with free(). */
static const char **strings_of(const json_t *list)
{
    size_t count = json_array_size(list);
    const char **strings = calloc(count + 1, sizeof *strings);
    for (size_t i = 0; i < count; i++)
        strings[i] = json_string_value(json_array_get(list, i));
    return strings;
}

struct corpus bleu_corpus(const struct corpus_options *options, const json_t *texts,
                          const json_t *references)
{
    struct corpus corpus;
    struct status status;
    size_t count = json_array_size(references);
    const char **own = strings_of(texts), ***others = calloc(count + 1, sizeof *others);
    for (size_t r = 0; r < count; r++)
        others[r] = strings_of(json_array_get(references, r));
    if (!corpus_open(&corpus, options, own, (const char *const *const *)others, (int)count,
                     (int)json_array_size(texts), &status) ||
        !corpus_count(&corpus, NULL, &status))
        fail_msg("%s", status.message);
    for (size_t r = 0; r < count; r++)
        free(others[r]);
    free(others);
    free(own);
    return corpus;
}

static int find_name(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("%s: unknown name", name);
    return -1;
}

struct bleu_options bleu_options_of(const json_t *score)
{
    const char *tokenize = json_string_value(json_object_get(score, "tokenize"));
    const char *smooth = json_string_value(json_object_get(score, "smooth"));
    return (struct bleu_options){.tokenizer = find_name(bleu_tokenizer_names, tokenize),
                                 .lowercase = json_is_true(json_object_get(score, "lowercase")),
                                 .smoothing = find_name(bleu_smoothing_names, smooth),
                                 .smooth_value =
                                     json_number_value(json_object_get(score, "smooth_value"))};
}

static char *written;

FILE *bleu_written_begin(void)
{
    static size_t size;
    free(written);
    written = NULL;
    FILE *out = open_memstream(&written, &size);
    assert_non_null(out);
    return out;
}

void bleu_written_end(FILE *out)
{
    fclose(out);
}

const char *bleu_written(void)
{
    return written;
}
