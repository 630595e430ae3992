/* ---- solids: few unit bodies, drawn many times each by one call ---- */

function wedge() { /* a triangle of the ground: its tip at the origin, downwards along -y, along z */
  var shape = new THREE.Shape();
  shape.moveTo(0, 0); shape.lineTo(-0.75, -1); shape.lineTo(0.75, -1); shape.lineTo(0, 0);
  return new THREE.ExtrudeBufferGeometry(shape, {depth: 1, bevelEnabled: false}).translate(0, 0, -0.5);
}

var UNITS = {
  box: function () { return new THREE.BoxBufferGeometry(1, 1, 1); },
  cylinder: function (fine) { return new THREE.CylinderBufferGeometry(1, 1, 1, fine ? 36 : 14).rotateX(Math.PI / 2); },
  sphere: function (fine) { return new THREE.SphereBufferGeometry(1, fine ? 32 : 12, fine ? 20 : 8); },
  cone: function () { return new THREE.ConeBufferGeometry(1, 1, 24).rotateX(Math.PI / 2).translate(0, 0, 0.5); },
  ring: function (fine) { return new THREE.TorusBufferGeometry(1, 0.16, fine ? 16 : 8, fine ? 48 : 20); },
  wedge: wedge
};

/* Items: {kind, body, local (matrix in that body), color (a key of COLORS or '#rrggbb'), of (element),
   moving: function () -> matrix in ground axes, or null when it is not to be seen}. */
function Solids(run, options) {
  this.run = run;
  this.options = options || {};
  this.items = [];
  this.meshes = [];
}

Solids.prototype.put = function (kind, body, local, color, of, moving) {
  var item = {kind: kind, body: body, local: local, color: color, of: of, moving: moving, shown: true, m: new Float64Array(16)};
  this.items.push(item);
  if (of) of.items.push(item);
  return item;
};

Solids.prototype.finish = function (parent) {
  var self = this, fine = this.items.length < 1500;
  Object.keys(UNITS).forEach(function (kind) {
    var items = self.items.filter(function (i) { return i.kind === kind; });
    if (!items.length) return;
    var geometry = UNITS[kind](fine), ghost = self.options.ghost;
    geometry.setAttribute('color', new THREE.InstancedBufferAttribute(new Float32Array(3 * items.length), 3));
    var material = new THREE.MeshStandardMaterial({
      vertexColors: THREE.VertexColors, roughness: 0.8, metalness: 0, transparent: !!ghost || !!self.options.over, opacity: ghost ? 0.26 : self.options.over ? 0.92 : 1,
      depthWrite: !ghost, depthTest: !self.options.over
    });
    var mesh = new THREE.InstancedMesh(geometry, material, items.length);
    mesh.frustumCulled = false;
    if (self.options.over) mesh.renderOrder = 5; /* arrows are seen through bodies */
    mesh.castShadow = !ghost && !self.options.over;
    mesh.customDepthMaterial = new THREE.MeshDepthMaterial({depthPacking: THREE.RGBADepthPacking}); /* one that knows instances */
    mesh.items = items;
    parent.add(mesh);
    self.meshes.push(mesh);
  });
  this.paint();
};

Solids.prototype.paint = function () {
  this.meshes.forEach(function (mesh) {
    var colors = mesh.geometry.attributes.color, c = new THREE.Color(), light = new THREE.Color('#ffd54a');
    mesh.items.forEach(function (item, i) {
      c.set(colorOf(item.color));
      if (item.of && item.of.active) c.lerp(light, 0.75);
      colors.setXYZ(i, c.r, c.g, c.b);
    });
    colors.needsUpdate = true;
  });
};

/* Matrices of all items from those of the bodies. */
Solids.prototype.update = function () {
  var bodies = this.run.matrices;
  this.meshes.forEach(function (mesh) {
    var out = mesh.instanceMatrix.array;
    mesh.items.forEach(function (item, i) {
      var m = item.m, o = 16 * i, l = item.local, b = 16 * (item.body + 1), moved = item.moving ? item.moving() : null;
      var seen = item.shown && (!item.of || item.of.shown()) && (!item.moving || moved);
      for (var k = 0; k < 16; k++) m[k] = 0;
      if (seen && moved) for (k = 0; k < 16; k++) m[k] = moved[k];
      else if (seen) {
        for (var c = 0; c < 4; c++)
          for (var r = 0; r < 4; r++)
            m[4 * c + r] = bodies[b + r] * l[4 * c] + bodies[b + 4 + r] * l[4 * c + 1] + bodies[b + 8 + r] * l[4 * c + 2] +
              bodies[b + 12 + r] * l[4 * c + 3];
      }
      for (k = 0; k < 16; k++) out[o + k] = m[k];
    });
    mesh.instanceMatrix.needsUpdate = true;
  });
};

/* ---- colours ---- */

var COLORS = {
  light: {back: '#f4f6f9', grid: '#dde3ea', grid2: '#c3ccd7', ground: '#8793a1', joint: '#46505e', pin: '#dfe5ec', drive: '#1a7f45',
          spring: '#7a4dd8', load: '#e8590c', reaction: '#0b7fc4', moment: '#a61e8f', open: '#e0102e', redundant: '#d98200',
          ghost: '#8fa0b5', path: '#a9b6c4'},
  dark: {back: '#12171e', grid: '#202934', grid2: '#34404e', ground: '#77838f', joint: '#b9c3cf', pin: '#5d6876', drive: '#5fd38d',
         spring: '#b79bff', load: '#ff9a52', reaction: '#5cc1ff', moment: '#f08be0', open: '#ff5468', redundant: '#ffb648',
         ghost: '#71839b', path: '#4b5868'}
};
var PALETTE = ['#3f7fd9', '#e8913a', '#3fa673', '#c8586c', '#8a6fd1', '#2f9fb0', '#b5963c', '#7d8896'];
var TRACE_COLORS = ['#e6007e', '#00b050', '#0070ff', '#ff8c00', '#9400d3', '#00a8a8', '#b8860b', '#dc143c'];
var theme = 'light';

function colorOf(key) { return COLORS[theme][key] || key; }

