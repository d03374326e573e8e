/* Bytes on their way to the terminal, collected so that few writes are made. One thread sends. */
#ifndef ATTNSCOPE_SENT_H
#define ATTNSCOPE_SENT_H

#include <stddef.h>

void sent_add(const char *text, size_t bytes);
/* One byte, as tputs and vid_puts of terminfo give it; returns it. */
int sent_byte(int byte);

/* Writes to standard output what was added. What cannot be written is dropped. */
void sent_flush(void);

#endif
