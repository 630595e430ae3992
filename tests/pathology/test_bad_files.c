/* Model files with one fault each: the complaint names the exact line and column and says what is wrong. */
#include "cardan/cardan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct BadFile {
    const char *text;
    int line, column;  /* 0: the message has no place */
    const char *piece; /* of the sentence */
} BadFile;

#define PLANE "cardan: 1\nspace: planar\n"
#define SPACE "cardan: 1\nspace: spatial\n"
#define ROD "  rod: {mass: 1, inertia: 1}\n"
#define BLOCK "  brick: {mass: 1, inertia: [1, 1, 1]}\n"
#define BODIES PLANE "bodies:\n" ROD
#define BRICKS SPACE "bodies:\n" BLOCK

/* Line 5 is the first of the section that follows. */
#define JOINT(text) BODIES "joints:\n  j: " text "\n"
#define JOINT3(text) BRICKS "joints:\n  j: " text "\n"
#define HINGE BODIES "joints:\n  hinge: {type: revolute, bodies: [ground, rod]}\n"
#define FORCE(text) HINGE "forces:\n  f: " text "\n"
#define BODY(text) PLANE "bodies:\n  b: " text "\n"
#define BODY3(text) SPACE "bodies:\n  b: " text "\n"

static const BadFile HEAD[] = {
    {"", 1, 1, "the file is empty"},
    {"# nothing but a comment\n", 1, 1, "the file is empty"},
    {"---\n", 2, 1, "a model must be a mapping {key: value, ...}, found nothing"},
    {"hello", 1, 1, "a model must be a mapping"},
    {"[1, 2]", 1, 1, "a model must be a mapping {key: value, ...}, found a list"},
    {"space: planar\n", 1, 1, "the key 'cardan' is missing"},
    {"cardan: 2\nspace: planar\n", 1, 9, "format version 2 is not supported"},
    {"cardan: one\nspace: planar\n", 1, 9, "unknown name 'one'"},
    {"cardan: [1]\nspace: planar\n", 1, 9, "cardan must be a number, found a list"},
    {"cardan: 1\n", 1, 1, "the key 'space' is missing"},
    {"cardan: 1\nspace: plannar\n", 2, 8, "unknown space 'plannar'; did you mean 'planar'?"},
    {"cardan: 1\nspace: 3\n", 2, 8, "unknown space '3'; there are: planar, spatial"},
    {PLANE "gravty: [0, 0]\n", 3, 1, "unknown key 'gravty'; did you mean 'gravity'?"},
    {PLANE "contacts: {}\n", 3, 1, "unknown key 'contacts'; there are: cardan, name"},
    {PLANE "name: [a]\n", 3, 7, "name must be a word, found a list"},
    {PLANE "description: {a: 1}\n", 3, 14, "description must be a text, found a mapping"},
    {PLANE "gravity: 9.81\n", 3, 10, "gravity must be a list of 2 numbers, found one value"},
    {PLANE "gravity: [0, 0, -9.81]\n", 3, 10, "gravity must have 2 numbers, has 3"},
    {SPACE "gravity: [0, -9.81]\n", 3, 10, "gravity must have 3 numbers, has 2"},
    {PLANE "gravity: [0, {}]\n", 3, 14, "gravity must be a number, found a mapping"},
    {PLANE "gravity: [0, ]\n", 3, 10, "gravity must have 2 numbers, has 1"},
    {PLANE "gravity: [0, down]\n", 3, 14, "unknown name 'down'"},
    {PLANE "gravity:\n", 3, 9, "gravity must be a list of 2 numbers, found nothing"},
};

static const BadFile NUMBERS[] = {
    {PLANE "parameters: {r: nan}\n", 3, 17, "expected a finite number, found 'nan'"},
    {PLANE "parameters: {r: .inf}\n", 3, 17, "expected a finite number, found '.inf'"},
    {PLANE "parameters: {r: -Infinity}\n", 3, 17, "expected a finite number, found '-Infinity'"},
    {PLANE "parameters: {r: 1e999}\n", 3, 17, "the number '1e999' is too large"},
    {PLANE "parameters: {r: \"10^400\"}\n", 3, 17, "10^400"},
    {PLANE "parameters: {r: \"1/0\"}\n", 3, 17, "1/0"},
    {PLANE "parameters: {r: \"sqrt(-1)\"}\n", 3, 17, "sqrt"},
    {PLANE "parameters: {r: \"2*(3\"}\n", 3, 17, "2*(3"},
    {PLANE "parameters: {r: 0x10}\n", 3, 17, "0x10"},
    {PLANE "parameters: {r: }\n", 3, 17, "parameter 'r': must be a number, found nothing"},
    {PLANE "parameters: {r: [1]}\n", 3, 17, "parameter 'r': must be a number, found a list"},
    {PLANE "parameters: [1]\n", 3, 13, "this section must be a mapping"},
    {PLANE "parameters: {r: s, s: 1}\n", 3, 17, "unknown name 's'"},
    {PLANE "parameters: {radius: 1, d: \"2*radios\"}\n", 3, 28, "did you mean 'radius'?"},
    {PLANE "parameters: {r: t}\n", 3, 17, "may not depend on the time"},
    {PLANE "parameters: {t: 1}\n", 3, 14, "the name 't' is reserved"},
    {PLANE "parameters: {pi: 3}\n", 3, 14, "the name 'pi' is reserved"},
    {PLANE "parameters: {sin: 3}\n", 3, 14, "the name 'sin' is reserved"},
    {PLANE "parameters: {2r: 3}\n", 3, 14, "'2r' is no name"},
    {PLANE "parameters: {\"a.b\": 3}\n", 3, 14, "'a.b' is no name"},
    {PLANE "parameters: {\"\": 3}\n", 3, 14, "a parameter needs a name"},
    {PLANE "parameters: {r: 1, r: 2}\n", 3, 20, "the key 'r' stands here a second time; the first is in line 3"},
    {PLANE "parameters: {u: 1}\ninputs: {u: 1}\n", 4, 10, "the name 'u' is taken by a parameter in line 3 already"},
    {PLANE "inputs: {u: v}\n", 3, 13, "unknown name 'v'"},
    {PLANE "inputs: {u: inf}\n", 3, 13, "expected a finite number"},
    {PLANE "inputs: {u: 1}\ngravity: [0, u]\n", 4, 14, "it is an input"},
};

static const BadFile BODY_FAULTS[] = {
    {PLANE "bodies: []\n", 3, 9, "this section must be a mapping"},
    {PLANE "bodies:\n", 3, 8, "this section must be a mapping {key: value, ...}, found nothing"},
    {BODY("1"), 4, 6, "body 'b': a body must be a mapping"},
    {PLANE "bodies:\n  ground: {mass: 1, inertia: 1}\n", 4, 3, "the name 'ground' is reserved"},
    {PLANE "bodies:\n  my rod: {mass: 1, inertia: 1}\n", 4, 3, "'my rod' is no name"},
    {PLANE "bodies:\n" ROD ROD, 5, 3, "the key 'rod' stands here a second time; the first is in line 4"},
    {BODY("{inertia: 1}"), 4, 3, "body 'b': the key 'mass' is missing"},
    {BODY("{mass: 1}"), 4, 3, "body 'b': the key 'inertia' is missing"},
    {BODY("{mas: 1, inertia: 1}"), 4, 7, "unknown key 'mas'; did you mean 'mass'?"},
    {BODY("{mass: 0, inertia: 1}"), 4, 13, "body 'b': mass must be > 0, is 0"},
    {BODY("{mass: -2, inertia: 1}"), 4, 13, "body 'b': mass must be > 0, is -2"},
    {BODY("{mass: nan, inertia: 1}"), 4, 13, "mass: expected a finite number, found 'nan'"},
    {BODY("{mass: .Inf, inertia: 1}"), 4, 13, "mass: expected a finite number, found '.Inf'"},
    {BODY("{mass: 1e999, inertia: 1}"), 4, 13, "mass: the number '1e999' is too large"},
    {BODY("{mass: , inertia: 1}"), 4, 13, "mass must be a number, found nothing"},
    {BODY("{mass: heavy, inertia: 1}"), 4, 13, "unknown name 'heavy'"},
    {BODY("{mass: 1, inertia: 0}"), 4, 25, "inertia about z must be > 0"},
    {BODY("{mass: 1, inertia: -1}"), 4, 25, "inertia about z must be > 0"},
    {BODY("{mass: 1, inertia: [1, 1, 1]}"), 4, 25, "inertia must be one number"},
    {BODY("{mass: 1, inertia: 1, position: [1]}"), 4, 38, "position must have 2 numbers, has 1"},
    {BODY("{mass: 1, inertia: 1, position: [1, 2, 3]}"), 4, 38, "position must have 2 numbers, has 3"},
    {BODY("{mass: 1, inertia: 1, position: [1, nan]}"), 4, 42, "expected a finite number"},
    {BODY("{mass: 1, inertia: 1, quaternion: [1, 0, 0, 0]}"), 4, 28, "unknown key 'quaternion'"},
    {BODY("{mass: 1, inertia: 1, angle: [0]}"), 4, 35, "angle must be a number, found a list"},
    {BODY("{mass: 1, particle: true, inertia: 1}"), 4, 32, "unknown key 'inertia'"},
    {BODY("{mass: 1, particle: true, angle: 1}"), 4, 32, "unknown key 'angle'"},
    {BODY("{mass: 1, particle: yes}"), 4, 26, "particle must be true or false"},
    {BODY("{mass: 1, particle: \"true\"}"), 4, 26, "particle must be true or false"},
    {BODY("{mass: 1, particle: 1}"), 4, 26, "particle must be true or false"},
    {BODY("{mass: 0, particle: true}"), 4, 13, "mass must be > 0"},
    {BODY("{mass: 1, inertia: {rod: 1, along: z}}"), 4, 31, "inertia about z must be > 0"},
    {BODY("{mass: 1, inertia: {rod: 0}}"), 4, 31, "the rod's length must be > 0"},
    {BODY("{mass: 1, inertia: {rod: 1, radius: -1}}"), 4, 42, "the rod's radius must be >= 0"},
    {BODY("{mass: 1, inertia: {rod: 1, along: w}}"), 4, 41, "unknown axis 'w'"},
    {BODY("{mass: 1, inertia: {rod: 1, sphere: 1}}"), 4, 34, "unknown key 'sphere'; there are: rod, radius, along"},
    {BODY("{mass: 1, inertia: {box: [1, -1]}}"), 4, 31, "an edge of the box is -1"},
    {BODY("{mass: 1, inertia: {box: 1}}"), 4, 31, "inertia.box must be a list"},
    {BODY("{mass: 1, inertia: {ball: 1}}"), 4, 26, "unknown key 'ball'"},
    {BODY("{mass: 1, inertia: {}}"), 4, 25, "which shape?"},
    {BODY("{mass: 1, inertia: {along: x}}"), 4, 25, "which shape?"},
    {BODY("{mass: 1e200, inertia: {sphere: 1e200}}"), 4, 38, "finite"},
    {BODY("{mass: 1, inertia: 1, geometry: {cone: 1}}"), 4, 39, "unknown key 'cone'"},
    {BODY("{mass: 1, inertia: 1, geometry: {rod: [1, 2, 3]}}"), 4, 45, "an end of rod must be a list"},
    {BODY("{mass: 1, inertia: 1, geometry: {rod: [[1, 2], [3, 4]]}}"), 4, 44, "rod must be [from, to, radius]"},
    {BODY("{mass: 1, inertia: 1, geometry: {box: [1, 2]}}"), 4, 44, "box must have 3 numbers"},
    {BODY("{mass: 1, inertia: 1, geometry: [{sphere: 1}, {sphere: nan}]}"), 4, 61, "expected a finite number"},
    {BODY("{mass: 1, inertia: 1, geometry: {sphere: 1, box: [1, 1, 1]}}"), 4, 38, "one shape each"},
    {BODY("{mass: 1, inertia: 1, geometry: {mesh: [a]}}"), 4, 45, "mesh must be a word"},
    {BODY3("{mass: 1, inertia: 1}"), 4, 25, "inertia must be [Ixx, Iyy, Izz]"},
    {BODY3("{mass: 1, inertia: [1, 1]}"), 4, 25, "inertia must be [Ixx, Iyy, Izz]"},
    {BODY3("{mass: 1, inertia: [1, 1, 2.1]}"), 4, 25, "triangle inequality"},
    {BODY3("{mass: 1, inertia: [1, 1, 1, 1, 0, 0]}"), 4, 25, "not positive definite"},
    {BODY3("{mass: 1, inertia: [1, 1, 0]}"), 4, 25, "not positive definite"},
    {BODY3("{mass: 1, inertia: [1, 1, -1]}"), 4, 25, "not positive definite"},
    {BODY3("{mass: 1, inertia: [1, 1, inf]}"), 4, 32, "expected a finite number"},
    {BODY3("{mass: 1, inertia: {rod: 1}}"), 4, 31, "in space a rod needs a radius"},
    {BODY3("{mass: 1, inertia: [1, 1, 1], angle: 1}"), 4, 36, "unknown key 'angle'"},
    {BODY3("{mass: 1, inertia: [1, 1, 1], spin: 1}"), 4, 36, "unknown key 'spin'"},
    {BODY3("{mass: 1, inertia: [1, 1, 1], quaternion: [0, 0, 0, 0]}"), 4, 48, "quaternion is zero"},
    {BODY3("{mass: 1, inertia: [1, 1, 1], quaternion: [1, 0, 0]}"), 4, 48, "quaternion must have 4 numbers"},
    {BODY3("{mass: 1, inertia: [1, 1, 1], axis_angle: [0, 0, 0, 1]}"), 4, 48, "axis_angle is zero"},
    {BODY3("{mass: 1, inertia: [1, 1, 1], axis_angle: [1e200, 0, 0, 1]}"), 4, 48, "too long"},
    {BODY3("{mass: 1, inertia: [1, 1, 1], rpy: [0, 0, 0], quaternion: [1, 0, 0, 0]}"), 4, 36, "given twice"},
};

static const BadFile JOINT_FAULTS[] = {
    {BODIES "joints: 1\n", 5, 9, "this section must be a mapping"},
    {JOINT("{bodies: [ground, rod]}"), 6, 3, "joint 'j': the key 'type' is missing"},
    {JOINT("{type: revolute}"), 6, 3, "joint 'j': the key 'bodies' is missing"},
    {JOINT("{type: revolut, bodies: [ground, rod]}"), 6, 13, "unknown joint type 'revolut'; did you mean 'revolute'?"},
    {JOINT("{type: glue, bodies: [ground, rod]}"), 6, 13, "unknown joint type 'glue'; there are: revolute"},
    {JOINT("{type: screw, bodies: [ground, rod]}"), 6, 13, "a screw joint needs a spatial model"},
    {JOINT("{type: spherical, bodies: [ground, rod]}"), 6, 13, "a spherical joint needs a spatial model"},
    {JOINT("{type: [revolute], bodies: [ground, rod]}"), 6, 13, "type must be a word"},
    {JOINT("{type: revolute, bodies: [ground, rodd]}"), 6, 40, "there is no body 'rodd'; did you mean 'rod'?"},
    {JOINT("{type: revolute, bodies: [grund, rod]}"), 6, 32, "did you mean 'ground'?"},
    {JOINT("{type: revolute, bodies: [ground, j]}"), 6, 40, "there is no body 'j'"},
    {JOINT("{type: revolute, bodies: [ground]}"), 6, 31, "bodies must be a list of 2 names"},
    {JOINT("{type: revolute, bodies: rod}"), 6, 31, "bodies must be a list of 2 names"},
    {JOINT("{type: revolute, bodies: [rod, rod]}"), 6, 31, "joins 'rod' with itself"},
    {JOINT("{type: revolute, bodies: [ground, ground]}"), 6, 31, "joins 'ground' with itself"},
    {JOINT("{type: revolute, bodies: [ground, rod], point: [0]}"), 6, 53, "point must have 2 numbers"},
    {JOINT("{type: revolute, bodies: [ground, rod], axis: [0, 1]}"), 6, 46, "unknown key 'axis'"},
    {JOINT("{type: revolute, bodies: [ground, rod], compliant: {}}"), 6, 46, "the key 'stiffness' is missing"},
    {JOINT("{type: revolute, bodies: [ground, rod], local: {a: [0, 0], c: [0, 0]}}"), 6, 65, "unknown key 'c'"},
    {JOINT("{type: revolute, bodies: [ground, rod], local: {}}"), 6, 53, "local must name a, b or both"},
    {JOINT("{type: revolute, bodies: [ground, rod], local: [0, 0]}"), 6, 53, "local must be a mapping"},
    {JOINT("{type: revolute, bodies: [ground, rod], local: {a: [0]}}"), 6, 57, "local.a must have 2 numbers"},
    {JOINT("{type: weld, bodies: [ground, rod], local: {a: [0, 0], b: [0, 0]}, point: [0, 0]}"), 6, 73, "given twice"},
    {JOINT("{type: prismatic, bodies: [ground, rod]}"), 6, 3, "joint 'j': the key 'axis' is missing"},
    {JOINT("{type: prismatic, bodies: [ground, rod], axis: [0, 0]}"), 6, 53, "joint 'j': axis is zero"},
    {JOINT("{type: prismatic, bodies: [ground, rod], local_axis: {a: [1, 0]}}"), 6, 3, "the key 'axis' is missing"},
    {JOINT("{type: prismatic, bodies: [ground, rod], local_axis: {a: [1, 0], b: [0, 0]}}"), 6, 74, "is zero"},
    {JOINT("{type: prismatic, bodies: [ground, rod], axis: [1, 0, 0]}"), 6, 53, "axis must have 2 numbers"},
    {JOINT("{type: distance, bodies: [ground, rod]}"), 6, 3, "the key 'local' is missing"},
    {JOINT("{type: distance, bodies: [ground, rod], point: [0, 0]}"), 6, 46, "unknown key 'point'"},
    {JOINT("{type: distance, bodies: [ground, rod], local: {a: [1, 0]}, length: 0}"), 6, 74, "length must be > 0"},
    {JOINT("{type: distance, bodies: [ground, rod], local: {a: [1, 0]}, length: tt}"), 6, 74, "unknown name 'tt'"},
    {JOINT("{type: weld, bodies: [ground, rod], geometry: {cone: 1}}"), 6, 53, "unknown key 'cone'"},
    {BODIES "joints:\n  rod: {type: weld, bodies: [ground, rod]}\n", 6, 3,
     "the name 'rod' is taken by a body in line 4"},
    {PLANE "bodies:\n  p: {mass: 1, particle: true}\njoints:\n  j: {type: weld, bodies: [ground, p]}\n", 6, 27,
     "'p' is a particle and has no orientation"},
    {SPACE "bodies:\n  p: {mass: 1, particle: true}\n"
           "joints:\n  j: {type: revolute, bodies: [ground, p], axis: [0, 0, 1]}\n",
     6, 31, "'p' is a particle"},
    {JOINT3("{type: revolute, bodies: [ground, brick]}"), 6, 3, "the key 'axis' is missing"},
    {JOINT3("{type: revolute, bodies: [ground, brick], axis: [0, 0, 0]}"), 6, 54, "axis is zero"},
    {JOINT3("{type: universal, bodies: [ground, brick], axis: [1, 0, 0]}"), 6, 3, "the key 'axis2' is missing"},
    {JOINT3("{type: universal, bodies: [ground, brick], axis: [1, 0, 0], axis2: [0, 0, 0]}"), 6, 73, "axis2 is zero"},
    {JOINT3("{type: spherical, bodies: [ground, brick], axis: [1, 0, 0]}"), 6, 49, "unknown key 'axis'"},
    {JOINT3("{type: revolute, bodies: [ground, brick], axis: [1, 0, 0], axis2: [1, 0, 0]}"), 6, 65,
     "unknown key 'axis2'"},
};

static const BadFile FORCE_FAULTS[] = {
    {FORCE("{joint: hinge, value: 1}"), 8, 3, "force 'f': the key 'type' is missing"},
    {FORCE("{type: sprng}"), 8, 13, "unknown force type 'sprng'; did you mean 'spring'?"},
    {FORCE("{type: bushing}"), 8, 3, "the key 'bodies' is missing"},
    {FORCE("{type: bushing, bodies: [ground, rod], point: [0, 0], stiffness: [1, 2]}"), 8, 71,
     "stiffness must have 3 numbers, has 2"},
    {FORCE("{type: callback}"), 8, 13,
     "unknown force type 'callback'; there are: spring, torsion, bushing"},
    {FORCE("{type: torsion, stiffness: 1}"), 8, 3, "the key 'joint' is missing"},
    {FORCE("{type: torsion, joint: hinge, coordinate: displacement}"), 8, 48,
     "joint 'hinge' has no displacement to act along"},
    {FORCE("{type: torsion, joint: hinge, coordinate: angel}"), 8, 48,
     "unknown coordinate 'angel'; did you mean 'angle'?"},
    {FORCE("{type: torsion, joint: hinge, law: \"2*y\"}"), 8, 41,
     "law: column 3 of '2*y': unknown name 'y'"},
    {FORCE("{type: torsion, joint: hinge, law: [1]}"), 8, 41,
     "law must be an expression, found a list"},
    {FORCE("{type: motor, joint: hinge, gains: [1, 1]}"), 8, 3,
     "the key 'target' is missing"},
    {FORCE("{type: motor, joint: hinge, target: \"hinge.angle\", gains: [1, 1]}"), 8, 42,
     "a target may use the time and inputs, but no measures"},
    {FORCE("{type: motor, joint: hinge, target: 1, gains: 2}"), 8, 52,
     "gains must be a list of 2 numbers"},
    {FORCE("{type: motor, joint: hinge, target: 1, gains: [1, 1], limit: -3}"), 8, 67,
     "limit must be > 0, is -3"},
    {FORCE("{type: friction, joint: hinge, coulomb: 1}"), 8, 3,
     "the key 'speed' is missing"},
    {FORCE("{type: friction, joint: hinge, coulomb: -1, speed: 1}"), 8, 46,
     "coulomb must be >= 0, is -1"},
    {FORCE("{type: friction, joint: hinge, coulomb: 1, speed: 0}"), 8, 56,
     "speed must be > 0, is 0"},
    {FORCE("{type: limit, joint: hinge, range: [1, -1], stiffness: 1}"), 8, 41,
     "range must go upwards, is 1 .. -1"},
    {FORCE("{type: limit, joint: hinge, range: [0, 1]}"), 8, 3,
     "the key 'stiffness' is missing"},
    {FORCE("{type: contact, body: rod, stiffness: 1}"), 8, 3,
     "the key 'plane' is missing"},
    {FORCE("{type: contact, body: rod, stiffness: 1, plane: {point: [0, 0]}}"), 8, 54,
     "the key 'plane.normal' is missing"},
    {FORCE("{type: contact, body: rod, stiffness: 1, plane: {point: [0, 0], normal: [0, 0]}}"), 8, 78,
     "plane.normal is zero"},
    {FORCE("{type: contact, body: rod, stiffness: 1, plane: {point: [0, 0], norml: [0, 1]}}"), 8, 70,
     "unknown key 'norml'; did you mean 'normal'?"},
    {FORCE("{type: contact, body: rod, stiffness: 1, plane: 2}"), 8, 54,
     "plane must be a mapping"},
    {FORCE("{type: contact, body: rod, stiffness: 1, exponent: 0.5, plane: {point: [0, 0], normal: [0, 1]}}"), 8, 57,
     "exponent must be >= 1"},
    {FORCE("{type: contact, body: rod, stiffness: 1, friction: 0.5, plane: {point: [0, 0], normal: [0, 1]}}"), 8, 57,
     "friction needs the key 'speed'"},
    {FORCE("{type: contact, body: ground, stiffness: 1, plane: {point: [0, 0], normal: [0, 1]}}"), 8, 28,
     "acts on the ground"},
    {FORCE("{type: drag, body: rod}"), 8, 3, "the key 'coefficient' is missing"},
    {FORCE("{type: drag, body: rod, coefficient: -1}"), 8, 43,
     "coefficient must be >= 0"},
    {FORCE("{type: tyre, wheel: rod, axis: [0, 0, 1]}"), 8, 31, "unknown key 'axis'"},
    {FORCE("{type: tyre, wheel: rod, radius: 1, plane: {point: [0, 0], normal: [0, 1]}, vertical: {stiffness: 1}, longitudinal: {B: 1, C: 0, D: 1}, slow: 1}"), 8, 132,
     "longitudinal.C must be > 0, is 0"},
    {FORCE("{type: tyre, wheel: rod, radius: 1, plane: {point: [0, 0], normal: [0, 1]}, vertical: {stiffness: 1}, longitudinal: {B: 1}, slow: 1}"), 8, 122,
     "the key 'longitudinal.C' is missing"},
    {FORCE("{type: torque, value: 1}"), 8, 3, "the key 'joint' or 'body' is missing"},
    {FORCE("{type: torque, joint: hinge}"), 8, 3, "the key 'value' is missing"},
    {FORCE("{type: torque, joint: hing, value: 1}"), 8, 28, "there is no joint 'hing'; did you mean 'hinge'?"},
    {FORCE("{type: torque, joint: hinge, body: rod, value: 1}"), 8, 35, "unknown key 'body'"},
    {FORCE("{type: torque, joint: hinge, value: [1]}"), 8, 42, "value must be one number, found a list"},
    {FORCE("{type: torque, joint: hinge, value: nan}"), 8, 42, "expected a finite number"},
    {FORCE("{type: torque, joint: hinge, value: 1e999}"), 8, 42, "too large"},
    {FORCE("{type: torque, joint: hinge, value: }"), 8, 42, "value must be a number, found nothing"},
    {FORCE("{type: torque, joint: hinge, value: \"2*hinge.rat\"}"), 8, 42, "it has: angle, rate"},
    {FORCE("{type: torque, joint: hinge, value: \"hinge.speed\"}"), 8, 42, "unknown name 'hinge.speed'"},
    {FORCE("{type: torque, joint: hinge, value: \"hnge.rate\"}"), 8, 42, "did you mean 'hinge.rate'?"},
    {FORCE("{type: torque, joint: hinge, value: \"hinge.reaction\"}"), 8, 42, "outputs only"},
    {FORCE("{type: torque, joint: hinge, value: \"energy\"}"), 8, 42, "outputs only"},
    {FORCE("{type: torque, joint: hinge, value: \"rod.z\"}"), 8, 42, "it has: x, y, vx, vy, angle, spin"},
    {FORCE("{type: torque, joint: hinge, value: \"sin(t\"}"), 8, 42, "sin(t"},
    {FORCE("{type: torque, joint: hinge, value: \"u*t\"}"), 8, 42, "unknown name 'u'"},
    {FORCE("{type: torque, body: ground, value: 1}"), 8, 27, "acts on the ground"},
    {FORCE("{type: torque, body: rod, value: [0, 0, 1]}"), 8, 39, "value must be one number"},
    {FORCE("{type: force, body: rod, value: 1}"), 8, 38, "value must be a list of 2 numbers, found one value"},
    {FORCE("{type: force, body: rod, value: [1, 2, 3]}"), 8, 38, "value must have 2 numbers, has 3"},
    {FORCE("{type: force, body: rod, value: [1, t.x]}"), 8, 42, "unknown name 't.x'"},
    {FORCE("{type: force, value: [1, 0]}"), 8, 3, "the key 'body' is missing"},
    {FORCE("{type: force, body: rod, value: [1, 0], frame: rod}"), 8, 53, "unknown frame 'rod'"},
    {FORCE("{type: force, body: rod, value: [1, 0], point: [0, inf]}"), 8, 57, "expected a finite number"},
    {FORCE("{type: spring, bodies: [ground, rod]}"), 8, 3, "the key 'points' is missing"},
    {FORCE("{type: spring, bodies: [ground, rod], points: [[0, 0]]}"), 8, 52, "points must be a list of 2 points"},
    {FORCE("{type: spring, bodies: [ground, rod], points: [[0, 0], [0]]}"), 8, 61, "points[1] must have 2 numbers"},
    {FORCE("{type: spring, bodies: [rod, rod], points: [[0, 0], [1, 0]]}"), 8, 29, "joins 'rod' with itself"},
    {FORCE("{type: spring, bodies: [ground, rod], points: [[0, 0], [1, 0]], length: -1}"), 8, 78,
     "length must be >= 0"},
    {FORCE("{type: spring, bodies: [ground, rod], points: [[0, 0], [1, 0]], stiffness: t}"), 8, 81, "unknown name 't'"},
    {HINGE "forces:\n  hinge: {type: torque, body: rod, value: 1}\n", 8, 3, "is taken by a joint in line 6"},
    {BODIES "joints:\n  w: {type: weld, bodies: [ground, rod]}\nforces:\n  f: {type: torque, joint: w, value: 1}\n", 8,
     28, "joint 'w' has no angle or displacement"},
    {PLANE "bodies:\n  p: {mass: 1, particle: true}\nforces:\n  f: {type: torque, body: p, value: 1}\n", 6, 27,
     "'p' is a particle and cannot turn"},
};

static const BadFile RUN_FAULTS[] = {
    {HINGE "start: {rate: {hinge: 1}}\n", 7, 9, "unknown key 'rate'; did you mean 'rates'?"},
    {HINGE "start: {rates: {hinges: 1}}\n", 7, 17, "there is no joint 'hinges'; did you mean 'hinge'?"},
    {HINGE "start: {rates: {hinge: fast}}\n", 7, 24, "unknown name 'fast'"},
    {HINGE "start: {rates: [1]}\n", 7, 16, "rates must be a mapping"},
    {HINGE "start: {positions: guess}\n", 7, 20, "there are: keep, project"},
    {HINGE "start: {hold: rod}\n", 7, 15, "hold must be a list of bodies"},
    {HINGE "start: {hold: [rot]}\n", 7, 16, "there is no body 'rot'; did you mean 'rod'?"},
    {BODIES "joints:\n  w: {type: weld, bodies: [ground, rod]}\nstart: {rates: {w: 1}}\n", 7, 17,
     "no angle or displacement"},
    {PLANE "simulation: {ende: 1}\n", 3, 14, "unknown key 'ende'; did you mean 'end'?"},
    {PLANE "simulation: {end: -1}\n", 3, 19, "end must be >= 0"},
    {PLANE "simulation: {end: soon}\n", 3, 19, "unknown name 'soon'"},
    {PLANE "simulation: {stepper: dopri6}\n", 3, 23, "unknown stepper 'dopri6'; did you mean 'dopri5'?"},
    {PLANE "simulation: {stepper: radau5}\n", 3, 23,
     "stepper 'radau5' is not in this version; there are: euler, midpoint"},
    {PLANE "simulation: {stepper: [rk4]}\n", 3, 23, "stepper must be a word, found a list"},
    {PLANE "simulation: {solver: supernodul}\n", 3, 22, "unknown solver 'supernodul'; did you mean 'supernodal'?"},
    {PLANE "simulation: {formulation: ggl}\n", 3, 27, "formulation 'ggl' is not in this version; there are: index1"},
    {PLANE "simulation: {regularise: {method: qw}}\n", 3, 35, "unknown regularisation method 'qw'"},
    {PLANE "simulation: {regularise: {epsilon: -1}}\n", 3, 36, "regularise.epsilon must be >= 0"},
    {PLANE "simulation: {tolerance: 1e-6}\n", 3, 25, "tolerance must be a mapping"},
    {PLANE "simulation: {tolerance: {relativ: 1e-6}}\n", 3, 26, "did you mean 'relative'?"},
    {PLANE "simulation: {tolerance: {absolute: 0}}\n", 3, 36, "tolerance.absolute must be > 0"},
    {PLANE "simulation: {stabilise: {passes: 3}}\n", 3, 34, "stabilise.passes must be 1 or 2, is 3"},
    {PLANE "simulation: {stabilise: {freeze: 5}}\n", 3, 34, "stabilise.freeze must be 0 or 1"},
    {PLANE "simulation: {stabilise: {method: pots}}\n", 3, 34, "did you mean 'post'?"},
    {PLANE "simulation: {max_steps: 1.5}\n", 3, 25, "max_steps must be a whole number"},
    {PLANE "outputs: energy\n", 3, 10, "must be a list"},
    {PLANE "outputs: [[energy]]\n", 3, 11, "an output must be a word"},
};

static const BadFile YAML_FAULTS[] = {
    {PLANE "bodies: {rod: {mass: 1,", 3, 24, "not YAML"},
    {PLANE "gravity: [0, -9.81\nname: x\n", 4, 5, "not YAML"},
    {PLANE "name: \"never closed\n", 4, 1, "not YAML"},
    {PLANE "name: a: b\n", 3, 8, "not YAML"},
    {PLANE " name: x\n", 3, 6, "not YAML"},
    {PLANE "\tname: x\n", 3, 1, "not YAML"},
    {PLANE "name: @x\n", 3, 7, "not YAML"},
    {PLANE "name: &n x\n", 3, 7, "YAML anchors are refused"},
    {PLANE "name: *n\n", 3, 7, "YAML aliases are refused"},
    {PLANE "name: !!str x\n", 3, 7, "YAML tags are refused"},
    {PLANE "bodies: !set {}\n", 3, 9, "YAML tags are refused"},
    {PLANE "gravity: &g [0, 0]\n", 3, 10, "YAML anchors are refused"},
    {PLANE "---\n" PLANE, 3, 1, "a second document begins here"},
    {PLANE "? [a, b]\n: 1\n", 3, 3, "a key must be a word"},
    {PLANE "name: \"a\\0b\"\n", 3, 7, "a NUL character"},
    {PLANE "name: \x01\n", 3, 7, "not a text: control characters are not allowed"},
    {PLANE "name: \xff\xfe\n", 3, 7, "not a text"},
    {PLANE "name: \xc3(\n", 3, 8, "not a text"},
    {"\x7f"
     "ELF\x02\x01\x01",
     1, 1, "not a text"},
    {PLANE "name: x\nname: y\n", 4, 1, "the key 'name' stands here a second time; the first is in line 3"},
    {"cardan: 1\ncardan: 1\nspace: planar\nspace: planar\n", 2, 1, "the key 'cardan' stands here a second time"},
    {"{\"cardan\": 1, \"space\": \"planar\", \"gravity\": [0, null]}", 1, 49, "unknown name 'null'"},
};

static void expect_one(const BadFile *bad) {
    CardanBuilder *builder = NULL;
    CardanStatus status = cardan_builder_read_text(bad->text, strlen(bad->text), "bad.yaml", &builder);
    const char *message = cardan_builder_message(builder);
    char place[64];
    snprintf(place, sizeof place, "bad.yaml:%d:%d: ", bad->line, bad->column);
    bool good = status == CARDAN_ERR_MODEL && strncmp(message, place, strlen(place)) == 0 &&
                strstr(message + strlen(place), bad->piece) != NULL;
    if (!good) {
        print_message("status %d, message: %s\nexpected: %s... %s\n%s\n", (int)status, message, place, bad->piece,
                      bad->text);
    }
    cardan_builder_destroy(builder);
    if (!good) fail();
}

#define EXPECT_ALL(table)                                                                                              \
    for (size_t i = 0; i < sizeof(table) / sizeof(table)[0]; i++) expect_one(&(table)[i])

static void faults_of_the_head_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(HEAD);
}

static void faults_of_numbers_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(NUMBERS);
}

static void faults_of_bodies_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(BODY_FAULTS);
}

static void faults_of_joints_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(JOINT_FAULTS);
}

static void faults_of_forces_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(FORCE_FAULTS);
}

static void faults_of_start_and_simulation_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(RUN_FAULTS);
}

static void faults_of_yaml_are_placed(void **state) {
    (void)state;
    EXPECT_ALL(YAML_FAULTS);
}

/* ---- limits ---- */

static CardanStatus status_of(const char *text, size_t length, char *message, size_t size) {
    CardanBuilder *builder = NULL;
    CardanStatus status = cardan_builder_read_text(text, length, "bad.yaml", &builder);
    snprintf(message, size, "%s", cardan_builder_message(builder));
    cardan_builder_destroy(builder);
    return status;
}

static void deep_nesting_reaches_a_limit(void **state) {
    (void)state;
    char text[512] = PLANE "name: ", message[256];
    size_t n = strlen(text);
    memset(text + n, '[', 100);
    assert_int_equal(status_of(text, n + 100, message, sizeof message), CARDAN_ERR_LIMIT);
    assert_non_null(strstr(message, "bad.yaml:3:70: nested deeper than 64 levels"));
}

static void too_many_values_reach_a_limit(void **state) {
    (void)state;
    size_t count = (size_t)5 << 20;
    char *text = malloc(2 * count), message[256];
    assert_non_null(text);
    for (size_t i = 0; i < count; i++) memcpy(text + 2 * i, i == 0 ? "[1" : ",1", 2);
    assert_int_equal(status_of(text, 2 * count, message, sizeof message), CARDAN_ERR_LIMIT);
    assert_non_null(strstr(message, "values in one file"));
    free(text);
}

static void too_large_a_file_reaches_a_limit(void **state) {
    (void)state;
    size_t size = ((size_t)64 << 20) + 1;
    char *text = malloc(size), message[256];
    assert_non_null(text);
    memset(text, ' ', size);
    assert_int_equal(status_of(text, size, message, sizeof message), CARDAN_ERR_LIMIT);
    assert_string_equal(message, "the file is larger than 64 MiB");
    free(text);
}

/* A hundred thousand bodies with as many faults to look for: no check may be quadratic. */
static void a_large_file_is_read_quickly(void **state) {
    (void)state;
    enum { BODIES_OF_FILE = 50000 };
    size_t size = (size_t)BODIES_OF_FILE * 64 + 64, n = 0;
    char *text = malloc(size), message[256];
    assert_non_null(text);
    n += (size_t)snprintf(text, size, PLANE "bodies:\n");
    for (int i = 0; i < BODIES_OF_FILE; i++)
        n += (size_t)snprintf(text + n, size - n, "  b%d: {mass: 1, inertia: 1}\n", i);
    assert_int_equal(status_of(text, n, message, sizeof message), CARDAN_OK);
    free(text);
}

/* ---- files ---- */

static void a_missing_file_is_an_io_error(void **state) {
    (void)state;
    CardanBuilder *builder = NULL;
    assert_int_equal(cardan_builder_read_file("no/such/file.yaml", &builder), CARDAN_ERR_IO);
    assert_string_equal(cardan_builder_message(builder), "no/such/file.yaml: No such file or directory");
    cardan_builder_destroy(builder);
}

static void a_directory_is_an_io_error(void **state) {
    (void)state;
    CardanBuilder *builder = NULL;
    assert_int_equal(cardan_builder_read_file("/", &builder), CARDAN_ERR_IO);
    assert_non_null(strstr(cardan_builder_message(builder), "directory"));
    cardan_builder_destroy(builder);
}

static void control_characters_do_not_reach_messages(void **state) {
    (void)state;
    char message[256];
    const char *text = PLANE "\"\\e[31mred\": 1\n";
    assert_int_equal(status_of(text, strlen(text), message, sizeof message), CARDAN_ERR_MODEL);
    assert_null(strchr(message, '\x1b'));
    assert_non_null(strstr(message, "'?[31mred'"));
}

/* A file cut anywhere is refused or, where a shorter file happens to be a model, read; never anything else. */
static void a_file_cut_anywhere_is_refused_or_read(void **state) {
    (void)state;
    const char *text =
        FORCE("{type: torque, joint: hinge, value: \"sin(t)\"}") "simulation: {end: 1}\noutputs: [rod.x]\n";
    char message[512];
    for (size_t n = 0; n <= strlen(text); n++) {
        CardanStatus status = status_of(text, n, message, sizeof message);
        assert_true(status == CARDAN_OK || status == CARDAN_ERR_MODEL);
        if (status < 0) assert_int_equal(strncmp(message, "bad.yaml:", 9), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_the_head_are_placed),
        cmocka_unit_test(faults_of_numbers_are_placed),
        cmocka_unit_test(faults_of_bodies_are_placed),
        cmocka_unit_test(faults_of_joints_are_placed),
        cmocka_unit_test(faults_of_forces_are_placed),
        cmocka_unit_test(faults_of_start_and_simulation_are_placed),
        cmocka_unit_test(faults_of_yaml_are_placed),
        cmocka_unit_test(deep_nesting_reaches_a_limit),
        cmocka_unit_test(too_many_values_reach_a_limit),
        cmocka_unit_test(too_large_a_file_reaches_a_limit),
        cmocka_unit_test(a_large_file_is_read_quickly),
        cmocka_unit_test(a_missing_file_is_an_io_error),
        cmocka_unit_test(a_directory_is_an_io_error),
        cmocka_unit_test(control_characters_do_not_reach_messages),
        cmocka_unit_test(a_file_cut_anywhere_is_refused_or_read),
    };
    return cmocka_run_group_tests_name("bad files", tests, NULL, NULL);
}
