"""Model files of mechanisms of any size, line by line. Used by rhs-against and error-against.

Links are rods of 1 m and 1 kg.
"""
import math


def planar_chain(n):
    yield "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:"
    for i in range(n):
        yield f"  l{i}: {{mass: 1, inertia: {1 / 12}, position: [{i + 0.5}, 0]}}"
    yield "joints:"
    for i in range(n):
        yield f"  j{i}: {{type: revolute, bodies: [{f'l{i - 1}' if i else 'ground'}, l{i}], point: [{i}, 0]}}"


def rod(name, along, centre, turn=""):
    inertia = ", ".join(str(1 / 600 if k == along else 0.0841667) for k in range(3))
    position = ", ".join(f"{x:.17g}" for x in centre)
    return f"  {name}: {{mass: 1, inertia: [{inertia}], position: [{position}]{turn}}}"


def hinge(name, a, b, point, axis):
    return f"  {name}: {{type: revolute, bodies: [{a}, {b}], point: {list(point)}, axis: {list(axis)}}}"


def spatial_chain(n, turning=False):
    """Hinges about z and y in turn; those about y turn at the start if wanted, so that it leaves the plane at once."""
    yield "cardan: 1\nspace: spatial\ngravity: [0, -9.81, 0]\nbodies:"
    spin = rise = 0  # about y; along z, of the near end of the link
    for i in range(n):
        if turning and i % 2:
            spin += i % 4 - 2
        moving = f", velocity: [0, 0, {rise - spin / 2}], angular_velocity: [0, {spin}, 0]" if turning else ""
        yield rod(f"l{i}", 0, (i + 0.5, 0, 0), moving)
        rise -= spin
    yield "joints:"
    for i in range(n):
        yield hinge(f"j{i}", f"l{i - 1}" if i else "ground", f"l{i}", (i, 0, 0), (0, 1, 0) if i % 2 else (0, 0, 1))


def flat_chain(n):
    """In space, but all hinges about z."""
    yield "cardan: 1\nspace: spatial\ngravity: [0, -9.81, 0]\nbodies:"
    for i in range(n):
        yield rod(f"l{i}", 0, (i + 0.5, 0, 0))
    yield "joints:"
    for i in range(n):
        yield hinge(f"j{i}", f"l{i - 1}" if i else "ground", f"l{i}", (i, 0, 0), (0, 0, 1))


def tree(n):
    """Link i hangs at the end of link (i - 1) / 2."""
    ends = [(0.0, 0.0, 0.0)]
    bodies, joints = [], []
    for i in range(n):
        base = ends[(i - 1) // 2 + 1] if i else ends[0]
        along = i % 3
        tip = tuple(x + (k == along) for k, x in enumerate(base))
        bodies.append(rod(f"l{i}", along, [(a + b) / 2 for a, b in zip(base, tip)]))
        axis = [int(k == (along + 1 + i % 2) % 3) for k in range(3)]
        joints.append(hinge(f"j{i}", f"l{(i - 1) // 2}" if i else "ground", f"l{i}", base, axis))
        ends.append(tip)
    yield "cardan: 1\nspace: spatial\ngravity: [0, -9.81, 0]\nbodies:"
    yield from bodies
    yield "joints:"
    yield from joints


def four_bars(n):
    yield "cardan: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:"
    for i in range(n + 1):
        yield (f"  c{i}: {{mass: 1, inertia: {1 / 12}, position: [{i}, 0.5], angle: {math.pi / 2}, "
               "velocity: [0.5, 0], spin: -1}")
    for i in range(n):
        yield f"  h{i}: {{mass: 1, inertia: {1 / 12}, position: [{i + 0.5}, 1], velocity: [1, 0]}}"
    yield "joints:"
    for i in range(n + 1):
        yield f"  g{i}: {{type: revolute, bodies: [ground, c{i}], point: [{i}, 0]}}"
        for side in range(2 if i < n else 0):
            yield f"  a{i}{'ab'[side]}: {{type: revolute, bodies: [c{i + side}, h{i}], point: [{i + side}, 1]}}"


def hinged_four_bars(n):
    """The same in space: three rows of each loop are redundant."""
    yield "cardan: 1\nspace: spatial\ngravity: [0, -9.81, 0]\nbodies:"
    for i in range(n + 1):
        yield rod(f"c{i}", 1, (i, 0.5, 0), ", velocity: [0.5, 0, 0], angular_velocity: [0, 0, -1]")
    for i in range(n):
        yield rod(f"h{i}", 0, (i + 0.5, 1, 0), ", velocity: [1, 0, 0]")
    yield "joints:"
    for i in range(n + 1):
        yield hinge(f"g{i}", "ground", f"c{i}", (i, 0, 0), (0, 0, 1))
        for side in range(2 if i < n else 0):
            yield hinge(f"a{i}{'ab'[side]}", f"c{i + side}", f"h{i}", (i + side, 1, 0), (0, 0, 1))


def ring(n):
    """A closed chain of hinges around a circle about axes in many directions, held at the first link."""
    radius = 0.5 / math.sin(math.pi / n)
    turns = [2 * math.pi * i / n for i in range(n + 1)]
    at = [(radius * math.cos(x), radius * math.sin(x), 0.0) for x in turns]
    yield "cardan: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:"
    for i in range(n):
        turn = f", axis_angle: [0, 0, 1, {turns[i] + math.pi / n + math.pi / 2}]"
        yield rod(f"l{i}", 0, [(a + b) / 2 for a, b in zip(at[i], at[i + 1])], turn)
    yield "joints:"
    yield hinge("base", "ground", "l0", at[0], (1, 0, 0))
    for i in range(1, n + 1):
        axis = (math.sin(1.3 * i), math.cos(1.7 * i), math.sin(2.1 * i))
        yield hinge(f"j{i}", f"l{i - 1}", f"l{i % n}", at[i], axis)


def platform():
    """A plate on six legs of two bodies each: ball joints at their ends, slides between."""
    yield "cardan: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:"
    yield "  plate: {mass: 60, inertia: [4, 4, 8], position: [0, 0, 1]}"
    joints = []
    for i in range(6):
        angle = math.pi / 3 * i + (0.2 if i % 2 else -0.2)
        head = math.pi / 3 * i + (-0.3 if i % 2 else 0.3)
        foot = [0.8 * math.cos(angle), 0.8 * math.sin(angle), 0]
        top = [0.5 * math.cos(head), 0.5 * math.sin(head), 1]
        way = [b - a for a, b in zip(foot, top)]
        turn = [0, math.atan2(math.hypot(way[0], way[1]), way[2]), math.atan2(way[1], way[0])]
        for name, part, mass in (("barrel", 0.3, 6), ("ram", 0.7, 3)):
            at = [a + part * w for a, w in zip(foot, way)]
            yield f"  {name}{i}: {{mass: {mass}, inertia: [0.2, 0.2, 0.01], position: {at}, rpy: {turn}}}"
        joints += [f"  foot{i}: {{type: spherical, bodies: [ground, barrel{i}], point: {foot}}}",
                   f"  slide{i}: {{type: prismatic, bodies: [barrel{i}, ram{i}], point: {foot}, axis: {way}}}",
                   f"  head{i}: {{type: spherical, bodies: [ram{i}, plate], point: {top}}}"]
    yield "joints:"
    yield from joints


def net(n):
    """n x n nodes, rods between neighbours by ball joints at the first rod of a node, hung at a corner."""
    first, joints = {}, []
    yield "cardan: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:"
    for i in range(n):
        for k in range(n):
            for along, end in ((0, (i + 1, k)), (1, (i, k + 1))):
                if max(end) == n:
                    continue
                name = f"{'xy'[along]}{i}_{k}"
                yield rod(name, along, ((i + end[0]) / 2, (k + end[1]) / 2, 0))
                for node in ((i, k), end):
                    if node in first:
                        joints.append(f"  j{len(joints)}: {{type: spherical, bodies: [{first[node]}, {name}], "
                                      f"point: [{node[0]}, {node[1]}, 0]}}")
                    first.setdefault(node, name)
    yield "joints:"
    yield f"  pin: {{type: spherical, bodies: [ground, {first[0, 0]}], point: [0, 0, 0]}}"
    yield from joints
