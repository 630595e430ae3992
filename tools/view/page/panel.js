/* ---- panel: findings, what is shown, lists ---- */

function fact(list, name, text, sort) { list.append(make('dt', {}, name), make('dd', {class: sort || ''}, text)); }

/* Residuals that a start would not take without moving bodies; counted in m and rad. */
var OPEN = 1e-6;

function findings(panel) {
  var check = main.check, list = make('dl', {});
  panel.append(make('h2', {}, 'Mechanism'), list);
  fact(list, 'bodies, joints, forces', main.bodies.length + ', ' + main.joints.length + ', ' + main.forces.length);
  if (check) {
    fact(list, 'degrees of freedom', String(check.freedom));
    fact(list, 'redundant rows', String(check.redundant), check.redundant > 0 ? 'warn' : '');
    fact(list, 'residual as written', short(check.residual[0]), check.residual[0] > OPEN ? 'bad' : 'good');
    fact(list, 'pose', check.singular ? 'singular' : 'regular', check.singular ? 'warn' : '');
  }
  if (!still) fact(list, 'frames', main.frames + ' to ' + short(main.end) + ' s');
}

function toggle(key, text, letter) {
  var box = make('input', {type: 'checkbox', onchange: function () { setShown(key, box.checked); }});
  box.checked = shows[key];
  toggle.boxes[key] = box;
  return make('label', {title: letter ? 'key ' + letter : ''}, box, text);
}
toggle.boxes = {};

function setShown(key, value) {
  shows[key] = value;
  if (toggle.boxes[key]) toggle.boxes[key].checked = value;
  if (key === 'masses') solids.items.forEach(function (i) { if (i.mass) i.shown = value; });
  if (key === 'ghosts') ghosts.forEach(function (g) { g.group.visible = value; });
  dirty();
}

function switches(panel) {
  var box = make('div', {class: 'checks'});
  panel.append(make('h2', {}, 'Show'), box);
  box.append(toggle('bodies', 'bodies', 'B'), toggle('joints', 'joints', 'J'), toggle('loads', 'forces', 'A'), toggle('reactions', 'reactions', 'R'),
    toggle('moments', 'moments', 'O'), toggle('traces', 'paths', 'T'), toggle('names', 'names', 'N'), toggle('grid', 'grid', 'G'),
    toggle('masses', 'mass centres', 'X'));
  if (runs.length > 1) box.append(toggle('ghosts', 'ghosts', 'H'));
  if (!main.arrows.length) return;
  var zoom = make('input', {type: 'range', min: -1.5, max: 1.5, step: 0.05, value: 0, 'aria-label': 'length of arrows',
    oninput: function () { arrows.zoom = Math.pow(10, +zoom.value); dirty(); }});
  panel.append(make('label', {}, 'arrows', zoom));
}

function listing(panel, title, elements, note) {
  if (!elements.length) return;
  var list = make('ul', {});
  panel.append(make('h2', {}, title), list);
  elements.slice(0, 400).forEach(function (e) {
    var detail = note(e), color = e.sort === 'body' ? e.thing.color : e.sort === 'joint' ? 'joint' : 'spring';
    var dot = make('i', {});
    dot.style.background = colorOf(color);
    e.row = make('li', {class: 'row', onmouseenter: function () { activate(e, false); }, onmouseleave: function () { activate(null, false); },
      onclick: function () { activate(e, true); }}, dot, e.name, make('small', {class: detail[1] || ''}, detail[0]));
    list.append(e.row);
  });
  if (elements.length > 400) list.append(make('li', {}, 'and ' + (elements.length - 400) + ' more'));
}

function jointNote(e) {
  var j = e.thing;
  if (j.residual && j.residual[0] > OPEN) return ['open by ' + short(j.residual[0]), 'bad'];
  if (j.redundant) return [j.type + ', redundant', 'warn'];
  return [j.type];
}

function channelList(panel) {
  if (still || !main.channels.length) return;
  var box = make('div', {});
  panel.append(make('h2', {}, 'Channels'), box);
  main.channels.slice(0, 300).forEach(function (name, k) {
    var check = make('input', {type: 'checkbox', onchange: function () {
      if (check.checked) plotted.push(k); else plotted.splice(plotted.indexOf(k), 1);
      if (plotted.length > STRIPS_MOST) boxes[plotted.shift()].checked = false;
      resize();
    }}), label = make('label', {}, check, name);
    check.checked = plotted.indexOf(k) >= 0;
    boxes[k] = check;
    box.append(label);
  });
}
var boxes = {};

function eventList(panel) {
  if (!main.events.length) return;
  var list = make('ul', {});
  panel.append(make('h2', {}, 'Events'), list);
  main.events.slice(0, 200).forEach(function (e) {
    var text = e.kind === 'singularity' ? 'singular pose' : (e.name || '') + ' ' + e.kind;
    var title = e.kind === 'singularity' ? e.remedy + ', branch ' + e.branch + ': ' + e.joints.join(', ') : '';
    list.append(make('li', {class: 'row', title: title, onclick: function () { setTime(e.t); }}, text,
      make('small', {class: e.kind === 'singularity' ? 'bad' : 'warn'}, short(e.t) + ' s')));
  });
}

function runList(panel) {
  if (runs.length < 2) return;
  var list = make('ul', {});
  panel.append(make('h2', {}, 'Runs'), list);
  runs.forEach(function (run, i) {
    list.append(make('li', {class: 'row'}, run.label, make('small', {}, (i ? 'ghost, ' : '') + short(run.end) + ' s')));
  });
}

function fillPanel() {
  var panel = $('panel');
  panel.textContent = '';
  findings(panel);
  switches(panel);
  runList(panel);
  eventList(panel);
  listing(panel, 'Bodies', elements.bodies, function (e) { return [short(e.thing.mass) + ' kg']; });
  listing(panel, 'Joints', elements.joints, jointNote);
  listing(panel, 'Forces', elements.forces, function (e) { return [e.thing.type]; });
  channelList(panel);
}

/* ---- words over the picture ---- */

function fillHeader() {
  $('name').textContent = main.name;
  var check = main.check, parts = [];
  if (check) {
    parts.push(check.freedom + (check.freedom === 1 ? ' degree' : ' degrees') + ' of freedom');
    if (check.redundant) parts.push(check.redundant + ' redundant ' + (check.redundant === 1 ? 'row' : 'rows'));
  }
  if (still) parts.push('the pose as written');
  $('verdict').textContent = parts.join(' · ');
  if (main.reason) $('remarks').append(make('li', {class: 'bad'}, main.reason.replace(/^\S*:(\d+):\d+: /, 'line $1: ')));
  main.remarks.slice(0, 5).forEach(function (text) { $('remarks').append(make('li', {}, text)); });
  if (main.remarks.length > 5) $('remarks').append(make('li', {}, 'and ' + (main.remarks.length - 5) + ' more'));
}

function fillLegend() {
  var legend = $('legend'), sorts = {};
  legend.textContent = '';
  arrows.all.forEach(function (a) { if (arrows.shown(a)) sorts[a.sort] = true; });
  function put(color, text) {
    var dot = make('i', {});
    dot.style.background = colorOf(color);
    legend.append(make('span', {}, dot, text));
  }
  if (still) sorts = {};
  if (sorts.load) put('load', 'forces');
  if (sorts.reaction) put('reaction', 'reactions');
  if (sorts.moment) put('moment', 'moments');
  if (shows.traces) traces.list.forEach(function (t) { if (t.chosen) put(t.color, t.name); });
  if (runs.length > 1 && shows.ghosts) put('ghost', runs.slice(1).map(function (r) { return r.label; }).join(', '));
}

/* What is known of an element, for its tip. */
function describe(e) {
  var t = e.thing, lines = [];
  function vector(v, u) { return '(' + v.slice(0, main.planar ? 2 : 3).map(short).join(', ') + ') ' + u; }
  if (e.sort === 'body') {
    lines.push(t.kind + ', ' + short(t.mass) + ' kg', 'at ' + vector(toGround(main, e.index, [0, 0, 0]), 'm'));
  } else if (e.sort === 'joint') {
    var names = [t.a, t.b].map(function (k) { return k < 0 ? 'ground' : main.bodies[k].name; });
    lines.push(t.type + (t.compliant ? ', compliant' : '') + ': ' + names.join(' – '));
    if (t.redundant) lines.push('rows depend on others');
    if (t.residual && t.residual[0] > OPEN) lines.push('open by ' + short(t.residual[0]));
  } else {
    lines.push(t.type + (t.joint !== undefined ? ' on ' + main.joints[t.joint].name : ''));
  }
  if (!still) arrows.all.forEach(function (a) {
    if (a.of !== e) return;
    lines.push((a.sort === 'reaction' ? 'reaction ' : a.a.moment ? 'moment ' : 'force ') + short(norm(arrowAt(main, a.k))) + (a.a.moment ? ' N m' : ' N'));
  });
  return lines;
}

