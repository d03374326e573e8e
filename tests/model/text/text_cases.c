#include "tests/model/text/text_cases.h"
#include "tests/support/test.h"

char *golden_read(const char *name, size_t *bytes)
{
    char path[200];
    snprintf(path, sizeof path, "tests/golden/text/%s", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s: cannot be opened (tests run in the repository's root)", path);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *data = calloc(size + 1, 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, size, file), size);
    fclose(file);
    if (bytes)
        *bytes = size;
    return data;
}

static void unescape(char *text)
{
    static const char written[] = "\\tnr", meant[] = "\\\t\n\r";
    char *out = text;
    for (; *text; text++) {
        const char *at = *text == '\\' && text[1] ? strchr(written, text[1]) : NULL;
        *out++ = at ? meant[at - written] : *text;
        text += at != NULL;
    }
    *out = '\0';
}

void golden_each(const char *name, int count, case_check *check, void *context)
{
    char *table = golden_read(name, NULL), *next = table, *line;
    int cases = 0;
    while ((line = strsep(&next, "\n")) && next) {
        char *fields[CASE_FIELDS] = {0};
        for (int i = 0; i < count; i++) {
            fields[i] = strsep(&line, "\t");
            assert_non_null(fields[i]);
            unescape(fields[i]);
        }
        assert_null(line);
        check(fields, context);
        cases++;
    }
    assert_true(cases > 0);
    free(table);
}

void pieces_from(struct strings *pieces, const char *text)
{
    struct status status;
    strings_clear(pieces);
    while (*text) {
        size_t length = strcspn(text, " ");
        assert_true(strings_add(pieces, text, length, &status));
        text += length + (text[length] == ' ');
    }
}

char *pieces_text(const struct strings *pieces)
{
    size_t length = 1;
    for (int i = 0; i < pieces->count; i++)
        length += strlen(pieces->text[i]) + 1;
    char *text = calloc(length, 1), *end = text;
    assert_non_null(text);
    for (int i = 0; i < pieces->count; i++)
        end += sprintf(end, "%s%s", i > 0 ? " " : "", pieces->text[i]);
    return text;
}

struct tokenizer *golden_tokenizer(enum tokenizer_kind kind, const char *model)
{
    struct status status;
    size_t bytes = 0;
    char *data = model ? golden_read(model, &bytes) : NULL;
    struct tokenizer_spec spec = {.kind = kind, .model = data, .model_bytes = bytes};
    struct tokenizer *tokenizer = tokenizer_open(&spec, &status);
    if (!tokenizer)
        fail_msg("%s: %s", model ? model : "whitespace", status.message);
    free(data);
    return tokenizer;
}

void expect_split(struct tokenizer *tokenizer, const char *text, const char *expected)
{
    struct status status;
    struct strings pieces = {0};
    if (!tokenizer_split(tokenizer, text, &pieces, &status))
        fail_msg("\"%s\": %s", text, status.message);
    char *got = pieces_text(&pieces);
    if (strcmp(got, expected) != 0)
        fail_msg("\"%s\"\n  gives    \"%s\"\n  expected \"%s\"", text, got, expected);
    free(got);
    strings_free(&pieces);
}

void expect_join(struct tokenizer *tokenizer, const char *text, const char *expected)
{
    struct status status;
    struct strings pieces = {0};
    pieces_from(&pieces, text);
    char *got = tokenizer_join(tokenizer, (const char *const *)pieces.text, pieces.count, &status);
    if (!got)
        fail_msg("\"%s\": %s", text, status.message);
    if (strcmp(got, expected) != 0)
        fail_msg("\"%s\"\n  joins to \"%s\"\n  expected \"%s\"", text, got, expected);
    free(got);
    strings_free(&pieces);
}

static uint32_t random_next(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

void mutate(char *data, size_t *bytes, uint32_t seed)
{
    static const unsigned char extremes[] = {0x00, 0x7F, 0x80, 0xFF, '\n', ' ', 0x0A, 0x12};
    uint32_t choice = seed = seed * 2654435761u | 1;
    random_next(&seed);
    if (choice >> 8 & 1)
        *bytes = random_next(&seed) % (*bytes + 1);
    size_t changes = 1 + random_next(&seed) % (choice >> 9 & 1 ? 3 : 40);
    for (size_t i = 0; i<changes && * bytes> 0; i++) {
        size_t at = random_next(&seed) % *bytes;
        uint32_t value = random_next(&seed);
        if (choice >> 10 & 1)
            data[at] = (char)extremes[value % sizeof extremes];
        else if (choice >> 11 & 1)
            data[at] = (char)(data[at] ^ 1 << value % 8);
        else
            memmove(data + at, data + value % *bytes,
                    *bytes - (value % *bytes > at ? value % *bytes : at));
    }
}
