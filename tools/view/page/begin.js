/* The page of `cardan view`. Everything it shows is in this file: scene (JSON), numbers (base64), three.js before it.
   window.view is for tests and for those who open the console. */
(function () {
'use strict';

var $ = function (id) { return document.getElementById(id); };

/* An element of the document: make('li', {class: 'row'}, 'text', child, ...). */
function make(tag, attributes) {
  var node = document.createElement(tag);
  Object.keys(attributes || {}).forEach(function (key) {
    if (key.slice(0, 2) === 'on') node.addEventListener(key.slice(2), attributes[key]);
    else node.setAttribute(key, attributes[key]);
  });
  for (var i = 2; i < arguments.length; i++) node.append(arguments[i]);
  return node;
}

function clamp(x, lo, hi) { return Math.min(Math.max(x, lo), hi); }

/* A number for people: four digits. */
function short(x) {
  if (x === null || x !== x) return 'none';
  if (x === 0) return '0';
  var a = Math.abs(x);
  return a >= 1e5 || a < 1e-3 ? x.toExponential(2).replace('e+', 'e') : String(+x.toPrecision(4));
}

