/* "did you mean": the optimal string alignment distance (insertions, deletions, replacements, swaps of neighbours). */
#include "command.h"

#include <string.h>

enum { LONGEST = 40 }; /* characters; longer words get no suggestion */

static int least(int a, int b) {
    return a < b ? a : b;
}

static int distance_between(const char *a, int na, const char *b, int nb) {
    int d[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= na; i++) d[i][0] = i;
    for (int j = 0; j <= nb; j++) d[0][j] = j;
    for (int i = 1; i <= na; i++) {
        for (int j = 1; j <= nb; j++) {
            int cost = a[i - 1] != b[j - 1];
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + cost);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[na][nb];
}

void suggest_consider(const char *word, const char *candidate, const char **best, int *distance) {
    size_t na = strlen(word), nb = strlen(candidate);
    if (na == 0 || na > LONGEST || nb > LONGEST) return;
    int apart = distance_between(word, (int)na, candidate, (int)nb);
    int allowed = 1 + (int)nb / 4; /* one slip, and one more for every four letters */
    bool begun = na >= 2 && strncmp(word, candidate, na) == 0;
    if (begun) apart = least(apart, allowed);
    if (apart > allowed || (*best != NULL && apart >= *distance)) return;
    *best = candidate;
    *distance = apart;
}
