#include "mode_swing.h"

#include <math.h>
#include <stdlib.h>

static const double TWO_PI = 6.283185307179586;

/* Of a mode that does not swing: its motion is shown until it has faded to e^-FADED, or grown as much. */
static const double FADED = 3.0;

/* An eigenvector has any phase: the one in which the largest of its numbers is real, so that it begins there at rest
 * and the others follow. */
static void begin_at_largest(Swing *swing) {
    double largest = 0.0, c = 1.0, s = 0.0;
    for (int i = 0; i < swing->size; i++) {
        double size = hypot(swing->re[i], swing->im[i]);
        if (!(size > largest)) continue;
        largest = size;
        c = swing->re[i] / size;
        s = swing->im[i] / size;
    }
    for (int i = 0; i < swing->size; i++) {
        double re = swing->re[i], im = swing->im[i];
        swing->re[i] = c * re + s * im;
        swing->im[i] = c * im - s * re;
    }
}

int swing_open(Swing *swing, const ModeFile *file) {
    size_t nv = (size_t)cardan_model_sizes(file->model).velocities;
    *swing = (Swing){.size = (int)nv, .amplitude = file->amplitude, .re = calloc(4 * nv + 1, sizeof(double))};
    if (swing->re == NULL) {
        complain("out of memory");
        return STATUS_FAULT;
    }
    swing->im = swing->re + nv;
    swing->x = swing->im + nv;
    swing->rate = swing->x + nv;
    if (cardan_modes_get(file->modes, CARDAN_MODES_DAMPED, file->mode, &swing->mode, swing->re, swing->im) < 0) {
        complain("modes: none has the number %d", file->mode + 1);
        return STATUS_USAGE;
    }
    const CardanMode *mode = &swing->mode;
    begin_at_largest(swing);
    swing->end = mode->im > 0.0 ? TWO_PI / mode->im : mode->re != 0.0 ? FADED / fabs(mode->re) : 1.0;
    return STATUS_DONE;
}

void swing_at(Swing *swing, double t) {
    double omega = swing->mode.im, growth = swing->mode.re, c, s = 0.0;
    bool swings = omega > 0.0;
    if (swings) {
        c = cos(omega * t);
        s = sin(omega * t);
    } else {
        c = exp(growth * (growth > 0.0 ? t - swing->end : t));
    }
    for (int i = 0; i < swing->size; i++) {
        double re = swing->amplitude * swing->re[i], im = swing->amplitude * swing->im[i];
        swing->x[i] = re * c - im * s;
        swing->rate[i] = swings ? -omega * (re * s + im * c) : growth * swing->x[i];
    }
}

void swing_close(Swing *swing) {
    free(swing->re);
    *swing = (Swing){0};
}
