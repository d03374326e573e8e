/* Pickles by themselves. A pickle may contain itself, so the walk over its values ends after a
 * number of steps. */
#include "model/formats/archive/pickle.h"
#include "tests/fuzz/fuzz.h"

static void look(const struct pickle_value *value, int *steps, int depth)
{
    if (!value || depth > 30 || --*steps < 0)
        return;
    for (size_t i = 0; i < pickle_count(value) && *steps > 0; i++)
        look(pickle_item(value, i), steps, depth + 1);
    for (size_t i = 0; i < pickle_pairs(value) && *steps > 0; i++) {
        look(pickle_key(value, i), steps, depth + 1);
        look(pickle_at(value, i), steps, depth + 1);
    }
    look(pickle_argument(value, 0), steps, depth + 1);
    pickle_text(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    size_t end = 0;
    struct pickle *pickle = pickle_read(data, size, &end, &status);
    int steps = 10000;
    if (!pickle) {
        fuzz_refused(&status);
        return 0;
    }
    fuzz_check(end <= size, "a pickle that ends after its input");
    look(pickle_root(pickle), &steps, 0);
    pickle_integer_of(pickle_root(pickle), "encoder_layers", 6);
    pickle_close(pickle);
    return 0;
}
