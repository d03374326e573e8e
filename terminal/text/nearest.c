#include "terminal/text/nearest.h"

#include <string.h>

enum { LONGEST = 40 }; // bytes of the names that are compared

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Returns the edit distance of texts no longer than LONGEST. Row i of the table holds the distances
 * of the first i bytes of `a` from the beginnings of `b`. */
static int distance_of(const char *a, const char *b)
{
    int table[LONGEST + 1][LONGEST + 1];
    int a_length = (int)strlen(a), b_length = (int)strlen(b);
    for (int i = 0; i <= a_length; i++)
        for (int j = 0; j <= b_length; j++) {
            if (!i || !j) {
                table[i][j] = i + j;
                continue;
            }
            int changed = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            table[i][j] = least(changed, least(table[i - 1][j], table[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
        }
    return table[a_length][b_length];
}

void nearest_try(struct nearest *nearest, const char *name)
{
    size_t length = strlen(nearest->typed);
    if (length > LONGEST || strlen(name) > LONGEST)
        return;
    int distance = distance_of(nearest->typed, name), most = least((int)length / 3, 2);
    if (distance > most || (nearest->name && distance >= nearest->distance))
        return;
    nearest->name = name;
    nearest->distance = distance;
}
