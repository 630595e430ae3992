"""What is run: mechanisms, engines, settings. Used by run.py and report.py."""

# one right-hand side: (problem, size)
RIGHT_SIDES = [("spatial_chain", 8), ("spatial_chain", 64), ("spatial_chain", 1024), ("chain", 8), ("chain", 64),
               ("chain", 1024), ("tree", 1), ("slider_crank", 1), ("bricard", 1), ("four_bars", 40), ("ladder", 40),
               ("net", 5), ("vehicle", 1)]
RIGHT_SIDE_MODES = {"cardan": ["rhs", "rhs/space"], "mujoco": ["rhs"], "bullet": ["rhs"], "dart": ["rhs"],
                    "simbody": ["rhs"], "by_hand": ["rhs"]}

# integration to an error: (problem, size), and the steps that peer-reference takes
RUNS = {("chain", 2): 60, ("chain", 8): 60, ("chain", 64): 80, ("spatial_chain", 2): 60, ("spatial_chain", 8): 60,
        ("spatial_chain", 64): 40, ("slider_crank", 1): 500, ("equal_slider_crank", 1): 500, ("four_bars", 40): 500,
        ("ladder", 40): 60, ("bricard", 1): 200, ("tree", 1): 16, ("net", 5): 20, ("vehicle", 1): 60}
TARGETS = ["1e-3", "1e-6", "1e-9"]

TREES = {"chain", "spatial_chain", "tree"}
PLANAR = {"chain", "slider_crank", "equal_slider_crank", "four_bars", "ladder"}
TITLES = {"chain": "planar chain", "spatial_chain": "spatial chain", "slider_crank": "slider-crank",
          "equal_slider_crank": "slider-crank, equal lengths", "four_bars": "four-bars", "ladder": "ladder",
          "bricard": "Bricard", "tree": "tree of 31 freedoms", "net": "net of n x n", "vehicle": "vehicle"}
ENGINES = ["cardan", "mujoco", "bullet", "dart", "simbody", "sundials", "ode", "by_hand"]
NAMES = {"cardan": "Cardan", "mujoco": "MuJoCo", "bullet": "Bullet", "dart": "DART", "simbody": "Simbody",
         "sundials": "SUNDIALS IDA", "ode": "ODE", "by_hand": "by hand"}

_TOLERANCES = ["1e-2", "1e-3", "3e-4", "1e-4", "3e-5", "1e-5", "3e-6", "1e-6", "3e-7", "1e-7", "3e-8", "1e-8", "3e-9",
               "1e-9", "3e-10", "1e-10", "3e-11", "1e-11"]
_STEPS = ["0.1", "0.05", "0.04", "0.025", "0.02", "0.0125", "0.01", "0.005", "0.004", "0.0025", "0.002", "0.00125",
          "0.001", "0.0005", "0.0002", "0.0001", "0.00002"]


def limit(quick):
    """Seconds of processor time that a run may take."""
    return 1.5 if quick else 3


def title(problem, size):
    return TITLES[problem] if size == 1 else f"{TITLES[problem]}, {size}"


def settings(problem, quick):
    """(engine, mode, parameters from coarse to fine) for one problem."""
    tolerances, steps = (_TOLERANCES[1::3], _STEPS[2::3]) if quick else (_TOLERANCES, _STEPS)
    tree, planar = problem in TREES, problem in PLANAR
    tuned = "" if tree else "/tuned"
    for stepper in ["dop853", "abm"] + ([] if quick else ["dopri5"]):
        yield "cardan", stepper, tolerances
        if planar and tree:
            yield "cardan", stepper + "/space", tolerances
    yield "mujoco", "rk4" + tuned, steps
    yield "bullet", ("rk4" if tree else "step/tuned"), steps
    if tree:
        yield "dart", "rk4", steps
        yield "by_hand", "rk4", steps
        yield "simbody", "rkm", tolerances
        yield "simbody", "cpodes", tolerances
    else:
        yield "dart", "step", steps
        yield "simbody", "rkm/tight", tolerances
        yield "ode", "step/tuned", steps[3:]
    if planar:
        yield "cardan", "bdf", tolerances  # of the same family as SUNDIALS
        yield "sundials", "ggl", tolerances
        yield "sundials", "index1", tolerances
    for engine in ["cardan", "mujoco", "bullet", "dart", "simbody", "ode"]:
        yield engine, "default", ["0"]
