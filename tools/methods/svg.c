/* The work-precision picture: error over work, both in logarithms, a curve a method. */
#include "methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"

/* Pixels. */
static const double least_width = 860.0, letter = 7.3, left = 74.0, right = 610.0, top = 44.0, bottom = 508.0,
                    height = 560.0;
static const double legend_left = 630.0, legend_line = 19.0;
static const double worst_shown = 10.0; /* errors above are of runs that have nothing to do with the solution */
enum { CURVES_MOST = 24, TITLE_SIZE = 160 };

typedef struct LogAxis {
    int lo, hi; /* powers of ten */
} LogAxis;

typedef struct Plot {
    FILE *out;
    const Matrix *matrix;
    LogAxis work, error;
    Shown shown;
    int count;
    int curve[CURVES_MOST]; /* combinations */
    int left_out;           /* more than can be told apart */
    double width;           /* pixels */
} Plot;

/* ---- which curves ---- */

static const char *group_of(const Combination *combination, Curves curves) {
    const char *const labels[] = {combination->stepper, combination->stabiliser, combination->regulariser,
                                  combination->formulation, ""};
    return labels[curves];
}

/* Steppers are told apart by formulation too, since the two are one method to the eye. */
static bool same_group(const Combination *combination, const Combination *b, Curves curves) {
    if (curves == CURVES_ALL) return combination == b;
    bool same = strcmp(group_of(combination, curves), group_of(b, curves)) == 0;
    return same && (curves != CURVES_STEPPER || strcmp(combination->formulation, b->formulation) == 0);
}

/* Levels kept, levels reached, work: whether a stands for its group rather than b. */
static bool stands_before(const Matrix *matrix, const Combination *combination, const Combination *b) {
    int kept = 0, reached = 0;
    double work = 0.0;
    for (int l = 0; l < matrix->levels; l++) {
        kept += (int)combination->keeps[l] - (int)b->keeps[l];
        reached += (int)!isnan(combination->at[l]) - (int)!isnan(b->at[l]);
        if (!isnan(combination->at[l]) && !isnan(b->at[l])) work += log(combination->at[l] / b->at[l]);
    }
    if (kept != 0) return kept > 0;
    if (reached != 0) return reached > 0;
    if (fabs(work) > matrix->levels * log(WORK_TIE) || combination->departures == b->departures) return work < 0.0;
    return combination->departures < b->departures;
}

static bool has_points(const Combination *combination) {
    for (int k = 0; k < combination->count; k++)
        if (combination->runs[k].done && combination->runs[k].error <= worst_shown) return true;
    return false;
}

static void choose_curves(Plot *plot, Curves curves) {
    const Matrix *matrix = plot->matrix;
    for (int i = 0; i < matrix->count; i++) {
        const Combination *combination = &matrix->all[i];
        int k = 0;
        if (!has_points(combination)) continue;
        while (k < plot->count && !same_group(&matrix->all[plot->curve[k]], combination, curves)) k++;
        if (k < plot->count && stands_before(matrix, combination, &matrix->all[plot->curve[k]]))
            plot->curve[k] = i;
        else if (k == plot->count && plot->count < CURVES_MOST)
            plot->curve[plot->count++] = i;
        else if (k == plot->count)
            plot->left_out++;
    }
}

/* ---- axes ---- */

static void widen(LogAxis *axis, double x) {
    double power = log10(x);
    if ((int)floor(power + 1e-9) < axis->lo) axis->lo = (int)floor(power + 1e-9);
    if ((int)ceil(power - 1e-9) > axis->hi) axis->hi = (int)ceil(power - 1e-9);
}

/* What stands over the work. */
static double height_of(const Plot *plot, const MethodRun *method_run) {
    const double heights[] = {method_run->error, fmax(method_run->drift[0], method_run->drift[1]), method_run->energy};
    return heights[plot->shown];
}

/* Runs that have nothing to do with the solution are left out, whatever is shown of them; so is what is exactly 0. */
static bool is_shown(const Plot *plot, const MethodRun *method_run) {
    return method_run->done && method_run->error <= worst_shown && method_run->cost > 0.0 &&
           height_of(plot, method_run) > 0.0;
}

static void choose_axes(Plot *plot) {
    plot->work = plot->error = (LogAxis){.lo = 1000, .hi = -1000};
    for (int k = 0; k < plot->count; k++) {
        const Combination *combination = &plot->matrix->all[plot->curve[k]];
        for (int i = 0; i < combination->count; i++) {
            if (!is_shown(plot, &combination->runs[i])) continue;
            widen(&plot->work, combination->runs[i].cost);
            widen(&plot->error, height_of(plot, &combination->runs[i]));
        }
    }
    for (int l = 0; l < plot->matrix->levels && plot->shown == SHOWN_ERROR; l++)
        widen(&plot->error, plot->matrix->level[l]);
    if (plot->error.lo > plot->error.hi) plot->error = (LogAxis){-1, 0};
    if (plot->work.lo > plot->work.hi) plot->work = (LogAxis){0, 1};
    if (plot->work.lo == plot->work.hi) plot->work.hi++;
    if (plot->error.lo == plot->error.hi) plot->error.hi++;
}

static double x_of(const Plot *plot, double work) {
    return left + (right - left) * (log10(work) - plot->work.lo) / (plot->work.hi - plot->work.lo);
}

static double y_of(const Plot *plot, double error) {
    double part = (log10(error) - plot->error.lo) / (plot->error.hi - plot->error.lo);
    return bottom - (bottom - top) * fmin(fmax(part, 0.0), 1.0);
}

static void put_power(FILE *out, int power) {
    fprintf(out, "10<tspan dy=\"-4\" font-size=\"9\">%s%d</tspan></text>\n", power < 0 ? "\xe2\x88\x92" : "",
            abs(power));
}

/* Lines at every power of ten, labels at as many as there is room for; faint lines between when powers are few. */
static void put_grid(const Plot *plot) {
    int skip_x = (plot->work.hi - plot->work.lo + 7) / 8, skip_y = (plot->error.hi - plot->error.lo + 15) / 16;
    for (int k = plot->work.lo; k <= plot->work.hi; k++) {
        double x = x_of(plot, pow(10.0, k));
        for (int part = 2; part < 10 && k < plot->work.hi && plot->work.hi - plot->work.lo <= 6; part++)
            fprintf(plot->out, "<path class=\"n\" d=\"M%.1f %.1fV%.1f\"/>\n", x_of(plot, part * pow(10.0, k)), top,
                    bottom);
        fprintf(plot->out, "<path class=\"g\" d=\"M%.1f %.1fV%.1f\"/>\n", x, top, bottom + 5.0);
        if ((k - plot->work.lo) % skip_x != 0) continue;
        fprintf(plot->out, "<text class=\"m\" x=\"%.1f\" y=\"%.1f\">", x, bottom + 20.0);
        put_power(plot->out, k);
    }
    for (int k = plot->error.lo; k <= plot->error.hi; k++) {
        double y = y_of(plot, pow(10.0, k));
        fprintf(plot->out, "<path class=\"g\" d=\"M%.1f %.1fH%.1f\"/>\n", left - 5.0, y, right);
        if ((plot->error.hi - k) % skip_y != 0) continue;
        fprintf(plot->out, "<text class=\"e\" x=\"%.1f\" y=\"%.1f\">", left - 8.0, y + 5.0);
        put_power(plot->out, k);
    }
    fprintf(plot->out, "<rect class=\"f\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", left, top,
            right - left, bottom - top);
}

/* ---- curves ---- */

static void put_marker(const Plot *plot, int curve, double x, double y) {
    static const char *const shapes[] = {"m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0", "m-3-3h6v6h-6z",
                                         "m0-3.8l3.6 6.4h-7.2z", "m0-4l4 4l-4 4l-4-4z", "m0 3.8l3.6-6.4h-7.2z"};
    fprintf(plot->out, "<path d=\"M%.1f %.1f%s\" fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"0.7\"/>\n", x, y,
            shapes[curve % 5], svg_colour(curve));
}

static void put_curve(const Plot *plot, int curve) {
    const Combination *combination = &plot->matrix->all[plot->curve[curve]];
    bool begun = false;
    fprintf(plot->out, "<path class=\"s\" stroke=\"%s\"%s d=\"", svg_colour(curve), svg_dash(curve));
    for (int i = 0; i < combination->count; i++) {
        if (!is_shown(plot, &combination->runs[i])) continue;
        fprintf(plot->out, "%s%.1f %.1f", begun ? "L" : "M", x_of(plot, combination->runs[i].cost),
                y_of(plot, height_of(plot, &combination->runs[i])));
        begun = true;
    }
    fputs("\"/>\n", plot->out);
    for (int i = 0; i < combination->count; i++)
        if (is_shown(plot, &combination->runs[i]))
            put_marker(plot, curve, x_of(plot, combination->runs[i].cost),
                       y_of(plot, height_of(plot, &combination->runs[i])));
}

/* A ring where a recommended combination, or the one that stands for it, reaches its error. */
static void put_recommended(const Plot *plot, int level) {
    const Matrix *matrix = plot->matrix;
    double y = y_of(plot, matrix->level[level]);
    fprintf(plot->out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#555555\" stroke-dasharray=\"1 4\" fill=\"none\"/>\n",
            left, y, right);
    for (int k = 0; k < plot->count; k++) {
        if (plot->curve[k] != matrix->best[level]) continue;
        fprintf(plot->out,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7.5\" fill=\"none\" stroke=\"#222222\" "
                "stroke-width=\"1.5\"/>\n",
                x_of(plot, matrix->all[plot->curve[k]].at[level]), y);
    }
}

/* ---- words ---- */

static void label_of(const Combination *combination, char *label, size_t size) {
    snprintf(label, size, "%s, %s", combination->stepper, combination->stabiliser);
    size_t n = strlen(label);
    if (strcmp(combination->regulariser, "auto") != 0)
        n += (size_t)snprintf(label + n, size - n, ", %s", combination->regulariser);
    if (n < size && strcmp(combination->formulation, "index1") != 0)
        snprintf(label + n, size - n, ", %s", combination->formulation);
}

static double width_of(const Plot *plot) {
    char label[4 * LABEL_SIZE];
    double widest = least_width;
    for (int k = 0; k < plot->count; k++) {
        label_of(&plot->matrix->all[plot->curve[k]], label, sizeof label);
        widest = fmax(widest, legend_left + 45.0 + letter * (double)strlen(label));
    }
    return widest;
}

static void put_legend(const Plot *plot) {
    double y = top + 8.0;
    char label[4 * LABEL_SIZE];
    for (int k = 0; k < plot->count; k++, y += legend_line) {
        fprintf(plot->out, "<path class=\"s\" stroke=\"%s\"%s d=\"M%.1f %.1fh26\"/>\n", svg_colour(k), svg_dash(k),
                legend_left, y);
        put_marker(plot, k, legend_left + 13.0, y);
        fprintf(plot->out, "<text x=\"%.1f\" y=\"%.1f\">", legend_left + 33.0, y + 4.0);
        label_of(&plot->matrix->all[plot->curve[k]], label, sizeof label);
        svg_text(plot->out, label);
        fputs("</text>\n", plot->out);
    }
    if (plot->shown == SHOWN_ERROR)
        fprintf(plot->out,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7.5\" fill=\"none\" stroke=\"#222222\" stroke-width=\"1.5\"/>"
                "<text x=\"%.1f\" y=\"%.1f\">recommended</text>\n",
                legend_left + 13.0, y + 4.0, legend_left + 33.0, y + 8.0);
    if (plot->left_out > 0)
        fprintf(plot->out, "<text x=\"%.1f\" y=\"%.1f\">and %d more in the table</text>\n", legend_left,
                y + legend_line + 12.0, plot->left_out);
}

static void put_head(const Plot *plot, const char *title) {
    static const char *const names[] = {"error (relative)", "largest residual of the constraints (SI)",
                                        "largest drift of the energy balance (J)"};
    fprintf(plot->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "role=\"img\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n<title>",
            plot->width, height, plot->width, height);
    svg_text(plot->out, title);
    fputs("</title>\n<style>.g{stroke:#cfcfcf;fill:none;shape-rendering:crispEdges}"
          ".n{stroke:#efefef;fill:none;shape-rendering:crispEdges}"
          ".f{stroke:#777777;fill:none;shape-rendering:crispEdges}"
          ".s{stroke-width:1.6;fill:none;stroke-linejoin:round;stroke-linecap:round}"
          ".m{text-anchor:middle}.e{text-anchor:end}</style>\n",
          plot->out);
    fprintf(plot->out, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", plot->width, height);
    fprintf(plot->out, "<text class=\"m\" x=\"%.1f\" y=\"26\" font-size=\"15\" font-weight=\"bold\">",
            0.5 * plot->width);
    svg_text(plot->out, title);
    fprintf(plot->out,
            "</text>\n<text class=\"m\" x=\"%.1f\" y=\"%.1f\">work (evaluations of the equations of motion)"
            "</text>\n",
            0.5 * (left + right), bottom + 42.0);
    fprintf(plot->out, "<text class=\"m\" transform=\"translate(20 %.1f) rotate(-90)\">%s</text>\n",
            0.5 * (top + bottom), names[plot->shown]);
}

void methods_svg(FILE *out, const Matrix *matrix, Curves curves, Shown shown, const char *title) {
    Plot p = {.out = out, .matrix = matrix, .shown = shown};
    char usual[TITLE_SIZE];
    snprintf(usual, sizeof usual, "%s over %.6g s: what work buys", cardan_model_name(matrix->model), matrix->base.end);
    choose_curves(&p, curves);
    choose_axes(&p);
    p.width = width_of(&p);
    put_head(&p, title != NULL ? title : usual);
    put_grid(&p);
    for (int l = 0; l < matrix->levels && shown == SHOWN_ERROR; l++) put_recommended(&p, l);
    for (int k = 0; k < p.count; k++) put_curve(&p, k);
    put_legend(&p);
    fputs("</svg>\n", out);
}
