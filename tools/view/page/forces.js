/* ---- springs, ropes, planes, arrows, paths ---- */

var COILS_MOST = 40, TURNS = 9, SIDES = 6, PER_TURN = 16;

/* All springs of a run in one mesh, wound anew for each picture. */
function Coils(run, elements, parent) {
  this.run = run;
  this.springs = run.forces.map(function (f, k) { return {f: f, of: elements.forces[k]}; })
    .filter(function (s) { return s.f.type === 'spring'; }).slice(0, COILS_MOST);
  this.rings = TURNS * PER_TURN + 1;
  if (!this.springs.length) return;
  var each = this.rings * SIDES, n = each * this.springs.length, index = [];
  for (var s = 0; s < this.springs.length; s++)
    for (var i = 0; i + 1 < this.rings; i++)
      for (var k = 0; k < SIDES; k++) {
        var a = s * each + i * SIDES + k, b = s * each + i * SIDES + (k + 1) % SIDES;
        index.push(a, a + SIDES, b, b, a + SIDES, b + SIDES);
      }
  this.geometry = new THREE.BufferGeometry();
  this.geometry.setIndex(index);
  this.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * n), 3));
  this.geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(3 * n), 3));
  this.material = new THREE.MeshStandardMaterial({roughness: 0.4, metalness: 0.3});
  this.mesh = new THREE.Mesh(this.geometry, this.material);
  this.mesh.frustumCulled = false;
  parent.add(this.mesh);
}

Coils.prototype.ends = function (s) {
  var run = this.run;
  return s.f.points.map(function (p) { return toGround(run, p[0], p.slice(1)); });
};

Coils.prototype.update = function () {
  if (!this.mesh) return;
  this.mesh.visible = shows.joints;
  this.material.color.set(colorOf('spring'));
  var p = this.geometry.attributes.position.array, n = this.geometry.attributes.normal.array, o = 0, self = this;
  this.springs.forEach(function (s) {
    var ends = self.ends(s), d = add(ends[1], ends[0], -1), l = norm(d), u = unit(d), e = across(u);
    var R = Math.min(1.5 * thick, 0.2 * l + 0.2 * thick), r = 0.22 * R * (s.of.active ? 1.6 : 1);
    for (var i = 0; i < self.rings; i++) {
      var part = i / (self.rings - 1), inside = clamp((Math.min(part, 1 - part) - 0.06) / 0.03, 0, 1);
      var a = 2 * Math.PI * TURNS * part, c = Math.cos(a), w = Math.sin(a), rho = R * inside;
      var out = add(scaled(c, e[0]), e[1], w), centre = add(add(ends[0], u, part * l), out, rho);
      for (var k = 0; k < SIDES; k++, o += 3) {
        var b = 2 * Math.PI * k / SIDES, x = Math.cos(b), y = Math.sin(b);
        for (var q = 0; q < 3; q++) {
          n[o + q] = x * out[q] + y * u[q];
          p[o + q] = centre[q] + r * n[o + q];
        }
      }
    }
  });
  this.geometry.attributes.position.needsUpdate = this.geometry.attributes.normal.needsUpdate = true;
};

/* Ropes, bushings, torsion springs, spheres of contacts, spare springs. */
function drawForces(solids, run, elements) {
  var coils = 0;
  run.forces.forEach(function (f, k) {
    var of = elements.forces[k], last = f.points[f.points.length - 1];
    function at(i) { return toGround(run, f.points[i][0], f.points[i].slice(1)); }
    function line(i, r) { solids.put('cylinder', -1, null, 'spring', of, function () { return spanned(at(i), at(i + 1), r); }); }
    if (f.type === 'spring' && ++coils > COILS_MOST) line(0, 0.3 * thick);
    if (f.type === 'rope') for (var i = 0; i + 1 < f.points.length; i++) line(i, 0.25 * thick);
    if (f.type === 'rope') f.points.forEach(function (p) {
      solids.put('sphere', p[0], placed(p.slice(1), [0, 0, 1], 0.6 * pin, 0.6 * pin, 0.6 * pin), 'spring', of);
    });
    if (f.type === 'bushing') {
      solids.put('ring', last[0], placed(last.slice(1), [0, 0, 1], 1.3 * pin, 1.3 * pin, 2.4 * pin), 'spring', of);
      solids.put('sphere', last[0], placed(last.slice(1), [0, 0, 1], 0.9 * pin, 0.9 * pin, 0.9 * pin), 'spring', of);
    }
    if (f.type === 'torsion' || f.type === 'motor' || f.type === 'torque') {
      var j = run.joints[f.joint], u = j ? (norm(j.ub) && !run.planar ? j.ub : [0, 0, 1]) : [0, 0, 1];
      if (j && last && last[0] >= 0)
        solids.put('ring', last[0], placed(last.slice(1), unit(u), 1.55 * pin, 1.55 * pin, 1.55 * pin), f.type === 'torsion' ? 'spring' : 'load', of);
    }
    if (f.type === 'contact' && last && !run.bodies[last[0]].shapes.length) {
      var r = f.radius || 0.6 * pin;
      solids.put('sphere', last[0], placed(last.slice(1), [0, 0, 1], r, r, r), run.bodies[last[0]].color, of);
    }
  });
}

/* Planes that wheels and contacts touch, each once: {point, normal}. */
function planesOf(run) {
  var planes = [];
  function put(point, normal) {
    if (!planes.some(function (q) { return norm(add(q.normal, normal, -1)) < 1e-6 && Math.abs(dot(add(q.point, point, -1), normal)) < 1e-6 * main.size; }))
      planes.push({point: point, normal: unit(normal)});
  }
  run.forces.forEach(function (f) { if (f.normal) put(f.plane, f.normal); });
  run.joints.forEach(function (j) { if (j.type === 'rolling' && j.a < 0) put(j.pa, j.ua); });
  return planes;
}

/* ---- arrows ---- */

function Arrows(solids, run, elements) {
  var self = this;
  this.run = run;
  this.zoom = 1;
  this.units = [0, 0]; /* m per N, per N m */
  this.all = run.arrows.map(function (a, k) {
    var of = a.joint !== undefined ? elements.joints[a.joint] : elements.forces[a.force];
    var sort = a.moment ? 'moment' : a.joint !== undefined ? 'reaction' : 'load';
    var arrow = {a: a, k: k, of: of, sort: sort};
    arrow.shaft = solids.put('cylinder', -1, null, sort, null, function () { return self.matrix(arrow, 0); });
    arrow.head = solids.put('cone', -1, null, sort, null, function () { return self.matrix(arrow, 1); });
    if (a.moment) arrow.second = solids.put('cone', -1, null, sort, null, function () { return self.matrix(arrow, 2); });
    return arrow;
  });
  this.measure();
}

/* Lengths: all but the longest arrows of the whole run are shorter than a quarter of the mechanism. */
Arrows.prototype.measure = function () {
  var run = this.run, n = run.arrows.length, sizes = [[], []], step = Math.max(1, Math.floor(run.frames / 100));
  for (var f = 0; f < run.frames; f += step)
    for (var k = 0; k < n; k++) {
      var o = 3 * (f * n + k), x = Math.hypot(run.forcesAt[o], run.forcesAt[o + 1], run.forcesAt[o + 2]);
      if (x > 0) sizes[run.arrows[k].moment ? 1 : 0].push(x);
    }
  this.units = sizes.map(function (list) {
    list.sort(function (a, b) { return a - b; });
    return list.length ? 0.26 * main.size / list[Math.floor(0.97 * (list.length - 1))] : 0;
  });
};

Arrows.prototype.shown = function (arrow) {
  if (arrow.of.active) return true;
  return arrow.sort === 'load' ? shows.loads : arrow.sort === 'reaction' ? shows.reactions : arrow.a.joint === undefined ? shows.loads : shows.moments;
};

Arrows.prototype.matrix = function (arrow, part) {
  if (!this.shown(arrow)) return null;
  var a = arrow.a, v = arrowAt(this.run, arrow.k), l = norm(v) * this.units[a.moment ? 1 : 0] * this.zoom;
  if (!(l > 0.004 * main.size)) return null;
  l = Math.min(l, 1.5 * main.size);
  var p = toGround(this.run, a.body, a.point), u = unit(v), r = Math.max(0.26 * thick, 0.0042 * main.size), head = Math.min(6.5 * r, 0.6 * l);
  var j = a.joint !== undefined ? this.run.joints[a.joint] : null;
  var f = a.force !== undefined ? this.run.forces[a.force] : null, pushes = (j && j.type === 'rolling') || (f && f.normal);
  if (f && f.normal) p = add(p, f.normal, -f.radius);
  if (j && j.type === 'rolling') p = add(p, unit(toGround(this.run, j.a, j.ua, 0)), -j.radius);
  if (pushes) p = add(p, u, -l); /* its tip touches */
  if (part === 0) return spanned(p, add(p, u, l - head), r);
  var w = 2.4 * r * Math.min(1, l / (8 * r));
  return placed(add(p, u, part === 1 ? l - head : l - 1.7 * head), u, w, w, head);
};

/* ---- paths of points ---- */

function Traces(run, list, parent) {
  this.run = run;
  this.list = list;
  var frames = run.frames, n = list.length, self = this;
  this.places = new Float32Array(3 * frames * n);
  for (var f = 0; f < frames; f++) {
    poseAt(run, run.t[f]);
    list.forEach(function (trace, k) { self.places.set(toGround(run, trace.body, trace.point), 3 * (f * n + k)); });
  }
  function lines(opacity) {
    var count = Math.max(0, frames - 1) * n, p = new Float32Array(6 * count), c = new Float32Array(6 * count), o = 0;
    for (var f = 0; f + 1 < frames; f++)
      for (var k = 0; k < n; k++, o += 6) { /* by frame: the first ones are the past */
        p.set(self.places.subarray(3 * (f * n + k), 3 * (f * n + k) + 3), o);
        p.set(self.places.subarray(3 * ((f + 1) * n + k), 3 * ((f + 1) * n + k) + 3), o + 3);
        var color = new THREE.Color(list[k].color);
        for (var i = 0; i < 6; i++) c[o + i] = color.toArray()[i % 3];
      }
    var g = new THREE.BufferGeometry();
    g.setAttribute('position', new THREE.BufferAttribute(p, 3));
    g.setAttribute('color', new THREE.BufferAttribute(c, 3));
    var mesh = new THREE.LineSegments(g, new THREE.LineBasicMaterial({vertexColors: THREE.VertexColors, transparent: true, opacity: opacity, depthWrite: false}));
    mesh.frustumCulled = false;
    parent.add(mesh);
    return mesh;
  }
  this.whole = lines(0.22);
  this.past = lines(0.95);
  var g = new THREE.BufferGeometry(), colors = new Float32Array(3 * n);
  list.forEach(function (trace, k) { new THREE.Color(trace.color).toArray(colors, 3 * k); });
  g.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * n), 3));
  g.setAttribute('color', new THREE.BufferAttribute(colors, 3));
  var material = new THREE.PointsMaterial({size: 9, sizeAttenuation: false, vertexColors: THREE.VertexColors, depthTest: false, transparent: true});
  material.onBeforeCompile = function (shader) { /* round ones */
    shader.fragmentShader = shader.fragmentShader.replace('void main() {', 'void main() { if (length(gl_PointCoord - 0.5) > 0.5) discard;');
  };
  this.dots = new THREE.Points(g, material);
  this.dots.frustumCulled = false;
  this.dots.renderOrder = 9;
  parent.add(this.dots);
}

Traces.prototype.update = function () {
  var n = this.list.length, run = this.run, p = this.dots.geometry.attributes.position;
  this.whole.visible = this.past.visible = shows.traces && n > 0;
  this.dots.visible = n > 0 && (this.list[0].chosen ? shows.points : shows.traces);
  this.list.forEach(function (trace, k) { p.setXYZ.apply(p, [k].concat(toGround(run, trace.body, trace.point))); });
  p.needsUpdate = true;
  this.past.geometry.setDrawRange(0, 2 * n * run.at.i);
};

