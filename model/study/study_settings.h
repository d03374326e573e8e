/* Settings of scoring and comparing translations. */
#ifndef ATTNSCOPE_STUDY_SETTINGS_H
#define ATTNSCOPE_STUDY_SETTINGS_H

struct study_settings {
    int tokenizer;       // enum bleu_tokenizer
    int lowercase;       // 0 or 1
    int smoothing;       // enum bleu_smoothing
    double smooth_value; // 0: the default of the method
    int chrf_lowercase;  // 0 or 1
    int groups;          // number of groups by length, unless limits are given
    int listed;          // the number of sentences that a comparison of two systems lists
    int normalize;       // enum contrast_normalize
    int resamples, trials, seed;
};
extern const struct study_settings study_defaults;

#endif
