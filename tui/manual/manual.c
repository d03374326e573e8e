#include "tui/manual/manual.h"

#include <string.h>

#include "model/formats/options.h"
#include "session/selector.h"
#include "terminal/text/arguments.h"
#include "tui/command/commands.h"
#include "tui/program/options.h"

void manual_write(const char *name, FILE *stream)
{
    static void (*const writers[MANUAL_PARTS])(FILE * stream) = {
        [MANUAL_MAN] = manual_man,   [MANUAL_MARKDOWN] = manual_markdown,
        [MANUAL_BASH] = manual_bash, [MANUAL_ZSH] = manual_zsh,
        [MANUAL_FISH] = manual_fish, [MANUAL_OPTIONS] = options_write,
    };
    for (int i = 0; i < MANUAL_PARTS; i++)
        if (strcmp(manual_names[i], name) == 0)
            writers[i](stream);
}
