/* A model with its settings: everything that determines a translation, except its source. */
#ifndef ATTNSCOPE_STATE_H
#define ATTNSCOPE_STATE_H

#include "model/search/search.h"

struct state {
    struct model *model;
    struct head_settings *head_settings;
    struct search_options search;
};

#endif
