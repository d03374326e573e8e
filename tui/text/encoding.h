/* Text is always UTF-8, whatever the locale says. This tells readline, ncurses and the pager so,
 * through the environment. */
#ifndef ATTNSCOPE_ENCODING_H
#define ATTNSCOPE_ENCODING_H

/* Call before readline or ncurses is opened, and before threads are started. A second call does no
 * harm. */
void encoding_choose(void);

#endif
