/* Definitions as they begin: nothing given, and the mark by which the builder knows that they began here. */
#include "cardan/builder.h"
#include "core/cookie.h"

CardanBodyDef cardan_default_body(void) {
    return (CardanBodyDef){.internal = CRD_COOKIE};
}

CardanBlockDef cardan_default_block(void) {
    return (CardanBlockDef){.internal = CRD_COOKIE};
}

CardanJointDef cardan_default_joint(CardanJointType type) {
    return (CardanJointDef){.internal = CRD_COOKIE, .type = type};
}

CardanRowsDef cardan_default_rows(void) {
    return (CardanRowsDef){.internal = CRD_COOKIE};
}

CardanForceDef cardan_default_force(CardanForceType type) {
    return (CardanForceDef){.internal = CRD_COOKIE, .type = type};
}

CardanFirstOrderDef cardan_default_first_order(void) {
    return (CardanFirstOrderDef){.internal = CRD_COOKIE};
}

CardanEventDef cardan_default_event(void) {
    return (CardanEventDef){.internal = CRD_COOKIE};
}

CardanInvariantDef cardan_default_invariant(void) {
    return (CardanInvariantDef){.internal = CRD_COOKIE};
}
