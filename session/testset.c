#include "session/testset.h"

#include <stdlib.h>
#include <string.h>

#include "model/text/conllu/conllu.h"
#include "terminal/progress.h"

static bool read_files(struct testset *testset, const char *source, const char *reference,
                       struct status *status)
{
    testset->path = strdup(source);
    testset->reference_path = reference ? strdup(reference) : NULL;
    if (!testset->path || (reference && !testset->reference_path))
        return status_no_memory(status);
    if (!sentences_read(source, &progress_watch, &testset->sources, NULL, status))
        return false;
    if (!lines_check_any(source, &testset->sources, status))
        return false;
    testset->has_references = reference != NULL;
    if (!reference)
        return true;
    if (!sentences_read(reference, &progress_watch, &testset->references, NULL, status))
        return false;
    return lines_check_match(source, &testset->sources, reference, &testset->references, status);
}

struct testset *testset_open(const char *source, const char *reference, struct status *status)
{
    struct testset *testset = memory_new(1, sizeof *testset, status);
    if (testset && read_files(testset, source, reference, status))
        return testset;
    testset_close(testset);
    return NULL;
}

static void drop_first(struct lines *lines)
{
    free(lines->text[0]);
    memmove(lines->text, lines->text + 1, (size_t)--lines->count * sizeof *lines->text);
}

bool testset_add(struct testset **testset, const char *text, struct status *status)
{
    if (!*testset && !(*testset = memory_new(1, sizeof **testset, status)))
        return false;
    struct lines *sources = &(*testset)->sources;
    if (sources->count && strcmp(testset_source(*testset), text) == 0)
        return true;
    if (!lines_add(sources, text, 0, status))
        return false;
    if (sources->count > TYPED_MOST)
        drop_first(sources);
    (*testset)->current = sources->count - 1;
    return true;
}

bool testset_return(struct testset **testset, const char *text, struct status *status)
{
    const struct lines *sources = *testset ? &(*testset)->sources : NULL;
    if (sources && strcmp(testset_source(*testset), text) == 0)
        return true;
    for (int i = sources ? sources->count - 1 : -1; i >= 0; i--)
        if (strcmp(sources->text[i], text) == 0) {
            (*testset)->current = i;
            return true;
        }
    return testset_add(testset, text, status);
}

void testset_close(struct testset *testset)
{
    if (!testset)
        return;
    lines_free(&testset->sources);
    lines_free(&testset->references);
    free(testset->path);
    free(testset->reference_path);
    free(testset);
}

const char *testset_source(const struct testset *testset)
{
    return testset->sources.text[testset->current];
}

const char *testset_reference(const struct testset *testset)
{
    return testset->has_references ? testset->references.text[testset->current] : NULL;
}
