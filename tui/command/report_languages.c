/* Warnings of sources that name a language which the model does not have: ">>zzz<< A man reads." */
#include <string.h>
#include <sys/stat.h>

#include "model/checkpoint/config_languages.h"
#include "model/study/contrast/suite_files.h"
#include "model/study/sentence_stream.h"
#include "tui/command/command.h"
#include "tui/terminal/progress.h"

/* The sources that name such a language. */
struct named {
    const struct checkpoint *checkpoint;
    char first[LANGUAGE_CODE_BYTES];
    int count, sentences;
    bool others; // than the first language
};

#define EXPECTED "the model has no such language, expected one that `:set target_language` lists"

void report_unknown_language(struct report *report, const char *named)
{
    report_warn(report, "%s: " EXPECTED, report_quoted(report, named));
}

static void count_source(struct named *named, const char *text)
{
    char code[LANGUAGE_CODE_BYTES];
    named->sentences++;
    if (!sentence_names_unknown(named->checkpoint, text, code))
        return;
    if (named->count++ == 0)
        strcpy(named->first, code);
    else
        named->others |= strcmp(named->first, code) != 0;
}

static void count_in_suite(struct named *named, const struct strings *paths)
{
    struct status status;
    struct suite suite = {0};
    if (suite_read(paths, &progress_watch, &suite, &status))
        for (int i = 0; i < suite.count; i++)
            count_source(named, suite.items[i].source);
    suite_free(&suite);
}

static void count_in_file(struct named *named, const char *path)
{
    struct status status;
    struct sentence_stream stream;
    bool end = false;
    bool good = sentence_stream_open(&stream, path, NULL, &progress_watch, &status);
    while (good && sentence_stream_next(&stream, &end, &status) && !end)
        count_source(named, stream.texts[0]);
    sentence_stream_close(&stream);
}

/* A pipe cannot be read again. */
static bool is_readable_again(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode));
}

static void count_in_files(struct named *named, const struct argument_values *given, int index)
{
    const struct strings paths = argument_texts(given, index);
    for (int i = 0; i < paths.count; i++)
        if (!is_readable_again(paths.text[i]))
            return;
    if (given->list->each[index].most)
        count_in_suite(named, &paths);
    else if (paths.count)
        count_in_file(named, paths.text[0]);
}

void report_unknown_languages(struct report *report, const struct session *session,
                              const struct argument_values *given)
{
    struct named named = {.checkpoint = session->loaded->checkpoint};
    if (!config_begins_with_target(named.checkpoint->config))
        return;
    for (int i = 0; i < given->list->count; i++)
        if (given->list->each[i].sources && argument_given(given, i))
            count_in_files(&named, given, i);
    if (named.count)
        report_warn(report, "%s%s in %d of %d sentences: " EXPECTED,
                    report_quoted(report, named.first), named.others ? " and others" : "",
                    named.count, named.sentences);
}
