/* Word alignments made by hand, in both formats. */
#include "model/score/gold_alignment.h"
#include "tests/fuzz/fuzz.h"

enum { SENTENCES = 3, WORDS = 6 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    struct gold_alignments gold;
    const char *path = fuzz_write("gold", data, size);
    if (!gold_read(path, SENTENCES, GOLD_FROM_USUAL, NULL, &gold, &status)) {
        fuzz_refused(&status);
        return 0;
    }
    fuzz_check(gold.sentences == SENTENCES, "another number of sentences");
    for (int s = 0; s < SENTENCES; s++) {
        struct alignment_counts counts = {0};
        int count;
        const struct word_link *links = gold_links(&gold, s, &count);
        alignment_count(links, count, links, count, &counts);
        fuzz_check(counts.possible_found == count, "links that are there twice, or in no order");
        fuzz_check(counts.sure_found == counts.sure, "sure links that are not found");
        for (int i = 0; i < count; i++)
            fuzz_check(links[i].source >= 0 && links[i].target >= 0, "a link of no word");
        if (!gold_check(&gold, path, s, WORDS, WORDS, &status))
            fuzz_refused(&status);
    }
    gold_free(&gold);
    return 0;
}
