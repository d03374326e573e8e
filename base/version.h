/* The version of attnscope, which signatures of scores name too. */
#ifndef ATTNSCOPE_VERSION_H
#define ATTNSCOPE_VERSION_H

#define ATTNSCOPE_VERSION "0.1.0"

#endif
