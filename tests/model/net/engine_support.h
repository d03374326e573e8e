/* Golden models for tests: a checkpoint on the CPU, or on the plug-in that ATTNSCOPE_TEST_PLUGIN
 * names, with what the reference expects of it. ATTNSCOPE_TEST_PRECISION names the precision, fp32
 * where it is not set; ATTNSCOPE_TEST_GOLDEN another folder of such models. */
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
    json_t *cases;                // of its metadata
};

/* Names (without ".bin") of all golden models, sorted. */
char **golden_names(int *count);
/* Names of all trained models in samples/. */
char **sample_names(int *count);
/* Those of other toolkits, in tests/golden/formats. */
char **family_names(int *count);
void golden_names_free(char **names, int count);

/* True if ATTNSCOPE_TEST_MODELS has the model of this number: 1/3 has every third one, from the first
 * on; without it all are wanted. */
bool golden_is_wanted(int number);

/* Opens NAME.bin and NAME.expected of tests/golden; fails the test when something is wrong.
 * isa: "cpu" for the machine's best, else as ATTNSCOPE_ISA; threads 0: all. */
struct golden *golden_open(const char *name, const char *isa, int threads);
/* The same of samples/NAME.bin and tests/golden/samples/NAME.expected. */
struct golden *sample_open(const char *name, const char *isa, int threads);
struct golden *family_open(const char *name, const char *isa, int threads);
/* Any other checkpoint, without expectations. */
struct golden *golden_open_path(const char *path, const char *isa, int threads);
/* The same on that plug-in; plugin NULL: on the CPU. */
struct golden *golden_open_on(const char *path, const char *plugin, const char *isa, int threads);
void golden_close(struct golden *golden);

/* The checkpoint's head_settings with a case's gains, masks and patterns. */
struct head_settings *golden_head_settings(const struct golden *golden, const json_t *given);

/* The first token of a hypothesis whose log-probability is that of a forced pass: before it ends
 * have lost theirs to the other tokens (search.renormalize). */
int golden_scored_alike(const struct golden *golden, int count);

/* Every matrix, importance, gates; with `everything` also encoder output, logits,
 * log-probabilities. */
struct capture_request golden_request(const struct golden *golden, bool everything);
void golden_request_free(struct capture_request *request);

#endif
