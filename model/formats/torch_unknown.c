/* Refuses files of PyTorch that no family knows or that are damaged, and says why: the message of our own format, which
 * would read them otherwise, misleads. */
#include <stdlib.h>
#include <string.h>

#include "model/formats/torch_checkpoint.h"
#include "model/text/quote.h"

static const char *const endings[] = {".pt", ".ckpt", NULL};

static bool recognise(const struct candidate *candidate)
{
    int count;
    if (!candidate->is_folder)
        return torch_begins(candidate->head);
    free(torch_checkpoint_first(candidate->folder, endings, &count));
    return count > 0;
}

static bool refuse_file(struct contents *contents, const char *path, struct status *status)
{
    const struct mapped_file *file = contents_file(contents, path, status);
    return file && contents_torch(contents, file, status) &&
           status_fail(
               status, STATUS_INVALID,
               "an unknown kind of PyTorch file, expected a checkpoint with "
               "\"model\" and \"args\" or \"cfg\" (fairseq), \"model\", \"vocab\" and \"opt\" "
               "(OpenNMT-py), or \"model_state\" (JoeyNMT)");
}

static bool read_unknown(struct contents *contents, const struct candidate *candidate,
                         struct status *status)
{
    if (!candidate->is_folder)
        return refuse_file(contents, candidate->path, status);
    int count;
    char *name = torch_checkpoint_first(candidate->folder, endings, &count);
    char *path = name ? family_path(candidate->folder, name, status) : NULL;
    if (!name)
        status_no_memory(status);
    else if (count > 1)
        status_fail(status, STATUS_INVALID,
                    "%d checkpoints in this folder, expected one, or the path of one of them",
                    count);
    else if (path) {
        refuse_file(contents, path, status);
        status_prefix(status, "%s", QUOTED(name));
    }
    free(path);
    free(name);
    return false;
}

const struct family family_torch_unknown = {"PyTorch", recognise, read_unknown};
