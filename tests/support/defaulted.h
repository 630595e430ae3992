/* Definitions as one initialiser: (CardanBodyDef){DEFAULTED, .name = "rod", ...} is what cardan_default_body() gives
 * with members set. Tests have many of them; programs call the function. */
#ifndef TESTS_SUPPORT_DEFAULTED_H
#define TESTS_SUPPORT_DEFAULTED_H

#include "core/cookie.h"

#define DEFAULTED .internal = CRD_COOKIE

#endif
