/* The marks by which pieces of toolkits say where words begin. */
#ifndef ATTNSCOPE_MARKS_H
#define ATTNSCOPE_MARKS_H

/* A blank, at the beginning of a word: SentencePiece's, and GPT-2's (byte_level.h). */
#define BLANK_MARK "\u2581"
#define BYTE_LEVEL_BLANK "\u0120"
/* At the end of a piece that the next one continues: subword-nmt's. */
#define CONTINUED "@@"
/* At the end of the last piece of a word: of fastBPE's merges and of GPT's first vocabulary. */
#define END_OF_WORD "</w>"
/* The joiner of OpenNMT's Tokenizer: a piece that has it at its beginning or end belongs to its
 * neighbour there. */
#define JOINER "\uFFED"

#endif
