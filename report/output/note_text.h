#ifndef ATTNSCOPE_NOTE_TEXT_H
#define ATTNSCOPE_NOTE_TEXT_H

/* Text in figures, tables and comments: unchanged, or as a JSON string if it has characters to
 * escape (OUTLET_ESCAPED) or would be read as a JSON string. note_read reverses note_write. The
 * caller frees both results; NULL: out of memory. */
char *note_write(const char *text);
char *note_read(const char *written);

#endif
