

#include "tests/samples/texts_support.h"
#include "tests/support/test.h"

struct text_lines text_lines_open(const char *path)
{
    struct text_lines lines = {0};
    FILE *file = fopen(path, "rb");
    size_t capacity = 0;
    if (!file || getdelim(&lines.text, &capacity, '\0', file) < 0)
        fail_msg("%s: cannot read it", path);
    fclose(file);
    for (char *rest = lines.text; *rest;) {
        char *end = strchr(rest, '\n');
        if (!end || lines.count == LINES_MOST)
            fail_msg("%s: line %d: no line break, or too many", path, lines.count + 1);
        *end = '\0';
        lines.line[lines.count++] = rest;
        rest = end + 1;
    }
    return lines;
}

void text_lines_close(struct text_lines *lines)
{
    free(lines->text);
}

void words_cut(const char *sentence, struct words *words)
{
    words->count = 0;
    assert_true(strlen(sentence) < sizeof words->text);
    strcpy(words->text, sentence);
    for (char *rest = words->text, *word; (word = strsep(&rest, " "));) {
        assert_in_range(words->count, 0, WORDS_MOST - 1);
        word[strcspn(word, ",.")] = '\0';
        words->word[words->count++] = word;
    }
}

static bool is_control(const char *at)
{
    unsigned char first = (unsigned char)at[0], second = (unsigned char)at[1];
    return first < 0x20 || first == 0x7F || (first == 0xC2 && second >= 0x80 && second < 0xA0);
}

void check_sentence(const char *where, const char *text)
{
    if (utf8_invalid(text, strlen(text)) >= 0)
        fail_msg("%s: %s: not UTF-8", where, text);
    if (!*text || text[0] == ' ' || text[strlen(text) - 1] == ' ' || strstr(text, "  "))
        fail_msg("%s: \"%s\": empty, or blanks too many", where, text);
    for (const char *at = text; *at; at++)
        if (is_control(at))
            fail_msg("%s: %s: control character at byte %td", where, text, at - text);
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

void check_distinct(const char *where, const char *const *texts, int count)
{
    const char **sorted = calloc((size_t)count, sizeof *sorted);
    memcpy(sorted, texts, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_texts);
    for (int i = 1; i < count; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            fail_msg("%s: twice: %s", where, sorted[i]);
    free(sorted);
}

json_t *suite_open(const char *path)
{
    json_error_t error;
    json_t *suite = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_array(suite))
        fail_msg("%s: %s", path, suite ? "no list" : error.text);
    return suite;
}

const char *text_in(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text)
        fail_msg("no text \"%s\"", key);
    check_sentence(key, text);
    return text;
}

void check_known(struct checkpoint *checkpoint, int side, const char *text)
{
    struct status status;
    struct strings pieces = {0};
    if (!tokenizer_split(checkpoint->tokenizer[side], text, &pieces, &status))
        fail_msg("%s: %s", text, status.message);
    for (int i = 0; i < pieces.count; i++)
        if (vocabulary_find(checkpoint->vocabulary[side], pieces.text[i]) < 0)
            fail_msg("%s: the sample does not know \"%s\"", text, pieces.text[i]);
    strings_free(&pieces);
}
