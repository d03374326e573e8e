/* Searches over the sentences of a golden model, for tests. Every function fails the running test
 * if it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_SEARCHES_H
#define ATTNSCOPE_TESTS_SEARCHES_H

#include "tests/model/net/engine_support.h"

enum { SEARCHES_MOST = 24 };

struct searches {
    struct golden *golden;
    struct sentence sentences[SEARCHES_MOST]; // (count)
    struct search_job jobs[SEARCHES_MOST];
    int count;
};

/* Opens a model and `count` short sentences of different lengths, from its cases. */
void searches_open(struct searches *searches, const char *model, int count);
void searches_close(struct searches *searches);

/* Returns options for short translations; the rest is the checkpoint's. */
struct search_options searches_options(const struct searches *searches, int beam, int batch);

/* Runs `count` searches from `first` on, replacing earlier results. */
void searches_run(struct searches *searches, int first, int count,
                  const struct search_options *options, const struct search_listener *listener);

/* Fails the test unless both found the same tokens, with scores within 1e-4. */
void searches_expect_same(const struct searches *a, const struct searches *b);

#endif
