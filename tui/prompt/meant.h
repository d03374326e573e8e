/* Guesses what a line entered at a prompt was meant as, if probably not as a sentence: keys of the
 * view, a command after keys, a word that quits other programs.
 *
 * Pure functions. Only for typed lines, never for lines of files. One leading blank makes any line
 * a sentence.
 */
#ifndef ATTNSCOPE_MEANT_H
#define ATTNSCOPE_MEANT_H

#include <stdbool.h>

enum meant {
    MEANT_AS_TYPED,
    MEANT_QUIT,   // "quit", "exit", "ZZ", "ZQ"
    MEANT_HELP,   // "help", "?"
    MEANT_REST,   // "o:attn cross 2.7", "i私は": keys or text, then a command or a sentence; or
                  // commands that are indented, as in documents
    MEANT_KEYS,   // "o", "vq", "8d": keys of the view
    MEANT_COMMAND // "open samples/sentences.en": a command without its colon
};

/* `keys`: there is a view with keys. *line_of: for MEANT_REST and MEANT_COMMAND the line meant,
 * which the caller frees; else NULL. Several pasted lines are MEANT_AS_TYPED, unless they
 * are indented commands; so is any line if out of memory. */
enum meant line_meant(const char *line, bool keys, char **line_of);

#endif
