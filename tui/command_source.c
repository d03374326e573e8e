/* `:source`: the commands of a file, one a line. */
#include "tui/command.h"
#include "tui/program.h"

/* The file's commands show their own results and failures; what is told here is how the file as a whole
 * came out. That commands in it failed is no failure of reading it. */
COMMAND(source)
{
    struct script_counts counts;
    if (!no_more_words(request, 1, status))
        return false;
    if (request->words.count < 1)
        return status_fail(status, STATUS_INVALID, "expected FILE");
    char *path = copy_text(request->words.text[0], status);
    if (!path)
        return false;
    bool ok = program_script(session->program, path, &counts, status);
    result->kind = RESULT_SOURCE;
    result->source = (struct source_result){path, counts.commands, counts.failed};
    if (!ok && counts.commands == 0)
        result_free(result);
    return ok;
}
