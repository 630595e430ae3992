/* Models whose laws read all that laws may read: what other forces do, momenta, orientations, compliant joints, shifts.
 */
#ifndef TESTS_PROPERTY_READING_LAWS_H
#define TESTS_PROPERTY_READING_LAWS_H

static const char READING_IN_SPACE[] =
    "cardan: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  arm: {mass: 1, inertia: [0.05, 0.2, 0.2], position: [0.5, 0, 0]}\n"
    "  bob: {mass: 2, inertia: [0.05, 0.1, 0.12], position: [1.5, 0, 0], body_rates: [0.3, 0.1, -0.4]}\n"
    "  plate: {mass: 1.5, inertia: [0.1, 0.1, 0.2], position: [0.4, 0.3, -0.8]}\n"
    "  bead: {mass: 0.7, particle: true, position: [0, 1, 0.5]}\n"
    "markers:\n  foot: {body: arm, point: [0.3, 0.1, 0], rpy: [0.2, 0.1, 0.4]}\n"
    "joints:\n  ball: {type: spherical, bodies: [ground, arm], point: [0, 0, 0]}\n"
    "  soft: {type: weld, bodies: [arm, bob], point: [1, 0, 0], compliant: {stiffness: [300, 20], damping: [3, 0.4]}}\n"
    "  face: {type: planar, bodies: [ground, plate], point: [0.4, 0.3, -0.8], axis: [0.1, 0.2, 1]}\n"
    "  wire: {type: point_on_line, bodies: [plate, bead], point: [0, 1, 0.5], axis: [1, 1, 0]}\n"
    "forces:\n"
    "  spring: {type: spring, bodies: [bob, plate], points: [[0.1, 0, 0], [0, 0.1, 0]], stiffness: 20, damping: 0.8,\n"
    "           length: 0.5, law: \"2*x^3 + 0.1*bead.vx\"}\n"
    "  rubber: {type: bushing, bodies: [plate, bob], point: [1, 0.2, -0.3], stiffness: [9, 8, 7, 2, 3, 1],\n"
    "           damping: [1, 1, 1, 0.2, 0, 0]}\n"
    "  one: {type: force, body: arm, value: [\"0.1*spring.power + bob.qw\", \"0.2*spring.energy - foot.qx\",\n"
    "        \"0.3*spring.wrench.fy + 0.1*spring.wrench.bob.mx - 0.2*spring.force\"]}\n"
    "  two: {type: torque, body: bob, value: [\"0.1*momentum.x - mass_centre.z\", \"0.05*angular_momentum.y\",\n"
    "        \"0.3*arm.momentum.z + 0.2*bob.angular_momentum.x\"]}\n"
    "  three: {type: force, body: plate, point: [0.1, 0.2, 0], value: [\"0.1*soft.energy + 0.05*soft.power\",\n"
    "          \"face.shift.x - 0.4*face.shift_rate.y + 0.1*face.angle\", \"wire.shift.z + 0.2*wire.yaw + "
    "0.1*rubber.power\"]}\n"
    "simulation: {end: 1}\n";

static const char READING_IN_THE_PLANE[] =
    "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
    "  arm: {mass: 1, inertia: 0.2, position: [0.5, 0]}\n"
    "  bob: {mass: 2, inertia: 0.1, position: [1.5, 0.2], velocity: [0.3, 1]}\n"
    "  bead: {mass: 0.7, particle: true, position: [0, 1]}\n"
    "joints:\n  hinge: {type: revolute, bodies: [ground, arm], point: [0, 0]}\n"
    "  slot: {type: point_on_line, bodies: [arm, bob], point: [1.2, 0], axis: [1, 0]}\n"
    "  soft: {type: distance, bodies: [bob, bead], local: {a: [0, 0.1], b: [0, 0]},\n"
    "         compliant: {stiffness: 30, damping: 2}}\n"
    "forces:\n"
    "  spring: {type: torsion, joint: hinge, stiffness: 5, damping: 0.3, angle: 0.2, law: \"0.4*x^3\"}\n"
    "  rope: {type: rope, points: [[ground, [0, 2]], [arm, [0.2, 0]], [bead, [0, 0]]], stiffness: 12, damping: 0.5,\n"
    "         length: 1}\n"
    "  one: {type: force, body: bob, value: [\"0.1*spring.power + rope.energy + 0.3*angular_momentum\",\n"
    "        \"spring.wrench.m + 0.2*rope.wrench.arm.fx - 0.1*rope.wrench.fy\"]}\n"
    "  two: {type: torque, body: arm, value: \"0.2*momentum.y - mass_centre.x + bob.angular_momentum + "
    "0.3*bead.momentum.x\"}\n"
    "  three: {type: force, body: bead, value: [\"0.1*soft.energy - 0.2*soft.power\",\n"
    "          \"0.1*slot.shift.x + 0.3*slot.shift_rate.y + 0.2*slot.angle - 0.1*slot.rate\"]}\n"
    "simulation: {end: 1}\n";

#endif
