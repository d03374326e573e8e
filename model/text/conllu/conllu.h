/* CoNLL-U: sentences with words, parts of speech and syntactic relations, one word per line
 * (https://universaldependencies.org/format.html); also reads the sentences of plain text files.
 *
 * Lines have ten columns separated by tabs: ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS,
 * MISC. A line that begins with # is a comment, a blank line ends a sentence. A range (3-4) is a
 * token of the text that comprises several words, an ID with a point (5.1) an empty node, which is
 * not a word. Words are numbered from 1 in each sentence. "_" means no value.
 */
#ifndef ATTNSCOPE_CONLLU_H
#define ATTNSCOPE_CONLLU_H

#include "model/text/lines.h"
#include "model/text/text.h"
#include "model/text/words/piece_words.h"

enum { CONLLU_NAME_MOST = 60 }; // bytes of a UPOS or DEPREL

struct conllu_word {
    const char *form;   // as in FORM, which in a range may differ from the text ("de" of "du")
    int upos, relation; // index into `tags`, `relations`; -1: not given
    int head;           // number of a word, from 1; 0: the root; -1: not given
    int begin,
        end; // bytes of the sentence's text; words of a range share its characters, if necessary by
             // length
    int line; // of the file
};

struct conllu_sentence {
    struct conllu_word *words; // (count)
    int count;
    char *forms; // the memory of the words' forms
};

/* The content of a CoNLL-U file, except the texts of its sentences. */
struct conllu {
    struct conllu_sentence *sentences; // (count); none: the file is plain text
    int count;
    size_t capacity;
    struct strings tags,
        relations; // the file's UPOS and DEPREL, each once, in order of first use
};

/* Reads the sentences of a file. It is CoNLL-U if its first line that is not a comment begins like
 * a word's, with an ID and at least five columns, or if a comment before it is "# text = …" or
 * "# sent_id = …"; otherwise each line is a sentence. The text of a sentence is that of its
 * comment, which the words must spell except for blanks; without a comment it is the forms, with a
 * blank after each that lacks SpaceAfter=No. `conllu`: receives the words; the caller calls
 * conllu_free, also after a failure; NULL: checks and drops them. Messages begin with path and
 * line: "pos.conllu:17: 9 columns, expected the 10 of CoNLL-U, separated by tabs". On failure
 * `lines` is empty. */
bool sentences_read(const char *path, const struct watch *watch, struct lines *lines,
                    struct conllu *conllu, struct status *status);
void conllu_free(struct conllu *conllu); // leaves it empty

/* The words of a sentence in its text, which is borrowed. The caller frees the ranges; after a
 * failure there are none. */
bool conllu_words(const struct conllu_sentence *sentence, const char *text, struct text_words *out,
                  struct status *status);

/* *is_conllu: true if a file is CoNLL-U, by its beginning; errors show when it is read. */
bool conllu_recognise(const char *path, const struct watch *watch, bool *is_conllu,
                      struct status *status);

/* Checks that a file already read has words; the message says that `what` needs a CoNLL-U file. */
bool conllu_check(const char *path, const char *what, const struct conllu *conllu,
                  struct status *status);

#endif
