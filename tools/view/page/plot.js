/* ---- plots of channels under the picture, one strip each ---- */

var STRIP = 74, LEFT = 64, RIGHT = 12, STRIPS_MOST = 5;
var plotted = []; /* numbers of channels */

var ranges = [];

function range(k) {
  var lo = Infinity, hi = -Infinity;
  if (ranges[k]) return ranges[k];
  runs.forEach(function (run) {
    if (k >= run.channels.length || run.channels[k] !== main.channels[k]) return;
    for (var f = 0; f < run.frames; f++) {
      var x = run.values[f * run.channels.length + k];
      if (x < lo) lo = x;
      if (x > hi) hi = x;
    }
  });
  return (ranges[k] = [lo, hi]);
}

/* Is there anything in it but rounding? */
function isNoise(k) {
  var r = range(k), most = Math.max(Math.abs(r[0]), Math.abs(r[1]));
  return !(r[1] > r[0]) || most < 1e-9 || r[1] - r[0] < 1e-6 * most || /^residual/.test(main.channels[k]);
}

/* The first of each object, then others. */
function chooseChannels() {
  var seen = {};
  main.channels.forEach(function (name, k) {
    var object = name.split('.').slice(0, 2).join('.');
    if (plotted.length < 3 && !seen[object] && !isNoise(k)) { seen[object] = true; plotted.push(k); }
  });
}

function ticks(lo, hi, wanted) {
  var raw = (hi - lo) / wanted, power = Math.pow(10, Math.floor(Math.log10(raw))), part = raw / power;
  var step = (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10) * power, out = [];
  for (var x = Math.ceil(lo / step - 1e-9) * step; x <= hi + 1e-9 * step; x += step) out.push(Math.abs(x) < 1e-9 * step ? 0 : x);
  return out;
}

function drawCurve(g, run, k, x, y, color, width) {
  var n = run.channels.length, last = -1;
  g.strokeStyle = color;
  g.lineWidth = width;
  g.beginPath();
  for (var f = 0; f < run.frames; f++) {
    var v = run.values[f * n + k], px = x(run.t[f]);
    if (v !== v) { last = -1; continue; }
    if (last < 0) g.moveTo(px, y(v)); else g.lineTo(px, y(v));
    last = px;
  }
  g.stroke();
}

function drawPlots() {
  var canvas = $('curves'), box = $('plots'), ratio = window.devicePixelRatio || 1, style = getComputedStyle(document.documentElement);
  var narrow = box.clientWidth < 560, strip = narrow ? 54 : STRIP;
  var count = Math.min(plotted.length, Math.max(1, Math.floor(0.34 * window.innerHeight / strip))); /* the picture is larger */
  box.hidden = still || !count || !plotsShown;
  if (box.hidden) return;
  var width = box.clientWidth, height = count * strip + 18;
  canvas.style.height = height + 'px';
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  var g = canvas.getContext('2d'), soft = style.getPropertyValue('--soft'), line = style.getPropertyValue('--line');
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = '11px system-ui, sans-serif';
  var x = function (t) { return LEFT + (width - LEFT - RIGHT) * t / clock.end; };
  for (var i = 0; i < count; i++) drawStrip(g, plotted[i], i * strip, strip, width, x, style, soft, line);
  ticks(0, clock.end, Math.max(3, width / 110)).forEach(function (t) {
    g.fillStyle = soft;
    g.textAlign = 'center';
    g.fillText(short(t), clamp(x(t), LEFT + 4, width - RIGHT - 8), height - 5);
  });
  g.textAlign = 'right';
  g.fillText('t in s', LEFT - 10, height - 5);
  g.fillStyle = style.getPropertyValue('--accent');
  g.fillRect(x(clock.t) - 0.75, 0, 1.5, height - 16);
}

function drawStrip(g, k, top, strip, width, x, style, soft, line) {
  var r = range(k), lo = r[0], hi = r[1], bottom = top + strip - 8;
  if (!(hi > lo)) { lo -= 0.1 * Math.abs(lo) || 1; hi += 0.1 * Math.abs(hi) || 1; }
  var y = function (v) { return bottom - (bottom - top - 18) * (v - lo) / (hi - lo); };
  g.lineWidth = 1;
  ticks(lo, hi, 2.4).forEach(function (v) {
    g.strokeStyle = line;
    g.beginPath(); g.moveTo(LEFT, y(v)); g.lineTo(width - RIGHT, y(v)); g.stroke();
    g.fillStyle = soft;
    g.textAlign = 'right';
    g.fillText(short(v), LEFT - 6, y(v) + 4);
  });
  main.events.forEach(function (e) {
    g.fillStyle = style.getPropertyValue(e.kind === 'singularity' ? '--bad' : '--warn');
    g.globalAlpha = 0.4;
    g.fillRect(x(e.t) - 0.5, top + 14, 1, strip - 20);
    g.globalAlpha = 1;
  });
  runs.slice(1).forEach(function (run) {
    if (shows.ghosts && run.channels[k] === main.channels[k]) drawCurve(g, run, k, x, y, colorOf('ghost'), 1);
  });
  drawCurve(g, main, k, x, y, PALETTE[k % PALETTE.length], 1.7);
  g.textAlign = 'left';
  g.fillStyle = style.getPropertyValue('--front');
  g.fillText(main.channels[k], LEFT + 2, top + 12);
  g.fillStyle = soft;
  g.fillText(short(channelAt(main, k, clock.t)), LEFT + 10 + g.measureText(main.channels[k]).width, top + 12);
}

