/* Lines of commands in a session of their own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_session.h"
#include "tui/program/program.h"

static void run_lines(struct session *session, char *text)
{
    struct program program = {.session = session, .sink = {.kind = &plain_sink}};
    char *output = NULL, *rest = text;
    size_t size;
    program.sink.stream = program.sink.failures = open_memstream(&output, &size);
    fuzz_check(program.sink.stream != NULL, "out of memory");
    program_connect(&program);
    for (char *line; !program.stop && !session->quit && (line = strsep(&rest, "\n"));)
        program_line(&program, "", line);
    fclose(program.sink.stream);
    free(output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    if (text && !fuzz_names_others(text)) {
        struct session *session = fuzz_session_open("tests/golden/mixture_decoder.bin");
        run_lines(session, text);
        fuzz_session_close(session);
    }
    free(text);
    return 0;
}
