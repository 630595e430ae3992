#include "build/orientation.h"

CardanQuat crd_orientation_of(CrdOrientationForm form, const double *o) {
    switch (form) {
    case CRD_ORIENTATION_ANGLE:
        return crd_quat_of(crd_vec(0, 0, o[0]));
    case CRD_ORIENTATION_QUATERNION: {
        double big = fmax(fmax(fabs(o[0]), fabs(o[1])), fmax(fabs(o[2]), fabs(o[3])));
        return crd_quat_normalised((CardanQuat){o[0] / big, o[1] / big, o[2] / big, o[3] / big});
    }
    case CRD_ORIENTATION_RPY:
        return crd_quat_of_rpy(o[0], o[1], o[2]);
    case CRD_ORIENTATION_AXIS_ANGLE:
        return crd_quat_of(crd_scale(o[3] / crd_norm(crd_vec_of(o)), crd_vec_of(o)));
    default:
        return (CardanQuat){1, 0, 0, 0};
    }
}
