/* Requests for derivatives in tests, and the sentences they are for. Every function fails the
 * running test if it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_GRADIENT_SUPPORT_H
#define ATTNSCOPE_TESTS_GRADIENT_SUPPORT_H

#include <jansson.h>

#include "model/net/backward/gradient.h"
#include "tests/model/net/engine_support.h"

/* A sentence of a model, from the golden data. */
struct subject {
    struct golden *golden;
    struct sentence source;
    int *target, count;
    struct head_settings *settings;
};
/* Opens the subject of a case, which takes ownership of the model. */
void subject_of(struct golden *golden, const json_t *given, struct subject *subject);
/* The same for a golden model and the case that a record of derivatives names. */
void subject_open(const char *name, const json_t *record, const char *isa, int threads,
                  struct subject *subject);
void subject_close(struct subject *subject);

/* A request for everything, with given terms. */
struct everything {
    struct gradient_term *terms;
    bool *wanted[MODULE_COUNT];
    struct gradient_request request;
};
void everything_open(const struct config *config, const json_t *terms, struct everything *all);
void everything_close(struct everything *all);

/* Run a request; the caller frees the result with gradients_free. */
void subject_run(const struct subject *subject, const struct gradient_request *request,
                 struct gradients *out);

/* Returns the reference's derivatives by model name; the caller frees them. */
json_t *read_derivatives(void);

#endif
