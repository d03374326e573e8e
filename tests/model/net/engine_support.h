/* Golden models for tests: a checkpoint on the CPU, or on the plug-in that ATTNSCOPE_TEST_PLUGIN
 * names, with the reference's results. ATTNSCOPE_TEST_PRECISION names the precision (fp32 if
 * unset), ATTNSCOPE_TEST_GOLDEN another folder of such models. */
#ifndef ENGINE_SUPPORT_H
#define ENGINE_SUPPORT_H

#include <jansson.h>

#include "model/net/force.h"
#include "model/search/search.h"

struct golden {
    char name[96];
    struct checkpoint *checkpoint;
    const struct backend *backend;
    struct device *device;
    enum precision precision;
    struct model *model;
    struct safetensors *expected; // NULL when opened from another path
    json_t *cases;                // from its metadata
};

/* Returns the sorted names (without ".bin") of all golden models. */
char **golden_names(int *count);
/* Returns the names of all trained models in samples/. */
char **sample_names(int *count);
/* Returns the names of models of other toolkits, in tests/golden/formats. */
char **family_names(int *count);
void golden_names_free(char **names, int count);

/* True if ATTNSCOPE_TEST_MODELS selects the model with this number. 1/3 selects every third one,
 * beginning with the first; if the variable is unset, all are selected. */
bool golden_is_wanted(int number);

/* Opens NAME.bin and NAME.expected of tests/golden; fails the test on any error.
 * isa: "cpu" for the machine's best, else a value of ATTNSCOPE_ISA; threads 0: all. */
struct golden *golden_open(const char *name, const char *isa, int threads);
/* The same for samples/NAME.bin and tests/golden/samples/NAME.expected. */
struct golden *sample_open(const char *name, const char *isa, int threads);
struct golden *family_open(const char *name, const char *isa, int threads);
/* Opens any other checkpoint, without expectations. */
struct golden *golden_open_path(const char *path, const char *isa, int threads);
/* The same on that plug-in (NULL: on the CPU). */
struct golden *golden_open_on(const char *path, const char *plugin, const char *isa, int threads);
void golden_close(struct golden *golden);

/* Returns the checkpoint's head settings with a case's gains, masks and patterns. */
struct head_settings *golden_head_settings(const struct golden *golden, const json_t *given);

/* Returns the first token of a hypothesis whose log-probability is that of a forced pass. Before
 * it, end-of-sentence tokens have given their probability to the other tokens
 * (search.renormalize). */
int golden_scored_alike(const struct golden *golden, int count);

/* Returns a request for every matrix, importance and gates; with `everything` also for encoder
 * output, logits and log-probabilities. */
struct capture_request golden_request(const struct golden *golden, bool everything);
void golden_request_free(struct capture_request *request);

#endif
