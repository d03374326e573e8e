/* The version of attnscope, which also appears in score signatures. */
#ifndef ATTNSCOPE_VERSION_H
#define ATTNSCOPE_VERSION_H

#define ATTNSCOPE_VERSION "0.1.0"

#endif
