/* The marks in toolkits' pieces that show where words begin. */
#ifndef ATTNSCOPE_MARKS_H
#define ATTNSCOPE_MARKS_H

/* A blank at the beginning of a word: SentencePiece's and GPT-2's (byte_level.h). */
#define BLANK_MARK "\u2581"
#define BYTE_LEVEL_BLANK "\u0120"
/* At the end of a piece that the next one continues: subword-nmt. */
#define CONTINUED "@@"
/* At the end of a word's last piece: fastBPE's merges and GPT's first vocabulary. */
#define END_OF_WORD "</w>"
/* The joiner of OpenNMT's Tokenizer: a piece that begins or ends with it is joined to its neighbour
 * there. */
#define JOINER "\uFFED"

#endif
