/* The list of commands, in the order of the help. Each stands in a file of its own or of its family. */
#include "tui/command/commands.h"

extern const struct command command_translate, command_force, command_open, command_next,
    command_prev, command_goto, command_hypothesis, command_attn, command_heads, command_token,
    command_align, command_alti, command_importance, command_gates, command_lens, command_patch,
    command_score, command_disable, command_enable, command_disabled, command_mask, command_pattern,
    command_reset, command_state, command_undo, command_redo, command_beside, command_bleu,
    command_compare, command_ablate, command_prune, command_contrast, command_flips, command_stats,
    command_merge, command_load, command_model, command_set, command_info, command_export,
    command_show, command_source, command_save, command_help, command_quit;

const struct command *const command_table[] = {
    &command_translate,  &command_force,   &command_open,       &command_next,
    &command_prev,       &command_goto,    &command_hypothesis, &command_attn,
    &command_heads,      &command_token,   &command_align,      &command_alti,
    &command_importance, &command_gates,   &command_lens,       &command_patch,
    &command_score,      &command_disable, &command_enable,     &command_disabled,
    &command_mask,       &command_pattern, &command_reset,      &command_state,
    &command_undo,       &command_redo,    &command_beside,     &command_bleu,
    &command_compare,    &command_ablate,  &command_prune,      &command_contrast,
    &command_flips,      &command_stats,   &command_merge,      &command_load,
    &command_model,      &command_set,     &command_info,       &command_export,
    &command_show,       &command_source,  &command_save,       &command_help,
    &command_quit,
};
const int command_count = sizeof command_table / sizeof *command_table;
