/* The notes in exported files that say how they were made: "figure.png\n" and the bytes of such a
 * file. */
#include <string.h>

#include "report/output/provenance.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file;
    struct status status = {0};
    if (!fuzz_file(data, size, &file) || *file.name == '.' || strchr(file.name, '/'))
        return 0;
    json_t *notes = notes_read(fuzz_write(file.name, file.data, file.size), &status);
    if (!notes)
        fuzz_refused(&status);
    json_decref(notes);
    return 0;
}
