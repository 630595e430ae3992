/* Random trees of bodies with loops, of all joints and forces. */
#ifndef TESTS_PROPERTY_RANDOM_TREE_H
#define TESTS_PROPERTY_RANDOM_TREE_H

#include "property/recipe.h"

/* A joint that a tree can have. */
static inline void join_in_tree(Random *random, Recipe *p, int a, int b) {
    static const CardanJointType KINDS[] = {CARDAN_JOINT_REVOLUTE,  CARDAN_JOINT_PRISMATIC, CARDAN_JOINT_WELD,
                                            CARDAN_JOINT_SPHERICAL, CARDAN_JOINT_UNIVERSAL, CARDAN_JOINT_CYLINDRICAL,
                                            CARDAN_JOINT_SCREW,     CARDAN_JOINT_PLANAR};
    for (int first = p->joints;;) {
        p->joints = first;
        join(random, p, a, b);
        const CardanJointDef *def = &p->joint[first].def;
        for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++)
            if (def->type == KINDS[k] && !def->compliant) return;
    }
}

/* A random tree with loops of any joint. In two of three all bodies hang on the first, so that loops have a common
 * ancestor that moves. */
static inline CardanModel *random_tree(Random *random, CardanSpace space, bool rooted, CardanStartMode start,
                                       Recipe *p) {
    do *p = random_recipe(random, space);
    while (p->spoke_there);
    if (rooted) {
        p->joints = 0;
        for (int i = 0; i < p->bodies; i++) {
            p->body[i] = recipe_body(random, space, false, NULL);
            if (i > 0 || random_index(random, 2) == 0)
                join_in_tree(random, p, i > 0 ? 1 + random_index(random, i) : 0, i + 1);
        }
        add_forces(random, (p->forces = 0, p));
        add_drives(random, p);
    }
    for (int i = 0; i < 3; i++) {
        int a = random_index(random, p->bodies + 1), b = 1 + random_index(random, p->bodies);
        if (a != b && random_index(random, 3) > 0) join(random, p, a, b);
        if (a != b && random_index(random, 3) == 0) add_link(random, p, a, b);
    }
    p->start = start;
    return describe(p, 0, 0, false);
}

#endif
