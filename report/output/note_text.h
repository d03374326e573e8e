#ifndef ATTNSCOPE_NOTE_TEXT_H
#define ATTNSCOPE_NOTE_TEXT_H

/* A text that is not JSON as figures, tables and comments hold it: itself, or a JSON string where
 * it has what may not pass (OUTLET_ESCAPED), or would be read as one. note_read takes that back.
 * Both are freed with free(); NULL: out of memory. */
char *note_write(const char *text);
char *note_read(const char *written);

#endif
