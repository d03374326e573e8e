/* What a line entered at a prompt was meant as, where that is likely not the sentence that it says:
 * keys of the view, a command behind them, a word that leaves other programs.
 *
 * Pure functions. Only lines that somebody types are asked about, never those of files. A blank in
 * front makes a line a sentence whatever it says.
 */
#ifndef ATTNSCOPE_MEANT_H
#define ATTNSCOPE_MEANT_H

#include <stdbool.h>

enum meant {
    MEANT_AS_TYPED,
    MEANT_QUIT,   // "quit", "exit", "ZZ", "ZQ"
    MEANT_HELP,   // "help", "?"
    MEANT_REST,   // "o:attn cross 2.7", "i私は": keys or text, then a command or a sentence
    MEANT_KEYS,   // "o", "vq", "8d": keys of the view
    MEANT_COMMAND // "open samples/sentences.en": a command without its colon
};

/* `keys`: there is a view that has keys. *line_of: what was meant by MEANT_REST and MEANT_COMMAND,
 * which the caller frees; else NULL. Several lines, as many as were pasted, are as typed, and so is
 * any line where memory is short. */
enum meant line_meant(const char *line, bool keys, char **line_of);

#endif
