/* ---- data: runs, and where everything is at a time ---- */

function floats(id) {
  var node = $(id), text = atob(node.textContent), bytes = new Uint8Array(text.length);
  for (var i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  node.remove();
  return new Float32Array(bytes.buffer);
}

var scene = JSON.parse($('scene').textContent);
scene.runs.forEach(function (run) { /* what is usual is not written */
  run.bodies.forEach(function (b) { b.kind = b.kind || 'body'; b.shapes = b.shapes || []; });
  run.joints.forEach(function (j) { ['pa', 'pb', 'ua', 'ub'].forEach(function (k) { j[k] = j[k] || [0, 0, 0]; }); });
});
var runs = scene.runs.map(function (run, i) {
  run.t = floats('t' + i);
  run.poses = floats('poses' + i);
  run.forcesAt = floats('forces' + i);
  run.values = floats('values' + i);
  run.end = run.t[run.frames - 1];
  run.matrices = new Float64Array(16 * (run.bodies.length + 1)); /* number 0 is the ground, k + 1 body k */
  for (var k = 0; k < 16; k += 5) run.matrices[k] = 1;
  return run;
});
var main = runs[0], still = main.frames < 2;

/* The frame at or before t, and the part of the way to the next. */
function frameAt(run, t) {
  var lo = 0, hi = run.frames - 1;
  if (hi < 1 || !(t > run.t[0])) return {i: 0, j: 0, u: 0};
  if (t >= run.t[hi]) return {i: hi, j: hi, u: 0};
  while (hi - lo > 1) {
    var middle = lo + hi >> 1;
    if (run.t[middle] <= t) lo = middle; else hi = middle;
  }
  return {i: lo, j: hi, u: (t - run.t[lo]) / (run.t[hi] - run.t[lo])};
}

/* Fills run.matrices, column by column as three.js has them. Between frames: straight lines, turns about fixed axes. */
function poseAt(run, t) {
  var at = frameAt(run, t), n = run.bodies.length, p = run.poses, q = new Float64Array(7);
  for (var k = 0; k < n; k++) {
    var a = 7 * (at.i * n + k), b = 7 * (at.j * n + k), m = run.matrices, o = 16 * (k + 1);
    for (var c = 0; c < 7; c++) q[c] = p[a + c] + at.u * (p[b + c] - p[a + c]);
    var w = q[3], x = q[4], y = q[5], z = q[6], s = 2 / (w * w + x * x + y * y + z * z);
    m[o] = 1 - s * (y * y + z * z); m[o + 1] = s * (x * y + w * z); m[o + 2] = s * (x * z - w * y); m[o + 3] = 0;
    m[o + 4] = s * (x * y - w * z); m[o + 5] = 1 - s * (x * x + z * z); m[o + 6] = s * (y * z + w * x); m[o + 7] = 0;
    m[o + 8] = s * (x * z + w * y); m[o + 9] = s * (y * z - w * x); m[o + 10] = 1 - s * (x * x + y * y); m[o + 11] = 0;
    m[o + 12] = q[0]; m[o + 13] = q[1]; m[o + 14] = q[2]; m[o + 15] = 1;
  }
  run.at = at;
}

/* A point (or, with w = 0, a direction) of a body in ground axes. */
function toGround(run, body, p, w) {
  var m = run.matrices, o = 16 * (body + 1);
  if (w === undefined) w = 1;
  return [m[o] * p[0] + m[o + 4] * p[1] + m[o + 8] * p[2] + w * m[o + 12],
          m[o + 1] * p[0] + m[o + 5] * p[1] + m[o + 9] * p[2] + w * m[o + 13],
          m[o + 2] * p[0] + m[o + 6] * p[1] + m[o + 10] * p[2] + w * m[o + 14]];
}

function mixed(array, width, k, at) {
  var x = array[at.i * width + k], y = array[at.j * width + k];
  return x + at.u * (y - x);
}

function arrowAt(run, k) {
  var n = 3 * run.arrows.length, f = run.forcesAt;
  return [mixed(f, n, 3 * k, run.at), mixed(f, n, 3 * k + 1, run.at), mixed(f, n, 3 * k + 2, run.at)];
}

function channelAt(run, k, t) { return mixed(run.values, run.channels.length, k, frameAt(run, t)); }

/* ---- vectors ---- */

function add(a, b, s) { s = s === undefined ? 1 : s; return [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]; }
function scaled(s, a) { return [s * a[0], s * a[1], s * a[2]]; }
function dot(a, b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
function cross(a, b) { return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]; }
function norm(a) { return Math.sqrt(dot(a, a)); }
function unit(a) { var n = norm(a); return n > 0 ? scaled(1 / n, a) : [0, 0, 1]; }
function middle(a, b) { return scaled(0.5, add(a, b)); }

/* Two directions across u. */
function across(u) {
  var least = Math.abs(u[0]) < Math.abs(u[1]) ? (Math.abs(u[0]) < Math.abs(u[2]) ? 0 : 2) : Math.abs(u[1]) < Math.abs(u[2]) ? 1 : 2;
  var e = [0, 0, 0];
  e[least] = 1;
  var x = unit(cross(e, u));
  return [x, cross(u, x)];
}

/* Where the unit solid goes: its z axis along u, sizes along x, y, z. */
function placed(p, u, sx, sy, sz, x) {
  var ex = x ? unit(add(x, u, -dot(x, u))) : across(u)[0], ey = cross(u, ex);
  return [sx * ex[0], sx * ex[1], sx * ex[2], 0, sy * ey[0], sy * ey[1], sy * ey[2], 0,
          sz * u[0], sz * u[1], sz * u[2], 0, p[0], p[1], p[2], 1];
}

/* The same between two points. */
function spanned(a, b, r) {
  var d = add(b, a, -1), l = norm(d);
  return placed(middle(a, b), unit(d), r, r, Math.max(l, 1e-9 * main.size));
}

/* ---- sizes: what bodies usually reach, and which way is up ---- */

/* Of joints along an axis the point is anywhere on it: the one next to the centre of mass of b is drawn. */
var ALONG = ['prismatic', 'cylindrical', 'screw'];
runs.forEach(function (run) {
  function nearest(p, u) { return add(p, u, -dot(p, u)); }
  run.joints.forEach(function (j) {
    var led = j.leads === undefined ? j : run.joints[j.leads];
    if (ALONG.indexOf(led.type) < 0) return;
    if (j.b >= 0) j.pb = nearest(j.pb, j.ub);
    else j.pa = nearest(j.pa, j.ua);
  });
  run.arrows.forEach(function (a) {
    var j = a.joint !== undefined ? run.joints[a.joint] : run.joints[run.forces[a.force].joint];
    if (j && a.body === (j.b >= 0 ? j.b : j.a)) a.point = j.b >= 0 ? j.pb : j.pa;
  });
});

function pointsOf(run, body) {
  var points = [];
  run.joints.forEach(function (j) {
    if (j.type === 'rows' || j.leads !== undefined) return;
    if (j.a === body) points.push(j.pa);
    if (j.b === body) points.push(j.pb);
  });
  run.forces.forEach(function (f) {
    if (f.joint === undefined) f.points.forEach(function (p) { if (p[0] === body) points.push(p.slice(1)); });
  });
  return points;
}

function shapeReach(shape) {
  var r = shape.radius || 0;
  if (shape.kind === 'rod') return Math.max(norm(shape.from), norm(shape.to)) + r;
  if (shape.kind === 'box') return norm(shape.edges) / 2;
  return Math.sqrt(r * r + (shape.height || 0) * (shape.height || 0) / 4);
}

runs.forEach(function (run) {
  run.bodies.forEach(function (b, k) {
    b.points = pointsOf(run, k);
    b.reach = b.points.concat([[0, 0, 0]]).reduce(function (r, p) { return Math.max(r, norm(p)); }, 0);
    b.wheel = 0;
    b.drawn = b.shapes.reduce(function (r, s) { return Math.max(r, shapeReach(s)); }, 0);
  });
  run.forces.forEach(function (f) {
    if (f.radius && f.points.length && f.points[0][0] >= 0) run.bodies[f.points[0][0]].wheel = f.radius;
  });
  run.joints.forEach(function (j) { if (j.radius && j.b >= 0) run.bodies[j.b].wheel = j.radius; });
});

/* Diagonal of the box about all centres and points of bodies at the start. */
(function () {
  var lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
  poseAt(main, 0);
  main.bodies.forEach(function (b, k) {
    var r = Math.max(b.wheel, b.points.length ? 0 : b.drawn);
    b.points.concat([[0, 0, 0]]).forEach(function (p) {
      toGround(main, k, p).forEach(function (x, i) { lo[i] = Math.min(lo[i], x - r); hi[i] = Math.max(hi[i], x + r); });
    });
  });
  var size = norm(add(hi, lo, -1));
  if (size > 0 && size < Infinity) main.size = size;
})();

var reaches = main.bodies.map(function (b) {
  var gyration = b.mass > 0 ? Math.sqrt(Math.max(b.inertia[0], b.inertia[1], b.inertia[2]) / b.mass) : 0;
  return Math.max(b.reach, b.wheel, Math.min(gyration, main.size / 8));
})
  .filter(function (r) { return r > 0; }).sort(function (a, b) { return a - b; });
var usual = 2 * (reaches.length ? reaches[reaches.length - 1 >> 1] : main.size / 4);
var thick = Math.min(0.05 * usual, 0.03 * main.size) || 0.02;  /* radius of a rod */
var pin = 1.25 * thick;                                        /* radius of a joint's symbol */
var down = norm(main.gravity) > 0 ? unit(main.gravity) : main.planar ? [0, -1, 0] : [0, 0, -1];
var up = main.planar ? [0, 1, 0] : scaled(-1, down);

