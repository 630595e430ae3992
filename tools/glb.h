/* Meshes of bodies for glTF: triangles with normals. */
#ifndef TOOL_GLB_H
#define TOOL_GLB_H

#include "command.h"

typedef struct Mesh {
    int count, room;  /* corners: three make a triangle */
    float *positions; /* 3 by corner */
    float *normals;
    bool failed; /* out of memory */
} Mesh;

void mesh_free(Mesh *mesh);

/* A body as its shapes say; without any as rods from its centre of mass to its joints, or a cube. size: m, of the
 * mechanism; own axes, from the centre of mass. */
void mesh_of_body(Mesh *mesh, const CardanModel *model, CardanBody body, double size);

#endif
