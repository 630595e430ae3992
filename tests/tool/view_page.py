#!/usr/bin/env python3
"""The page of `cardan view` in headless Chromium, driven by the WebDriver protocol of chromedriver over HTTP (W3C), with
nothing but Python's own library. Prints 'ok NAME' or 'not ok NAME' for each test.
usage: view_page.py COMMAND FOLDER   (from the top of the checkout; pages are made in FOLDER)"""
import csv, json, math, os, shutil, socket, subprocess, sys, time, urllib.request

command, folder = sys.argv[1:3]
failures = 0


def ok(name, condition, detail=''):
    global failures
    failures += not condition
    print(('ok ' if condition else 'not ok ') + name, flush=True)
    if not condition and detail != '':
        print('  ' + str(detail)[:1500])


# ---- a browser

class Browser:
    def __init__(self):
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            port = free.getsockname()[1]
        self.root = 'http://127.0.0.1:%d' % port
        self.process = subprocess.Popen([shutil.which('chromedriver'), '--port=%d' % port], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                if self.ask('GET', '/status')['ready']:
                    break
            except OSError:
                time.sleep(0.05)
        arguments = ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--use-angle=swiftshader',
                     '--enable-unsafe-swiftshader', '--hide-scrollbars', '--force-device-scale-factor=1',
                     '--window-size=840,680', '--user-data-dir=' + os.path.join(folder, 'profile')]
        options = {'args': arguments, 'binary': shutil.which('chromium')}
        wanted = {'goog:chromeOptions': options, 'goog:loggingPrefs': {'browser': 'ALL', 'performance': 'ALL'}}
        answer = self.ask('POST', '/session', {'capabilities': {'alwaysMatch': wanted}})
        self.root += '/session/' + answer['sessionId']

    def ask(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.root + path, data, {'Content-Type': 'application/json'}, method=method)
        with urllib.request.urlopen(request, timeout=50) as answer:
            return json.load(answer)['value']

    def js(self, script, *arguments):
        return self.ask('POST', '/execute/sync', {'script': script, 'args': list(arguments)})

    def log(self, sort):
        return self.ask('POST', '/se/log', {'type': sort})

    def open(self, page):
        self.ask('POST', '/url', {'url': 'about:blank'})
        self.log('performance')
        self.ask('POST', '/url', {'url': 'file://' + os.path.join(folder, page)})
        self.until('return window.view && view.frames() > 0')

    def until(self, script, seconds=15):
        end = time.time() + seconds
        while time.time() < end:
            if self.js(script):
                return True
            time.sleep(0.02)
        return False

    def keys(self, *keys):
        actions = [{'type': sort, 'value': k} for k in keys for sort in ('keyDown', 'keyUp')]
        self.ask('POST', '/actions', {'actions': [{'type': 'key', 'id': 'keys', 'actions': actions}]})

    def mouse(self, *steps):
        actions = []
        for kind, x, y in steps:
            if kind == 'move':
                actions.append({'type': 'pointerMove', 'duration': 0, 'x': int(x), 'y': int(y)})
            else:
                actions.append({'type': 'pointerDown' if kind == 'down' else 'pointerUp', 'button': 0})
        self.ask('POST', '/actions', {'actions': [{'type': 'pointer', 'id': 'mouse', 'actions': actions}]})

    def close(self):
        try:
            self.ask('DELETE', '')
        finally:
            self.process.terminate()
            self.process.wait()


def cardan(*words):
    subprocess.run([command, *words], check=True, stdout=subprocess.DEVNULL)


# ---- the picture's own pixels, read in the frame that drew them

PIXELS = '''
    view.draw();
    var c = document.getElementById('canvas'), k = document.createElement('canvas');
    k.width = c.width; k.height = c.height;
    var g = k.getContext('2d', {willReadFrequently: true});
    g.drawImage(c, 0, 0);
'''

# The middle of all pixels of a colour, and how many there are; a pixel's middle is at 0.5.
DOTS = 'view.setTime(arguments[1]);' + PIXELS + '''
    var d = g.getImageData(0, 0, k.width, k.height).data;
    return [view.look(), view.size(), arguments[0].map(function (hex) {
        var r = parseInt(hex.slice(1, 3), 16), s = parseInt(hex.slice(3, 5), 16), b = parseInt(hex.slice(5), 16), x = 0, y = 0, n = 0;
        for (var i = 0; i < d.length; i += 4)
            if (Math.abs(d[i] - r) + Math.abs(d[i + 1] - s) + Math.abs(d[i + 2] - b) < 24) {
                x += i / 4 % k.width + 0.5; y += Math.floor(i / 4 / k.width) + 0.5; n++;
            }
        return [x / n, y / n, n];
    })];
'''

ONE = PIXELS + 'return Array.from(g.getImageData(Math.floor(arguments[0]), Math.floor(arguments[1]), 1, 1).data);'


def minus(a, b): return [x - y for x, y in zip(a, b)]
def dot(a, b): return sum(x * y for x, y in zip(a, b))
def cross(a, b): return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
def unit(a): return [x / math.sqrt(dot(a, a)) for x in a]


def project(point, look, width, height):
    """A pinhole (or parallel) camera, from where it stands and looks."""
    back = unit(minus(look['eye'], look['target']))
    right = unit(cross(look['up'], back))
    up = cross(back, right)
    d = minus(point, look['eye'])
    half = look['half'] if look['ortho'] else -dot(d, back) * math.tan(math.radians(look['fov']) / 2)
    return width / 2 + dot(d, right) / half * height / 2, height / 2 - dot(d, up) / half * height / 2


def rows_of(path):
    lines = list(csv.reader(open(path)))
    return [dict(zip(lines[0], map(float, line))) for line in lines[1:]]


def compare_points(browser, name, rows, place):
    """Dots of the three paths against projections of where an own run has the points, at ten times."""
    colours = [t['color'] for t in browser.js('return view.traces()')]
    browser.js("['reactions', 'loads', 'joints', 'grid', 'traces'].forEach(function (k) { view.show(k, false); })")
    worst, lost = 0.0, []
    for row in rows:
        look, (width, height), dots = browser.js(DOTS, colours, row['t'])
        for k, (x, y, n) in enumerate(dots):
            expected = project(place(row, k), look, width, height)
            if n is None or n < 20 or x is None:
                lost.append((row['t'], k, n))
            else:
                worst = max(worst, math.hypot(x - expected[0], y - expected[1]))
    browser.js("['reactions', 'loads', 'joints', 'grid', 'traces'].forEach(function (k) { view.show(k, true); })")
    ok(name, len(rows) == 10 and not lost and worst < 1.0, (len(rows), 'pixels off:', worst, 'not seen:', lost))
    print('  largest distance %.2f pixels' % worst)


# ---- pages

SLIDER_OUTPUTS = '[crank.x, crank.y, crank.angle, rod.x, rod.y, rod.angle, slider.x, slider.y]'


def with_outputs(model, outputs):
    text = open('models/%s.yaml' % model).read()
    path = os.path.join(folder, model + '.yaml')
    open(path, 'w').write(text[:text.index('outputs:')] + 'outputs: ' + outputs + '\n')
    return path


def make_pages():
    slider = with_outputs('slider_crank', SLIDER_OUTPUTS)
    cardan('view', slider, '--trace', 'crank:0.1,0', '--trace', 'rod:-0.05,0.06', '--trace', 'slider:0,-0.1', '--ghost',
           'r=0.17', '-o', os.path.join(folder, 'slider.html'))
    cardan('run', slider, '--output-step', '0.25', '-o', os.path.join(folder, 'slider.csv'))
    bricard = with_outputs('bricard', '[bar2.x, bar2.y, bar2.z, bar3.x, bar3.y, bar3.z, bar4.x, bar4.y, bar4.z]')
    cardan('view', bricard, '--trace', 'bar2', '--trace', 'bar3', '--trace', 'bar4', '-o', os.path.join(folder, 'bricard.html'))
    cardan('run', bricard, '--output-step', '0.7', '-o', os.path.join(folder, 'bricard.csv'))
    chain = ['cardan: 1', 'name: chain', 'space: planar', 'gravity: [0, -9.81]', 'bodies:']
    chain += ['  b%d: {mass: 1, inertia: 0.1, position: [%g, 0]}' % (i, i + 0.5) for i in range(1000)]
    chain += ['joints:'] + ['  j%d: {type: revolute, bodies: [%s, b%d], point: [%d, 0]}' % (i, 'b%d' % (i - 1) if i else 'ground', i, i)
                            for i in range(1000)]
    chain += ['simulation: {end: 0.01}', 'outputs: [b999.x, b999.y]']
    open(os.path.join(folder, 'chain.yaml'), 'w').write('\n'.join(chain) + '\n')
    cardan('view', os.path.join(folder, 'chain.yaml'), '--frames', '4', '-o', os.path.join(folder, 'chain.html'))


# ---- tests

def the_page_loads(browser):
    browser.open('slider.html')
    messages = browser.log('browser')
    ok('a_page_from_disk_writes_nothing_to_the_console', messages == [], messages)
    sent = [json.loads(e['message'])['message'] for e in browser.log('performance')]
    urls = [m['params']['request']['url'] for m in sent if m['method'] == 'Network.requestWillBeSent']
    ok('it_makes_one_request_itself', len(urls) == 1 and urls[0].endswith('slider.html'), urls)
    policy = browser.js("return document.querySelector('meta[http-equiv]').content")
    ok('its_policy_forbids_everything_outside', policy.startswith("default-src 'none'"), policy)
    refused = browser.js('''return fetch('data:text/plain,x').then(function () { return 'fetched'; }, function () { return 'refused'; })''')
    ok('and_the_policy_works', refused == 'refused', refused)
    browser.log('browser')


def time_goes_on(browser):
    browser.js('view.setTime(0); view.play()')
    ok('it_plays', browser.until('return view.clock.t > 0.3'), browser.js('return view.clock.t'))
    browser.js('view.pause()')
    t = browser.js('return view.clock.t')
    time.sleep(0.15)
    ok('it_pauses', browser.js('return view.clock.t') == t)
    box = browser.js("var r = document.getElementById('time').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]")
    browser.mouse(('move', box[0] + 0.5 * box[2], box[1] + box[3] / 2), ('down', 0, 0), ('up', 0, 0))
    ok('the_time_line_scrubs', abs(browser.js('return view.clock.t') - 5) < 0.2, browser.js('return view.clock.t'))
    box = browser.js("var r = document.getElementById('curves').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]")
    browser.mouse(('move', box[0] + 0.3 * box[2], box[1] + 20), ('down', 0, 0), ('move', box[0] + 0.8 * box[2], box[1] + 20), ('up', 0, 0))
    ok('plots_scrub_too', 7 < browser.js('return view.clock.t') < 8.5, browser.js('return view.clock.t'))


def keys_work(browser):
    browser.js("view.setTime(0); document.getElementById('canvas').focus()")
    t = browser.js('return view.scene.runs[0].t.slice ? Array.from(view.scene.runs[0].t.slice(0, 13)) : null')
    browser.keys('\ue014')
    one = browser.js('return view.clock.t')
    browser.keys('\ue014', '\ue014', '\ue012')
    two = browser.js('return view.clock.t')
    ok('arrows_step_single_frames', abs(one - t[1]) < 1e-6 and abs(two - t[2]) < 1e-6, (t[:3], one, two))
    browser.keys('\ue010')
    end = browser.js('return view.clock.t')
    browser.keys('\ue011')
    ok('end_and_home_go_there', abs(end - 10) < 1e-6 and browser.js('return view.clock.t') == 0)
    browser.keys(' ')
    playing = browser.js('return view.clock.playing')
    browser.keys(' ')
    ok('space_plays_and_pauses', playing and not browser.js('return view.clock.playing'))
    before = browser.js('return [view.clock.speed, view.clock.loop, view.shows.names, document.documentElement.dataset.theme]')
    browser.keys('+', 'l', 'n', 'd')
    after = browser.js('return [view.clock.speed, view.clock.loop, view.shows.names, document.documentElement.dataset.theme]')
    browser.keys('-', 'l', 'n', 'd')
    ok('keys_change_speed_loop_names_and_colours', all(a != b for a, b in zip(before, after)), (before, after))
    browser.keys('4')
    turned = browser.js('return view.look()')
    browser.keys('1')
    flat = browser.js('return view.look()')
    ok('a_planar_model_is_seen_face_on_and_turned_by_a_key', flat['ortho'] and not turned['ortho'] and
       abs(flat['eye'][0] - flat['target'][0]) < 1e-9 and turned['eye'][0] - turned['target'][0] > 0.01, (flat, turned))


def things_are_chosen(browser):
    browser.js("view.setTime(0.2); view.fit(); view.draw()")
    box = browser.js("var r = document.getElementById('canvas').getBoundingClientRect(); return [r.left, r.top]")
    look, (width, height) = browser.js('return [view.look(), view.size()]')
    row = browser.js("var r = view.scene.runs[0], m = r.matrices; return [m[28], m[29], m[30]]")
    x, y = project(row, look, width, height)
    browser.mouse(('move', box[0] + x, box[1] + y))
    browser.until("return document.getElementById('tip').style.visibility === 'visible'")
    tip = browser.js("return document.getElementById('tip').textContent")
    ok('what_the_pointer_is_over_is_named', tip.startswith('crank'), tip)
    browser.mouse(('move', box[0] + x, box[1] + y), ('down', 0, 0), ('up', 0, 0))
    ok('a_click_chooses_it', browser.js('return view.chosen()') == 'crank', browser.js('return view.chosen()'))
    browser.keys('\ue00c')
    ok('escape_lets_go', browser.js('return view.chosen()') is None)


def pixels_are_right(browser):
    rows = [r for r in rows_of(os.path.join(folder, 'slider.csv')) if r['t'] > 0][2::4][:10]

    def place(row, k):
        body, x, y = [('crank', 0.1, 0.0), ('rod', -0.05, 0.06), ('slider', 0.0, -0.1)][k]
        a = row.get(body + '.angle', 0.0)
        return [row[body + '.x'] + x * math.cos(a) - y * math.sin(a), row[body + '.y'] + x * math.sin(a) + y * math.cos(a), 0.0]

    compare_points(browser, 'three_points_of_a_planar_model_are_where_projections_say', rows, place)
    browser.js("view.setTime(0.2); view.show('grid', false); view.show('traces', false); view.show('ghosts', false); view.show('reactions', false)")
    look, (width, height) = browser.js('view.draw(); return [view.look(), view.size()]')
    centre = browser.js('var m = view.scene.runs[0].matrices; return [m[28], m[29], m[30]]')
    x, y = project(centre, look, width, height)
    back, there = browser.js(ONE, 6, height - 60), browser.js(ONE, x, y)
    apart = sum(abs(a - b) for a, b in zip(back, there))
    ok('where_the_crank_is_the_picture_is_not_background', apart > 60, (back, there))
    browser.js("['grid', 'traces', 'ghosts', 'reactions'].forEach(function (k) { view.show(k, true); })")


def a_spatial_page(browser):
    browser.open('bricard.html')
    rows = [r for r in rows_of(os.path.join(folder, 'bricard.csv')) if r['t'] > 0][:10]
    compare_points(browser, 'three_points_of_a_spatial_model_are_where_projections_say', rows,
                   lambda row, k: [row['bar%d.%s' % (k + 2, c)] for c in 'xyz'])
    ok('it_writes_nothing_either', [m for m in browser.log('browser') if m['level'] == 'SEVERE'] == [])


def many_bodies(browser):
    browser.open('chain.html')
    calls = browser.js('view.draw(); return view.calls()')
    took = browser.js('var t = performance.now(); for (var i = 0; i < 5; i++) view.draw(); return (performance.now() - t) / 5')
    ok('a_thousand_bodies_are_drawn_in_at_most_20_calls', 0 < calls <= 20, calls)
    print('  %d calls, %.0f ms a picture (software rendering, not tested)' % (calls, took))


def pages_are_small(browser):
    for page in ('slider', 'bricard', 'chain'):
        text = open(os.path.join(folder, page + '.html')).read()
        scene = json.loads(text.split('id="scene">', 1)[1].split('</script>', 1)[0])
        numbers = [[r['frames'], len(r['bodies']), len(r['arrows']), len(r['channels'])] for r in scene['runs']]
        most = 1.2e6 + sum(f * (40 * b + 16 * a + 6 * c) for f, b, a, c in numbers)
        size = os.path.getsize(os.path.join(folder, page + '.html'))
        ok('the_page_of_%s_is_small' % page, size <= most, (size, most, numbers))
        print('  %d bytes, at most %d; frames, bodies, arrows, channels: %s' % (size, most, numbers))


def on_a_phone(browser):
    browser.ask('POST', '/window/rect', {'width': 500, 'height': 800})
    browser.open('slider.html')
    wide, panel, canvas = browser.js('''return [document.documentElement.scrollWidth - window.innerWidth,
        getComputedStyle(document.getElementById('panel')).display, document.getElementById('canvas').clientHeight]''')
    ok('on_a_phone_nothing_sticks_out_and_the_picture_is_large', wide <= 0 and panel == 'none' and canvas > 250, (wide, panel, canvas))
    browser.ask('POST', '/window/rect', {'width': 900, 'height': 620})
    ok('the_picture_follows_the_window', browser.until("return document.getElementById('canvas').width === view.size()[0] && view.size()[0] > 520"),
       browser.js("return [document.getElementById('canvas').width, view.size()]"))


began = time.time()
make_pages()
print('  pages made in %.1f s' % (time.time() - began))
began = time.time()
browser = Browser()
print('  browser started in %.1f s' % (time.time() - began))
try:
    for test in (the_page_loads, time_goes_on, keys_work, things_are_chosen, pixels_are_right, a_spatial_page, many_bodies,
                 pages_are_small, on_a_phone):
        began = time.time()
        test(browser)
        print('  %.1f s' % (time.time() - began), flush=True)
finally:
    browser.close()
sys.exit(1 if failures else 0)
