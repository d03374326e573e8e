/* The session itself: settings, information, help, the end. */
#include <stdlib.h>

#include "tui/command.h"

/* The words after the name are one value. */
static bool change_setting(struct session *session, const struct setting *setting,
                           const struct pieces *words, struct subject **before,
                           struct status *status)
{
    struct settings settings = session->settings;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return status_fail(status, STATUS_MEMORY, "out of memory");
    for (int i = 1; i < words->count; i++)
        fprintf(out, "%s%s", i > 1 ? " " : "", words->text[i]);
    bool ok = fclose(out) == 0 && setting_parse(setting, text, &settings, status) &&
              session_change_settings(session, &settings, before, status);
    free(text);
    return ok;
}

COMMAND(set)
{
    const struct pieces *words = &request->words;
    const struct setting *setting = words->count ? setting_find(words->text[0], status) : NULL;
    bool several = setting && (setting->type == SETTING_TEXT || setting->type == SETTING_LENGTH);
    struct subject *before = NULL;
    if ((words->count && !setting) || (!several && !no_more_words(request, 2, status)))
        return false;
    if (words->count >= 2 && !change_setting(session, setting, words, &before, status))
        return false;
    result->kind = RESULT_SETTINGS;
    result->settings = (struct settings_result){setting, words->count >= 2, before};
    return true;
}

COMMAND(info)
{
    const char *digest =
        no_more_words(request, 0, status) ? loaded_digest(session->loaded, status) : NULL;
    if (!digest)
        return false;
    result->kind = RESULT_INFO;
    result->info.digest = digest;
    session->opened.backend->info(session->opened.device, &result->info.device);
    return true;
}

COMMAND(help)
{
    (void)session;
    if (!no_more_words(request, 1, status))
        return false;
    const struct command *command = NULL;
    if (request->words.count) {
        const char *name = request->words.text[0];
        name += *name == ':';
        if (!*name)
            return status_fail(status, STATUS_INVALID,
                               "expected the name of a command: `:help` lists them");
        command = command_find(name, status);
        if (!command)
            return false;
    }
    result->kind = RESULT_HELP;
    result->help.command = command;
    return true;
}

COMMAND(quit)
{
    if (!no_more_words(request, 0, status))
        return false;
    (void)result;
    session->quit = true;
    return true;
}
