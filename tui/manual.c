#include "tui/manual.h"

#include <string.h>

#include "model/net/quote.h"
#include "tui/arguments.h"
#include "tui/commands.h"
#include "tui/selector.h"

const char *const manual_names[] = {"man",          "readme",        "complete-bash",
                                    "complete-zsh", "complete-fish", NULL};

static void (*const writers[])(FILE *stream) = {manual_man, manual_readme, manual_bash, manual_zsh,
                                                manual_fish};
_Static_assert(sizeof manual_names / sizeof *manual_names == sizeof writers / sizeof *writers + 1,
               "every name has a writer");

const char *manual_find(const char *name, struct status *status)
{
    for (int i = 0; manual_names[i]; i++)
        if (strcmp(manual_names[i], name) == 0)
            return manual_names[i];
    status_fail(status, STATUS_INVALID,
                "--generate \"%s\": expected man, readme, complete-bash, complete-zsh or "
                "complete-fish",
                QUOTED(name));
    return NULL;
}

void manual_write(const char *name, FILE *stream)
{
    for (int i = 0; manual_names[i]; i++)
        if (strcmp(manual_names[i], name) == 0)
            writers[i](stream);
}

const char *manual_details(const struct command *command)
{
    static const char *const selectors[] = {SELECTOR_HELP, SELECTOR_SINGLE_HELP};
    const char *details = command->details;
    for (int i = 0; details && i < 2; i++)
        if (begins_with(details, selectors[i]))
            details += strlen(selectors[i]);
    return details && *details ? details : NULL;
}
