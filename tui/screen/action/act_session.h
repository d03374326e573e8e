/* Actions on the session as a whole: the prompt, search, help, leaving. */
#ifndef ATTNSCOPE_ACT_SESSION_H
#define ATTNSCOPE_ACT_SESSION_H

#include "tui/screen/action/act.h"

act act_prompt, act_command, act_export, act_search, act_search_again, act_help, act_refresh,
    act_quit;
/* Stops what runs; otherwise leaves what is shown for what it covers or was opened from. */
act act_back;

#endif
