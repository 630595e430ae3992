/* What cardan_default_...() puts into the first member, `internal`, of definitions and options. One that was not made
 * there, whose new members could hold anything, is told by its absence. */
#ifndef CRD_CORE_COOKIE_H
#define CRD_CORE_COOKIE_H

enum { CRD_COOKIE = 0x0ca2da02 };

#endif
