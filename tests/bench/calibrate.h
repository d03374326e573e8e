/* Tells a slow machine from slow code: times the same loop everywhere. */
#ifndef ATTNSCOPE_CALIBRATE_H
#define ATTNSCOPE_CALIBRATE_H

/* Prints the processor time of 2^26 dependent multiplications and additions through memory. */
void calibrate_print(void);

#endif
