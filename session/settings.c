#include "session/settings.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/score/bleu.h"
#include "model/score/bleu_files.h"
#include "model/score/length_groups.h"
#include "model/study/contrast/contrast.h"
#include "model/text/quote.h"
#include "model/text/utf8.h"
#include "render/figure.h"
#include "terminal/graphics.h"
#include "terminal/text/arguments.h"
#include "terminal/text/nearest.h"

/* Figures -------------------------------------------------------------------------------------- */

enum { FONT_LEAST = 2, FONT_MOST = 72 };

double figure_font_size(const char *text, size_t *family_bytes)
{
    const char *last = strrchr(text, ' ');
    char *end;
    *family_bytes = strlen(text);
    if (!last || !last[1])
        return 0;
    double size = strtod(last + 1, &end);
    if (*end && strcmp(end, "pt") != 0)
        return 0;
    if (end == last + 1 || strspn(last + 1, "0123456789.") != (size_t)(end - last - 1))
        return 0;
    while (last > text && last[-1] == ' ')
        last--;
    *family_bytes = (size_t)(last - text);
    return size;
}

/* Fails unless `text` is "FAMILY [SIZE]" with an installed family and an allowed font size. */
static bool figure_check_font_setting(const char *text, struct status *status)
{
    char family[SETTING_TEXT_BYTES];
    size_t bytes;
    double size = figure_font_size(text, &bytes);
    if (bytes != strlen(text) && !(size >= FONT_LEAST && size <= FONT_MOST))
        return status_fail(status, STATUS_INVALID, "a size of %g pt, expected %d to %d", size,
                           FONT_LEAST, FONT_MOST);
    snprintf(family, sizeof family, "%.*s", (int)bytes, text);
    return figure_font_check(family, status);
}

/* Sets width, height, font and title to those of the preset in `settings`. */
static void figure_preset_apply(struct settings *settings)
{
    static const struct {
        double width, height; // mm
        const char *font, *title;
    } forms[] = {
        [PRESET_NONE] = {0, 0, FIGURE_FONT, FIGURE_TITLE_AUTO},
        // A column in the ACL's style is 7.7 cm wide, its page 16 cm. Captions replace titles.
        [PRESET_ACL_COLUMN] = {77, 0, "DejaVu Sans 7", FIGURE_TITLE_NONE},
        [PRESET_ACL_PAGE] = {160, 0, "DejaVu Sans 8", FIGURE_TITLE_NONE},
        // What a title leaves of 16 : 9.
        [PRESET_SLIDE] = {240, 120, "DejaVu Sans 16", FIGURE_TITLE_AUTO},
    };
    struct figure_settings *figure = &settings->figure;
    figure->width = forms[figure->preset].width;
    figure->height = forms[figure->preset].height;
    strcpy(figure->font, forms[figure->preset].font);
    strcpy(figure->title, forms[figure->preset].title);
}

/* The table ------------------------------------------------------------------------------------ */

const char *const figure_colormaps[] = {"viridis", "magma",   "cividis", "blues",
                                        "grey",    "bluered", NULL};
const struct figure_settings figure_defaults = {
    .dpi = 300, .font = FIGURE_FONT, .labels = 1, .title = FIGURE_TITLE_AUTO};

static const char *const presets[] = {"none", "acl-column", "acl-page", "slide", NULL};
static const char *const kinds[] = {"auto", "table", NULL};
static const char *const scales[] = {"shared", "0-1", "matrix", "row", "log", NULL};
static const char *const off_on[] = {"off", "on", NULL};
const char *const cross_rows_names[] = {
    [CROSS_ROWS_PREDICTED] = "predicted", [CROSS_ROWS_INPUT] = "input", NULL};

#define STUDY(field) offsetof(struct settings, study.field)
#define FIGURE(field) offsetof(struct settings, figure.field)
#define SEARCH(field) offsetof(struct settings, search.field)

const struct setting setting_table[] = {
    {"beam", SETTING_INT, SEARCH(beam), REACH_STATE, 1, CONFIG_MAX_BEAM, NULL,
     .help = "beam size (1 = greedy search)"},
    {"batch", SETTING_INT, SEARCH(batch), REACH_BATCH, 1, 4096, NULL,
     .help = "sentences of a file, or candidates of a suite, computed at once"},
    {"length_penalty", SETTING_CHOICE, SEARCH(penalty), REACH_STATE, 0, 0, penalty_names,
     .help = "length normalization of hypothesis scores"},
    {"length_penalty.alpha", SETTING_NUMBER, SEARCH(alpha), REACH_STATE, -10, 10, NULL,
     .help = "exponent of the length penalty"},
    {"length_penalty.offset", SETTING_INT, SEARCH(offset), REACH_STATE, 0, CONFIG_MAX_OFFSET, NULL,
     .help = "tokens that the length penalty counts in addition to those of the translation"},
    {"max_length.factor", SETTING_NUMBER, SEARCH(factor), REACH_STATE, 0, 1000, NULL,
     .help = "maximum length of a translation: factor * source tokens + plus"},
    {"max_length.plus", SETTING_INT, SEARCH(plus), REACH_STATE, 0, 1000000, NULL,
     .help = "maximum length of a translation: factor * source tokens + plus"},
    {"max_length.most", SETTING_INT, SEARCH(most), REACH_STATE, 0, 1000000, NULL,
     .help = "maximum length of a translation, however long the source is (0 = no such limit)"},
    {"max_length.end", SETTING_CHOICE, SEARCH(at_limit), REACH_STATE, 0, 0, limit_names,
     .help = "how a translation of the maximum length ends: with end-of-sentence, whose "
             "log-probability counts (forced) or not (free), or with any token (open)"},
    {"min_length", SETTING_INT, SEARCH(min_length), REACH_STATE, 0, 1000000, NULL,
     .help = "least number of tokens before end-of-sentence"},
    {"endings", SETTING_CHOICE, SEARCH(endings), REACH_STATE, 0, 0, endings_names,
     .help =
         "when the search ends and which finished translations are kept: as CTranslate2 does "
         "(best), fairseq (first), Marian (narrow), transformers (attainable, never), OpenNMT-py "
         "(top) or Sockeye (ranked)"},
    {"source_language", SETTING_LANGUAGE, SEARCH(languages.of[SIDE_SOURCE]), REACH_STATE, 0, 0,
     NULL, .help = "language of the source, of those that the model has a token for",
     .expects = "a language of the model"},
    {"target_language", SETTING_LANGUAGE, SEARCH(languages.of[SIDE_TARGET]), REACH_STATE, 0, 0,
     NULL, .help = "language to translate into, of those that the model has a token for",
     .expects = "a language of the model"},
    {"threads", SETTING_INT, offsetof(struct settings, threads), REACH_NOTHING, 0, 1024, NULL,
     .help = "CPU threads (0: OMP_NUM_THREADS, or one per processor)"},
    {"cross_rows", SETTING_CHOICE, offsetof(struct settings, cross_rows), REACH_VIEWS, 0, 0,
     cross_rows_names,
     .help = "which target token names a row of cross-attention: the predicted one, or the "
             "decoder's input (the one before it)"},
    {"attribute.baseline", SETTING_CHOICE, offsetof(struct settings, attribution.baseline),
     REACH_VIEWS, 0, 0, attribution_baseline_names,
     .help = "what stands in the place of a token's embedding that is taken away: zeros, or the "
             "embedding of the unknown token or of padding"},
    {"attribute.steps", SETTING_INT, offsetof(struct settings, attribution.steps), REACH_VIEWS, 1,
     ATTRIBUTION_STEPS_MOST, NULL,
     .help = "points at which :attribute integrated-gradients computes gradients"},
    {"attribute.quadrature", SETTING_CHOICE, offsetof(struct settings, attribution.quadrature),
     REACH_VIEWS, 0, 0, attribution_quadrature_names,
     .help = "where these points lie: adaptive adds points where the sums are least accurate, "
             "gauss-legendre places them as captum and inseq do"},
    {"bleu.tokenize", SETTING_CHOICE, STUDY(tokenizer), REACH_SCORES, 0, 0, bleu_tokenizer_names,
     .help = "BLEU tokenizer, as sacreBLEU names it; spm, flores101, flores200, ja-mecab and "
             "ko-mecab need files of sacreBLEU (:help bleu)",
     .check = bleu_files_check},
    {"bleu.lowercase", SETTING_CHOICE, STUDY(lowercase), REACH_SCORES, 0, 0, off_on,
     .help = "ignore case in BLEU"},
    {"bleu.smooth", SETTING_CHOICE, STUDY(smoothing), REACH_SCORES, 0, 0, bleu_smoothing_names,
     .help = "BLEU smoothing method"},
    {"bleu.smooth_value", SETTING_NUMBER, STUDY(smooth_value), REACH_SCORES, 0, 1000, NULL,
     .help = "smoothing value (0 = method default: floor 0.1, add-k 1)"},
    {"bleu.groups", SETTING_INT, STUDY(groups), REACH_STUDY, 1, CUTOFFS_MOST + 1, NULL,
     .help = "number of length groups, of about equal size"},
    {"chrf.lowercase", SETTING_CHOICE, STUDY(chrf_lowercase), REACH_SCORES, 0, 0, off_on,
     .help = "ignore case in chrF2"},
    {"compare.sentences", SETTING_INT, STUDY(listed), REACH_STUDY, 0, 1000000, NULL,
     .help = "number of sentences listed, those that differ most"},
    {"contrast.normalize", SETTING_CHOICE, STUDY(normalize), REACH_STUDY, 0, 0,
     contrast_normalize_names,
     .help = "score that :contrast compares: sum or mean of the tokens' log-probabilities"},
    {"significance.resamples", SETTING_INT, STUDY(resamples), REACH_TESTS, 1, 10000000, NULL,
     .help = "paired bootstrap resamples"},
    {"significance.trials", SETTING_INT, STUDY(trials), REACH_TESTS, 1, 10000000, NULL,
     .help = "approximate randomisation trials"},
    {"significance.seed", SETTING_INT, STUDY(seed), REACH_TESTS, 0, INT_MAX, NULL,
     .help = "random seed; the same seed gives the same result"},
    {"figure.preset", SETTING_CHOICE, FIGURE(preset), REACH_PICTURES, 0, 0, presets,
     .help = "width, height, font and title of figures that suit a column, a page or a slide",
     .changed = figure_preset_apply},
    {"figure.kind", SETTING_CHOICE, FIGURE(kind), REACH_PICTURES, 0, 0, kinds,
     .help = "how figures show scores: as bars or lines, or as their table"},
    {"figure.dpi", SETTING_INT, FIGURE(dpi), REACH_PICTURES, DPI_LEAST, DPI_MOST, NULL,
     .help = "pixels per inch of exported figures"},
    {"figure.colormap", SETTING_CHOICE, FIGURE(colormap), REACH_PICTURES, 0, 0, figure_colormaps,
     .help = "colour map of exported figures; bluered shows 0 as white"},
    {"figure.width", SETTING_LENGTH, FIGURE(width), REACH_PICTURES, 0.001, 2000, NULL,
     .help = "width of exported figures; natural: as needed"},
    {"figure.height", SETTING_LENGTH, FIGURE(height), REACH_PICTURES, 0.001, 2000, NULL,
     .help = "height of exported figures; natural: as needed"},
    {"figure.font", SETTING_TEXT, FIGURE(font), REACH_PICTURES, 0, 0, NULL,
     .help = "font of exported figures: a family that fc-list names, and a size in pt",
     .expects = "FAMILY [SIZE]", .check = figure_check_font_setting},
    {"figure.scale", SETTING_CHOICE, FIGURE(scale), REACH_PICTURES, 0, 0, scales,
     .help =
         "colour scale: up to the greatest weight of the figure, up to 1, up to the greatest of "
         "each matrix or of each row, or logarithmic"},
    {"figure.values", SETTING_CHOICE, FIGURE(values), REACH_PICTURES, 0, 0, off_on,
     .help = "show numbers in the cells of exported figures"},
    {"figure.title", SETTING_TEXT, FIGURE(title), REACH_PICTURES, 0, 0, NULL,
     .help =
         "title of exported figures: auto names what is shown; none, or a text (\\\" is a quote)",
     .expects = "auto, none, text"},
    {"figure.labels", SETTING_CHOICE, FIGURE(labels), REACH_PICTURES, 0, 0, off_on,
     .help = "label rows and columns of exported figures with tokens and head numbers"},
    {"export.comments", SETTING_CHOICE, offsetof(struct settings, exports.comments), REACH_PICTURES,
     0, 0, off_on, .help = "begin exported tables with comment lines that say how they were made"},
    {"graphics", SETTING_CHOICE, offsetof(struct settings, graphics), REACH_NOTHING, 0, 0,
     graphics_names,
     .help = "how :show draws: auto asks the terminal; a graphics protocol, half "
             "blocks, or not at all"},
};
const int setting_count = sizeof setting_table / sizeof *setting_table;

_Static_assert(sizeof(enum length_penalty) == sizeof(int), "a choice is stored as an int");

/* Fails with a list of the settings that begin with the name. */
static void fail_ambiguous(const char *name, struct status *status)
{
    char list[300] = "";
    for (int i = 0; i < setting_count; i++)
        if (begins_with(setting_table[i].name, name))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", *list ? ", " : "",
                     setting_table[i].name);
    status_fail(status, STATUS_INVALID, "ambiguous setting \"%s\": expected one of %s",
                QUOTED(name), list);
}

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
    struct nearest nearest = {.typed = name};
    for (int i = 0; !matches && i < setting_count; i++)
        nearest_try(&nearest, setting_table[i].name);
    if (nearest.name) {
        status_fail(status, STATUS_INVALID, "unknown setting \"%s\": did you mean %s?",
                    QUOTED(name), nearest.name);
        return NULL;
    }
    if (matches)
        fail_ambiguous(name, status);
    else
        status_fail(status, STATUS_INVALID, "unknown setting \"%s\": `:set` lists them",
                    QUOTED(name));
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

/* Returns the side whose language the setting chooses. */
static int language_side(const struct setting *setting)
{
    return setting->offset == SEARCH(languages.of[SIDE_SOURCE]) ? SIDE_SOURCE : SIDE_TARGET;
}

const char *const *setting_choices(const struct setting *setting, const struct settings *settings)
{
    return setting->type == SETTING_LANGUAGE ? settings->language_names[language_side(setting)]
                                             : setting->choices;
}

static bool language_fail(const struct setting *setting, const char *text,
                          const char *const *languages, struct status *status)
{
    struct nearest nearest = {.typed = text};
    int count = 0;
    for (; languages[count]; count++)
        nearest_try(&nearest, languages[count]);
    if (count == 1)
        return status_fail(status, STATUS_INVALID,
                           "%s: \"%s\", expected %s: the model has this one alone", setting->name,
                           QUOTED(text), QUOTED(languages[0]));
    if (nearest.name)
        return status_fail(status, STATUS_INVALID, "%s: \"%s\": did you mean %s?", setting->name,
                           QUOTED(text), QUOTED(nearest.name));
    return status_fail(status, STATUS_INVALID,
                       "%s: \"%s\", expected one of %d languages: `:set %s` lists them",
                       setting->name, QUOTED(text), count, setting->name);
}

static bool parse_language(const struct setting *setting, const char *text,
                           struct settings *settings, struct status *status)
{
    const char *const *languages = setting_choices(setting, settings);
    for (int i = 0; languages[i]; i++)
        if (strcmp(languages[i], text) == 0) {
            settings->search.languages.of[language_side(setting)] = i;
            return true;
        }
    return language_fail(setting, text, languages, status);
}

/* Parses "8.4cm", "84", "3.3 in": a number in millimetres or with its unit. 0 means the natural
 * length. */
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
        if (*mm == 0 || (*mm >= setting->least && *mm <= setting->most))
            return true;
        break;
    }
    return status_fail(
        status, STATUS_INVALID,
        "%s: \"%s\", expected a length of %g to %g mm, such as 8.4cm, 84mm, 3.3in or 239pt, "
        "or natural",
        setting->name, QUOTED(text), setting->least, setting->most);
}

static bool parse_text(const struct setting *setting, const char *text, char *field,
                       struct status *status)
{
    if (strlen(text) >= SETTING_TEXT_BYTES)
        return status_fail(status, STATUS_INVALID, "%s: a text of %zu bytes, expected at most %d",
                           setting->name, strlen(text), SETTING_TEXT_BYTES - 1);
    if (strpbrk(text, "\n\r"))
        return status_fail(status, STATUS_INVALID, "%s: a line break, expected one line",
                           setting->name);
    if (!check_utf8(text, status) || (setting->check && !setting->check(text, status)))
        return status_prefix(status, "%s", setting->name);
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
    if (setting->type == SETTING_LANGUAGE)
        return parse_language(setting, text, settings, status);
    if (setting->type == SETTING_CHOICE && setting->check && !setting->check(text, status))
        return status_prefix(status, "%s", setting->name);
    if (!parsers[setting->type](setting, text, (char *)settings + setting->offset, status))
        return false;
    if (setting->changed)
        setting->changed(settings);
    return true;
}

/* Values --------------------------------------------------------------------------------------- */

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

static const char *setting_choice(const struct setting *setting, const struct settings *settings)
{
    return setting_choices(setting, settings)[(int)setting_number(setting, settings)];
}

bool setting_is_text(const struct setting *setting)
{
    return setting->type == SETTING_CHOICE || setting->type == SETTING_LANGUAGE ||
           setting->type == SETTING_TEXT;
}

const char *setting_text(const struct setting *setting, const struct settings *settings)
{
    return setting->type == SETTING_TEXT ? (const char *)settings + setting->offset
                                         : setting_choice(setting, settings);
}

void setting_write(const struct setting *setting, const struct settings *settings, bool exact,
                   FILE *stream)
{
    if (setting_is_text(setting)) {
        fputs(setting_text(setting, settings), stream);
        return;
    }
    double number = setting_number(setting, settings);
    char text[EXACT_BYTES];
    snprintf(text, sizeof text, "%.9g", number);
    if (setting->type == SETTING_INT)
        fprintf(stream, "%d", (int)number);
    else if (setting->type == SETTING_LENGTH && number == 0)
        fputs("natural", stream);
    else
        fprintf(stream, "%s%s", exact ? exact_double(number, text) : text,
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
    static const size_t sizes[] = {
        [SETTING_INT] = sizeof(int),       [SETTING_CHOICE] = sizeof(int),
        [SETTING_LANGUAGE] = sizeof(int),  [SETTING_NUMBER] = sizeof(double),
        [SETTING_LENGTH] = sizeof(double), [SETTING_TEXT] = SETTING_TEXT_BYTES};
    memcpy((char *)to + setting->offset, (const char *)from + setting->offset,
           sizes[setting->type]);
}

void setting_write_range(const struct setting *setting, FILE *stream)
{
    if (setting->expects) {
        fputs(setting->expects, stream);
        return;
    }
    if (setting->type == SETTING_LENGTH) {
        fprintf(stream, "natural, or up to %.9g mm: 8.4cm, 84mm, 3.3in, 239pt", setting->most);
        return;
    }
    if (setting->type != SETTING_CHOICE) {
        fprintf(stream, "%.10g to %.10g", setting->least,
                setting->most); // enough digits for an int
        return;
    }
    for (int i = 0; setting->choices[i]; i++)
        fprintf(stream, "%s%s", i ? ", " : "", setting->choices[i]);
}
