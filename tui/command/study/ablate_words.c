#include "tui/command/study/ablate_words.h"

const char *const ablate_choices[] = {"head", "layer", "layer,head", "gradient", NULL};

bool ablate_words_read(const struct argument_values *given, const struct ablate_places *places,
                       struct ablate_words *out, struct status *status)
{
    const int by = argument_choice(given, places->by, -1);
    *out = (struct ablate_words){.selectors = &given->selectors,
                                 .shown = argument_integer(given, places->show, 0)};
    if (by >= 0 && by < ABLATE_CHOICE_GRADIENT)
        out->by = (enum ablate_by)(ABLATE_HEAD + by);
    else if (!argument_given(given, places->selectors))
        out->by = ABLATE_HEAD;
    if (arguments_copy(given, places->first_file, places->last_file, &out->files, status))
        return true;
    ablate_words_free(out);
    return false;
}

void ablate_words_free(struct ablate_words *words)
{
    strings_free(&words->files);
    *words = (struct ablate_words){.shown = 0};
}

bool ablate_words_select(const struct ablate_words *words, const struct config *config,
                         struct ablation_list *out, struct status *status)
{
    if (!ablation_list_select(words->selectors, words->by, config, out, status))
        return false;
    if (words->shown <= out->count)
        return true;
    status_fail(status, STATUS_INVALID, "show %d: expected 1 to %d", words->shown, out->count);
    ablation_list_free(out);
    return false;
}
