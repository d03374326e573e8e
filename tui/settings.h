/* What the user may set: one table with type, range and help of every setting.
 *
 * A new setting is a field and a line in the table; `:set`, its errors, help and completion read the table.
 */
#ifndef ATTNSCOPE_SETTINGS_H
#define ATTNSCOPE_SETTINGS_H

#include <stdio.h>

#include "gpu/status.h"
#include "model/net/search.h"

/* How `:export` draws. */
enum figure_preset { PRESET_NONE, PRESET_ACL_COLUMN, PRESET_ACL_PAGE, PRESET_SLIDE };
enum figure_scale_setting { SCALE_SHARED, SCALE_UNIT, SCALE_MATRIX, SCALE_ROW, SCALE_LOG };
enum { SETTING_TEXT_BYTES = 256 };

struct figure_settings {
    int preset; // an enum figure_preset; choosing one sets width, height, font and title
    int dpi;
    int colormap;                   // index into figure_colormaps
    double width, height;           // mm; 0: as large as it needs
    char font[SETTING_TEXT_BYTES];  // "FAMILY SIZE", the size in pt; no size: the usual one
    int scale;                      // an enum figure_scale_setting
    int values, labels;             // 0 or 1: numbers in cells; labels of rows and columns
    char title[SETTING_TEXT_BYTES]; // "auto": what is shown; "none"; or the title itself
};

/* What `:export` writes beside the data. */
struct export_settings {
    int comments; // index into off_on: how tables were made, in lines before them
};

/* How translations are scored and compared. */
struct study_settings {
    int tokenizer;       // enum bleu_tokenizer
    int lowercase;       // 0 or 1
    int smoothing;       // enum bleu_smoothing
    double smooth_value; // 0: the method's own
    int chrf_lowercase;  // 0 or 1
    int groups;          // by reference length, where none are given
    int listed;          // sentences that :compare lists
    int normalize;       // enum contrast_normalize
    int resamples, trials, seed;
};

struct settings {
    struct search_options search; // beam, batch, length penalty, maximum length
    int threads;                  // of the CPU; 0: as many as there are processors
    struct figure_settings figure;
    struct export_settings exports;
    struct study_settings study;
};

/* What the program is opened with where the checkpoint says nothing. */
extern const struct figure_settings figure_defaults;
extern const struct study_settings study_defaults;
extern const char
    *const figure_colormaps[]; // those for weights (render/colormap.h); NULL at the end

extern const char *const off_on[]; // NULL at the end

enum setting_type { SETTING_INT, SETTING_NUMBER, SETTING_CHOICE, SETTING_LENGTH, SETTING_TEXT };

struct setting {
    const char *name;
    enum setting_type type;
    size_t offset;              // of the int, double or char[SETTING_TEXT_BYTES] in struct settings
    double least, most;         // of numbers, and of lengths in mm, of which 0 is "natural" as well
    const char *const *choices; // of SETTING_CHOICE, NULL at the end; the value is the index
    const char *help;
    const char *expects;                                    // of SETTING_TEXT: what it takes
    bool (*check)(const char *text, struct status *status); // of SETTING_TEXT; NULL: any text
    void (*changed)(struct settings *settings); // sets what depends on it; NULL: nothing
};

extern const struct setting setting_table[];
extern const int setting_count;

/* The setting of that name or unique beginning of a name; NULL: unknown or ambiguous. */
const struct setting *setting_find(const char *name, struct status *status);

/* Reads `text` as a value of the setting. */
bool setting_parse(const struct setting *setting, const char *text, struct settings *settings,
                   struct status *status);

/* The value: a number (not of SETTING_TEXT), or (SETTING_CHOICE, SETTING_TEXT) a name or text. */
double setting_number(const struct setting *setting, const struct settings *settings);
const char *setting_choice(const struct setting *setting, const struct settings *settings);
const char *setting_text(const struct setting *setting, const struct settings *settings);
bool setting_is_text(
    const struct setting *setting); // the value is better shown by its name or text

/* The value as setting_parse reads it; `exact`: to the last bit, else as it is shown. */
void setting_write(const struct setting *setting, const struct settings *settings, bool exact,
                   FILE *stream);

/* Gives `to` the value of `from`; not what depends on it. */
void setting_copy(const struct setting *setting, const struct settings *from, struct settings *to);

bool setting_equal(const struct setting *setting, const struct settings *a,
                   const struct settings *b);

/* Writes the values that it takes: "1 to 5", "none, average, wu". */
void setting_write_range(const struct setting *setting, FILE *stream);

/* Whether the setting is of the search and changes its results: it belongs to a state (states.h). */
bool setting_of_state(const struct setting *setting);

/* Whether the setting is of scores and their tests. */
bool setting_of_study(const struct setting *setting);

#endif
