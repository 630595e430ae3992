"""What a mutant's run may not do: crash, hang, print what is no finite number, refuse without saying where, or be content
with a joint that is open."""
import json
import math
import re
import signal

from model_text import Unreadable
from rows import Model

TOLERANCES = 100  # of the mechanism's size: how far a joint may be open at the end of a run that is `ok`
UNCOUNTED = '.work.allocations_in_steps'  # sanitizers stand where the command would count
REFUSALS = (2, 3, 4, 5, 6)  # exit statuses of the command that say why
ROUNDING = 1e-13  # of the size: what an opening computed from printed numbers cannot tell from zero


def no_number(word):
    raise ValueError('%s is no number of JSON' % word)


def numbers(value, path=''):
    """Every number of an object with where it stands; null is none."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, path + '.' + key)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from numbers(inner, '%s[%d]' % (path, i))
    elif not isinstance(value, (str, bool)):
        yield path, value


def placed(text, error, path):
    """A refusal says file:line:column, or names an object of the file."""
    if re.search(re.escape(path) + r':\d+:\d+: ', error):
        return True
    if 'max_steps' in error:  # the bound of the file itself, named by its key
        return True
    names = set(re.findall(r'[A-Za-z_]\w*', text))
    said = set(re.findall(r"'([A-Za-z_][\w.]*)'", error)) | set(re.findall(r'(?:joint|body|force|driver|law of) (\w+)', error))
    return any(name.split('.')[0] in names for name in said)


def open_joint(text, out):
    """The sentence on the joint that is open, or '': none. Unreadable: this cannot be told."""
    model = Model(text)
    length, angle = model.tolerance()
    try:
        openings = model.openings(out)
    except (ArithmeticError, ValueError) as fault:
        raise Unreadable(str(fault)) from fault
    size = max((norm for joint in model.joints.values() for norm in joint.sizes()), default=0.0)
    for name, gap, turn in openings:
        if gap > TOLERANCES * length + ROUNDING * size or turn > TOLERANCES * angle + ROUNDING:
            return "status ok, but joint '%s' is open by %.3g m, %.3g rad (tolerances %.1e, %.1e)" % (
                name, gap, turn, length, angle)
        if not math.isfinite(gap + turn):
            raise Unreadable('opening of %s' % name)
    return ''


def judge(text, path, status, output, error):
    """(kind, sentence): kind is ok, refused, unchecked, or what is wrong: crash, hang, not finite, not placed, open."""
    if status in (-signal.SIGALRM, -signal.SIGXCPU, -signal.SIGKILL):
        return 'hang', 'no end within the time limit'
    if status < 0 or status not in (0,) + REFUSALS or 'Sanitizer' in error or 'runtime error' in error:
        return 'crash', 'exit status %d: %s' % (status, error.strip()[:300])
    if status != 0 and not placed(text, error, path):
        return 'not placed', error.strip()[:300] or 'nothing on stderr'
    if status != 0 and not output.strip():
        return 'refused', ''
    try:
        out = json.loads(output, parse_constant=no_number)
    except ValueError as fault:
        return 'not finite', str(fault)
    for where, value in numbers(out):
        if where == UNCOUNTED and value is None:
            continue
        if value is None or not math.isfinite(value):
            return 'not finite', '%s is %s' % (where, value)
    if status != 0:
        return 'refused', ''
    try:
        sentence = open_joint(text, out)
    except (Unreadable, KeyError, TypeError, ValueError) as fault:
        return 'unchecked', repr(fault)
    return ('open', sentence) if sentence else ('ok', '')
