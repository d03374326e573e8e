/* Languages and character classes of the Moses tokeniser and detokeniser. Pure functions. The
 * classes are those of sacremoses, whose lists are from an older Perl, without Han and Hangul; here
 * they are rules over Unicode's categories. Both agree on everything that either version of Unicode
 * calls a letter. */
#ifndef ATTNSCOPE_MOSES_CLASSES_H
#define ATTNSCOPE_MOSES_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

enum apostrophes {
    APOSTROPHES_ALONE,   // every ' is a token
    APOSTROPHES_ENGLISH, // isn 't
    APOSTROPHES_ROMANCE  // l' homme
};

struct moses_language {
    const char *code;
    enum apostrophes apostrophes;
    bool joins_contractions;          // detokenising: "isn" "'t" is "isn't"
    bool joins_elisions;              // "l'" "homme" is "l'homme"
    bool spaces_punctuation;          // French: a blank before ? ! : ; %
    bool spaces_ideographs;           // Korean: blanks around words of Hangul
    bool czech_quotes;                // „ always opens, “ always closes
    bool han, kana, hangul;           // letters of the language
    bool small_initials;              // "p." is an abbreviation like "P."
    bool ordinals;                    // "3." is a number
    const char *const *abbreviations; // that keep their period; NULL at the end. "No #": only
                                      // before numbers
};

/* The rules of an ISO 639-1 code; NULL is English. An unknown language has English abbreviations
 * and separate apostrophes. */
const struct moses_language *moses_language(const char *code);

enum moses_abbreviation { ABBREVIATION_NONE, ABBREVIATION_ALWAYS, ABBREVIATION_BEFORE_NUMBERS };

/* True if `word`, which precedes a period, is an abbreviation. */
enum moses_abbreviation moses_abbreviation(const struct moses_language *language, const char *word);

bool moses_blank(uint32_t character);
bool moses_number(uint32_t character);
bool moses_lower(uint32_t character);
bool moses_alpha(const struct moses_language *language, uint32_t character);
bool moses_alnum(const struct moses_language *language, uint32_t character);
bool moses_currency(uint32_t character);
bool moses_ideograph(uint32_t character);

#endif
