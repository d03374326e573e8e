#include "session/replace.h"

#include <stdlib.h>
#include <unistd.h>

#include "model/text/quote.h"

/* Decides whether files may be replaced. `what`: "a.png exists", "out/: 3 of the files exist". */
static bool decide(const struct session *session, const char *what, struct status *status)
{
    char *question = NULL;
    if (session->keep_files)
        return status_fail(status, STATUS_INVALID,
                           "%s: expected another name, --no-clobber keeps files", what);
    // Questions must not interrupt a script.
    if (!session->confirm || session->in_script)
        return true;
    if (asprintf(&question, "%s. Replace? [y/N] ", what) < 0)
        return status_no_memory(status);
    bool yes = session->confirm(question);
    free(question);
    return yes || status_fail(status, STATUS_INVALID, "%s: left as it was", what);
}

bool replace_file(const struct session *session, const char *path, struct status *status)
{
    char *what = NULL;
    if (access(path, F_OK) != 0)
        return true;
    if (asprintf(&what, "%s exists", QUOTED_PATH(path)) < 0)
        return status_no_memory(status);
    bool ok = decide(session, what, status);
    free(what);
    return ok;
}

bool replace_files(const struct session *session, const char *folder, int count,
                   struct status *status)
{
    char *what = NULL;
    if (!count)
        return true;
    if (asprintf(&what, "%s: %d of the files exist", QUOTED_PATH(folder), count) < 0)
        return status_no_memory(status);
    bool ok = decide(session, what, status);
    free(what);
    return ok;
}
