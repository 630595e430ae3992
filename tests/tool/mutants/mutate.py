"""Mutants of model files, seeded: number i of a seed is the same text everywhere."""
import glob
import os
import random
import re

STEPS_MAX = 300  # the slowest step found takes 5 ms, and five times that under sanitizers: 8 s of the 10 that are allowed
VALUES = ('0', '-1', '1e12', '1e-12', '1e308')
NUMBER = re.compile(r'(?<![\w.])-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])')
NAME = re.compile(r'(?<![\w.])[A-Za-z_]\w*')


def code(lines):
    """Numbers of the lines that say something: not empty, no comment, not the format's version."""
    return [i for i, line in enumerate(lines) if line.strip() and not line.lstrip().startswith(('#', 'cardan:', 'desc'))]


def spots(lines, pattern):
    return [(i, m.start(), m.end()) for i in code(lines) for m in pattern.finditer(lines[i].split(' #')[0])]


def put(lines, spot, word):
    i, start, end = spot
    lines[i] = lines[i][:start] + word + lines[i][end:]


def change_number(lines, r):
    spot, value = r.choice(spots(lines, NUMBER)), r.choice(VALUES)
    if not lines[spot[0]][:spot[1]].endswith('max_steps: '):  # the bound of steps stays: it is not the model's
        put(lines, spot, value)


def drop_line(lines, r):
    del lines[r.choice(code(lines))]


def double_line(lines, r):
    i = r.choice(code(lines))
    lines.insert(i, lines[i])


def swap_lines(lines, r):
    i, j = r.choice(code(lines)), r.choice(code(lines))
    lines[i], lines[j] = lines[j], lines[i]


def exchange_names(lines, r):
    """Two words that stand in the file change places, there alone or throughout."""
    one, two = r.choice(spots(lines, NAME)), r.choice(spots(lines, NAME))
    names = [lines[i][start:end] for i, start, end in (one, two)]
    if r.random() < 0.5:
        first, second = sorted(((one, names[1]), (two, names[0])), reverse=True)
        put(lines, *first)
        if second[0] != first[0]:
            put(lines, *second)
        return
    other = {names[0]: names[1], names[1]: names[0]}
    for i in code(lines):
        lines[i] = NAME.sub(lambda m: other.get(m.group(), m.group()), lines[i])


CHANGES = (change_number, change_number, change_number, change_number, drop_line, double_line, swap_lines, exchange_names,
           exchange_names)


def mutant(models, seed, number):
    """(name of the model, text) of mutant `number`: one change, now and then two or three."""
    r = random.Random('%d:%d' % (seed, number))
    name, text = r.choice(models)
    lines = text.split('\n')
    for _ in range(r.choice((1, 1, 1, 2, 3))):
        if len(code(lines)) > 1 and spots(lines, NUMBER):
            r.choice(CHANGES)(lines, r)
    if not any('max_steps: %d,' % STEPS_MAX in line for line in lines):  # it went with its line
        lines.append('simulation: {max_steps: %d}' % STEPS_MAX)
    return name, '\n'.join(lines)


def models_of(folder):
    """Names and texts, with a bound of the steps of a run: a mutant may be so stiff or so fast that its motion takes a
    day, which is no fault; what takes long within this bound is a hang."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, '*.yaml'))):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        bounded = text.replace('simulation: {', 'simulation: {max_steps: %d, ' % STEPS_MAX)
        assert bounded != text, path
        found.append((os.path.splitext(os.path.basename(path))[0], bounded))
    return found
