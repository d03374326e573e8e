/* Contrastive suites in JSON. */
#include "model/study/contrast/suite.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    struct suite suite = {0};
    if (!suite_add_json(&suite, "suite.json", (const char *)data, size, &status) ||
        !suite_finish(&suite, &status))
        fuzz_refused(&status);
    for (int i = 0; i < suite.decision_count; i++) {
        decision_type(&suite, &suite.decisions[i]);
        decision_distance(&suite, &suite.decisions[i]);
        decision_frequency(&suite, &suite.decisions[i]);
    }
    suite_free(&suite);
    return 0;
}
