#include "tui/settings.h"

#include <limits.h>
#include <string.h>

#include "model/net/quote.h"
#include "model/study/bleu.h"
#include "model/study/contrast.h"
#include "model/study/length_groups.h"
#include "render/figure.h"
#include "tui/arguments.h"
#include "tui/figure_form.h"

const char *const figure_colormaps[] = {"viridis", "magma",   "cividis", "blues",
                                        "grey",    "bluered", NULL};
const struct figure_settings figure_defaults = {
    .dpi = 300, .font = FIGURE_FONT, .labels = 1, .title = FIGURE_TITLE_AUTO};

static const char *const presets[] = {"none", "acl-column", "acl-page", "slide", NULL};
static const char *const scales[] = {"shared", "0-1", "matrix", "row", "log", NULL};
const char *const off_on[] = {"off", "on", NULL};

const struct study_settings study_defaults = {
    .groups = 4, .listed = 10, .resamples = 1000, .trials = 10000, .seed = 12345};

#define STUDY(field) offsetof(struct settings, study.field)
#define FIGURE(field) offsetof(struct settings, figure.field)
#define SEARCH(field) offsetof(struct settings, search.field)

const struct setting setting_table[] = {
    {"beam", SETTING_INT, SEARCH(beam), 1, CONFIG_MAX_BEAM, NULL,
     .help = "hypotheses kept by the search; 1 is greedy"},
    {"batch", SETTING_INT, SEARCH(batch), 1, 4096, NULL,
     .help = "sentences at once of files, candidates of suites"},
    {"length_penalty", SETTING_CHOICE, SEARCH(penalty), 0, 0, penalty_names,
     .help = "what a hypothesis' log-probability is divided by"},
    {"length_penalty.alpha", SETTING_NUMBER, SEARCH(alpha), -10, 10, NULL,
     .help = "exponent of the length penalty"},
    {"max_length.factor", SETTING_NUMBER, SEARCH(factor), 0, 1000, NULL,
     .help = "longest translation: factor * source tokens + plus"},
    {"max_length.plus", SETTING_INT, SEARCH(plus), 0, 1000000, NULL,
     .help = "longest translation: factor * source tokens + plus"},
    {"threads", SETTING_INT, offsetof(struct settings, threads), 0, 1024, NULL,
     .help = "of the CPU; 0 for as many as there are processors"},
    {"bleu.tokenize", SETTING_CHOICE, STUDY(tokenizer), 0, 0, bleu_tokenizer_names,
     .help = "how BLEU takes texts apart, as sacreBLEU names it"},
    {"bleu.lowercase", SETTING_CHOICE, STUDY(lowercase), 0, 0, off_on,
     .help = "whether BLEU takes capitals for small letters"},
    {"bleu.smooth", SETTING_CHOICE, STUDY(smoothing), 0, 0, bleu_smoothing_names,
     .help = "what BLEU makes of n-grams that never match"},
    {"bleu.smooth_value", SETTING_NUMBER, STUDY(smooth_value), 0, 1000, NULL,
     .help = "of floor and add-k; 0 for their own, 0.1 and 1"},
    {"bleu.groups", SETTING_INT, STUDY(groups), 1, CUTOFFS_MOST + 1, NULL,
     .help = "groups by reference length, of about as many sentences"},
    {"chrf.lowercase", SETTING_CHOICE, STUDY(chrf_lowercase), 0, 0, off_on,
     .help = "whether chrF2 takes capitals for small letters"},
    {"compare.sentences", SETTING_INT, STUDY(listed), 0, 1000000, NULL,
     .help = "how many sentences :compare lists, those that differ most"},
    {"contrast.normalize", SETTING_CHOICE, STUDY(normalize), 0, 0, contrast_normalize_names,
     .help = "what :contrast compares: summed log-probabilities, or their mean over the tokens"},
    {"significance.resamples", SETTING_INT, STUDY(resamples), 1, 10000000, NULL,
     .help = "of the paired bootstrap"},
    {"significance.trials", SETTING_INT, STUDY(trials), 1, 10000000, NULL,
     .help = "of the approximate randomisation"},
    {"significance.seed", SETTING_INT, STUDY(seed), 0, INT_MAX, NULL,
     .help = "that random numbers begin with; the same one gives the same result"},
    {"figure.preset", SETTING_CHOICE, FIGURE(preset), 0, 0, presets,
     .help = "sets width, height, font and title of figures for a place in a paper or on a slide",
     .changed = figure_preset_apply},
    {"figure.dpi", SETTING_INT, FIGURE(dpi), DPI_LEAST, DPI_MOST, NULL,
     .help = "pixels to the inch of exported figures"},
    {"figure.colormap", SETTING_CHOICE, FIGURE(colormap), 0, 0, figure_colormaps,
     .help = "colours of weights in exported figures; bluered has white for 0"},
    {"figure.width", SETTING_LENGTH, FIGURE(width), 0, 2000, NULL,
     .help = "of exported figures; natural for as wide as they need"},
    {"figure.height", SETTING_LENGTH, FIGURE(height), 0, 2000, NULL,
     .help = "of exported figures; natural for as high as they need"},
    {"figure.font", SETTING_TEXT, FIGURE(font), 0, 0, NULL,
     .help = "of exported figures: a family that fc-list names, and its size in pt",
     .expects = "FAMILY [SIZE]", .check = figure_check_font_setting},
    {"figure.scale", SETTING_CHOICE, FIGURE(scale), 0, 0, scales,
     .help =
         "what colours reach: the greatest weight of the figure, 1, the greatest of each matrix or "
         "row, or the greatest by powers of ten"},
    {"figure.values", SETTING_CHOICE, FIGURE(values), 0, 0, off_on,
     .help = "numbers in the cells of exported figures"},
    {"figure.title", SETTING_TEXT, FIGURE(title), 0, 0, NULL,
     .help = "of exported figures: auto for what is shown, none, or any text",
     .expects = "auto, none, text"},
    {"figure.labels", SETTING_CHOICE, FIGURE(labels), 0, 0, off_on,
     .help = "tokens and numbers of heads beside the rows and columns of exported figures"},
    {"export.comments", SETTING_CHOICE, offsetof(struct settings, exports.comments), 0, 0, off_on,
     .help = "lines before exported tables that say how they were made"},
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

/* "8.4cm", "84", "3.3 in": a number of millimetres or with its unit. */
static bool parse_length(const struct setting *setting, const char *text, double *mm,
                         struct status *status)
{
    static const struct {
        const char *unit;
        double mm;
    } units[] = {{"cm", 10}, {"mm", 1}, {"in", 25.4}, {"pt", 25.4 / 72}, {"", 1}};
    char number[40];
    size_t digits = strspn(text, "0123456789.");
    *mm = 0;
    if (strcmp(text, "natural") == 0)
        return true;
    for (size_t i = 0; digits > 0 && digits < sizeof number && i < sizeof units / sizeof *units;
         i++) {
        struct status other;
        if (strcmp(skip_blanks(text + digits), units[i].unit) != 0)
            continue;
        snprintf(number, sizeof number, "%.*s", (int)digits, text);
        if (!parse_double(setting->name, number, 0, 1e9, mm, &other))
            break;
        *mm *= units[i].mm;
        if (*mm >= setting->least && *mm <= setting->most)
            return true;
        break;
    }
    return status_fail(status, STATUS_INVALID,
                       "%s: \"%s\", expected a length up to %g mm, as 8.4cm, 84mm, 3.3in or 239pt, "
                       "or natural",
                       setting->name, QUOTED(text), setting->most);
}

static bool parse_text(const struct setting *setting, const char *text, char *field,
                       struct status *status)
{
    if (strlen(text) >= SETTING_TEXT_BYTES)
        return status_fail(status, STATUS_INVALID, "%s: a text of %zu bytes, expected at most %d",
                           setting->name, strlen(text), SETTING_TEXT_BYTES - 1);
    if (!check_utf8(text, status) || (setting->check && !setting->check(text, status)))
        return status_prefix(status, "%s", setting->name);
    if (strpbrk(text, "\n\r"))
        return status_fail(status, STATUS_INVALID, "%s: a line break, expected one line",
                           setting->name);
    memset(field, 0, SETTING_TEXT_BYTES);
    strcpy(field, text);
    return true;
}

static bool parse_number(const struct setting *setting, const char *text, char *field,
                         struct status *status)
{
    double number;
    if (!(setting->type == SETTING_LENGTH
              ? parse_length(setting, text, &number, status)
              : parse_double(setting->name, text, setting->least, setting->most, &number, status)))
        return false;
    memcpy(field, &number, sizeof number);
    return true;
}

static bool parse_integer(const struct setting *setting, const char *text, char *field,
                          struct status *status)
{
    int value;
    if (!(setting->type == SETTING_CHOICE ? parse_choice(setting, text, &value, status)
                                          : parse_int(setting->name, text, (int)setting->least,
                                                      (int)setting->most, &value, status)))
        return false;
    memcpy(field, &value, sizeof value);
    return true;
}

bool setting_parse(const struct setting *setting, const char *text, struct settings *settings,
                   struct status *status)
{
    static bool (*const parsers[])(const struct setting *, const char *, char *,
                                   struct status *) = {
        [SETTING_INT] = parse_integer,   [SETTING_CHOICE] = parse_integer,
        [SETTING_NUMBER] = parse_number, [SETTING_LENGTH] = parse_number,
        [SETTING_TEXT] = parse_text,
    };
    if (!parsers[setting->type](setting, text, (char *)settings + setting->offset, status))
        return false;
    if (setting->changed)
        setting->changed(settings);
    return true;
}

/* Values ----------------------------------------------------------------------------------------- */

double setting_number(const struct setting *setting, const struct settings *settings)
{
    const char *field = (const char *)settings + setting->offset;
    int value;
    double number;
    if (setting->type == SETTING_NUMBER || setting->type == SETTING_LENGTH) {
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

bool setting_is_text(const struct setting *setting)
{
    return setting->type == SETTING_CHOICE || setting->type == SETTING_TEXT;
}

const char *setting_text(const struct setting *setting, const struct settings *settings)
{
    return setting->type == SETTING_CHOICE ? setting_choice(setting, settings)
                                           : (const char *)settings + setting->offset;
}

void setting_write(const struct setting *setting, const struct settings *settings, bool exact,
                   FILE *stream)
{
    if (setting_is_text(setting)) {
        fputs(setting_text(setting, settings), stream);
        return;
    }
    double number = setting_number(setting, settings);
    if (setting->type == SETTING_INT)
        fprintf(stream, "%d", (int)number);
    else if (setting->type == SETTING_LENGTH && number == 0)
        fputs("natural", stream);
    else
        fprintf(stream, "%.*g%s", exact ? 17 : 9, number,
                setting->type == SETTING_LENGTH ? "mm" : "");
}

bool setting_equal(const struct setting *setting, const struct settings *a,
                   const struct settings *b)
{
    if (setting_is_text(setting))
        return strcmp(setting_text(setting, a), setting_text(setting, b)) == 0;
    return setting_number(setting, a) == setting_number(setting, b);
}

void setting_copy(const struct setting *setting, const struct settings *from, struct settings *to)
{
    static const size_t sizes[] = {[SETTING_INT] = sizeof(int),
                                   [SETTING_CHOICE] = sizeof(int),
                                   [SETTING_NUMBER] = sizeof(double),
                                   [SETTING_LENGTH] = sizeof(double),
                                   [SETTING_TEXT] = SETTING_TEXT_BYTES};
    memcpy((char *)to + setting->offset, (const char *)from + setting->offset,
           sizes[setting->type]);
}

void setting_write_range(const struct setting *setting, FILE *stream)
{
    if (setting->type == SETTING_TEXT) {
        fputs(setting->expects, stream);
        return;
    }
    if (setting->type == SETTING_LENGTH) {
        fprintf(stream, "natural, or up to %.9g mm: 8.4cm, 84mm, 3.3in, 239pt", setting->most);
        return;
    }
    if (setting->type != SETTING_CHOICE) {
        fprintf(stream, "%.10g to %.10g", setting->least, setting->most); // an int's digits, too
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
