/* Finds the name most likely meant by an unknown one. */
#ifndef ATTNSCOPE_NEAREST_H
#define ATTNSCOPE_NEAREST_H

/* The best candidate so far. Begin with {.typed = the unknown name} and call nearest_try for every
 * known name; `name` is then the nearest one (the first of several), or NULL if none is near
 * enough. Texts are borrowed. */
struct nearest {
    const char *typed;
    const char *name;
    int distance;
};

/* Near enough: at most a third of the letters typed, and never more than two, are wrong, missing,
 * superfluous, or swapped with their neighbours (the Damerau-Levenshtein distance, with no letter
 * edited twice). */
void nearest_try(struct nearest *nearest, const char *name);

#endif
