/* A picture of a report (`:show`) below what was printed, where results are lines. */
#ifndef ATTNSCOPE_SHOW_PICTURE_H
#define ATTNSCOPE_SHOW_PICTURE_H

#include "tui/output/sink.h"

/* Whether the sink can show the report's picture, if it has one. */
bool picture_possible(const struct sink *sink, const struct report *report, struct status *status);

/* Asks the terminal and writes the picture; nothing where there is none. */
bool show_picture(const struct report *report, struct status *status);

#endif
