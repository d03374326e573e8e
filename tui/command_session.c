/* The session itself: settings, information, help, the end. */
#include "tui/command.h"

COMMAND(set)
{
    const struct pieces *words = &request->words;
    if (!no_more_words(request, 2, status))
        return false;
    const struct setting *setting = words->count ? setting_find(words->text[0], status) : NULL;
    struct subject *before = NULL;
    if (words->count && !setting)
        return false;
    if (words->count == 2) {
        struct settings settings = session->settings;
        if (!setting_parse(setting, words->text[1], &settings, status) ||
            !session_change_settings(session, &settings, &before, status))
            return false;
    }
    result->kind = RESULT_SETTINGS;
    result->settings = (struct settings_result){setting, words->count == 2, before};
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
