/* The part above the view: the model, and the current sentence with its translation. */
#ifndef ATTNSCOPE_DRAW_SENTENCE_H
#define ATTNSCOPE_DRAW_SENTENCE_H

#include "tui/screen/state/state.h"

/* The model, and which heads are off. */
void draw_header(struct screen *screen, struct area area);
/* Source, translation and reference, in the places of the layout. */
void draw_sentence(struct screen *screen);

#endif
