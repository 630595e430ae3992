/* Models of joints beside numbers of an independent, slow computation of the same files (a joint is only its function g
 * there; every derivative exact by Taylor arithmetic, adaptive order-8 steps at 1e-12). Places, velocities,
 * coordinates, reactions, efforts of drives, energies and work.
 *
 * Tolerances: both sides are integrated with 1e-12; what they differ by grows with the motion, at most a few hundred
 * times that in accelerations, which reactions are made of. */
#include "support/check.h"
#include "support/scene.h"

typedef struct Row {
    const char *name; /* body: x y z vx vy vz; joint.reaction: force, moment; joint.effort; joint.angle: with its rate;
                         energy: kinetic, potential, work */
    double value[6];
} Row;

typedef struct Reference {
    const char *file, *text; /* one of them */
    double t;
    const Row *rows;
    int count;
} Reference;

static const double ALLOWED = 1e-9; /* of 1 + |value| */

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void compare(const double *value, const Row *row, int n) {
    for (int i = 0; i < n; i++)
        check_near(value[i], row->value[i], ALLOWED * (1.0 + fabs(row->value[i])), "%s, number %d", row->name, i);
}

static void put(double *to, CardanVec3 a, CardanVec3 b) {
    const double both[] = {a.x, a.y, a.z, b.x, b.y, b.z};
    memcpy(to, both, sizeof both);
}

static void check_joint(CardanSim *sim, const CardanModel *model, const Row *row, const char *dot) {
    char name[64];
    double value[6];
    snprintf(name, sizeof name, "%.*s", (int)(dot - row->name), row->name);
    CardanJoint joint = cardan_model_find_joint(model, name);
    assert_int_not_equal(joint.index, 0);
    if (strcmp(dot, ".reaction") == 0) {
        CardanWrench wrench = cardan_sim_reaction(sim, joint);
        put(value, wrench.force, wrench.moment);
        compare(value, row, 6);
    } else if (strcmp(dot, ".effort") == 0) {
        assert_int_equal(cardan_sim_effort(sim, joint, value), CARDAN_OK);
        compare(value, row, 1);
    } else {
        CardanCoordinate which = strcmp(dot, ".angle") == 0 ? CARDAN_ANGLE : CARDAN_DISPLACEMENT;
        assert_int_equal(cardan_sim_coordinate(sim, joint, which, &value[0], &value[1]), CARDAN_OK);
        compare(value, row, 2);
    }
}

static void check_row(CardanSim *sim, const CardanModel *model, const Row *row) {
    double value[6];
    const char *dot = strchr(row->name, '.');
    if (dot != NULL) {
        check_joint(sim, model, row, dot);
    } else if (strcmp(row->name, "energy") == 0) {
        CardanEnergy energy = scene_energy(sim);
        compare((double[]){energy.kinetic, energy.potential, energy.work}, row, 3);
        check_near(energy.drift_max, 0.0, 1e-9 * (1.0 + energy.kinetic), "energy less work");
    } else {
        CardanBodyState body = scene_body(sim, model, row->name);
        put(value, body.position, body.velocity);
        compare(value, row, 6);
    }
}

static void check(const Reference *reference) {
    CardanModel *model = reference->file != NULL ? scene_load(reference->file) : scene_read(reference->text);
    CardanOptions options = scene_tight(1e-12, 1e-13);
    CardanSim *sim = scene_start(model, &options);
    scene_advance(sim, reference->t);
    for (int i = 0; i < reference->count; i++) check_row(sim, model, &reference->rows[i]);
    cardan_sim_destroy(sim);
    cardan_model_release(model);
}

static void a_bead_runs_on_a_curve(void **state) {
    (void)state;
    static const Row rows[] = {
        {"bead", {-1.3365773097623508, -0.09537846218678227, 0, 2.623504999666893, -2.757661589973759, 0}},
        {"wire.reaction", {13.917662340609414, 13.240586468991609, 0, 0, 0, 0}},
        {"energy", {5.070616574832823, -0.6549638998366338, 0}},
    };
    check(&(Reference){.file = "models/bead_on_curve.yaml", .t = 2.0, .rows = rows, .count = COUNT(rows)});
}

static void a_bead_slides_down_a_helix(void **state) {
    (void)state;
    static const Row rows[] = {
        {"bead",
         {0.28484658037470034, -0.41092873548687175, -2.7062068965537454, -5.560290889835502, -3.8542689013502733,
          -2.7062068965547637}},
        {"wire.reaction", {-38.45267359847756, 51.316547319761035, 5.919827586206892, 0, 0, 0}},
        {"energy", {18.58352275866243, -18.58352275863457, 0}},
    };
    check(&(Reference){.file = "models/bead_on_helix.yaml", .t = 2.0, .rows = rows, .count = COUNT(rows)});
}

static void a_compliant_pin_carries_a_pendulum(void **state) {
    (void)state;
    static const Row rows[] = {
        {"rod", {0.5971982949673506, -0.07746602584947601, 0, 0.10425998549321769, 1.0487915294616534, 0}},
        {"pin.reaction", {-3.8255681453263826, 4.118143017161874, 0, 0, 0, 0}},
        {"pin.angle", {-0.12599452763398344, 1.7506511916117178}},
        {"energy", {1.1089555261564077, -1.131811519726359, -0.022855993569900774}},
    };
    check(&(Reference){.file = "models/compliant_pendulum.yaml", .t = 2.0, .rows = rows, .count = COUNT(rows)});
}

static void peaucelliers_inversor(void **state) {
    (void)state;
    static const Row rows[] = {
        {"crank", {0.6340467499143265, 0.12942872110151346, 0, 0.15376015528210807, -0.2186458817266583, 0}},
        {"arm_c", {0.3782145339454485, 0.3270378667867487, 0, 0.18486425848587906, -0.2137928248290565, 0}},
        {"arm_d", {0.49749888263554454, -0.04994859133533872, 0, -0.031104103203770966, -0.30980366363823053, 0}},
        {"bc", {0.787261283859775, 0.4564665878882621, 0, 0.33862441376798713, -0.43243870655571487, 0}},
        {"bd", {0.9065456325498711, 0.07948012976617473, 0, 0.12265605207833712, -0.5284495453648889, 0}},
        {"cp", {0.8448812006121149, 0.47469842113664523, 0, 0.18486425848587926, -0.518743431569685, 0}},
        {"dp", {0.964165549302211, 0.09771196301455781, 0, -0.03110410320377076, -0.6147542703788592, 0}},
        {"Q.reaction", {-16.55625335600647, 56.318480438900316, 0, 0, 0, 0}},
        {"Q.angle", {0.11289600644789372, -1.1879909959205346}},
        {"B1.reaction", {-1.2914790655728217, 11.918245534819947, 0, 0, 0, 0}},
        {"B1.angle", {-0.09379610257020854, 1.0305888519260675}},
        {"B2.reaction", {-15.037901919544321, 34.819651405983194, 0, 0, 0, 0}},
        {"B2.angle", {-0.019099903877685342, 0.15740214399446684}},
        {"O1.reaction", {3.102541584798216, 7.529528060924268, 0, 0, 0, 0}},
        {"O1.angle", {0.05429035885325162, -0.565268665375754}},
        {"O2.reaction", {12.092477545872315, 3.6926228122084583, 0, 0, 0, 0}},
        {"O2.angle", {0.058605647594642055, -0.6227223305447805}},
        {"C1.reaction", {1.030148951332675, -2.5420718420107815, 0, 0, 0, 0}},
        {"C1.angle", {-0.03519045497556661, 0.4078665213812871}},
        {"C2.reaction", {2.106850376816437, 0.46600970822299187, 0, 0, 0, 0}},
        {"C2.angle", {0.03950574371695681, -0.4653201865503128}},
        {"D1.reaction", {14.618614921116555, -25.2146485398109, 0, 0, 0, 0}},
        {"D1.angle", {0.035190454975566166, -0.4078665213812872}},
        {"D2.reaction", {-2.3337227477057496, 19.07285198394417, 0, 0, 0, 0}},
        {"D2.angle", {-0.03950574371695725, 0.46532018655031276}},
        {"P.reaction", {2.141308120167267, -9.189006551179073, 0, 0, 0, 0}},
        {"P.angle", {-0.07469619869252409, 0.8731867079315991}},
        {"drive.reaction", {0, 0, 0, 0, 0, 23.219250389817578}},
        {"drive.effort", {23.219250389817578}},
        {"energy", {0.8190757718646209, 14.860924714897504, 2.659101327951125}},
    };
    check(&(Reference){.file = "models/peaucellier.yaml", .t = 2.0, .rows = rows, .count = COUNT(rows)});
}

static void a_planetary_gear_under_a_growing_torque(void **state) {
    (void)state;
    static const Row rows[] = {
        {"sun", {0, 0, 0, 0, 0, 0}},
        {"carrier", {0, 0, 0, 0, 0, 0}},
        {"planet", {0.0639127822262802, 0.028550941632388978, 0, -0.7574576036667318, 1.6956086244760777, 0}},
        {"sun_axis.reaction", {0, 0, 0, 0, 0, 0}},
        {"sun_axis.angle", {111.42616507580135, 92.85513756317152}},
        {"carrier_axis.reaction", {-22.694270419886276, -9.595527698246105, 0, 0, 0, 0}},
        {"carrier_axis.angle", {31.836047164514667, 26.530039303763292}},
        {"planet_axis.reaction", {-22.694270419886287, -9.595527698246102, 0, 0, 0, 0}},
        {"planet_axis.angle", {-106.12015721504889, -88.43346434587764}},
        {"mesh_sun.reaction", {0, 0, 0, 0, 0, -0.03047725996631094}},
        {"mesh_sun.effort", {-0.001523862998315547}},
        {"mesh_ring.reaction", {0, 0, 0, 0, 0, 0.037928130263896805}},
        {"mesh_ring.effort", {0.0010836608646827659}},
        {"energy", {6.964135317238223, 0, 6.964135317237593}},
    };
    check(&(Reference){.file = "models/planetary.yaml", .t = 3.0, .rows = rows, .count = COUNT(rows)});
}

static void chaplygins_sleigh(void **state) {
    (void)state;
    static const Row rows[] = {
        {"sled", {0.5358179439634989, 2.431049707951669, 0, -0.2894924746458382, 1.3158168017955123, 0}},
        {"blade.reaction", {-0.4417308321622656, -0.07175406416730955, 0, 0, 0, 0}},
        {"energy", {2.734999999999747, 0, 0}},
    };
    check(&(Reference){.file = "models/sleigh.yaml", .t = 2.0, .rows = rows, .count = COUNT(rows)});
}

static void a_universal_joint_between_shafts(void **state) {
    (void)state;
    static const Row rows[] = {
        {"drive", {-0.3, 0, 0, 0, 0, 0}},
        {"driven", {0.26327476856711174, 0.14382766158126087, 0, 0, 0, 0}},
        {"front.reaction",
         {-0.010311618744949003, -0.0019566351863938318, 0.013737565620220292, 0, -0.005223011876433852,
          0.005361629315913432}},
        {"front.angle", {7.6, 4.6}},
        {"cross.reaction",
         {-0.010311618744948911, -0.001956635186393678, 0.013737565620220415, 0.047718857963137025,
          0.0016457709336762942, 0.006339946909110318}},
        {"back.reaction",
         {0.010311618744948823, 0.001956635186393501, -0.01373756562022081, -0.0069826203436731205,
          0.012781600804473228, -0.004726674683551216}},
        {"back.angle", {7.566383986200699, 5.144738140070135}},
        {"motor.reaction", {0, 0, 0, 0.055718857963137, 0, 0}},
        {"motor.effort", {0.055718857963137}},
        {"energy", {0.23814165264946155, 0, 0.15848485076732105}},
    };
    check(&(Reference){.file = "models/universal_shaft.yaml", .t = 2.0, .rows = rows, .count = COUNT(rows)});
}

static void every_joint_in_space(void **state) {
    (void)state;
    static const Row rows[] = {
        {"sleeve",
         {-0.10041416638965196, -1.8822770024155056, -4.0638614987922494, 0.21892265372776948, -3.89710801619467,
          -8.16144599190267}},
        {"plate",
         {2.23173076923077, 0.3999999999999998, -0.24634615384615394, 2.1750000000000007, 0.4, -0.4350000000000001}},
        {"rider",
         {4.183565869781452, -0.10390778583224368, -1.1378682604370915, 3.8133912780094414, 0.24717210584569954,
          -2.5832174439811175}},
        {"skater",
         {3.851617584985341, 0.9032351699706862, -0.2888241501465723, 1.2160859955309722, 1.5321719910619445,
          -1.6491400446902829}},
        {"kite",
         {4.299999999999999, 0.1999999999999999, -3.904999999999998, 0.3000000000000001, 0.2, -8.809999999999997}},
        {"cross", {5.0, 0, -3.905000000000001, 0, 0, -8.810000000000002}},
        {"table", {6.0, 0, 0, 0, 0, 0}},
        {"ball",
         {6.543407701352141, 0.007054670800128493, -0.5358815293048456, 0.42744657330011854, -0.07336868324641756,
          -2.9311426169985197}},
        {"blade",
         {7.944282762690846, 0.5156144551600231, -4.705000000000002, 0.8932740857608884, 0.6296401001187512,
          -9.810000000000004}},
        {"hoop", {8.0, 0, 0, 0, 0, 0}},
        {"bead", {7.512580444177575, 0, -0.11145481865702427, -0.2399655741303008, 0, 1.049428952149597}},
        {"bob",
         {8.509376354099075, 0.01637205675873204, -1.1600582622140436, -0.3948908715356056, -0.49637808179937226,
          -0.03746621331298035}},
        {"pinion", {10.0, 0, 0, 0, 0, 0}},
        {"rack", {10.038776469155563, 0.2, 0, 0.2519841874254586, 0, 0}},
        {"flap", {11.832883517161033, 0, -0.12970118918361756, 0.6035902994928423, 0, -0.9212808755939198}},
        {"slide.reaction",
         {1.1306989227273403, -3.665807381406189, 1.8329036907030944, 0.7212344288835233, 0.18954404690456617,
          -0.0947720234522833}},
        {"slide.angle", {1.2841352039797906, -1.6355284963674739}},
        {"slide.displacement", {-4.655493529154564, -9.042658901009155}},
        {"face.reaction",
         {3.773076923076924, 0, 18.86538461538462, -1.5421294356942548, 1.0247104305375665, 0.308425887138851}},
        {"wire.reaction", {1.8091495443146284, 2.8398447805045772, 3.6182990886292568, 0, 0, 0}},
        {"floor.reaction", {0.41211592044097756, 0.8242318408819551, 4.121159204409776, 0, 0, 0}},
        {"keep.reaction", {0, 0, 0, 0, 0, 0}},
        {"square.reaction", {0, 0, 0, 0, -0.005785070712394464, 0.0049690510214383116}},
        {"tilt.reaction",
         {-3.2350810064672695, 0.06716214418380956, 50.46089182378734, 0.04970626957285078, 0, 0.05375510503810328}},
        {"tilt.angle", {0.9762560329362412, 1.72084247360654}},
        {"roll.reaction", {-3.235081006467257, 0.06716214418380155, 1.4108918237873662, 0, 0, 0}},
        {"edge.reaction", {-0.059281295178715956, 0.0897057098048872, 0, 0, 0, 0}},
        {"axle.reaction", {0.8522493325624365, 0, 17.050241526831247, 0, 0, 0}},
        {"axle.angle", {2.916794460591378, 2.153030053090283}},
        {"ring.reaction", {0.8522493325624355, 0, 2.3352415268312194, 0, 0, 0}},
        {"rope.reaction", {2.588793545833159, -0.08638775408223703, 6.121089692885682, 0, 0, 0}},
        {"pivot.reaction", {0, 0, 4.905000000000002, 0, 0, 0}},
        {"pivot.angle", {-0.38776469155562715, -2.5198418742545856}},
        {"track.reaction", {0, 0, 8.828999999999999, 0, 0, 0}},
        {"track.angle", {0, 0}},
        {"track.displacement", {0.038776469155562765, 0.2519841874254586}},
        {"hinge.reaction", {3.6818657697839634, 0, 4.9220829347998265, 0, 0, 0}},
        {"hinge.angle", {2.4971696045648724, -5.307871470840617}},
        {"mesh.reaction", {0, 0, 0, 0, 0, 0.03202911207415204}},
        {"mesh.effort", {0.32029112074152033}},
        {"energy", {150.6222953942846, -151.14822971317977, -1.0654580449174855}},
    };
    check(&(Reference){.file = "models/every_joint.yaml", .t = 1.0, .rows = rows, .count = COUNT(rows)});
}

static void joints_in_the_plane(void **state) {
    (void)state;
    static const Row rows[] = {
        {"arm", {-0.21426243704900622, -0.4517649920808613, 0, 0.01226009089990856, -0.005814697908656381, 0}},
        {"block", {-3.310877780440321, -13.058703110115715, 0, -3.8973013966590577, -17.034994080315776, 0}},
        {"tray", {-0.4285248740980125, -0.6035299841617225, 0, 0.02452018179981712, -0.011629395817312762, 0}},
        {"seesaw", {3.0, 0, 0, 0, 0, 0}},
        {"wheel", {3.7924535789210987, -1.8427094789544942, 0, -0.35449144874797067, -5.143558984281584, 0}},
        {"plate", {4.908890076949588, -0.3894855349326184, 0, 0.1318507079294101, -0.030843014120329876, 0}},
        {"bead", {5.31133719955214, -0.33563869859923234, 0, 0.3866741570461265, 0.22719407512246786, 0}},
        {"cart", {7.041211848524176, 0, 0, -0.5466781571308061, 0, 0}},
        {"bob", {6.944022943552433, -0.4904633694277215, 0, 0.7930642211062088, -0.26547975404773216, 0}},
        {"small", {8.0, 0, 0, 0, 0, 0}},
        {"large", {8.299515674664205, 0.09999882713796751, 0, -0.12147801269509953, -0.000588355693504152, 0}},
        {"foot", {4.794417311089449, -2.1250846221788926, 0, -5.924997465756621, -2.8650050684867554, 0}},
        {"root.reaction", {0.5329761198584517, 15.515404421669611, 0, 0, 0, 0}},
        {"root.angle", {-2.013655845138235, 0.027138204851681225}},
        {"slot.reaction", {0.3185824965694064, -0.07980991361003266, 0, 0, 0, 0}},
        {"tip.reaction", {0.11694197633946819, 5.8310260010616215, 0, 0, 0, 0}},
        {"tip.angle", {2.013655845138235, -0.027138204851681225}},
        {"level.reaction", {0, 0, 0, 0, 0, -0.035082592901840313}},
        {"fulcrum.reaction", {-1.4866079820049602, 40.738206413193836, 0, 0, 0, 0}},
        {"fulcrum.angle", {-1.239507694580092, -1.0039764577610921}},
        {"tread.reaction", {-1.4866079820049658, 1.4982064131938282, 0, 0, 0, 0}},
        {"swing.reaction", {1.1215666797540726, 21.031976275471916, 0, 0, 0, 0}},
        {"swing.angle", {-0.22979180654598583, 0.3385253009517297}},
        {"groove.reaction", {-0.7869794369987467, 1.7642761072389788, 0, 0, 0, 0}},
        {"rail.reaction", {0, 25.01539994444706, 0, 0, 0, 0}},
        {"rail.displacement", {0.04121184852417592, -0.5466781571308061}},
        {"hang.reaction", {1.7918232581551916, 10.300399944447054, 0, 0, 0, 0}},
        {"hang.angle", {-0.19562312225752332, 2.7315849903332072}},
        {"axis1.reaction", {0, 2.9429999999999974, 0, 0, 0, 0}},
        {"axis1.angle", {-17.73908573841758, -2.144383124438971}},
        {"axis2.reaction", {-0.022743958881562342, 8.696073002617535, 0, 0, 0, 0}},
        {"axis2.angle", {6.288028579472527, 1.2147943748129904}},
        {"spring.reaction", {-2.4926078728012113, 4.985215745602423, 0, 0, 0, 1.240896086542608}},
        {"spring.displacement", {-4.935559040093029, -6.5807663435196435}},
        {"shake.reaction", {-0.43361656215029437, 0, 0, 0, 0, 0}},
        {"shake.effort", {-0.43361656215029437}},
        {"gears.reaction", {0, 0, 0, 0, 0, 0.00022041695824202544}},
        {"gears.effort", {0.00022041695824202544}},
        {"energy", {86.75815571495383, -94.06768643035578, 0.3218011234974826}},
    };
    check(&(Reference){.file = "models/plane_joints.yaml", .t = 1.5, .rows = rows, .count = COUNT(rows)});
}

/* Leaning, falling over and getting up again; the steady case is in tests/physics/test_mechanisms.c. */
static void a_disc_rolls_and_leans(void **state) {
    (void)state;
    static const char text[] =
        "cardan: 1\n"
        "name: rolling_disc\n"
        "description: a disc rolling and leaning on a level plane; its own z axis is the disc's axis\n"
        "space: spatial\n"
        "gravity: [0, 0, -9.81]\n"
        "parameters: {lean: 1.2, a: 0.5, p: 0.3, q: 0.8, r: -6, c: \"cos(lean)\", s: \"sin(lean)\"}\n"
        "bodies:\n"
        "  disc: {mass: 2, inertia: [0.13, 0.13, 0.25], position: [0, \"a*c\", \"a*s\"], axis_angle: [1, 0, 0, lean], "
        "velocity: [\"-a*r\", \"-a*p*s\", \"a*p*c\"], angular_velocity: [p, \"q*c - r*s\", \"q*s + r*c\"]}\n"
        "joints:\n"
        "  road: {type: rolling, bodies: [ground, disc], point: [0, 0, 0], normal: [0, 0, 1], axis: [0, \"-s\", c], "
        "radius: a}\n"
        "simulation: {end: 2}\n";
    static const Row rows[] = {
        {"disc",
         {3.7845246079173274, 3.9354280089302143, 0.4601406580916195, -0.13148481534768428, 3.0077602070280025,
          -0.020288074451853596}},
        {"road.reaction", {-5.4249973745526425, -0.19162084666537585, 20.563413150868996, 0, 0, 0}},
        {"energy", {13.685293721580319, 9.027959711757575, 0}},
    };
    check(&(Reference){.text = text, .t = 2.0, .rows = rows, .count = COUNT(rows)});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bead_runs_on_a_curve),
        cmocka_unit_test(a_bead_slides_down_a_helix),
        cmocka_unit_test(a_compliant_pin_carries_a_pendulum),
        cmocka_unit_test(peaucelliers_inversor),
        cmocka_unit_test(a_planetary_gear_under_a_growing_torque),
        cmocka_unit_test(chaplygins_sleigh),
        cmocka_unit_test(a_universal_joint_between_shafts),
        cmocka_unit_test(every_joint_in_space),
        cmocka_unit_test(joints_in_the_plane),
        cmocka_unit_test(a_disc_rolls_and_leans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
