/* Every study that keeps results in a shard's file, on models of tests/fuzz/models/own, with the
 * files s (sentences), t (their translations), g (word alignments) and p (CoNLL-U). Each is tried
 * with values that no study writes (test_shard_values.c), and with any values
 * (fuzz_shard_values.c). Seeds of that target select studies by number, so new studies go to the
 * end.
 */
#ifndef ATTNSCOPE_TESTS_SHARD_STUDIES_H
#define ATTNSCOPE_TESTS_SHARD_STUDIES_H

/* Kinds of values that a study accepts, besides those that it writes. */
enum {
    TAKES_NUMBERS = 1, // finite ones
    TAKES_TEXT = 2,    // a translation
    TAKES_STATISTICS = 4
};

#define SHARD_MODEL(name) "tests/fuzz/models/own/" name ".bin"
#define PLAIN SHARD_MODEL("vanilla_pre")
#define CONTEXT SHARD_MODEL("context_all_kinds_keys")
#define DHICM SHARD_MODEL("dhicm_cross_fixed")
#define MIXTURE SHARD_MODEL("mixture_rules")

static const struct {
    const char *model, *line;
    int takes;
} shard_studies[] = {
    {PLAIN, ":translate s", TAKES_TEXT},
    {PLAIN, ":ablate s t by gradient cross layer 1", TAKES_NUMBERS},
    {PLAIN, ":contrast s t s", TAKES_NUMBERS},
    {PLAIN, ":align s t", 0},
    {PLAIN, ":align s t cross 1.1 shifted", 0},
    {PLAIN, ":alti s", TAKES_TEXT},
    {PLAIN, ":alti s t", 0},
    {PLAIN, ":stats s cross 1.1", TAKES_STATISTICS},
    {PLAIN, ":stats p enc 1.1", TAKES_STATISTICS},
    {PLAIN, ":stats p enc layer 1 by pos confidence", 0},
    {CONTEXT, ":gates enc k s", 0},
    {CONTEXT, ":gates dec q s by position", TAKES_TEXT},
    {CONTEXT, ":gates enc k p by pos", 0},
    {PLAIN, ":lens s", TAKES_NUMBERS | TAKES_TEXT},
    {PLAIN, ":lens enc s t", TAKES_NUMBERS},
    {DHICM, ":importance s", TAKES_TEXT},
    {PLAIN, ":faithful saliency s", TAKES_TEXT},
    {PLAIN, ":faithful weights s t g", 0},
    {PLAIN, ":bleu s t", TAKES_TEXT},
    {PLAIN, ":ablate s t by layer cross", TAKES_TEXT},
    {PLAIN, ":compare vanilla_pre.bin current s t", TAKES_TEXT},
    {PLAIN, ":align s t against contributions cross 1.1", 0},
    {PLAIN, ":attribute gradient-input s", TAKES_TEXT},
    {PLAIN, ":attribute erasure s t", 0},
    {MIXTURE, ":importance p by pos", 0},
};
enum { SHARD_STUDIES = sizeof shard_studies / sizeof *shard_studies };

static const struct {
    const char *name, *text;
} shard_files[] = {
    {"s", "a dog\nthe man\n"},
    {"t", "ein Hund\nder Mann\n"},
    {"g", "0-0 1?1\n1-1\n"},
    {"p", "1\ta\t_\tDET\t_\t_\t2\tdet\t_\t_\n"
          "2\tdog\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"},
};
enum { SHARD_FILES = sizeof shard_files / sizeof *shard_files };

#endif
