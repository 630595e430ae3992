/* How much of a long scan is worth its time. Sanitizers look at how memory is used and at what is undefined, and a part
 * of the cases of a scan shows that as all of them do; what the numbers are the release build tests, with all. */
#ifndef TESTS_SUPPORT_SAMPLE_H
#define TESTS_SUPPORT_SAMPLE_H

#if defined(__has_feature)
#define SAMPLE_FEATURE(x) __has_feature(x)
#else
#define SAMPLE_FEATURE(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || SAMPLE_FEATURE(address_sanitizer) ||              \
    SAMPLE_FEATURE(thread_sanitizer)
enum { SAMPLE_IS_PART = 1 };
#else
enum { SAMPLE_IS_PART = 0 };
#endif

/* A number of cases: all of them, or under a sanitizer this part. */
static inline int sample_of(int all, int part) {
    return SAMPLE_IS_PART ? all / part : all;
}

/* Is case i one of those that are looked at? Under a sanitizer each n-th is. */
static inline int sample_has(int i, int n) {
    return !SAMPLE_IS_PART || i % n == 0;
}

/* The same of files, which folders list in any order: about each n-th, the same ones everywhere. */
static inline int sample_has_name(const char *name, int n) {
    int sum = 0;
    for (; *name != '\0'; name++) sum += (unsigned char)*name;
    return sample_has(sum, n);
}

#endif
