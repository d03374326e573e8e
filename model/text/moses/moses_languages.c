/* Abbreviations are short lists of our own with those of ordinary text. Letters and numbers follow
 * rules. Words with a period inside ("z.B.", "U.S.") keep their last one without being listed. */
#include <stddef.h>
#include <string.h>

#include "model/text/moses/moses_classes.h"
#include "model/text/utf8.h"

static const char *const english[] = {
    "Mr",   "Mrs", "Ms",   "Messrs", "Mme",   "Mlle", "MR",   "MRS",  "MS",  "Dr",   "DR",   "Drs",
    "Prof", "Rev", "rev",  "Hon",    "Sr",    "St",   "Sen",  "Sens", "Rep", "Reps", "Gov",  "Gen",
    "Col",  "Maj", "Capt", "Cmdr",   "Lt",    "Sgt",  "Cpl",  "Pvt",  "Adm", "Brig", "Insp", "Supt",
    "Msgr", "Rt",  "Asst", "Bros",   "Corp",  "Bldg", "Hosp", "Ph",   "Op",  "Con",  "Res",  "v",
    "vs",   "Nos", "Nr",   "Rs",     "Jan",   "Feb",  "Mar",  "Apr",  "Jun", "Jul",  "Aug",  "Sep",
    "Oct",  "Nov", "Dec",  "No #",   "Art #", "pp #", NULL};

static const char *const german[] = {
    "Dr",    "Prof", "Mr",  "Mrs", "Ms",  "Hr",   "St",  "Sr",     "Gen",  "Col", "Corp", "Ltd",
    "Co",    "a",    "bzw", "usw", "usf", "etc",  "vgl", "ggf",    "evtl", "ca",  "Ca",   "sog",
    "sogen", "bzgl", "dgl", "Mio", "Mrd", "MwSt", "Std", "Nr",     "No",   "Nos", "Art",  "pp",
    "ff",    "jun",  "sen", "Chr", "v",   "vs",   "SA",  "Buchst", "zzt",  NULL};

static const char *const french[] = {"art", "av",   "apr",  "cf",   "ch",  "coll", "dir",  "env",
                                     "etc", "ex",   "fig",  "hab",  "ill", "lib",  "nb",   "obs",
                                     "p",   "pl",   "Prof", "qqch", "réf", "sté",  "tél",  "vol",
                                     "Mme", "Mlle", "Mgr",  "St",   "Ste", "janv", "févr", NULL};

static const char *const italian[] = {"Dott", "Dr",  "Prof", "Sig", "Sigg", "Avv", "Arch",
                                      "Geom", "Ing", "On",   "Rag", "Rev",  "Egr", "Gen",
                                      "Col",  "Cap", "S",    "art", "ecc",  "p",   "pag",
                                      "tel",  "v",   "vs",   "Nr",  "No #", NULL};

static const char *const spanish[] = {"Sr",  "Sra", "Srta", "Dr",    "Dra",  "Prof", "Lic",
                                      "Av",  "Sto", "Sta",  "Excmo", "Gral", "Ud",   "Uds",
                                      "pág", "etc", "vol",  "art",   "vs",   "tel",  NULL};

static const char *const dutch[] = {"dr",   "drs", "ds",  "dhr", "mevr", "mr",  "ing", "ir",
                                    "prof", "Mw",  "jhr", "gen", "kol",  "maj", "bv",  "nr",
                                    "vs",   "blz", "enz", "St",  "No",   NULL};

static const char *const russian[] = {"г",  "гг",  "стр",  "руб", "коп", "тыс", "млн", "млрд", "ул",
                                      "им", "рис", "табл", "см",  "др",  "пр",  "с",   NULL};

static const char *const czech[] = {"Dr",   "Ing",  "Mgr",  "Bc",   "MUDr", "JUDr", "PhDr", "RNDr",
                                    "prof", "doc",  "tzv",  "např", "str",  "hl",   "atd",  "apod",
                                    "tj",   "resp", "popř", "č",    "r",    "st",   NULL};

static const char *const none[] = {NULL};

static const struct moses_language languages[] = {
    {.code = "en",
     .apostrophes = APOSTROPHES_ENGLISH,
     .joins_contractions = true,
     .abbreviations = english},
    {.code = "de", .small_initials = true, .ordinals = true, .abbreviations = german},
    {.code = "fr",
     .apostrophes = APOSTROPHES_ROMANCE,
     .joins_elisions = true,
     .spaces_punctuation = true,
     .small_initials = true,
     .abbreviations = french},
    {.code = "it",
     .apostrophes = APOSTROPHES_ROMANCE,
     .joins_elisions = true,
     .abbreviations = italian},
    {.code = "ga", .joins_elisions = true, .abbreviations = english},
    {.code = "es", .abbreviations = spanish},
    {.code = "nl", .abbreviations = dutch},
    {.code = "ru", .abbreviations = russian},
    {.code = "cs", .czech_quotes = true, .abbreviations = czech},
    {.code = "zh", .han = true, .abbreviations = none},
    {.code = "ja", .han = true, .kana = true, .abbreviations = english},
    {.code = "ko", .hangul = true, .spaces_ideographs = true, .abbreviations = english},
    {.code = NULL, .abbreviations = english},
};

const struct moses_language *moses_language(const char *code)
{
    const struct moses_language *language = languages;
    if (!code)
        return language;
    while (language->code && strcmp(language->code, code) != 0)
        language++;
    return language;
}

/* True for a single letter; "a" is a word. */
static bool initial(const struct moses_language *language, const char *word)
{
    size_t length;
    if (*word == '\0')
        return false;
    uint32_t letter = utf8_decode(word, &length);
    bool capital = (letter >= 'A' && letter <= 'Z') || (letter >= 0x410 && letter <= 0x42F);
    bool small = letter >= 'b' && letter <= 'z';
    return word[length] == '\0' && (capital || (small && language->small_initials));
}

/* True for ordinals, as German writes days, centuries, kings. */
static bool ordinal(const char *word)
{
    size_t length = strlen(word), digits = strspn(word, "0123456789");
    if (digits == length)
        return length > 0 && length <= 2 && *word != '0';
    return strspn(word, "IVX") == length || strspn(word, "ivx") == length;
}

enum moses_abbreviation moses_abbreviation(const struct moses_language *language, const char *word)
{
    static const char before_numbers[] = " #";
    size_t length = strlen(word);
    if (initial(language, word) || (language->ordinals && ordinal(word)))
        return ABBREVIATION_ALWAYS;
    for (const char *const *known = language->abbreviations; *known; known++) {
        if (strncmp(*known, word, length) != 0)
            continue;
        if ((*known)[length] == '\0')
            return ABBREVIATION_ALWAYS;
        if (strcmp(*known + length, before_numbers) == 0)
            return ABBREVIATION_BEFORE_NUMBERS;
    }
    return ABBREVIATION_NONE;
}
