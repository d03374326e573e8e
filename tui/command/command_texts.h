/* Texts of `:help COMMAND` that are too long for the table of commands (command_table.c). */
#ifndef ATTNSCOPE_COMMAND_TEXTS_H
#define ATTNSCOPE_COMMAND_TEXTS_H

#include "tui/session/selector.h"

#define ALIGN_HELP                                                                                 \
    SELECTOR_HELP                                                                                  \
    "The attention is cross-attention. For the current sentence, parts that are left out keep\n"   \
    "their last value, if the last view was of one head there. Otherwise the head is shown that\n" \
    "the model was trained to align with (guided alignment), if it names one, or the mean of "     \
    "its\n"                                                                                        \
    "layer, if it names several. Without such heads, the mean over the heads of one layer is\n"    \
    "shown: of the last but one, or of the last of two. Layers with DHICM are passed over: a\n"    \
    "mean does not weight heads as they do.\n"                                                     \
    "A token of the translation is shown with the weights that it was predicted with,\n"           \
    "whatever cross_rows is. Beside it stand the source token with the greatest weight and\n"      \
    "up to two more with at least half of that weight.\n"                                          \
    "word: show words instead of tokens. The columns of a word's tokens are summed, their\n"       \
    "rows averaged.\n"                                                                             \
    "Figures show two rows of tokens joined by curves: the greater the weight, the\n"              \
    "thicker the curve. Weights below 0.05 are not drawn.\n"                                       \
    "SRC TGT: align the words of a file with those of its translation. Words are what blanks\n"    \
    "separate; in text without blanks, such as Japanese, each token is one. Each word of TGT is\n" \
    "linked to the word of SRC that it attends to most; end-of-sentence and other special\n"       \
    "tokens are left out. Text is one line of links a sentence, as Pharaoh writes them: 2-0\n"     \
    "links word 2 of SRC to word 0 of TGT. On the screen Enter opens a sentence.\n"                \
    "GOLD: alignments made by hand, as Pharaoh writes them (3-4 is sure, 3?4 or 3p4 possible,\n"   \
    "words from 0, or with from 1 behind the file from 1), or as in the shared task of NAACL\n"    \
    "2003 (sentence, source word, target word, S or P, from 1). Every selected head, and the\n"    \
    "mean of every layer, is then scored by alignment error rate, precision and recall (Och\n"     \
    "and Ney 2003), and the best one aligns. It is chosen on the sentences that it is scored\n"    \
    "on: take others to report its error rate.\n"                                                  \
    "shifted: align with the row in which the decoder reads a token, one step after the row\n"     \
    "that predicts it (Garg et al. 2019; Chen et al. 2020). With GOLD both are tried, unless\n"    \
    "layer and head are given.\n"                                                                  \
    "by layer,head: list all heads, the best first; figures show their error rates.\n"             \
    "as METHOD: link each word of TGT to the word of SRC that the method gives most (:help\n"      \
    "methods), in exports too. norms are of heads; the other methods have one matrix a layer.\n"   \
    "Which layer aligns best depends on the model: often the last but one of a deep decoder\n"     \
    "(Garg et al. 2019), in OPUS-MT and other families one of the first two, in most samples\n"    \
    "the second of two. In the samples, contributions align with fewer errors than\n"              \
    "weights, except in en-de-dhicm.\n"                                                            \
    "Exports: .pharaoh; .marian and .nematus have the weights of all tokens, as these toolkits\n"  \
    "write soft alignments; in .nematus the token ||| is &#124;&#124;&#124;."

#define MERGE_HELP                                                                                 \
    "PATH is the file of a part, or a folder of such files. A large study can be computed\n"       \
    "in parts, by several processes or machines.\n"                                                \
    "attnscope --shard K/N --parts FOLDER MODEL -f SCRIPT computes part K of N of every\n"         \
    "study in SCRIPT and writes it to FOLDER/K-of-N.part. It prints which sentences are\n"         \
    "done, but no results, and exports write nothing. After a stop, the same command\n"            \
    "continues after what the file has. Two processes cannot work on one part at once.\n"          \
    "attnscope --merge FOLDER MODEL -f SCRIPT then prints what one run of SCRIPT prints,\n"        \
    "to the last digit, with its tests of significance, and writes its exports. It fails\n"        \
    "if a part is missing or not finished.\n"                                                      \
    ":merge does the same as --merge, within a session.\n"                                         \
    "Each result is stored under a digest of the model's files, its head settings, the\n"          \
    "settings of the search and the texts, so that a result of anything else is never\n"           \
    "used. Damaged lines are named and computed again. All parts must be computed on the\n"        \
    "same kind of device.\n"                                                                       \
    ":prune and :flips need all sentences, so they run in the merge."
#endif
