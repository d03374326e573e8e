/* Lines of commands in a new session, with sentences, translations and alignments for studies in
 * the files s, t and g. Most of an execution is spent in the model. Parsing alone is fuzzed in
 * fuzz_words, at a hundred times the rate. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_session.h"

static void write_files(void)
{
    static const char sources[] = "a dog\nthe man\na cat\n", gold[] = "0-0 1-1\n0-0\n1-1 0-0\n",
                      targets[] = "ein Hund\nder Mann\neine Katze\n";
    fuzz_session_write("s", sources, strlen(sources));
    fuzz_session_write("t", targets, strlen(targets));
    fuzz_session_write("g", gold, strlen(gold));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    if (text && !fuzz_names_others(text)) {
        struct session *session = fuzz_session_open("tests/fuzz/models/own/mixture_decoder.bin");
        fuzz_session_enter();
        write_files();
        fuzz_session_run(session, text);
        fuzz_session_leave();
        fuzz_session_reset(session);
    }
    free(text);
    return 0;
}
