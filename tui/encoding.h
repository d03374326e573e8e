/* Text is UTF-8 here, whatever the locale says; readline, ncurses and a pager learn it from the environment. */
#ifndef ATTNSCOPE_ENCODING_H
#define ATTNSCOPE_ENCODING_H

/* Before readline or ncurses is opened, and before there are threads; again does no harm. */
void encoding_choose(void);

#endif
