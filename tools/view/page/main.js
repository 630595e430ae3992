/* ---- the whole ---- */

var renderer, stage = new THREE.Scene(), elements = elementsOf(main), solids = new Solids(main), pointers3 = new Solids(main, {over: true}), plates = [], ghosts = [];
var chosen = null, hovered = null, shadow = null, needed = true, arrows, coils, traces, grids = [], frameCount = 0;

function dirty() { needed = true; }

/* An element is highlighted while it is pointed at; a click keeps it. */
function activate(e, keep) {
  if (keep) chosen = e === chosen ? null : e;
  if (!keep && e === hovered) return;
  hovered = keep ? hovered : e;
  [elements.bodies, elements.joints, elements.forces].forEach(function (list) {
    list.forEach(function (x) {
      x.active = x === chosen || x === hovered;
      if (x.row) x.row.classList.toggle('active', x.active);
    });
  });
  solids.paint();
  paintPlates();
  dirty();
}

function paintPlates() {
  plates.forEach(function (mesh) {
    mesh.material.color.set(colorOf(mesh.color));
    if (mesh.of && mesh.of.active) mesh.material.color.lerp(new THREE.Color('#ffd54a'), 0.75);
  });
}

/* Lines of a plane about a point of it, in round numbers of metres, that fade away outwards. Short pieces: the camera may
   stand among them. */
function gridOf(plane, reach) {
  var step = Math.pow(10, Math.floor(Math.log10(main.size / 2))), e = main.planar ? [[1, 0, 0], [0, 1, 0]] : across(plane.normal);
  if (main.size / step > 10) step *= 2;
  while (reach / step > 50) step *= 5;
  var n = Math.ceil(reach / step), p = [], c = [], back = new THREE.Color(colorOf('back'));
  function put(x, y, coarse) {
    var faint = Math.min(1, (x * x + y * y) / (n * n)), color = new THREE.Color(colorOf(coarse ? 'grid2' : 'grid')).lerp(back, faint * faint);
    p.push.apply(p, add(scaled(x * step, e[0]), e[1], y * step));
    c.push(color.r, color.g, color.b);
  }
  for (var i = -n; i <= n; i++)
    for (var k = -n; k < n; k++) {
      if (i * i + k * k > n * n) continue;
      put(i, k, i % 5 === 0); put(i, k + 1, i % 5 === 0);
      put(k, i, i % 5 === 0); put(k + 1, i, i % 5 === 0);
    }
  var g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.BufferAttribute(new Float32Array(p), 3));
  g.setAttribute('color', new THREE.BufferAttribute(new Float32Array(c), 3));
  var lines = new THREE.LineSegments(g, new THREE.LineBasicMaterial({vertexColors: THREE.VertexColors}));
  lines.frustumCulled = false;
  lines.plane = plane;
  lines.place = function (centre) { /* the point of the plane next to it, in steps, so that lines stand still */
    var d = add(centre, plane.point, -1), x = Math.round(dot(d, e[0]) / (5 * step)) * 5 * step, y = Math.round(dot(d, e[1]) / (5 * step)) * 5 * step;
    lines.position.fromArray(add(add(plane.point, e[0], x), e[1], y));
  };
  return lines;
}

/* Floors: planes that are touched, else one below everything; in a plane the sheet it is drawn on. */
function makeGrids() {
  grids.forEach(function (g) { stage.remove(g); g.geometry.dispose(); });
  var points = outline(!camera.follow), low = Infinity, centre = scaled(1 / points.length, points.reduce(function (s, p) { return add(s, p); }, [0, 0, 0]));
  var reach = points.reduce(function (r, p) { low = Math.min(low, dot(p, up)); return Math.max(r, norm(add(p, centre, -1))); }, main.size / 2);
  var planes = planesOf(main), origin = scaled(low - 0.1 * main.size, up);
  if (main.planar) grids = [gridOf({point: [0, 0, -8 * pin], normal: [0, 0, 1]}, 5 * reach)];
  else grids = (planes.length ? planes.slice(0, 3) : [{point: origin, normal: up}]).map(function (q) { return gridOf(q, 3 * reach); });
  if (main.planar) planes.slice(0, 2).forEach(function (q) {
    var along = [-q.normal[1], q.normal[0], 0], g = new THREE.BufferGeometry(), a = add(q.point, along, -9 * reach), b = add(q.point, along, 9 * reach);
    g.setAttribute('position', new THREE.BufferAttribute(new Float32Array(a.concat(b)), 3));
    grids.push(new THREE.LineSegments(g, new THREE.LineBasicMaterial({color: colorOf('ground')})));
  });
  grids.forEach(function (g) {
    if (g.place) g.place(centre);
    stage.add(g);
  });
}

function repaint() {
  renderer.setClearColor(colorOf('back'));
  makeGrids();
  solids.paint();
  pointers3.paint();
  paintPlates();
  ghosts.forEach(function (g) { g.solids.paint(); });
  fillPanel();
  fillLegend();
  dirty();
}

function chooseTraces() {
  var list = scene.traces.map(function (t, k) { return {name: t.name, body: t.body, point: t.point, color: TRACE_COLORS[k % TRACE_COLORS.length], chosen: true}; });
  if (!list.length && main.bodies.length <= 6 && !still)
    list = main.bodies.map(function (b, k) { return {name: b.name, body: k, point: [0, 0, 0], color: PALETTE[k % PALETTE.length]}; });
  return still ? list : list;
}

/* A soft shadow on the floor shows how high things are. Not in a plane, and not of very many. */
var SHADOWS_MOST = 600;

function castShadows(light) {
  if (main.planar || main.bodies.length > SHADOWS_MOST) return null;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = THREE.PCFSoftShadowMap;
  light.castShadow = true;
  light.shadow.mapSize.set(1024, 1024);
  light.shadow.radius = 3;
  var floor = new THREE.Mesh(new THREE.PlaneBufferGeometry(1, 1), new THREE.ShadowMaterial({opacity: 0.16}));
  floor.receiveShadow = true;
  floor.matrixAutoUpdate = false;
  stage.add(floor, light.target);
  return {light: light, floor: floor, way: light.position.clone().normalize()};
}

/* The light goes with the picture, so that its shadows are sharp there. */
function placeShadow() {
  if (!shadow || !grids.length || !grids[0].plane) return;
  var plane = grids[0].plane, centre = centreOfAll(), reach = shadow.reach || (shadow.reach = 1.2 * main.size), c = shadow.light.shadow.camera;
  var on = add(centre, plane.normal, -dot(add(centre, plane.point, -1), plane.normal));
  shadow.floor.matrix.fromArray(placed(on, plane.normal, 12 * reach, 12 * reach, 1));
  shadow.floor.visible = shows.grid && dot(camera.basis().back, plane.normal) > 0;
  shadow.light.target.position.fromArray(centre);
  shadow.light.position.fromArray(add(centre, shadow.way.toArray(), 4 * reach));
  c.left = c.bottom = -reach; c.right = c.top = reach; c.near = 0.5 * reach; c.far = 12 * reach;
  c.updateProjectionMatrix();
}

function build() {
  renderer = new THREE.WebGLRenderer({canvas: $('canvas'), antialias: true, powerPreference: 'low-power'});
  renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
  var light = new THREE.DirectionalLight('#ffffff', 0.62), second = new THREE.DirectionalLight('#ffffff', 0.22);
  light.position.fromArray(add(add(scaled(0.9, up), front, 0.8), side, -0.5));
  second.position.fromArray(add(scaled(-0.3, up), front, -0.7));
  shadow = castShadows(light);
  stage.add(new THREE.HemisphereLight('#ffffff', '#b4bcc8', 0.68), light, second);
  runs.forEach(function (run) { poseAt(run, 0); });
  drawBodies(solids, main, elements, plates, false);
  drawJoints(solids, main, elements);
  drawForces(solids, main, elements);
  arrows = new Arrows(pointers3, main, elements);
  solids.finish(stage);
  pointers3.finish(stage);
  plates.forEach(function (mesh) { mesh.castShadow = true; stage.add(mesh); });
  coils = new Coils(main, elements, stage);
  traces = new Traces(main, chooseTraces(), stage);
  runs.slice(1).forEach(function (run) {
    var ghost = {run: run, solids: new Solids(run, {ghost: true}), group: new THREE.Group(), plates: []};
    drawBodies(ghost.solids, run, null, ghost.plates, true);
    ghost.solids.finish(ghost.group);
    ghost.plates.forEach(function (mesh) { mesh.material.color.set(colorOf('ghost')); ghost.group.add(mesh); });
    stage.add(ghost.group);
    ghosts.push(ghost);
  });
}

/* ---- pictures ---- */

function pictureSize() { var c = $('stage'); return [Math.max(c.clientWidth, 1), Math.max(c.clientHeight, 1)]; }

function resize() {
  var size = pictureSize();
  drawPlots(); /* they decide how much room is left */
  size = pictureSize();
  renderer.setSize(size[0], size[1], false);
  dirty();
}

function fit() {
  var size = pictureSize();
  if (camera.follow) camera.centre = centreOfAll();
  camera.fit(size[0], size[1]);
  dirty();
}

function placePlates(run, list) {
  list.forEach(function (mesh) {
    mesh.matrix.fromArray(run.matrices, 16 * (mesh.body + 1));
    mesh.visible = !mesh.of || mesh.of.shown();
  });
}

/* Names beside their elements; of the active one a tip. */
function placeWords(width, height) {
  var box = $('labels'), all = shows.names ? elements.bodies.concat(elements.joints, elements.forces).slice(0, 120) : [], tip = hovered || chosen;
  while (box.children.length > all.length) box.lastChild.remove();
  all.forEach(function (e, i) {
    var span = box.children[i] || box.appendChild(make('span', {})), item = e.items[0], p = item ? camera.project([item.m[12], item.m[13], item.m[14]], width, height) : null;
    span.textContent = e.name;
    span.style.display = p && item.m[15] ? '' : 'none';
    if (p) span.style.transform = 'translate(' + (p.x + 8) + 'px,' + (p.y - 18) + 'px)';
  });
  var node = $('tip'), first = tip && tip.items[0];
  node.style.visibility = tip ? 'visible' : 'hidden';
  if (!tip) return;
  node.textContent = '';
  node.append(make('b', {}, tip.name), '\n' + describe(tip).join('\n'));
  var at = first && first.m[15] ? camera.project([first.m[12], first.m[13], first.m[14]], width, height) : {x: width / 2, y: height / 2};
  node.style.transform = 'translate(' + clamp(at.x + 16, 4, width - node.offsetWidth - 4) + 'px,' + clamp(at.y + 14, 4, height - node.offsetHeight - 4) + 'px)';
}

function placeScale(width, height) {
  var metres = 2 * camera.half() / height * 110, power = Math.pow(10, Math.floor(Math.log10(metres))), part = metres / power;
  var round = (part < 2 ? 1 : part < 5 ? 2 : 5) * power;
  $('scale').firstChild.style.width = round / metres * 110 + 'px';
  $('scale').lastChild.textContent = round >= 1 ? short(round) + ' m' : round >= 1e-3 ? short(round * 1e3) + ' mm' : short(round * 1e6) + ' µm';
  $('scale').style.visibility = camera.ortho ? 'visible' : 'hidden';
}

function draw() {
  var size = pictureSize();
  runs.forEach(function (run) { poseAt(run, clock.t); });
  if (camera.follow) {
    var centre = centreOfAll();
    if (camera.centre) camera.target = add(camera.target, add(centre, camera.centre, -1));
    camera.centre = centre;
  }
  solids.update();
  pointers3.update();
  placePlates(main, plates);
  ghosts.forEach(function (g) { g.solids.update(); placePlates(g.run, g.plates); });
  coils.update();
  traces.update();
  grids.forEach(function (g) {
    g.visible = shows.grid;
    if (g.place && camera.follow) g.place(camera.target);
  });
  placeShadow();
  renderer.render(stage, camera.three(size[0], size[1]));
  placeWords(size[0], size[1]);
  placeScale(size[0], size[1]);
  fillLegend();
  drawPlots();
  $('time').value = clock.t;
  $('clock').textContent = clock.t.toFixed(clock.end < 1 ? 4 : clock.end < 100 ? 3 : 1) + ' s';
  frameCount++;
}

function loop(now) {
  tick(now);
  if (needed) {
    needed = false;
    draw();
  }
  requestAnimationFrame(loop);
}

function begin() {
  build();
  camera.begin();
  chooseChannels();
  clock.speed = usualSpeed();
  wireButtons();
  wirePointer();
  fillHelp();
  fillHeader();
  setTheme(window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  setPlaying(false);
  setSpeed(0);
  poseAt(main, 0);
  if (window.innerWidth <= 720) $('app').classList.add('narrow');
  resize();
  fit();
  window.addEventListener('keydown', onKey);
  new ResizeObserver(function () { resize(); }).observe($('stage'));
  requestAnimationFrame(loop);
}

/* For tests, and for the console. */
window.view = {
  scene: scene, clock: clock, camera: camera, shows: shows,
  setTime: setTime, play: function () { setPlaying(true); }, pause: function () { setPlaying(false); }, fit: fit, setTheme: setTheme,
  show: setShown, preset: function (name) { preset(PRESETS.filter(function (p) { return p.name === name; })[0]); },
  choose: function (name) {
    var found = elements.bodies.concat(elements.joints, elements.forces).filter(function (e) { return e.name === name; })[0];
    activate(found || null, true);
    return !!found;
  },
  chosen: function () { return chosen ? chosen.name : null; },
  draw: draw, frames: function () { return frameCount; },
  calls: function () { return renderer.info.render.calls; },
  size: pictureSize,
  traces: function () { return traces.list.map(function (t) { return {name: t.name, color: t.color}; }); },
  look: function () { return {eye: camera.eye(), target: camera.target, up: camera.basis().up, fov: camera.fov, ortho: camera.ortho, half: camera.half()}; }
};

try {
  begin();
} catch (error) {
  $('verdict').textContent = 'This browser cannot show the page: ' + error.message;
  throw error;
}
})();
