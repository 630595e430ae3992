#include "measure/measure.h"

#include <string.h>

#define BOTH {true, true}
#define PLANE {true, false}
#define SPACE {false, true}
#define ONE {1, 1}

const CrdMeasureRecord crd_measures[CRD_MEASURES] = {
    [CRD_X] = {"x", CRD_OF_BODY, BOTH, ONE, .in_laws = true},
    [CRD_Y] = {"y", CRD_OF_BODY, BOTH, ONE, .in_laws = true},
    [CRD_Z] = {"z", CRD_OF_BODY, SPACE, ONE, .in_laws = true},
    [CRD_VX] = {"vx", CRD_OF_BODY, BOTH, ONE, .in_laws = true},
    [CRD_VY] = {"vy", CRD_OF_BODY, BOTH, ONE, .in_laws = true},
    [CRD_VZ] = {"vz", CRD_OF_BODY, SPACE, ONE, .in_laws = true},
    [CRD_WX] = {"wx", CRD_OF_BODY, SPACE, ONE, .orientation = true, .in_laws = true},
    [CRD_WY] = {"wy", CRD_OF_BODY, SPACE, ONE, .orientation = true, .in_laws = true},
    [CRD_WZ] = {"wz", CRD_OF_BODY, SPACE, ONE, .orientation = true, .in_laws = true},
    [CRD_BODY_ANGLE] = {"angle", CRD_OF_BODY, PLANE, ONE, .orientation = true, .in_laws = true},
    [CRD_SPIN] = {"spin", CRD_OF_BODY, PLANE, ONE, .orientation = true, .in_laws = true},
    [CRD_ANGLE] = {"angle", CRD_OF_JOINT, BOTH, ONE, .coordinate = CARDAN_ANGLE, .in_laws = true},
    [CRD_RATE] = {"rate", CRD_OF_JOINT, BOTH, ONE, .coordinate = CARDAN_ANGLE, .in_laws = true},
    [CRD_DISPLACEMENT] = {"displacement", CRD_OF_JOINT, BOTH, ONE, .coordinate = CARDAN_DISPLACEMENT, .in_laws = true},
    [CRD_SPEED] = {"speed", CRD_OF_JOINT, BOTH, ONE, .coordinate = CARDAN_DISPLACEMENT, .in_laws = true},
    [CRD_LENGTH] = {"length", CRD_OF_JOINT, BOTH, ONE, .coordinate = CARDAN_LENGTH, .in_laws = true},
    [CRD_REACTION] = {"reaction", CRD_OF_JOINT, BOTH, {3, 6},
                      .part = {{"fx", "fy", "m"}, {"fx", "fy", "fz", "mx", "my", "mz"}}},
    [CRD_REACTION_LOCAL] = {"reaction_local", CRD_OF_JOINT, BOTH, {3, 6},
                            .part = {{"fx", "fy", "m"}, {"fx", "fy", "fz", "mx", "my", "mz"}}},
    [CRD_EFFORT] = {"effort", CRD_OF_JOINT, BOTH, ONE, .effort = true},
    [CRD_POWER] = {"power", CRD_OF_JOINT, BOTH, ONE, .power = true},
    [CRD_SPRING_LENGTH] = {"length", CRD_OF_SPRING, BOTH, ONE, .in_laws = true},
    [CRD_ENERGY] = {"energy", CRD_OF_MODEL, BOTH, {3, 3},
                    .part = {{"kinetic", "potential", "total"}, {"kinetic", "potential", "total"}}},
    [CRD_RESIDUAL] = {"residual", CRD_OF_MODEL, BOTH, {2, 2},
                      .part = {{"position", "velocity"}, {"position", "velocity"}}},
    [CRD_STEP] = {"step", CRD_OF_MODEL, BOTH, ONE, .in_laws = false},
    [CRD_CONDITION] = {"condition", CRD_OF_MODEL, BOTH, ONE, .in_laws = false},
};

int crd_measure_find(const char *name, size_t length, CrdMeasureOf of, CardanSpace space) {
    for (int i = 0; i < CRD_MEASURES; i++) {
        const CrdMeasureRecord *m = &crd_measures[i];
        if (m->of == of && m->space[space] && strlen(m->name) == length && memcmp(m->name, name, length) == 0) return i;
    }
    return -1;
}

double crd_measure_body(CrdMeasure measure, const CardanFrame *f) {
    switch (measure) {
    case CRD_X: return f->x.x;
    case CRD_Y: return f->x.y;
    case CRD_Z: return f->x.z;
    case CRD_VX: return f->v.x;
    case CRD_VY: return f->v.y;
    case CRD_VZ: return f->v.z;
    case CRD_WX: return crd_apply(f->rotation, f->w).x;
    case CRD_WY: return crd_apply(f->rotation, f->w).y;
    case CRD_WZ: return crd_apply(f->rotation, f->w).z;
    case CRD_BODY_ANGLE: return f->angle;
    case CRD_SPIN: return f->w.z;
    default: return 0.0;
    }
}

double crd_measure_body_change(CrdMeasure measure, const CardanFrame *f, const CrdChange *d) {
    CrdVec spin = crd_apply(f->rotation, crd_add(crd_cross(d->turn, f->w), d->w)); /* of R w */
    switch (measure) {
    case CRD_X: return d->x.x;
    case CRD_Y: return d->x.y;
    case CRD_Z: return d->x.z;
    case CRD_VX: return d->v.x;
    case CRD_VY: return d->v.y;
    case CRD_VZ: return d->v.z;
    case CRD_WX: return spin.x;
    case CRD_WY: return spin.y;
    case CRD_WZ: return spin.z;
    case CRD_BODY_ANGLE: return d->turn.z;
    case CRD_SPIN: return d->w.z;
    default: return 0.0;
    }
}

double crd_measure_joint(CrdMeasure measure, const CrdCoordinate *coordinate) {
    return measure == CRD_RATE || measure == CRD_SPEED ? coordinate->rate : coordinate->value;
}
