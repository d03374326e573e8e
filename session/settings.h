/* The user's settings, in one table with the type, range and help of each. `:set`, its errors, its
 * help and completion read the table; doc/architecture.md lists what a new setting needs.
 */
#ifndef ATTNSCOPE_SETTINGS_H
#define ATTNSCOPE_SETTINGS_H

#include <stdio.h>

#include "base/status.h"
#include "model/attribution/predictions.h"
#include "model/search/search.h"
#include "model/study/study_settings.h"

/* Settings of the figures that `:export` draws. */
enum figure_preset { PRESET_NONE, PRESET_ACL_COLUMN, PRESET_ACL_PAGE, PRESET_SLIDE };
enum figure_kind { FIGURE_AUTO, FIGURE_TABLE };
enum figure_scale_setting { SCALE_SHARED, SCALE_UNIT, SCALE_MATRIX, SCALE_ROW, SCALE_LOG };
enum { SETTING_TEXT_BYTES = 256 };

struct figure_settings {
    int preset; // an enum figure_preset; choosing one sets width, height, font and title
    int kind;   // an enum figure_kind: scores as bars, lines or a table, whichever they have; or
                // always as a table
    int dpi;
    int colormap;                   // index into figure_colormaps
    double width, height;           // mm; 0: as large as needed
    char font[SETTING_TEXT_BYTES];  // "FAMILY [SIZE]", the size in pt; without it, the default size
    int scale;                      // an enum figure_scale_setting
    int values, labels;             // 0 or 1: numbers in cells; labels of rows and columns
    char title[SETTING_TEXT_BYTES]; // "auto": the view's title; "none"; or any text
};

/* Settings of what `:export` adds to the data. */
struct export_settings {
    int comments; // 0 or 1: comment lines before a table say how it was made
};

/* The token that names a row of cross-attention: the one predicted there, or the one read. */
enum cross_rows { CROSS_ROWS_PREDICTED, CROSS_ROWS_INPUT };
extern const char *const cross_rows_names[]; // NULL at the end

struct settings {
    struct search_options search;         // beam, batch, length penalty, maximum length, languages
    const char *const *language_names[2]; // that the model accepts for each side, NULL at the end
    int threads;                          // of the CPU; 0: as many as there are processors
    int cross_rows;                       // an enum cross_rows
    struct figure_settings figure;
    struct export_settings exports;
    int graphics; // an enum graphics (graphics.h): how :show draws
    struct study_settings study;
    struct attribution_options attribution;
};

/* Defaults of settings that checkpoints do not store. */
extern const struct figure_settings figure_defaults;
extern const char
    *const figure_colormaps[]; // those for weights (render/colormap.h); NULL at the end

enum setting_type {
    SETTING_INT,
    SETTING_NUMBER,
    SETTING_CHOICE,
    SETTING_LANGUAGE, // a choice among the languages of the model
    SETTING_LENGTH,
    SETTING_TEXT
};

/* The results that a setting affects. */
enum setting_reach {
    REACH_NOTHING,  // no results: only speed, or the program around them
    REACH_BATCH,    // results on a GPU, in their last digits
    REACH_STATE,    // results of the search: the setting belongs to a state (session.h)
    REACH_VIEWS,    // what views of the current sentence show
    REACH_SCORES,   // scores, from the same translations
    REACH_TESTS,    // tests of scores
    REACH_STUDY,    // which scores are shown, and in which groups
    REACH_PICTURES, // how figures and exported files look
};

struct setting {
    const char *name;
    enum setting_type type;
    size_t offset; // of the int, double or char[SETTING_TEXT_BYTES] in struct settings
    enum setting_reach reach;
    double least, most;         // of numbers, and of lengths in mm; a length of 0 is "natural"
    const char *const *choices; // of SETTING_CHOICE, NULL at the end; the value is the index
    const char *help;
    const char *expects; // for SETTING_TEXT and SETTING_LANGUAGE: the accepted values, for the help
    bool (*check)(const char *text,
                  struct status *status); // for SETTING_TEXT and SETTING_CHOICE; NULL: accepts any
    void (*changed)(
        struct settings *settings); // sets other settings that depend on this one; NULL: none
};

extern const struct setting setting_table[];
extern const int setting_count;

/* Finds a setting by its name or a unique prefix of it. NULL: unknown or ambiguous. */
const struct setting *setting_find(const char *name, struct status *status);

/* Reads `text` as a value of the setting. */
bool setting_parse(const struct setting *setting, const char *text, struct settings *settings,
                   struct status *status);

/* The names to choose from, NULL at the end; NULL: the setting is not a choice. */
const char *const *setting_choices(const struct setting *setting, const struct settings *settings);

/* The value as a number (any type except SETTING_TEXT), as the name of a choice (SETTING_CHOICE,
 * SETTING_LANGUAGE), or as text (these and SETTING_TEXT). */
double setting_number(const struct setting *setting, const struct settings *settings);
const char *setting_text(const struct setting *setting, const struct settings *settings);
bool setting_is_text(const struct setting *setting); // true if setting_text applies

/* Writes the value so that setting_parse can read it: `exact` to the last bit, otherwise rounded
 * for display. */
void setting_write(const struct setting *setting, const struct settings *settings, bool exact,
                   FILE *stream);

/* Copies the value from `from` to `to`, but not settings that depend on it. */
void setting_copy(const struct setting *setting, const struct settings *from, struct settings *to);

bool setting_equal(const struct setting *setting, const struct settings *a,
                   const struct settings *b);

/* Writes the range of values: "1 to 5", "none, average, wu". */
void setting_write_range(const struct setting *setting, FILE *stream);

/* True if the setting belongs to a state, concerns views, or scores and their tests. */
static inline bool setting_of_state(const struct setting *setting)
{
    return setting->reach == REACH_STATE;
}
static inline bool setting_of_views(const struct setting *setting)
{
    return setting->reach == REACH_VIEWS;
}
static inline bool setting_of_study(const struct setting *setting)
{
    return setting->reach >= REACH_SCORES && setting->reach <= REACH_STUDY;
}

#define FIGURE_FONT "DejaVu Sans 8"
#define FIGURE_TITLE_AUTO "auto" // figure.title: the title of the view
#define FIGURE_TITLE_NONE "none"

/* Returns the size in pt at the end of a font, "FAMILY [SIZE]"; 0: none. *family_bytes: the length
 * of FAMILY in bytes. */
double figure_font_size(const char *font, size_t *family_bytes);

#endif
