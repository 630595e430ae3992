"""How far the joints of a model are open, from the state that `cardan run --json` prints and from the file alone.

Shares no code and no formula with the library: frames are matrices, planar models are spatial ones in z = 0, a joint is
what geometry says of it (points that coincide, axes that are parallel), and its opening is a length or an angle."""
import math

from model_text import Unreadable, evaluate, read

FOOT_RANGE, FOOT_GRID = 20.0, 800  # where feet of curves are sought, and in how many intervals
MODEL_RTOL, MODEL_ATOL = 1e-6, 1e-8  # of the error control where the file says nothing


def add(a, b): return [x + y for x, y in zip(a, b)]
def sub(a, b): return [x - y for x, y in zip(a, b)]
def mul(c, a): return [c * x for x in a]
def dot(a, b): return sum(x * y for x, y in zip(a, b))
def norm(a): return math.hypot(*a)
def cross(a, b): return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
def apply(m, a): return [dot(row, a) for row in m]
def transposed(m): return [list(row) for row in zip(*m)]
def product(m, n): return [[dot(row, column) for column in transposed(n)] for row in m]


def unit(a):
    length = norm(a)
    if not 0 < length < math.inf:
        raise Unreadable('an axis without length')
    return mul(1 / length, a)


def about(axis, angle):
    """Rotation about a unit axis."""
    s, c, (x, y, z) = math.sin(angle), math.cos(angle), axis
    return [[c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
            [y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s],
            [z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)]]


def of_quaternion(q):
    w, x, y, z = unit(q)
    return [[w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]]


def across(u):
    """Two unit vectors that make a right-handed system with u."""
    least = min(range(3), key=lambda i: abs(u[i]))
    e = unit(cross(u, [float(i == least) for i in range(3)]))
    return e, cross(u, e)


def between(a, b):
    """The angle between two directions."""
    return math.atan2(norm(cross(a, b)), dot(a, b))


class Frame:
    def __init__(self, x, r):
        self.x, self.r = x, r

    def point(self, local): return add(self.x, apply(self.r, local))
    def inside(self, point): return apply(transposed(self.r), sub(point, self.x))
    def turned(self, local): return apply(self.r, local)
    def own(self, direction): return apply(transposed(self.r), direction)


IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
GROUND = Frame([0.0] * 3, IDENTITY)


class Model:
    def __init__(self, text, overrides=None):
        self.file = read(text)
        self.planar = self.file['space'] == 'planar'
        self.names = {}
        for section in ('parameters', 'inputs'):
            for name, value in (self.file.get(section) or {}).items():
                self.names[name] = evaluate(value, self.names)
        self.names.update(overrides or {})
        self.bodies = self.file.get('bodies') or {}
        self.written = {'ground': GROUND}
        for name, body in self.bodies.items():
            self.written[name] = Frame(self.vector(body.get('position', ['0'] * 3)), self.orientation(body))
        self.joints = {name: Joint(self, name, d) for name, d in (self.file.get('joints') or {}).items()}

    def number(self, text, **more): return evaluate(text, dict(self.names, **more))

    def vector(self, texts):
        found = [self.number(x) for x in texts]
        return found + [0.0] * (3 - len(found))

    def orientation(self, body):
        if 'angle' in body:
            return about([0, 0, 1], self.number(body['angle']))
        if 'quaternion' in body:
            return of_quaternion([self.number(x) for x in body['quaternion']])
        if 'rpy' in body:
            roll, pitch, yaw = self.vector(body['rpy'])
            return product(about([0, 0, 1], yaw), product(about([0, 1, 0], pitch), about([1, 0, 0], roll)))
        if 'axis_angle' in body:
            *axis, angle = [self.number(x) for x in body['axis_angle']]
            return about(unit(axis), angle) if norm(axis) > 0 else IDENTITY
        return IDENTITY

    def printed(self, out):
        """Frames of the bodies from the object that the command prints."""
        frames = {'ground': GROUND}
        for name in self.bodies:
            state = out['bodies'][name]
            x = state['position'] + [0.0] * (3 - len(state['position']))
            if 'quaternion' in state:
                frames[name] = Frame(x, of_quaternion(state['quaternion']))
            else:
                frames[name] = Frame(x, about([0, 0, 1], state.get('angle', 0.0)))
        return frames

    def tolerance(self):
        """Of lengths (times the size of the mechanism) and of angles, as the error control has them."""
        given = (self.file.get('simulation') or {}).get('tolerance') or {}
        rtol, atol = self.number(given.get('relative', MODEL_RTOL)), self.number(given.get('absolute', MODEL_ATOL))
        size = max((size for joint in self.joints.values() for size in joint.sizes()), default=0.0)
        return atol + rtol * size, atol + rtol

    def openings(self, out):
        """[(joint, length, angle)] of the joints that are constraints."""
        frames = self.printed(out)
        return [(name, *joint.opening(frames, out)) for name, joint in self.joints.items() if 'compliant' not in joint.d]


class Joint:
    def __init__(self, model, name, d):
        self.model, self.name, self.d, self.type = model, name, d, d['type']
        self.la = self.lb = [0.0] * 3
        if self.type == 'coupler' or self.type == 'driver' and 'joint' in d:
            return
        if self.type == 'driver':
            self.a, self.b = 'ground', d['body']
            if 'point' in d:
                self.lb = model.written[self.b].inside(model.vector(d['point']))
            return
        self.a, self.b = d['bodies']
        self.place(model.written[self.a], model.written[self.b])
        self.direct(model.written[self.a], model.written[self.b])

    def place(self, a, b):
        local, d = self.d.get('local') or {}, self.d
        middle = b.x if self.b != 'ground' else a.x
        point = self.model.vector(d['point']) if 'point' in d else middle
        self.la, self.lb = a.inside(point), b.inside(point)
        if self.type == 'distance':
            self.la = self.lb = [0.0] * 3
        if self.type == 'rolling':
            self.lb = [0.0] * 3
        if 'a' in local:
            self.la = self.model.vector(local['a'])
        if 'b' in local:
            self.lb = self.model.vector(local['b'])
        self.gap0 = sub(b.point(self.lb), a.point(self.la))

    def direct(self, a, b):
        local, d = self.d.get('local_axis') or {}, self.d
        given = [d.get('normal' if self.type == 'rolling' else 'axis'), d.get('axis2', d.get('axis'))]
        both = [frame.own(self.model.vector(g)) if g is not None else None for frame, g in zip((a, b), given)]
        for i, side in enumerate('ab'):
            if side in local:
                both[i] = self.model.vector(local[side])
        if self.model.planar and self.type == 'revolute':
            both = [[0.0, 0.0, 1.0]] * 2
        self.ua, self.ub = [unit(u) if u is not None else None for u in both]
        if self.ua is None:
            return
        e = across(a.turned(self.ua))
        self.ea = [a.own(x) for x in e]
        self.along0 = dot(a.turned(self.ua), self.gap0)
        if self.ub is not None:
            self.eb = [b.own(x) for x in self.carried(e, a.turned(self.ua), b.turned(self.ub))]

    def carried(self, e, u, w):
        """The directions across u as seen from b: by the shortest turn from u to w."""
        axis, angle = cross(u, w), between(u, w)
        turn = about(unit(axis), angle) if norm(axis) > 1e-12 else IDENTITY
        return [apply(turn, x) for x in e]

    def sizes(self):
        yield norm(self.la)
        yield norm(self.lb)
        if 'radius' in self.d:
            yield abs(self.model.number(self.d['radius']))

    # ---- the pieces
    def gap(self, F): return sub(F[self.b].point(self.lb), F[self.a].point(self.la))
    def along(self, F): return dot(F[self.a].turned(self.ua), self.gap(F))
    def off(self, F): return norm(sub(self.gap(F), mul(self.along(F), F[self.a].turned(self.ua))))
    def tilt(self, F): return 0.0 if self.model.planar else between(F[self.a].turned(self.ua), F[self.b].turned(self.ub))
    def square(self, F): return abs(math.pi / 2 - between(F[self.a].turned(self.ua), F[self.b].turned(self.ub)))

    def turn(self, F):
        """The angle by which b has turned against a since the pose as written."""
        w, (a, b) = self.model.written, (self.a, self.b)
        ra, rb = product(F[a].r, transposed(w[a].r)), product(F[b].r, transposed(w[b].r))
        c = product(transposed(ra), rb)
        s = [c[2][1] - c[1][2], c[0][2] - c[2][0], c[1][0] - c[0][1]]
        return math.atan2(norm(s), c[0][0] + c[1][1] + c[2][2] - 1)

    def coordinate(self, F, which, out):
        if self.type == 'distance':
            return norm(self.gap(F))
        kinds = {'revolute': 'angle', 'prismatic': 'displacement'}
        which = which or kinds.get(self.type, 'angle')
        if which == 'displacement':
            return self.along(F) - self.along0
        f, (a, b) = [F[self.b].turned(e) for e in self.eb], [F[self.a].turned(e) for e in self.ea]
        angle = math.atan2(dot(b, f[0]) - dot(a, f[1]), dot(a, f[0]) + dot(b, f[1]))
        counted = out['joints'][self.name].get('angle') or 0.0  # of the command only whole turns are believed
        return angle + 2 * math.pi * round((counted - angle) / (2 * math.pi))

    def law(self, key, t, default='0'):
        return self.model.number(self.d.get(key, default), t=t)

    # ---- openings: (length, angle)
    def opening(self, F, out):
        return getattr(self, 'open_' + self.type)(F, out)

    def open_weld(self, F, out): return norm(self.gap(F)), self.turn(F)
    def open_revolute(self, F, out): return norm(self.gap(F)), self.tilt(F)
    def open_spherical(self, F, out): return norm(self.gap(F)), 0.0
    def open_universal(self, F, out): return norm(self.gap(F)), self.square(F)
    def open_prismatic(self, F, out): return self.off(F), self.turn(F)
    def open_cylindrical(self, F, out): return self.off(F), self.tilt(F)
    def open_planar(self, F, out): return abs(self.along(F)), self.tilt(F)
    def open_point_on_line(self, F, out): return self.off(F), 0.0
    def open_point_on_plane(self, F, out): return abs(self.along(F)), 0.0
    def open_parallel(self, F, out): return 0.0, self.tilt(F)
    def open_perpendicular(self, F, out): return 0.0, self.square(F)
    def open_angle(self, F, out): return 0.0, self.turn(F)
    def open_knife_edge(self, F, out): return 0.0, 0.0

    def open_screw(self, F, out):
        lead = self.coordinate(F, 'displacement', out) - self.law('pitch', 0) * self.coordinate(F, 'angle', out)
        return max(self.off(F), abs(lead)), self.tilt(F)

    def open_distance(self, F, out):
        length = self.law('length', out['t']) if 'length' in self.d else norm(self.gap0)
        return abs(norm(self.gap(F)) - length), 0.0

    def open_constant_velocity(self, F, out):
        u, w = F[self.a].turned(self.ua), F[self.b].turned(self.ub)
        now = self.carried([F[self.a].turned(e) for e in self.ea], u, w)
        f = [F[self.b].turned(e) for e in self.eb]
        return norm(self.gap(F)), abs(math.atan2(dot(now[0], f[1]), dot(now[0], f[0])))

    def open_rolling(self, F, out):
        n = m = F[self.a].turned(self.ua)
        if self.ub is not None and not self.model.planar:
            u = F[self.b].turned(self.ub)
            m = unit(sub(n, mul(dot(n, u), u)))
        low = sub(F[self.b].point(self.lb), mul(self.law('radius', 0), m))
        return abs(dot(n, sub(low, F[self.a].point(self.la)))), 0.0

    def open_driver(self, F, out):
        t = out['t']
        if 'joint' not in self.d:
            path = [self.model.number(e, t=t) for e in self.d['path']]
            return norm(sub(F[self.b].point(self.lb), path + [0.0] * (3 - len(path)))), 0.0
        joint = self.model.joints[self.d['joint']]
        which = self.d.get('coordinate')
        return self.of_unit(joint, which, joint.coordinate(F, which, out) - self.law('value', t))

    def open_coupler(self, F, out):
        total, largest, joint, which = -self.law('value', out['t']), 0.0, None, None
        for key, factor in self.d['joints'].items():
            name, _, kind = key.partition('.')
            joint, which = self.model.joints[name], kind or None
            c = self.model.number(factor)
            total, largest = total + c * joint.coordinate(F, which, out), max(largest, abs(c))
        return self.of_unit(joint, which, total / max(1.0, largest))

    def of_unit(self, joint, which, value):
        angle = joint.type in ('revolute', 'cylindrical', 'screw') and which != 'displacement'
        return (0.0, abs(value)) if angle else (abs(value), 0.0)

    def open_curve(self, F, out):
        p = F[self.a].inside(F[self.b].point(self.lb))

        def path(s):
            c = [self.model.number(e, s=s) for e in self.d['path']]
            return c + [0.0] * (3 - len(c))

        def far(s):
            try:
                return norm(sub(p, path(s)))
            except Unreadable:
                return math.inf
        first = self.law('s', 0)
        grid = [first + FOOT_RANGE * (2 * i / FOOT_GRID - 1) for i in range(FOOT_GRID + 1)]
        best = min(grid, key=far)
        if best in (grid[0], grid[-1]):
            raise Unreadable('the foot of %s is far along its path' % self.name)
        low, high = best - 2 * FOOT_RANGE / FOOT_GRID, best + 2 * FOOT_RANGE / FOOT_GRID
        for _ in range(200):
            one, two = low + (high - low) * 0.381966, low + (high - low) * 0.618034
            low, high = (low, two) if far(one) < far(two) else (one, high)
        foot = (low + high) / 2
        grain = norm(sub(path(foot + math.ulp(foot)), path(foot)))  # far along it, numbers of the path lie apart
        return max(0.0, far(foot) - grain), 0.0
