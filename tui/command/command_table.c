/* All commands, in the order of the help. Each has a file of its own or shares its family's. */
#include "tui/command/commands.h"

#define COMMANDS(COMMAND)                                                                          \
    COMMAND(translate)                                                                             \
    COMMAND(force)                                                                                 \
    COMMAND(open)                                                                                  \
    COMMAND(next)                                                                                  \
    COMMAND(prev)                                                                                  \
    COMMAND(goto)                                                                                  \
    COMMAND(back)                                                                                  \
    COMMAND(hypothesis)                                                                            \
    COMMAND(attn)                                                                                  \
    COMMAND(head)                                                                                  \
    COMMAND(heads)                                                                                 \
    COMMAND(token)                                                                                 \
    COMMAND(align)                                                                                 \
    COMMAND(attribute)                                                                             \
    COMMAND(alti)                                                                                  \
    COMMAND(faithful)                                                                              \
    COMMAND(importance)                                                                            \
    COMMAND(gates)                                                                                 \
    COMMAND(lens)                                                                                  \
    COMMAND(patch)                                                                                 \
    COMMAND(score)                                                                                 \
    COMMAND(disable)                                                                               \
    COMMAND(enable)                                                                                \
    COMMAND(disabled)                                                                              \
    COMMAND(mask)                                                                                  \
    COMMAND(entmax)                                                                                \
    COMMAND(pattern)                                                                               \
    COMMAND(reset)                                                                                 \
    COMMAND(state)                                                                                 \
    COMMAND(undo)                                                                                  \
    COMMAND(redo)                                                                                  \
    COMMAND(beside)                                                                                \
    COMMAND(bleu)                                                                                  \
    COMMAND(compare)                                                                               \
    COMMAND(ablate)                                                                                \
    COMMAND(prune)                                                                                 \
    COMMAND(contrast)                                                                              \
    COMMAND(flips)                                                                                 \
    COMMAND(stats)                                                                                 \
    COMMAND(merge)                                                                                 \
    COMMAND(load)                                                                                  \
    COMMAND(model)                                                                                 \
    COMMAND(set)                                                                                   \
    COMMAND(info)                                                                                  \
    COMMAND(export)                                                                                \
    COMMAND(show)                                                                                  \
    COMMAND(source)                                                                                \
    COMMAND(save)                                                                                  \
    COMMAND(help)                                                                                  \
    COMMAND(quit)

#define DECLARED(name) extern const struct command command_##name;
#define LISTED(name) &command_##name,

COMMANDS(DECLARED)

const struct command *const command_table[] = {COMMANDS(LISTED)};
const int command_count = sizeof command_table / sizeof *command_table;
