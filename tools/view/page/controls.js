/* ---- time ---- */

var clock = {t: 0, end: Math.max.apply(null, runs.map(function (r) { return r.end; })), playing: false, loop: true, speed: 1, last: 0};
var SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
var plotsShown = true;

/* A run is to last between 3 and 20 seconds unless that is far from its own time. */
function usualSpeed() {
  var best = 1;
  if (clock.end < 2) SPEEDS.forEach(function (s) { if (s < 1 && clock.end / s >= 4) best = s; });
  if (clock.end > 60) best = SPEEDS.filter(function (s) { return s > 1 && clock.end / s <= 30; })[0] || 100;
  return best;
}

function setTime(t) {
  clock.t = clamp(t, 0, clock.end);
  dirty();
}

function setPlaying(on) {
  clock.playing = on && !still;
  if (clock.playing && clock.t >= clock.end) clock.t = 0;
  clock.last = 0;
  $('play').innerHTML = icon(clock.playing ? 'M3 2h4v12H3zM9 2h4v12H9z' : 'M3 1.5v13l11-6.5z');
  $('play').setAttribute('aria-label', clock.playing ? 'pause' : 'play');
  dirty();
}

/* One frame on or back, as frames stand in the file. */
function stepFrame(by) {
  setPlaying(false);
  var at = frameAt(main, clock.t), i = by < 0 && at.u > 1e-6 ? at.i + 1 : at.i;
  setTime(main.t[clamp(i + by, 0, main.frames - 1)]);
}

function setSpeed(by) {
  var i = SPEEDS.indexOf(clock.speed);
  clock.speed = SPEEDS[clamp(i + by, 0, SPEEDS.length - 1)];
  $('speed').textContent = clock.speed + '×';
}

function tick(now) {
  if (!clock.playing) return;
  if (clock.last) {
    var t = clock.t + clock.speed * Math.min(now - clock.last, 100) / 1000;
    if (t > clock.end) {
      if (clock.loop) t = clock.end > 0 ? t % clock.end : 0;
      else { t = clock.end; setPlaying(false); }
    }
    setTime(t);
  }
  clock.last = now;
}

function icon(path) { return '<svg viewBox="0 0 16 16" aria-hidden="true"><path d="' + path + '"/></svg>'; }

/* ---- light and dark ---- */

function setTheme(name) {
  theme = name;
  document.documentElement.setAttribute('data-theme', name);
  $('theme').innerHTML = icon(name === 'dark' ? 'M8 4a4 4 0 100 8 4 4 0 000-8zM7.3 0h1.4v2.5H7.3zM7.3 13.5h1.4V16H7.3zM0 7.3h2.5v1.4H0zM13.5 7.3H16v1.4h-2.5z'
    : 'M6 1a7 7 0 108.9 9A6 6 0 016 1z');
  repaint();
}

/* ---- keys ---- */

var KEYS = [
  [' ', 'space', 'play or pause', function () { setPlaying(!clock.playing); }],
  ['ArrowLeft', '←', 'one frame back (Shift: ten)', function (e) { stepFrame(e.shiftKey ? -10 : -1); }],
  ['ArrowRight', '→', 'one frame on (Shift: ten)', function (e) { stepFrame(e.shiftKey ? 10 : 1); }],
  ['Home', 'Home', 'start', function () { setTime(0); }],
  ['End', 'End', 'end', function () { setTime(clock.end); }],
  ['+', '+', 'faster', function () { setSpeed(1); }],
  ['-', '-', 'slower', function () { setSpeed(-1); }],
  ['l', 'L', 'loop', function () { setLoop(!clock.loop); }],
  ['f', 'F', 'all in the picture', function () { fit(); }],
  ['c', 'C', 'follow the mechanism', function () { camera.follow = !camera.follow; fit(); }],
  ['v', 'V', 'perspective or not', function () { camera.ortho = !camera.ortho; dirty(); }],
  ['p', 'P', 'plots', function () { plotsShown = !plotsShown; resize(); }],
  ['m', 'M', 'panel', function () { setPanel($('app').classList.contains('narrow')); }],
  ['d', 'D', 'light or dark', function () { setTheme(theme === 'dark' ? 'light' : 'dark'); }],
  ['Escape', 'Esc', 'nothing chosen', function () { activate(null, true); }],
  ['?', '?', 'this list', function () { $('help').showModal(); }]
];
[['b', 'bodies'], ['j', 'joints'], ['a', 'loads'], ['r', 'reactions'], ['o', 'moments'], ['t', 'traces'], ['n', 'names'], ['g', 'grid'], ['x', 'masses'], ['h', 'ghosts']]
  .forEach(function (k) { KEYS.push([k[0], null, '', function () { setShown(k[1], !shows[k[1]]); }]); });
PRESETS.forEach(function (p) { KEYS.push([p.key, p.key, p.name, function () { preset(p); }]); });

function onKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || $('help').open) return;
  if (e.target.id === 'time' && /^(Arrow|Home|End)/.test(e.key)) e.target.blur();
  if (e.target.tagName === 'BUTTON' && (e.key === ' ' || e.key === 'Enter')) return;
  var key = KEYS.filter(function (k) { return k[0] === e.key || k[0] === e.key.toLowerCase() || (k[0] === '+' && e.key === '='); })[0];
  if (!key) return;
  e.preventDefault();
  key[3](e);
}

function fillHelp() {
  var table = make('table', {});
  KEYS.forEach(function (k) { if (k[1]) table.append(make('tr', {}, make('td', {}, make('kbd', {}, k[1])), make('td', {}, k[2]))); });
  $('help').append(table, make('p', {}, 'Drag: turn. Right button or Shift, or two fingers: move. Wheel or pinch: zoom. Click: choose.'),
    make('button', {onclick: function () { $('help').close(); }}, 'close'));
}

/* ---- buttons ---- */

function setLoop(on) { clock.loop = on; $('loop').setAttribute('aria-pressed', on); }

function setPanel(on) {
  $('app').classList.toggle('narrow', !on);
  $('more').setAttribute('aria-pressed', on);
  resize();
}

function preset(p) {
  camera.yaw = p.yaw; camera.pitch = p.pitch;
  camera.ortho = main.planar ? p.name !== '3-D' : camera.ortho;
  fit();
}

function wireButtons() {
  $('back').innerHTML = icon('M12 2v12L4 8zM2.5 2h1.6v12H2.5z');
  $('next').innerHTML = icon('M4 2v12l8-6zM11.9 2h1.6v12h-1.6z');
  $('loop').innerHTML = icon('M8 2a6 6 0 016 6h-1.8A4.2 4.2 0 008 3.8V6L4.6 2.9 8 0zm0 12a6 6 0 01-6-6h1.8A4.2 4.2 0 008 12.2V10l3.4 3.1L8 16z');
  $('more').innerHTML = icon('M1 3h14v1.7H1zM1 7.2h14v1.7H1zM1 11.4h14v1.7H1z');
  $('play').onclick = function () { setPlaying(!clock.playing); };
  $('back').onclick = function () { stepFrame(-1); };
  $('next').onclick = function () { stepFrame(1); };
  $('loop').onclick = function () { setLoop(!clock.loop); };
  $('slower').onclick = function () { setSpeed(-1); };
  $('faster').onclick = function () { setSpeed(1); };
  $('theme').onclick = function () { setTheme(theme === 'dark' ? 'light' : 'dark'); };
  $('more').onclick = function () { setPanel($('app').classList.contains('narrow')); };
  $('time').max = clock.end || 1;
  $('time').oninput = function () { setPlaying(false); setTime(+$('time').value); };
  PRESETS.concat([{key: 'F', name: 'fit'}]).forEach(function (p) {
    $('cameras').append(make('button', {title: 'key ' + p.key, onclick: p.name === 'fit' ? function () { fit(); } : function () { preset(p); }}, p.name));
  });
  main.events.forEach(function (e) {
    var mark = make('i', {class: e.kind});
    mark.style.left = 100 * e.t / (clock.end || 1) + '%';
    $('marks').append(mark);
  });
  $('bar').classList.toggle('still', still);
}

/* ---- pointer: turn, move, zoom, choose ---- */

var pointers = new Map(), moved = 0, spread = 0;

function wirePointer() {
  var canvas = $('canvas');
  canvas.addEventListener('pointerdown', function (e) {
    canvas.setPointerCapture(e.pointerId);
    pointers.set(e.pointerId, e);
    moved = 0; spread = 0;
  });
  canvas.addEventListener('pointermove', onMove);
  canvas.addEventListener('pointerup', function (e) {
    if (pointers.size === 1 && moved < 5) activate(pick(e), true);
    pointers.delete(e.pointerId);
  });
  canvas.addEventListener('pointercancel', function (e) { pointers.delete(e.pointerId); });
  canvas.addEventListener('pointerleave', function () { activate(null, false); });
  canvas.addEventListener('wheel', function (e) {
    e.preventDefault();
    camera.zoom(Math.exp(clamp(e.deltaY, -200, 200) * 0.0016));
    dirty();
  }, {passive: false});
  canvas.addEventListener('contextmenu', function (e) { e.preventDefault(); });
  canvas.addEventListener('dblclick', function () { fit(); });
  var curves = $('curves'), scrub = function (e) {
    if (e.type === 'pointermove' && !e.buttons) return;
    var box = curves.getBoundingClientRect();
    setPlaying(false);
    setTime(clock.end * (e.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT));
  };
  curves.addEventListener('pointerdown', function (e) { curves.setPointerCapture(e.pointerId); scrub(e); });
  curves.addEventListener('pointermove', scrub);
}

function onMove(e) {
  var before = pointers.get(e.pointerId);
  if (!before) { activate(pick(e), false); return; }
  var dx = e.clientX - before.clientX, dy = e.clientY - before.clientY, height = $('canvas').clientHeight;
  moved += Math.abs(dx) + Math.abs(dy);
  pointers.set(e.pointerId, e);
  if (pointers.size === 2) {
    var two = Array.from(pointers.values()), d = Math.hypot(two[0].clientX - two[1].clientX, two[0].clientY - two[1].clientY);
    if (spread > 0 && d > 0) camera.zoom(spread / d);
    spread = d;
    camera.pan(dx / 2, dy / 2, height);
  } else if (e.buttons & 2 || e.buttons & 4 || e.shiftKey) {
    camera.pan(dx, dy, height);
  } else {
    camera.turn(dx * 0.008, dy * 0.008);
    if (main.planar && camera.ortho && moved > 5) camera.ortho = false;
  }
  dirty();
}

/* The element under the pointer: the nearest solid whose middle line passes close by. */
function pick(e) {
  var box = $('canvas').getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top, best = null, score = 1;
  solids.items.forEach(function (item) {
    if (!item.of || !item.m[15]) return;
    var m = item.m, half = item.kind === 'cylinder' || item.kind === 'box' ? 0.5 : 0;
    var a = camera.project([m[12] - half * m[8], m[13] - half * m[9], m[14] - half * m[10]], box.width, box.height);
    var b = camera.project([m[12] + half * m[8], m[13] + half * m[9], m[14] + half * m[10]], box.width, box.height);
    var pixel = box.height / (2 * (camera.ortho ? camera.half() : Math.max(a.z, 1e-9) * Math.tan(camera.fov * Math.PI / 360)));
    var r = Math.max(5, pixel * Math.min(Math.hypot(m[0], m[1], m[2]), Math.hypot(m[4], m[5], m[6])) * (item.kind === 'box' ? 0.5 : 1));
    var dx = b.x - a.x, dy = b.y - a.y, l = dx * dx + dy * dy, s = l > 0 ? clamp(((x - a.x) * dx + (y - a.y) * dy) / l, 0, 1) : 0;
    var d = Math.hypot(x - a.x - s * dx, y - a.y - s * dy) / r;
    if (d > 1 || a.z <= 0 && !camera.ortho) return;
    var value = d * 0.5 + (item.of.sort === 'joint' ? 0 : item.of.sort === 'force' ? 0.1 : 0.3); /* small things first */
    if (value < score) { score = value; best = item.of; }
  });
  return best;
}

