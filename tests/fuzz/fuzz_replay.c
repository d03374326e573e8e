/* `--replay` of the notes in a JSON file. An input may name any file, so only commands that set up
 * a view are run, and they write no files. Only a file with notes gets a session. */
#include <stdlib.h>

#include "report/output/provenance.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_session.h"
#include "tui/program/program.h"

static void replay(const uint8_t *data, size_t size)
{
    struct status status = {0};
    struct report report = {0};
    bool same;
    struct session *session =
        fuzz_session_open("tests/fuzz/models/own/one_head_halves_fairseq.bin");
    fuzz_session_enter();
    fuzz_session_write("out.json", data, size);
    if (!replay_file(session, "out.json", &report, &same, &status))
        fuzz_refused(&status);
    report_free(&report);
    fuzz_session_leave();
    fuzz_session_reset(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    json_t *notes = notes_read(fuzz_write("out.json", data, size), &status);
    if (notes)
        replay(data, size);
    else
        fuzz_refused(&status);
    json_decref(notes);
    return 0;
}
