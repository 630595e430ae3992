/* ---- elements: what has a name, is hovered over, listed and highlighted ---- */

var shows = {bodies: true, joints: true, loads: true, reactions: true, moments: false, traces: true, points: true, names: false, grid: true,
             ghosts: true, masses: false};

function Element(sort, index, thing) {
  this.sort = sort; this.index = index; this.thing = thing; this.name = thing.name;
  this.items = []; this.active = false;
}
Element.prototype.shown = function () { return this.sort === 'joint' ? shows.joints : this.sort === 'body' ? shows.bodies : shows.joints; };

function elementsOf(run) {
  function of(sort) { return function (thing, i) { return new Element(sort, i, thing); }; }
  return {bodies: run.bodies.map(of('body')), joints: run.joints.map(of('joint')), forces: run.forces.map(of('force'))};
}

/* ---- bodies: their geometry, or what their joints suggest ---- */

var PLATES_MOST = 8; /* each is a draw call of its own */

function drawShape(solids, k, shape, color, of) {
  var r = shape.radius, z = [0, 0, 1];
  if (shape.kind === 'rod') solids.put('cylinder', k, spanned(shape.from, shape.to, r || thick), color, of);
  if (shape.kind === 'box') {
    var e = shape.edges.map(function (x) { return x || 0.4 * thick; });
    solids.put('box', k, placed([0, 0, 0], z, e[0], e[1], e[2], [1, 0, 0]), color, of);
  }
  if (shape.kind === 'cylinder') solids.put('cylinder', k, placed([0, 0, 0], z, r, r, shape.height || thick), color, of);
  if (shape.kind === 'sphere') solids.put('sphere', k, placed([0, 0, 0], z, r, r, r), color, of);
}

/* A rod with round ends. */
function drawRod(solids, k, a, b, r, color, of) {
  if (norm(add(b, a, -1)) < 1e-6 * main.size) return;
  solids.put('cylinder', k, spanned(a, b, r), color, of);
  [a, b].forEach(function (p) { solids.put('sphere', k, placed(p, [0, 0, 1], r, r, r), color, of); });
}

/* Edges of the uniform box with this mass and inertia; null: there is none worth drawing. */
function inertiaBox(body, planar) {
  var i = body.inertia, m = body.mass, e;
  if (!(m > 0)) return null;
  if (planar) e = [12 * i[2] / m / 1.25, 12 * i[2] / m / 5, 0];
  else e = [6 * (i[1] + i[2] - i[0]) / m, 6 * (i[0] + i[2] - i[1]) / m, 6 * (i[0] + i[1] - i[2]) / m];
  e = e.map(function (x) { return Math.sqrt(Math.max(x, 0)); });
  if (planar) e[2] = Math.min(e[1], 4 * thick);
  var most = Math.max(e[0], e[1], e[2]), small = 0.06 * most;
  return most > 0 && most < 2 * main.size ? e.map(function (x) { return Math.max(x, small); }) : null;
}

function distinct(points) {
  var out = [];
  points.forEach(function (p) {
    if (!out.some(function (q) { return norm(add(p, q, -1)) < 1e-6 * main.size; })) out.push(p);
  });
  return out;
}

/* Points of a plane in the order around their middle, with its normal; null: they lie in none, or on a line. */
function flatHull(points) {
  var centre = scaled(1 / points.length, points.reduce(function (s, p) { return add(s, p); }, [0, 0, 0])), n = [0, 0, 0];
  for (var i = 1; i < points.length; i++)
    for (var j = i + 1; j < points.length; j++) {
      var c = cross(add(points[i], points[0], -1), add(points[j], points[0], -1));
      if (norm(c) > norm(n)) n = c;
    }
  var size = points.reduce(function (r, p) { return Math.max(r, norm(add(p, centre, -1))); }, 0);
  if (norm(n) < 0.12 * size * size) return null;
  n = unit(n);
  if (points.some(function (p) { return Math.abs(dot(add(p, centre, -1), n)) > 0.02 * size; })) return null;
  var e = across(n), flat = points.map(function (p) { var d = add(p, centre, -1); return [dot(d, e[0]), dot(d, e[1])]; });
  flat.sort(function (a, b) { return a[0] - b[0] || a[1] - b[1]; });
  function half(list) { /* of the convex hull */
    var h = [];
    list.forEach(function (p) {
      while (h.length > 1) {
        var a = h[h.length - 2], b = h[h.length - 1];
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        h.pop();
      }
      h.push(p);
    });
    return h.slice(0, -1);
  }
  return {centre: centre, normal: n, x: e[0], y: e[1], hull: half(flat).concat(half(flat.slice().reverse()))};
}

/* A plate through the points with rounded corners; a mesh of its own. */
function plateMesh(flat, r, depth, ghost) {
  var h = flat.hull, shape = new THREE.Shape(), n = h.length;
  h.forEach(function (p, i) {
    var before = h[(i + n - 1) % n], next = h[(i + 1) % n];
    var a0 = Math.atan2(p[1] - before[1], p[0] - before[0]) - Math.PI / 2;
    var a1 = Math.atan2(next[1] - p[1], next[0] - p[0]) - Math.PI / 2;
    if (i === 0) shape.moveTo(p[0] + r * Math.cos(a0), p[1] + r * Math.sin(a0));
    else shape.lineTo(p[0] + r * Math.cos(a0), p[1] + r * Math.sin(a0));
    shape.absarc(p[0], p[1], r, a0, a1, false);
  });
  var geometry = new THREE.ExtrudeBufferGeometry(shape, {depth: depth, bevelEnabled: false, curveSegments: 6});
  var basis = new THREE.Matrix4().makeBasis(new THREE.Vector3().fromArray(flat.x), new THREE.Vector3().fromArray(flat.y),
    new THREE.Vector3().fromArray(flat.normal)).setPosition(new THREE.Vector3().fromArray(flat.centre));
  geometry.translate(0, 0, -depth / 2).applyMatrix(basis);
  var mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({roughness: 0.8, metalness: 0, side: THREE.DoubleSide,
    transparent: !!ghost, opacity: ghost ? 0.22 : 1, depthWrite: !ghost}));
  mesh.matrixAutoUpdate = false;
  mesh.frustumCulled = false;
  return mesh;
}

function drawDefault(solids, run, k, color, of, plates) {
  var body = run.bodies[k], points = distinct(body.points.concat(body.kind === 'body' ? [] : [[0, 0, 0]]));
  var z = [0, 0, 1], r = Math.min(thick, 0.3 * (body.reach || thick));
  if (body.wheel) return drawWheel(solids, run, k, color, of);
  if (body.kind === 'particle') solids.put('sphere', k, placed([0, 0, 0], z, 1.5 * thick, 1.5 * thick, 1.5 * thick), color, of);
  var flat = points.length > 2 ? flatHull(points) : null;
  if (flat && plates.length < PLATES_MOST) {
    var mesh = plateMesh(flat, 1.4 * r, 1.2 * r, solids.options.ghost);
    mesh.body = k; mesh.of = of; mesh.color = color;
    plates.push(mesh);
    return;
  }
  var far = distinct(points.concat([[0, 0, 0]]));
  if (points.length === 2 && norm(cross(points[0], points[1])) < 0.05 * norm(add(points[1], points[0], -1)) * usual)
    return drawRod(solids, k, points[0], points[1], r, color, of);
  if (far.length > 1 && body.reach > 0.02 * usual) {
    points.forEach(function (p) { drawRod(solids, k, [0, 0, 0], p, r, color, of); });
    if (points.length === 1) solids.put('sphere', k, placed([0, 0, 0], z, 2.4 * r, 2.4 * r, 2.4 * r), color, of);
    return;
  }
  var e = inertiaBox(body, run.planar);
  if (body.kind === 'body') body.box = e;
  if (body.kind === 'body' && e) solids.put('box', k, placed([0, 0, 0], z, e[0], e[1], e[2], [1, 0, 0]), color, of);
  else if (body.kind === 'body') solids.put('sphere', k, placed([0, 0, 0], z, 2 * thick, 2 * thick, 2 * thick), color, of);
}

/* A disc about its axis, or a ball; with a mark that shows it turn. */
function drawWheel(solids, run, k, color, of, width) {
  var body = run.bodies[k], r = body.wheel, axis = null, centre = [0, 0, 0];
  run.joints.forEach(function (j) { if (j.radius && j.b === k) { axis = j.ub; centre = j.pb; } });
  run.forces.forEach(function (f) {
    if (f.radius && f.points[0][0] === k) {
      centre = f.points[0].slice(1);
      axis = f.type === 'tyre' ? (norm(f.axis) > 0 ? f.axis : [0, 0, 1]) : axis;
    }
  });
  if (!axis || norm(axis) === 0) return solids.put('sphere', k, placed(centre, [0, 0, 1], r, r, r), color, of);
  axis = unit(axis);
  var e = across(axis), w = width || 0.34 * r;
  solids.put('ring', k, placed(centre, axis, 0.862 * r, 0.862 * r, w / 0.32), '#343a43', of);
  solids.put('cylinder', k, placed(centre, axis, 0.74 * r, 0.74 * r, 0.6 * w), color, of);
  [0, 1].forEach(function (i) { solids.put('box', k, placed(centre, axis, 1.36 * r, 0.12 * r, 0.7 * w, e[i]), 'pin', of); });
}

function drawBodies(solids, run, elements, plates, ghost) {
  run.bodies.forEach(function (body, k) {
    var of = elements ? elements.bodies[k] : null;
    var color = ghost ? 'ghost' : PALETTE[k % PALETTE.length];
    body.color = color;
    var drawable = body.shapes.filter(function (s) { return s.kind !== 'mesh'; });
    if (drawable.length === 1 && body.wheel && drawable[0].kind === 'rod')
      drawWheel(solids, run, k, color, of, norm(add(drawable[0].to, drawable[0].from, -1)));
    else if (drawable.length) drawable.forEach(function (s) { drawShape(solids, k, s, color, of); });
    else drawDefault(solids, run, k, color, of, plates);
    if (ghost) return;
    var mark = solids.put('sphere', k, placed([0, 0, 0], [0, 0, 1], 0.5 * pin, 0.5 * pin, 0.5 * pin), 'open', of);
    mark.mass = true;
    mark.shown = false;
  });
}

