/* Everything about lines of commands that is read before they run: words and quotes, the command's
 * name, selectors, lists of numbers, settings, and completion by Tab. Completion changes no
 * session, so one is kept open for all inputs. */
#include <stdlib.h>
#include <string.h>

#include "model/text/utf8.h"
#include "terminal/text/arguments.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_session.h"
#include "tui/command/commands.h"
#include "tui/prompt/complete.h"

/* Words must be the same after they are quoted and read again. */
static void quote_again(const struct strings *words)
{
    struct status status = {0};
    struct strings again = {0};
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    fuzz_check(out != NULL, "out of memory");
    for (int i = 0; i < words->count; i++) {
        putc(' ', out);
        arguments_quote(out, words->text[i]);
    }
    fuzz_check(fclose(out) == 0, "out of memory");
    fuzz_check(arguments_split(line, &again, &status), "quoted words that cannot be split");
    fuzz_check(again.count == words->count, "quoted words that are not as many");
    for (int i = 0; i < words->count; i++)
        fuzz_check(strcmp(again.text[i], words->text[i]) == 0, "a quoted word that is another one");
    strings_free(&again);
    free(line);
}

static void read_selector(const struct config *config, const struct strings *words,
                          enum heads_allowed heads)
{
    struct status status = {0};
    struct selector selector;
    const char **rest = calloc((size_t)words->count + 1, sizeof *rest);
    int count;
    fuzz_check(rest != NULL, "out of memory");
    if (selector_parse(words, heads, &selector, rest, &count, &status)) {
        fuzz_check(count <= words->count, "more words than there were");
        if (!selector_check(&selector, config, &status))
            fuzz_refused(&status);
        selector_has_layer(&selector, 0);
        selector_has_head(&selector, 0);
        selector_free(&selector);
    } else {
        fuzz_refused(&status);
    }
    free(rest);
}

/* Reads a value, writes it and reads it again. */
static void read_setting(const struct session *session, const char *name, const char *value)
{
    struct status status = {0};
    struct settings settings = session->settings, again = session->settings;
    const struct setting *setting = setting_find(name, &status);
    char *text = NULL;
    size_t size;
    if (!setting || !setting_parse(setting, value, &settings, &status)) {
        fuzz_refused(&status);
        return;
    }
    FILE *out = open_memstream(&text, &size);
    fuzz_check(out != NULL, "out of memory");
    setting_write(setting, &settings, true, out);
    fuzz_check(fclose(out) == 0, "out of memory");
    fuzz_check(setting_parse(setting, text, &again, &status), "a value that cannot be read again");
    fuzz_check(setting_equal(setting, &settings, &again), "a value that becomes another one");
    free(text);
}

static void complete_line(const struct session *session, const char *line)
{
    struct status status = {0};
    struct completions completions = {0};
    if (complete(session, line, strlen(line), &completions, &status)) {
        const size_t common = completions_common(&completions);
        for (int i = 0; i < completions.words.count; i++)
            fuzz_check(common <= strlen(completions.words.text[i]), "more in common than there is");
        fuzz_check(completions.start <= strlen(line), "a word that begins behind the line");
    } else {
        fuzz_refused(&status);
    }
    completions_free(&completions);
}

/* Reads the arguments that follow the command's name. */
static void read_arguments(const struct session *session, const char *text)
{
    struct status status = {0};
    struct strings words = {0};
    char *trimmed = arguments_text(text, strlen(text), &status);
    fuzz_check(trimmed != NULL, "out of memory");
    free(trimmed);
    if (arguments_split(text, &words, &status)) {
        quote_again(&words);
        for (int heads = HEADS_SINGLE; heads <= HEADS_OR_MERGED; heads++)
            read_selector(session->loaded->checkpoint->config, &words, heads);
        if (words.count == 2)
            read_setting(session, words.text[0], words.text[1]);
    } else {
        fuzz_refused(&status);
    }
    strings_free(&words);
}

static void read_line(const struct session *session, const char *line)
{
    char name[64];
    command_name(line, name, sizeof name);
    while (*line && !is_blank(*line))
        line++;
    read_arguments(session, skip_blanks(line));
}

/* Opens a session with a sentence, whose tokens can complete words. */
static struct session *open_session(void)
{
    struct session *session = fuzz_session_open("tests/fuzz/models/own/mixture_decoder.bin");
    struct report report;
    struct status status = {0};
    fuzz_check(command_run(session, "a dog", &report, &status), status.message);
    report_free(&report);
    return session;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct session *session;
    struct status status = {0};
    char *text = fuzz_text(data, size);
    if (!session)
        session = open_session();
    if (text && !check_utf8(text, &status)) {
        fuzz_refused(&status);
    } else if (text && !fuzz_names_others(text)) {
        fuzz_session_enter();
        read_line(session, text);
        complete_line(session, text);
        fuzz_session_leave();
    }
    free(text);
    return 0;
}
