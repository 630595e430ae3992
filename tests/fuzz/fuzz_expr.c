/* Expressions of laws: any text at all is refused with a sentence and a column or compiled; what is compiled gives
 * numbers or says why not, the same by value, slope and jet, doubled directions give doubled slopes, and what was made
 * up as a tree agrees with the tree evaluated by itself, and its derivatives with differences of that. */
#include "expr/expr.h"
#include "expr_tree.h"

enum { TEXT_MAX = 1024, KINKS_MAX = 2048, WALKS = 6 };

#define WIDTH_FIRST 1e-5  /* of differences, of the first derivative: h^2 and 1e-19/h are both small */
#define WIDTH_SECOND 1e-4 /* likewise of the second: 1e-19/h^2 */
#define TRUSTED 1e-6      /* a spread beyond this part of the value: its estimate is not to be trusted either */
#define PHASE_LOST 1e-3L  /* rad; a sine whose argument rounding moves by more may be anything */
#define PHASE_MAX 0.5     /* rad; by which arguments of sines may differ over a difference */
#define DOUBTS 100.0      /* how many times the estimated error of a difference an honest derivative may be off */
#define SMOOTH 1e-5       /* of the value, and of differences: what is always allowed */

static const char *const NAMES[] = {"x", "y", "t", "rod.angle"};
enum { NAMES_COUNT = sizeof NAMES / sizeof NAMES[0] };

static int find(const void *user, const char *name, size_t length) {
    (void)user;
    for (int i = 0; i < NAMES_COUNT; i++)
        if (strlen(NAMES[i]) == length && memcmp(NAMES[i], name, length) == 0) return i;
    return -1;
}

static const double VALUES[] = {0.0, 1.0, -1.0, 0.5, -0.75, 2.0, 3.25, -7.0, 1e-3, 1e-9, 1e3, 1e8, -1e300, 1e-300};
enum { VALUES_COUNT = sizeof VALUES / sizeof VALUES[0] };

static CrdExpr *compiled(const char *text) {
    CrdSymbols symbols = {.find = find};
    CrdError error = {0};
    CrdExpr *expr = NULL;
    CardanStatus status = crd_expr_compile(text, &symbols, &expr, &error);
    if (status >= 0) {
        MUST(expr != NULL && error.text[0] == '\0', "%s", text);
        return expr;
    }
    MUST(error.text[0] != '\0', "a refusal without a sentence: %s", text);
    MUST(error.place.column >= 1 && (size_t)error.place.column <= strlen(text) + 1, "column %d of '%s'",
         error.place.column, text);
    return NULL;
}

static bool same(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0 || a == b;
}

/* Directions twice as long: slopes twice, curvatures four times as large, to the bit where nothing under- or overflows.
 */
static void check_doubled(const CrdExpr *expr, const CrdJet *variables, CrdJet jet) {
    CrdJet twice[NAMES_COUNT], found = {0};
    CrdError error = {0};
    for (int i = 0; i < NAMES_COUNT; i++)
        twice[i] = (CrdJet){variables[i].x, 2.0 * variables[i].d1, 4.0 * variables[i].d2};
    if (crd_expr_held_jet(expr, twice, NULL, &found, &error) < 0) return; /* an overflow */
    bool tiny = fabs(jet.d1) < 1e-150 || fabs(jet.d2) < 1e-150;
    MUST(same(found.x, jet.x), "%s: value %.17g %.17g", crd_expr_text(expr), found.x, jet.x);
    MUST(tiny || same(found.d1, 2.0 * jet.d1), "%s: slope %.17g %.17g", crd_expr_text(expr), found.d1, jet.d1);
    MUST(tiny || fabs(found.d2 - 4.0 * jet.d2) <= 1e-9 * fabs(found.d2), "%s: curvature %.17g %.17g",
         crd_expr_text(expr), found.d2, jet.d2);
}

static void check_kinks(const CrdExpr *expr, const double *values, const CrdJet *variables) {
    static double kinks[KINKS_MAX];
    static CrdJet jets[KINKS_MAX];
    static CrdSide sides[KINKS_MAX];
    int n = crd_expr_kink_count(expr);
    CrdError error = {0};
    MUST(n >= 0, "%d kinks", n);
    if (n == 0 || n > KINKS_MAX) return;
    CardanStatus status = crd_expr_held_kinks(expr, values, NULL, kinks, &error);
    for (int i = 0; i < n && status >= 0; i++) MUST(isfinite(kinks[i]), "kink %d of %s", i, crd_expr_text(expr));
    error = (CrdError){0};
    if (crd_expr_kink_jets(expr, variables, NULL, jets, &error) >= 0)
        for (int i = 0; i < n; i++)
            MUST(isfinite(jets[i].x) && isfinite(jets[i].d1) && isfinite(jets[i].d2), "jet of kink %d", i);
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < n; i++) sides[i] = (CrdSide)(i % 3 == 0 ? side : -side);
        double held;
        error = (CrdError){0};
        if (crd_expr_held_value(expr, values, sides, &held, &error) >= 0)
            MUST(isfinite(held), "held value of %s", crd_expr_text(expr));
        else
            MUST(error.text[0] != '\0', "silent");
    }
}

/* Value, slope and jet say the same, and numbers. */
static void check_consistency(const CrdExpr *expr, const double *values) {
    CrdJet variables[NAMES_COUNT], slope = {0}, jet = {0};
    for (int i = 0; i < NAMES_COUNT; i++) variables[i] = (CrdJet){values[i], i == 0 ? 1.0 : 0.5 * i, 0.25 * i};
    CrdError first = {0}, second = {0}, third = {0};
    double value = 42.0;
    bool has_value = crd_expr_value(expr, values, &value, &first) >= 0;
    bool has_slope = crd_expr_held_slope(expr, variables, NULL, &slope, &second) >= 0;
    bool has_jet = crd_expr_held_jet(expr, variables, NULL, &jet, &third) >= 0;
    const char *text = crd_expr_text(expr);
    MUST(has_value ? isfinite(value) : value == 42.0 && first.text[0] != '\0', "%s: %g", text, value);
    MUST(has_value || (!has_slope && !has_jet), "%s has a slope, but no value: %s", text, first.text);
    MUST(has_slope || second.text[0] != '\0', "%s", text);
    MUST(has_jet || third.text[0] != '\0', "%s", text);
    if (has_slope) MUST(same(slope.x, value) && isfinite(slope.d1) && slope.d2 == 0.0, "slope of %s", text);
    if (has_jet) {
        MUST(same(jet.x, value) && isfinite(jet.d1) && isfinite(jet.d2), "jet of %s", text);
        MUST(has_slope, "%s has a jet, but no slope: %s", text, second.text);
        MUST(fabs(jet.d1 - slope.d1) <= 1e-9 * fabs(jet.d1), "%s: slopes %.17g %.17g", text, jet.d1, slope.d1);
        check_doubled(expr, variables, jet);
    }
    check_kinks(expr, values, variables);
    CrdExpr *copy = crd_expr_clone(expr);
    double again = 0.0;
    if (copy != NULL && has_value) {
        CardanStatus status = crd_expr_value(copy, values, &again, &first);
        MUST(status >= 0 && same(again, value), "copy of %s", text);
    }
    crd_expr_free(copy);
}

/* ---- trees */

typedef struct Sample {
    long double value;
    double spread; /* how far the rounding of doubles moves it */
    uint64_t pieces;
    double phase;
    bool defined;
} Sample;

static Sample sample(const Tree *tree, double x, double y) {
    double variables[] = {x, y};
    TreeWalk plain = {.variables = variables, .defined = true};
    Sample found = {.value = tree_value(tree, 0, &plain)};
    found.pieces = plain.pieces;
    found.phase = (double)plain.phase;
    found.defined = plain.defined && plain.largest < HUGE_INSIDE;
    for (int i = 1; i <= WALKS && found.defined; i++) {
        TreeWalk walk = {.variables = variables, .random = 0x9e3779b97f4a7c15u * (uint64_t)i, .defined = true};
        double off = (double)fabsl(tree_value(tree, 0, &walk) - found.value);
        found.spread = fmax(found.spread, off);
        bool told = fabsl(walk.phase - plain.phase) <= PHASE_LOST;
        found.defined = walk.defined && walk.pieces == plain.pieces && told;
    }
    if (!(found.spread <= TRUSTED * (1.0 + (double)fabsl(found.value)))) found.defined = false;
    return found;
}

typedef struct Difference {
    double value, doubt;
    bool good;
} Difference;

/* Along x, order 1 or 2, with a width, half and a quarter of it: where they do not close in on each other, the tree is
 * too rough there to tell. Samples are long doubles, so that what is left of rounding is 1e-19 over a power of the
 * width. */
static Difference difference(const Tree *tree, double x, double y, int order) {
    double width = (order == 1 ? WIDTH_FIRST : WIDTH_SECOND) * fmax(1.0, fabs(x)), by[3], noise = 0.0;
    volatile double one = x + width;
    width = one - x;
    Sample middle = sample(tree, x, y);
    for (int i = 0; i < 3; i++, width *= 0.5) {
        Sample up = sample(tree, x + width, y), down = sample(tree, x - width, y);
        if (!up.defined || !down.defined || !middle.defined || up.pieces != down.pieces || up.pieces != middle.pieces)
            return (Difference){0};
        if (fabs(up.phase - down.phase) > PHASE_MAX) return (Difference){0}; /* waves shorter than the width */
        long double w = (long double)width;
        by[i] = (double)(order == 1 ? (up.value - down.value) / (2.0L * w)
                                    : (up.value - 2.0L * middle.value + down.value) / (w * w));
        noise = fmax(noise, 1e-3 * (up.spread + down.spread + middle.spread) / (order == 1 ? width : width * width));
    }
    double first = fabs(by[1] - by[0]), second = fabs(by[2] - by[1]);
    return (Difference){(4.0 * by[2] - by[1]) / 3.0, second + noise, second <= 0.3 * first + noise};
}

static void check_tree(const Tree *tree, const CrdExpr *expr, const double *values) {
    Sample here = sample(tree, values[0], values[1]);
    if (!here.defined) return;
    CrdJet variables[NAMES_COUNT] = {{values[0], 1.0, 0.0}, {values[1], 0.0, 0.0}}, jet = {0};
    CrdError error = {0};
    double value;
    CardanStatus status = crd_expr_value(expr, values, &value, &error);
    MUST(status >= 0, "%s at %g, %g is %g, but: %s", tree->text, values[0], values[1], (double)here.value, error.text);
    double expected = (double)here.value, allowed = DOUBTS * here.spread + 1e-14 * fabs(expected);
    MUST(fabs(value - expected) <= allowed, "%s at %g, %g: %.17g, but %.17g (%.1e)", tree->text, values[0], values[1],
         value, expected, allowed);
    if (crd_expr_held_jet(expr, variables, NULL, &jet, &error) < 0) return;
    for (int order = 1; order <= 2; order++) {
        Difference d = difference(tree, values[0], values[1], order);
        double found = order == 1 ? jet.d1 : jet.d2, off = fabs(found - d.value);
        if (!d.good || d.doubt > 0.01 * (1.0 + fabs(d.value))) continue;
        double sensitive =
            DOUBTS * here.spread / pow(WIDTH_FIRST, order); /* what amplifies rounding does so in slopes */
        MUST(off <= DOUBTS * d.doubt + SMOOTH * (fabs(d.value) + fabs(expected)) + sensitive,
             "%s at %g, %g: derivative %d is %.17g, by differences %.17g +- %.1e", tree->text, values[0], values[1],
             order, found, d.value, d.doubt);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Bytes bytes = bytes_of(data, size);
    bool tree_wanted = bytes_one(&bytes) % 2 == 1;
    double values[NAMES_COUNT];
    if (tree_wanted) {
        static Tree tree;
        memset(&tree, 0, sizeof tree);
        for (int i = 0; i < NAMES_COUNT; i++) values[i] = bytes_between(&bytes, -4.0, 4.0);
        tree_write(&tree, tree_make(&tree, &bytes, 5));
        CrdExpr *expr = compiled(tree.text);
        if (expr == NULL) return 0; /* a constant part with a fault in it */
        check_consistency(expr, values);
        check_tree(&tree, expr, values);
        crd_expr_free(expr);
        return 0;
    }
    for (int i = 0; i < NAMES_COUNT; i++) values[i] = VALUES[bytes_index(&bytes, VALUES_COUNT)];
    char text[TEXT_MAX];
    bytes_text(&bytes, text, sizeof text);
    CrdExpr *expr = compiled(text);
    if (expr == NULL) return 0;
    check_consistency(expr, values);
    crd_expr_free(expr);
    return 0;
}
