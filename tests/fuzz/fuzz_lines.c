/* Text files and vocabularies, which have one sentence or piece a line. */
#include "model/text/conllu/conllu.h"
#include "model/text/file_kind.h"
#include "model/text/text.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    struct lines lines = {0};
    for (int use = FILE_OF_MODEL; use <= FILE_OF_TEXT; use++)
        if (!file_kind_check(data, size, (enum file_use)use, &status))
            fuzz_refused(&status);
    if (!sentences_read(fuzz_write("text", data, size), NULL, &lines, NULL, &status))
        fuzz_refused(&status);
    for (int i = 0; i < lines.count; i++)
        line_blank(lines.text[i]);
    lines_free(&lines);
    struct vocabulary *vocabulary = vocabulary_open((const char *)data, size, &status);
    if (!vocabulary)
        fuzz_refused(&status);
    for (int i = 0; vocabulary && i < vocabulary_size(vocabulary); i++)
        fuzz_check(vocabulary_find(vocabulary, vocabulary_piece(vocabulary, i)) <= i,
                   "a piece that is not found");
    vocabulary_close(vocabulary);
    return 0;
}
