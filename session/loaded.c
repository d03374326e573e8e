#include "session/loaded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/text/quote.h"
#include "session/model_folders.h"
#include "terminal/progress.h"

/* A path without a folder may be meant as the name of a listed model. */
static bool check_name(const char *path, struct status *status)
{
    return strchr(path, '/') || access(path, F_OK) == 0 || errno != ENOENT ||
           status_fail(status, STATUS_IO,
                       "%s: cannot be opened: %s, expected a model's file or folder, or a name "
                       "that attnscope "
                       "without arguments lists",
                       QUOTED_PATH(path), strerror(errno));
}

struct loaded *loaded_open(const char *path, const struct tokenizer_files *tokenizers,
                           struct status *status)
{
    struct loaded *loaded = memory_new(1, sizeof *loaded, status);
    if (!loaded)
        return NULL;
    loaded->path = strdup(path);
    loaded->name = hub_model_of(path);
    if (!loaded->name)
        loaded->name = strdup(strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    if (!loaded->path || !loaded->name)
        status_no_memory(status);
    else if (check_name(path, status))
        loaded->checkpoint = checkpoint_open_with(path, tokenizers, status);
    if (loaded->checkpoint) {
        loaded->checkpoint->watch = &progress_watch;
        loaded->head_settings = head_settings_new(loaded->checkpoint->config, status);
    }
    if (loaded->head_settings)
        return loaded;
    loaded_close(loaded);
    return NULL;
}

void loaded_close(struct loaded *loaded)
{
    if (!loaded)
        return;
    model_close(loaded->model);
    head_settings_free(loaded->head_settings);
    digests_free(&loaded->digests);
    checkpoint_close(loaded->checkpoint);
    free(loaded->name);
    free(loaded->path);
    free(loaded);
}

bool loaded_pieces_notice(const struct loaded *loaded, char *text, size_t size)
{
    static const struct {
        const char *side, *options;
    } words[] = {{"", "--source-tokenizer FILE and --target-tokenizer FILE"},
                 {" of the source", "--source-tokenizer FILE"},
                 {" of the target", "--target-tokenizer FILE"}};
    bool source = checkpoint_in_pieces(loaded->checkpoint, SIDE_SOURCE);
    bool target = checkpoint_in_pieces(loaded->checkpoint, SIDE_TARGET);
    const char *reason = loaded->checkpoint->contents->notice;
    int sides = source && target ? 0 : source ? 1 : 2;
    snprintf(text, size, "%s: no tokeniser%s%s%s%s: separate pieces by spaces, or give %s",
             QUOTED(loaded_name(loaded)), words[sides].side, *reason ? " (" : "", reason,
             *reason ? ")" : "", words[sides].options);
    return source || target;
}

bool loaded_left_out(const struct loaded *loaded, char *text, size_t size)
{
    const struct checkpoint *checkpoint = loaded->checkpoint;
    char **options = checkpoint->config->left_out;
    const char *family = checkpoint->contents->own ? checkpoint->config->origin.family
                                                   : checkpoint->contents->family;
    const bool integers = loaded->model && model_is_integer(loaded->model);
    size_t used = 0;
    for (int i = 0; options && options[i] && used < size; i++)
        if (!integers || strcmp(options[i], FLOAT_ACTIVATIONS) != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     QUOTED(options[i]));
    if (family && used > 0 && used < size)
        snprintf(text + used, size - used, " (%s)", QUOTED(family));
    return used > 0;
}

bool loaded_notice(const struct loaded *loaded, int number, char text[NOTICE_BYTES])
{
    char options[LEFT_OUT];
    if (loaded_pieces_notice(loaded, text, NOTICE_BYTES) && number-- == 0)
        return true;
    if (!loaded_left_out(loaded, options, sizeof options) || number != 0)
        return false;
    snprintf(text, NOTICE_BYTES, "%s: translations may differ, as attnscope leaves out: %s",
             QUOTED(loaded_name(loaded)), options);
    return true;
}

const char *loaded_name(const struct loaded *loaded)
{
    return loaded->name;
}

const struct digests *loaded_digests(struct loaded *loaded, struct status *status)
{
    bool ok = loaded->digests.files || digests_read(loaded->checkpoint, &loaded->digests, status);
    return ok ? &loaded->digests : NULL;
}
