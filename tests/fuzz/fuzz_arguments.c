/* Arguments of commands: a line ":NAME WORDS" parsed by the command's declaration, both complete
 * and while it is typed. */
#include <stdlib.h>

#include "model/text/utf8.h"
#include "terminal/text/arguments.h"
#include "tests/fuzz/fuzz.h"
#include "tui/argument/argument.h"
#include "tui/command/commands.h"

/* True if the argument takes all remaining words. */
static bool takes_the_rest(const struct argument *argument)
{
    return argument->kind == ARGUMENT_SELECTOR || argument->kind == ARGUMENT_SELECTORS ||
           argument->kind == ARGUMENT_VALUE || argument->kind == ARGUMENT_VIEW;
}

/* Checks that there are as many values as the declaration says. */
static void check_values(const struct argument_values *values, bool typed)
{
    for (int i = 0; i < values->list->count; i++) {
        const struct argument *argument = &values->list->each[i];
        const struct argument_value *value = &values->each[i];
        if (!value->given)
            fuzz_check(value->count == 0, "values of an argument that is not given");
        if (takes_the_rest(argument))
            continue;
        fuzz_check(value->count <= argument_most(argument), "more values than there may be");
        fuzz_check(typed || !value->given || value->count >= argument_least(argument) ||
                       argument->value_optional,
                   "fewer values than there must be");
        fuzz_check(typed || value->given || !argument->required || !argument_allowed(values, i),
                   "a required argument that is not given");
    }
}

static void check_end(bool good, const struct argument_values *values, int words, bool typed,
                      const struct status *status)
{
    if (good) {
        check_values(values, typed);
        return;
    }
    fuzz_refused(status);
    fuzz_check(values->wrong >= 0 && values->wrong <= words, "no word is at fault");
}

static void read_words(const struct argument_list *list, const char *text)
{
    struct status status = {0};
    struct strings words = {0};
    if (arguments_split(text, &words, &status))
        for (int typed = 0; typed < 2; typed++) {
            struct argument_values values = {.list = list};
            bool good = typed ? arguments_parse_typed(list, &words, &values, &status)
                              : arguments_parse(list, &words, &values, &status);
            check_end(good, &values, words.count, typed, &status);
            arguments_free(&values);
        }
    else
        fuzz_refused(&status);
    strings_free(&words);
}

static void read_text(const struct argument_list *list, const char *text)
{
    struct status status = {0};
    struct argument_values values = {.list = list};
    if (!arguments_parse_text(list, text, &values, &status))
        fuzz_refused(&status);
    arguments_free(&values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    char *text = fuzz_text(data, size), name[64];
    if (text && *text == ':' && check_utf8(text, &status)) {
        const char *rest = text;
        command_name(text, name, sizeof name);
        while (*rest && !is_blank(*rest))
            rest++;
        const struct command *command = command_find(name, &status);
        if (command && command->takes_text)
            read_text(&command->arguments, skip_blanks(rest));
        else if (command)
            read_words(&command->arguments, skip_blanks(rest));
    }
    free(text);
    return 0;
}
