/* The name that was most likely meant by one that is unknown. */
#ifndef ATTNSCOPE_NEAREST_H
#define ATTNSCOPE_NEAREST_H

/* The best candidate so far. Begin with {.typed = the unknown name}, call nearest_try for every
 * name there is; `name` is then the one that was most likely meant, of several the first, NULL if
 * none is near enough. Texts are borrowed. */
struct nearest {
    const char *typed;
    const char *name;
    int distance;
};

/* Near enough: at most a third of the letters typed, and never more than two, are wrong, missing,
 * superfluous, or swapped with their neighbours (the distance of Damerau and Levenshtein, where no
 * letter is edited twice). */
void nearest_try(struct nearest *nearest, const char *name);

#endif
