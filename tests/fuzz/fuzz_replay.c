/* `--replay` of what a JSON file says of itself. An input may name any file: only commands that set up a view are run, and
 * they write no files. */
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_session.h"
#include "tui/program/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct status status = {0};
    struct report report = {0};
    bool same;
    if (text) {
        const char *path = fuzz_write("out.json", data, size);
        struct session *session = fuzz_session_open("tests/golden/one_head_halves_fairseq.bin");
        if (!replay_file(session, path, &report, &same, &status))
            fuzz_refused(&status);
        report_free(&report);
        fuzz_session_close(session);
    }
    free(text);
    return 0;
}
