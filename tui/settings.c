#include "tui/settings.h"

#include <limits.h>
#include <string.h>

#include "model/net/quote.h"
#include "model/study/bleu.h"
#include "model/study/length_groups.h"
#include "render/figure.h"
#include "tui/arguments.h"

const char *const figure_colormaps[] = {"viridis", "magma", "cividis", "blues", "grey", NULL};
const char *const off_on[] = {"off", "on", NULL};
const struct figure_settings figure_defaults = {.dpi = 300};

const struct study_settings study_defaults = {
    .groups = 4, .listed = 10, .resamples = 1000, .trials = 10000, .seed = 12345};

#define STUDY(field) offsetof(struct settings, study.field)
#define FIGURE(field) offsetof(struct settings, figure.field)
#define SEARCH(field) offsetof(struct settings, search.field)

const struct setting setting_table[] = {
    {"beam", SETTING_INT, SEARCH(beam), 1, CONFIG_MAX_BEAM, NULL,
     "hypotheses kept by the search; 1 is greedy"},
    {"batch", SETTING_INT, SEARCH(batch), 1, 4096, NULL, "sentences at once in :translate FILE"},
    {"length_penalty", SETTING_CHOICE, SEARCH(penalty), 0, 0, penalty_names,
     "what a hypothesis' log-probability is divided by"},
    {"length_penalty.alpha", SETTING_NUMBER, SEARCH(alpha), -10, 10, NULL,
     "exponent of the length penalty"},
    {"max_length.factor", SETTING_NUMBER, SEARCH(factor), 0, 1000, NULL,
     "longest translation: factor * source tokens + plus"},
    {"max_length.plus", SETTING_INT, SEARCH(plus), 0, 1000000, NULL,
     "longest translation: factor * source tokens + plus"},
    {"threads", SETTING_INT, offsetof(struct settings, threads), 0, 1024, NULL,
     "of the CPU; 0 for as many as there are processors"},
    {"bleu.tokenize", SETTING_CHOICE, STUDY(tokenizer), 0, 0, bleu_tokenizer_names,
     "how BLEU takes texts apart, as sacreBLEU names it"},
    {"bleu.lowercase", SETTING_CHOICE, STUDY(lowercase), 0, 0, off_on,
     "whether BLEU takes capitals for small letters"},
    {"bleu.smooth", SETTING_CHOICE, STUDY(smoothing), 0, 0, bleu_smoothing_names,
     "what BLEU makes of n-grams that never match"},
    {"bleu.smooth_value", SETTING_NUMBER, STUDY(smooth_value), 0, 1000, NULL,
     "of floor and add-k; 0 for their own, 0.1 and 1"},
    {"bleu.groups", SETTING_INT, STUDY(groups), 1, CUTOFFS_MOST + 1, NULL,
     "groups by reference length, of about as many sentences"},
    {"chrf.lowercase", SETTING_CHOICE, STUDY(chrf_lowercase), 0, 0, off_on,
     "whether chrF2 takes capitals for small letters"},
    {"compare.sentences", SETTING_INT, STUDY(listed), 0, 1000000, NULL,
     "how many sentences :compare lists, those that differ most"},
    {"significance.resamples", SETTING_INT, STUDY(resamples), 1, 10000000, NULL,
     "of the paired bootstrap"},
    {"significance.trials", SETTING_INT, STUDY(trials), 1, 10000000, NULL,
     "of the approximate randomisation"},
    {"significance.seed", SETTING_INT, STUDY(seed), 0, INT_MAX, NULL,
     "that random numbers begin with; the same one gives the same result"},
    {"figure.dpi", SETTING_INT, FIGURE(dpi), DPI_LEAST, DPI_MOST, NULL,
     "pixels to the inch of exported figures"},
    {"figure.colormap", SETTING_CHOICE, FIGURE(colormap), 0, 0, figure_colormaps,
     "colours of weights in exported figures"},
    {"figure.width", SETTING_NUMBER, FIGURE(width), 0, 2000, NULL,
     "of exported figures in millimetres; 0 for as wide as they need"},
    {"export.comments", SETTING_CHOICE, offsetof(struct settings, exports.comments), 0, 0, off_on,
     "lines before exported tables that say how they were made"},
};
const int setting_count = sizeof setting_table / sizeof *setting_table;

_Static_assert(sizeof(enum length_penalty) == sizeof(int), "a choice is stored as an int");

const struct setting *setting_find(const char *name, struct status *status)
{
    const struct setting *found = NULL;
    int matches = 0;
    for (int i = 0; i < setting_count; i++) {
        if (strcmp(setting_table[i].name, name) == 0)
            return &setting_table[i];
        if (*name && begins_with(setting_table[i].name, name)) {
            found = &setting_table[i];
            matches++;
        }
    }
    if (matches == 1)
        return found;
    status_fail(status, STATUS_INVALID, "%s setting \"%s\": `:set` lists them",
                matches ? "ambiguous" : "unknown", QUOTED(name));
    return NULL;
}

static bool parse_choice(const struct setting *setting, const char *text, int *value,
                         struct status *status)
{
    char expected[200] = "";
    for (int i = 0; setting->choices[i]; i++) {
        if (strcmp(setting->choices[i], text) == 0) {
            *value = i;
            return true;
        }
        strncat(expected, i ? ", " : "", sizeof expected - strlen(expected) - 1);
        strncat(expected, setting->choices[i], sizeof expected - strlen(expected) - 1);
    }
    return status_fail(status, STATUS_INVALID, "%s: \"%s\", expected one of %s", setting->name,
                       QUOTED(text), expected);
}

bool setting_parse(const struct setting *setting, const char *text, struct settings *settings,
                   struct status *status)
{
    char *field = (char *)settings + setting->offset;
    int value;
    double number;
    if (setting->type == SETTING_NUMBER) {
        if (!parse_double(setting->name, text, setting->least, setting->most, &number, status))
            return false;
        memcpy(field, &number, sizeof number);
        return true;
    }
    if (setting->type == SETTING_CHOICE ? !parse_choice(setting, text, &value, status)
                                        : !parse_int(setting->name, text, (int)setting->least,
                                                     (int)setting->most, &value, status))
        return false;
    memcpy(field, &value, sizeof value);
    return true;
}

double setting_number(const struct setting *setting, const struct settings *settings)
{
    const char *field = (const char *)settings + setting->offset;
    int value;
    double number;
    if (setting->type == SETTING_NUMBER) {
        memcpy(&number, field, sizeof number);
        return number;
    }
    memcpy(&value, field, sizeof value);
    return value;
}

const char *setting_choice(const struct setting *setting, const struct settings *settings)
{
    return setting->choices[(int)setting_number(setting, settings)];
}

void setting_write_range(const struct setting *setting, FILE *stream)
{
    if (setting->type != SETTING_CHOICE) {
        fprintf(stream, "%.9g to %.9g", setting->least, setting->most);
        return;
    }
    for (int i = 0; setting->choices[i]; i++)
        fprintf(stream, "%s%s", i ? ", " : "", setting->choices[i]);
}

bool setting_of_state(const struct setting *setting)
{
    size_t begin = offsetof(struct settings, search);
    return setting->offset >= begin && setting->offset < begin + sizeof(struct search_options) &&
           setting->offset != SEARCH(batch);
}

bool setting_of_study(const struct setting *setting)
{
    size_t begin = offsetof(struct settings, study);
    return setting->offset >= begin && setting->offset < begin + sizeof(struct study_settings);
}
