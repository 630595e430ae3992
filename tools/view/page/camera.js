/* ---- camera: around a target, upright ---- */

/* Right-handed: at yaw 0 the eye is along `front`; yaw goes towards `side`. */
var front = main.planar ? [0, 0, 1] : Math.abs(up[2]) > 0.9 ? [0, -1, 0] : Math.abs(up[1]) > 0.9 ? [0, 0, 1] : across(up)[0];
front = unit(add(front, up, -dot(front, up)));
var side = cross(up, front);

var PRESETS = [
  {key: '1', name: 'front', yaw: 0, pitch: 0},
  {key: '2', name: 'side', yaw: Math.PI / 2, pitch: 0},
  {key: '3', name: 'top', yaw: 0, pitch: Math.PI / 2},
  {key: '4', name: '3-D', yaw: 0.62, pitch: 0.42}
];

var camera = {
  yaw: main.planar ? 0 : 0.62, pitch: main.planar ? 0 : 0.42, target: [0, 0, 0], distance: 1, ortho: main.planar, follow: false,
  fov: 32, eyes: null
};

camera.basis = function () {
  var cp = Math.cos(camera.pitch), sp = Math.sin(camera.pitch), cy = Math.cos(camera.yaw), sy = Math.sin(camera.yaw);
  var level = add(scaled(cy, front), side, sy);
  return {back: add(scaled(cp, level), up, sp), up: add(scaled(-sp, level), up, cp), right: add(scaled(-sy, front), side, cy)};
};

/* Half of the picture's height at the target. */
camera.half = function () { return camera.distance * Math.tan(camera.fov * Math.PI / 360); };

camera.eye = function () { return add(camera.target, camera.basis().back, camera.distance); };

/* The camera of three.js for a picture of this shape. */
camera.three = function (width, height) {
  var aspect = width / height, h = camera.half(), far = camera.distance + 40 * main.size, b = camera.basis();
  var c = camera.ortho ? new THREE.OrthographicCamera(-h * aspect, h * aspect, h, -h, -far, far)
                       : new THREE.PerspectiveCamera(camera.fov, aspect, 0.02 * camera.distance, far);
  c.matrixAutoUpdate = false;
  c.matrix.makeBasis(new THREE.Vector3().fromArray(b.right), new THREE.Vector3().fromArray(b.up), new THREE.Vector3().fromArray(b.back));
  c.matrix.setPosition(new THREE.Vector3().fromArray(camera.eye()));
  c.updateMatrixWorld(true);
  camera.eyes = c;
  return c;
};

/* Where a point of space is in the picture, in pixels from its upper left corner; z: how far away. */
camera.project = function (p, width, height) {
  var b = camera.basis(), d = add(p, camera.target, -1), z = camera.distance - dot(d, b.back);
  var h = camera.ortho ? camera.half() : z * Math.tan(camera.fov * Math.PI / 360);
  return {x: width / 2 * (1 + dot(d, b.right) / (h * width / height)), y: height / 2 * (1 - dot(d, b.up) / h), z: z};
};

camera.turn = function (dx, dy) {
  camera.yaw -= dx;
  camera.pitch = clamp(camera.pitch + dy, -Math.PI / 2, Math.PI / 2);
};
camera.pan = function (dx, dy, height) {
  var b = camera.basis(), s = 2 * camera.half() / height;
  camera.target = add(add(camera.target, b.right, -dx * s), b.up, dy * s);
};
camera.zoom = function (factor) { camera.distance = clamp(camera.distance * factor, 1e-4 * main.size, 1e4 * main.size); };

/* Middle of all bodies at the present time, by mass. */
function centreOfAll() {
  var sum = [0, 0, 0], mass = 0;
  main.bodies.forEach(function (b, k) {
    var m = b.mass || 1;
    sum = add(sum, toGround(main, k, [0, 0, 0]), m);
    mass += m;
  });
  return mass > 0 ? scaled(1 / mass, sum) : sum;
}

/* Points of a body that everything else of it lies between. */
function cornersOf(b) {
  var out = b.points.slice();
  function box(x, y, z, c) {
    for (var i = 0; i < 8; i++) out.push(add(c || [0, 0, 0], [i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z]));
  }
  if (main.bodies.length > 400) return out.concat([[0, 0, 0]]);
  b.shapes.forEach(function (s) {
    var r = s.radius || thick;
    if (s.kind === 'box') box(s.edges[0] / 2, s.edges[1] / 2, s.edges[2] / 2);
    if (s.kind === 'cylinder') box(0.75 * r, 0.75 * r, s.height / 2);
    if (s.kind === 'sphere') box(0.6 * r, 0.6 * r, 0.6 * r);
    if (s.kind === 'rod') [s.from, s.to].forEach(function (p) { box(0.6 * r, 0.6 * r, 0.6 * r, p); });
  });
  if (b.box) box(b.box[0] / 2, b.box[1] / 2, b.box[2] / 2);
  else if (!b.shapes.length) box(Math.max(b.wheel, thick) * 0.6, Math.max(b.wheel, thick) * 0.6, Math.max(b.wheel, thick) * 0.6);
  return out;
}

/* Points that are to be in the picture: of all frames, or of this one alone. */
function outline(all) {
  var points = [], step = all ? Math.max(1, Math.floor(main.frames / 60)) : main.frames;
  for (var f = 0; f < main.frames; f += step) {
    if (all) poseAt(main, main.t[f]);
    main.bodies.forEach(function (b, k) {
      b.corners = b.corners || cornersOf(b);
      b.corners.forEach(function (p) { points.push(toGround(main, k, p)); });
    });
  }
  main.joints.forEach(function (j) { if (j.a < 0 && j.leads === undefined && TOGETHER.indexOf(j.type) >= 0) points.push(j.pa); });
  if (!points.length) points.push([0, 0, 0], [1, 1, 1]);
  poseAt(main, clock.t);
  return points;
}

/* All of it in the picture, from where the camera looks. */
camera.fit = function (width, height, points) {
  points = points || outline(!camera.follow);
  var b = camera.basis(), lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity], axes = [b.right, b.up, b.back];
  points.forEach(function (p) {
    axes.forEach(function (a, k) { var s = dot(p, a); lo[k] = Math.min(lo[k], s); hi[k] = Math.max(hi[k], s); });
  });
  camera.target = axes.reduce(function (t, a, k) { return add(t, a, (lo[k] + hi[k]) / 2); }, [0, 0, 0]);
  var tan = Math.tan(camera.fov * Math.PI / 360), aspect = width / height, need = 0;
  var above = clamp($('words').offsetHeight + 18, 56, 0.45 * height), below = 46; /* words stand there */
  var usable = [Math.max(0.6, 1 - 90 / width), Math.max(0.4, 1 - (above + below) / height)];
  points.forEach(function (p) {
    var d = add(p, camera.target, -1), z = camera.ortho ? 0 : dot(d, b.back);
    need = Math.max(need, z + Math.abs(dot(d, b.right)) / (tan * aspect * usable[0]), z + Math.abs(dot(d, b.up)) / (tan * usable[1]));
  });
  camera.distance = 1.02 * (need || main.size);
  camera.target = add(camera.target, b.up, (above - below) / height * camera.half());
};

/* A mechanism that travels is followed. */
camera.begin = function () {
  var lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity], step = Math.max(1, Math.floor(main.frames / 50));
  for (var f = 0; f < main.frames; f += step) {
    poseAt(main, main.t[f]);
    centreOfAll().forEach(function (x, k) { lo[k] = Math.min(lo[k], x); hi[k] = Math.max(hi[k], x); });
  }
  camera.follow = norm(add(hi, lo, -1)) > 1.5 * main.size;
};

