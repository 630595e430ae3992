/* How many rows are looked at densely, and what Lanczos does with more. */
#ifndef CRD_SLOW_FREQUENCIES_H
#define CRD_SLOW_FREQUENCIES_H

struct CrdSlow;
struct CrdFast;

/* Rows up to which all frequencies are computed: 300 solves and a dense eigenproblem of 300 take some 20 ms. */
enum { CRD_SLOW_DENSE = 300 };

/* Steps of Lanczos beyond: both ends of a chain of 1000 links to 1 percent. */
enum { CRD_SLOW_LANCZOS = 60 };

/* Room of the dense eigenproblem. */
#define CRD_SLOW_DENSE_WORK(n) (36 * (n))

#endif
