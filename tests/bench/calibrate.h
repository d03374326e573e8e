/* What tells a slow machine from slow code: the same loop everywhere. */
#ifndef ATTNSCOPE_CALIBRATE_H
#define ATTNSCOPE_CALIBRATE_H

/* Prints what 2^26 dependent multiplications and additions through memory take, in processor
 * time. */
void calibrate_print(void);

#endif
