/* ---- symbols of joints ---- */

/* How far a joint's point of b goes along a's axis, over all frames. */
function travel(run, j) {
  var lo = Infinity, hi = -Infinity, step = Math.max(1, Math.ceil(run.frames / clamp(2e4 / run.bodies.length, 8, 200)));
  for (var f = 0; f < run.frames; f += step) {
    poseAt(run, run.t[f]);
    var s = dot(add(toGround(run, j.b, j.pb), toGround(run, j.a, j.pa), -1), toGround(run, j.a, j.ua, 0));
    lo = Math.min(lo, s); hi = Math.max(hi, s);
  }
  poseAt(run, 0);
  return [lo, hi];
}

/* What a symbol is drawn with: the joint, its element, and which side it hangs on. */
function Symbol3(solids, run, j, of) {
  this.solids = solids; this.run = run; this.j = j; this.of = of;
  this.on = j.b >= 0 ? j.b : j.a;
  this.p = j.b >= 0 ? j.pb : j.pa;
  this.u = j.b >= 0 ? j.ub : j.ua;
  if (norm(this.u) === 0) this.u = [0, 0, 1];
  if (run.planar && j.type === 'revolute') this.u = [0, 0, 1];
}
Symbol3.prototype.bar = function (r, h, color, u, kind) {
  this.solids.put(kind || 'cylinder', this.on, placed(this.p, u || this.u, r * pin, r * pin, h * pin), color || 'joint', this.of);
};
Symbol3.prototype.ball = function (r, color) { this.bar(r, r, color, [0, 0, 1], 'sphere'); };
Symbol3.prototype.rail = function () {
  var j = this.j, range = travel(this.run, j), u = unit(j.ua);
  this.solids.put('cylinder', j.a, spanned(add(j.pa, u, range[0] - 4 * pin), add(j.pa, u, range[1] + 4 * pin), 0.34 * pin), 'ground', this.of);
};
Symbol3.prototype.disc = function () {
  var j = this.j;
  this.solids.put('cylinder', j.a, placed(j.pa, unit(j.ua), 3.6 * pin, 3.6 * pin, 0.25 * pin), 'ground', this.of);
};

var SYMBOLS = {
  revolute: function (s) {
    var h = s.run.planar ? 3.2 : 3;
    s.bar(1, h); s.bar(0.5, h + 0.5, 'pin');
  },
  prismatic: function (s) {
    s.rail();
    var own = s.run.bodies[s.on] && s.run.bodies[s.on].shapes.length;
    if (!own) s.solids.put('box', s.on, placed(s.p, unit(s.u), 2.2 * pin, 2.2 * pin, 4.4 * pin, s.run.planar ? [0, 0, 1] : null), 'joint', s.of);
  },
  cylindrical: function (s) { s.rail(); s.bar(1, 3.4); },
  screw: function (s) {
    s.rail(); s.bar(0.9, 3);
    [-1, 0, 1].forEach(function (k) {
      s.solids.put('ring', s.on, placed(add(s.p, unit(s.u), k * pin), unit(s.u), pin, pin, pin), 'pin', s.of);
    });
  },
  spherical: function (s) {
    s.ball(1.05, 'pin');
    s.solids.put('ring', s.j.a, placed(s.j.pa, [0, 0, 1], 1.15 * pin, 1.15 * pin, 2 * pin), 'joint', s.of);
  },
  universal: function (s) {
    var j = s.j;
    s.solids.put('cylinder', j.a, placed(j.pa, unit(j.ua), 0.5 * pin, 0.5 * pin, 3.6 * pin), 'joint', s.of);
    s.solids.put('cylinder', j.b, placed(j.pb, unit(j.ub), 0.5 * pin, 0.5 * pin, 3.6 * pin), 'joint', s.of);
    s.ball(0.8, 'pin');
  },
  constant_velocity: function (s) {
    var j = s.j;
    s.ball(1.3, 'pin');
    s.solids.put('ring', j.a, placed(j.pa, unit(j.ua), 1.3 * pin, 1.3 * pin, 2 * pin), 'joint', s.of);
    s.solids.put('ring', j.b, placed(j.pb, unit(j.ub), 1.3 * pin, 1.3 * pin, 2 * pin), 'joint', s.of);
  },
  weld: function (s) { s.solids.put('box', s.on, placed(s.p, [0, 0, 1], 1.7 * pin, 1.7 * pin, 1.7 * pin), 'joint', s.of); },
  planar: function (s) { s.disc(); s.bar(1.4, 0.7); },
  point_on_line: function (s) { s.rail(); s.ball(1.05); },
  point_on_plane: function (s) { s.disc(); s.ball(0.9); },
  parallel: function (s) { s.bar(0.3, 5, 'drive'); },
  perpendicular: function (s) {
    s.bar(0.3, 4, 'drive');
    s.solids.put('cylinder', s.j.a, placed(s.j.pa, unit(s.j.ua), 0.3 * pin, 0.3 * pin, 4 * pin), 'drive', s.of);
  },
  angle: function (s) { s.bar(1.6, 1, 'joint', [0, 0, 1], 'ring'); },
  distance: function (s) {
    var j = s.j, run = s.run;
    s.solids.put('cylinder', -1, null, 'joint', s.of, function () {
      return spanned(toGround(run, j.a, j.pa), toGround(run, j.b, j.pb), 0.4 * thick);
    });
    s.solids.put('sphere', j.a, placed(j.pa, [0, 0, 1], 0.8 * pin, 0.8 * pin, 0.8 * pin), 'joint', s.of);
    s.solids.put('sphere', j.b, placed(j.pb, [0, 0, 1], 0.8 * pin, 0.8 * pin, 0.8 * pin), 'joint', s.of);
  },
  curve: function (s) { s.ball(1.1); },
  knife_edge: function (s) {
    s.solids.put('box', s.on, placed(s.p, unit(s.u), 4 * pin, 1.6 * pin, 0.3 * pin, null), 'joint', s.of);
  },
  driver: function (s) {
    var led = s.run.joints[s.j.leads];
    if (!led) return s.ball(1.2, 'drive');
    if (led.type === 'prismatic') return s.bar(1.5, 1.5, 'drive', unit(s.u), 'ring');
    s.bar(1.9, 1.9, 'drive', s.run.planar ? [0, 0, 1] : unit(s.u), 'ring');
  },
  coupler: function (s) { s.bar(2.5, 2.5, 'moment', s.run.planar ? [0, 0, 1] : unit(s.u), 'ring'); }
};

/* The ground under a joint. */
function drawGround(s) {
  var j = s.j, side = j.a < 0 ? j.pa : j.pb, free = ['distance', 'rolling', 'driver', 'coupler', 'rows', 'angle', 'parallel',
    'perpendicular', 'knife_edge', 'prismatic', 'cylindrical', 'screw', 'point_on_line', 'point_on_plane', 'planar', 'curve'];
  if ((j.a >= 0 && j.b >= 0) || free.indexOf(j.type) >= 0) return;
  if (s.run.planar) {
    var side2 = [-down[1], down[0], 0];
    s.solids.put('wedge', -1, placed(side, [0, 0, 1], 3 * pin, 3 * pin, 1.6 * pin, side2), 'ground', s.of);
    s.solids.put('box', -1, placed(add(side, down, 3.2 * pin), [0, 0, 1], 6.4 * pin, 0.5 * pin, 1.8 * pin, side2), 'ground', s.of);
  } else {
    /* a stand below it, or above what hangs */
    var hangs = dot(add(toGround(s.run, s.on, [0, 0, 0]), side, -1), down) > 0.5 * s.run.bodies[s.on].reach, to = hangs ? up : down;
    s.solids.put('cylinder', -1, spanned(side, add(side, to, 2.4 * pin), 0.7 * pin), 'ground', s.of);
    s.solids.put('cylinder', -1, spanned(add(side, to, 2.2 * pin), add(side, to, 2.7 * pin), 2.6 * pin), 'ground', s.of);
  }
}

/* Points of a and b that should be one and are not: a line between them. */
var TOGETHER = ['revolute', 'spherical', 'universal', 'weld', 'constant_velocity'];

function drawGap(s) {
  var j = s.j, run = s.run;
  if (TOGETHER.indexOf(j.type) < 0 || j.compliant) return;
  s.solids.put('cylinder', -1, null, 'open', s.of, function () {
    var a = toGround(run, j.a, j.pa), b = toGround(run, j.b, j.pb);
    return norm(add(b, a, -1)) > 1e-3 * main.size ? spanned(a, b, 0.4 * pin) : null;
  });
  s.solids.put('sphere', -1, null, 'open', s.of, function () {
    var a = toGround(run, j.a, j.pa), b = toGround(run, j.b, j.pb);
    return norm(add(b, a, -1)) > 1e-3 * main.size ? placed(a, [0, 0, 1], 1.2 * pin, 1.2 * pin, 1.2 * pin) : null;
  });
}

function drawJoints(solids, run, elements) {
  poseAt(run, 0);
  run.joints.forEach(function (j, k) {
    var s = new Symbol3(solids, run, j, elements.joints[k]);
    if (SYMBOLS[j.type]) SYMBOLS[j.type](s);
    drawGap(s);
    drawGround(s);
    if (j.redundant && still) s.bar(2.3, 2.3, 'redundant', run.planar ? [0, 0, 1] : null, 'ring');
  });
}

