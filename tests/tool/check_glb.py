"""Rules of the glTF 2.0 specification that an animation of rigid bodies can break: python3 check_glb.py FILE.glb prints
what is broken, and at the end the counts of nodes, meshes, frames. Exit 1 when a rule is."""
import json
import math
import struct
import sys

WIDTH = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4}
broken = []


def rule(holds, sentence, *values):
    if not holds:
        broken.append(sentence % values)


def chunks(data):
    magic, version, length = struct.unpack('<4sII', data[:12])
    rule(magic == b'glTF' and version == 2, 'the head is %s, version %d', magic, version)
    rule(length == len(data), 'the head says %d bytes, the file has %d', length, len(data))
    at, out = 12, []
    while at < len(data):
        size, kind = struct.unpack('<I4s', data[at:at + 8])
        rule(size % 4 == 0, 'a chunk of %d bytes is not aligned', size)
        out.append((kind, data[at + 8:at + 8 + size]))
        at += 8 + size
    rule([k for k, _ in out] == [b'JSON', b'BIN\0'], 'the chunks are %s', [k for k, _ in out])
    return out[0][1], out[1][1]


def numbers(g, binary, index):
    a = g['accessors'][index]
    view = g['bufferViews'][a['bufferView']]
    rule(a['componentType'] == 5126, 'accessor %d is not of floats', index)
    at, n = view.get('byteOffset', 0) + a.get('byteOffset', 0), a['count'] * WIDTH[a['type']]
    rule(at % 4 == 0, 'accessor %d begins at %d', index, at)
    rule(4 * n <= view['byteLength'], 'accessor %d is longer than its view', index)
    flat = struct.unpack('<%df' % n, binary[at:at + 4 * n])
    rows = [flat[i:i + WIDTH[a['type']]] for i in range(0, n, WIDTH[a['type']])]
    rule(all(math.isfinite(x) for x in flat), 'accessor %d has numbers that are not finite', index)
    for key, of in (('min', min), ('max', max)):
        if key in a:
            rule([of(c) for c in zip(*rows)] == [struct.unpack('f', struct.pack('f', x))[0] for x in a[key]],
                 'accessor %d: %s is not that of its numbers', index, key)
    return rows


def main():
    text, binary = chunks(open(sys.argv[1], 'rb').read())
    g = json.loads(text)
    rule(g['asset']['version'] == '2.0', 'the asset is not of version 2.0')
    rule(g['buffers'][0]['byteLength'] <= len(binary) < g['buffers'][0]['byteLength'] + 4, 'the buffer does not fit its chunk')
    end = 0
    for i, view in enumerate(g['bufferViews']):
        rule(view['byteOffset'] + view['byteLength'] <= g['buffers'][0]['byteLength'], 'view %d leaves the buffer', i)
        rule(view['byteOffset'] >= end, 'view %d overlaps the one before', i)
        end = view['byteOffset'] + view['byteLength']
    children = [c for n in g['nodes'] for c in n.get('children', [])]
    rule(len(set(children)) == len(children), 'a node has two parents')
    rule(all(n not in children for s in g['scenes'] for n in s['nodes']), 'a root of the scene has a parent')
    for node in g['nodes']:
        if 'rotation' in node:
            rule(abs(sum(x * x for x in node['rotation']) - 1.0) < 1e-5, '%s: no unit quaternion', node['name'])
    for mesh in g['meshes']:
        for p in mesh['primitives']:
            rule('min' in g['accessors'][p['attributes']['POSITION']], 'positions without bounds')
            positions = numbers(g, binary, p['attributes']['POSITION'])
            normals = numbers(g, binary, p['attributes']['NORMAL'])
            rule(len(positions) == len(normals) and len(positions) % 3 == 0, 'a mesh has odd corners')
            rule(all(abs(sum(x * x for x in n) - 1.0) < 1e-4 for n in normals), 'a normal is not of length 1')
            rule(p['material'] < len(g['materials']), 'a mesh has no material')
    frames = 0
    for animation in g.get('animations', []):
        targets = [(c['target']['node'], c['target']['path']) for c in animation['channels']]
        rule(len(set(targets)) == len(targets), 'a node is moved twice')
        for c in animation['channels']:
            s = animation['samplers'][c['sampler']]
            rule('min' in g['accessors'][s['input']] and 'max' in g['accessors'][s['input']], 'times without bounds')
            times, values = numbers(g, binary, s['input']), numbers(g, binary, s['output'])
            frames = len(times)
            rule(times[0][0] >= 0.0 and all(a < b for a, b in zip(times, times[1:])), 'times do not rise')
            rule(len(values) == len(times), 'there are not as many values as times')
            if c['target']['path'] == 'rotation':
                rule(all(abs(sum(x * x for x in q) - 1.0) < 1e-5 for q in values), 'a rotation is no unit quaternion')
                rule(all(sum(x * y for x, y in zip(a, b)) >= 0.0 for a, b in zip(values, values[1:])), 'a turn the long way')
    print(*broken, sep='\n')
    print(len(g['nodes']), 'nodes', len(g['meshes']), 'meshes', frames, 'frames')
    return len(broken) > 0


if __name__ == '__main__':
    sys.exit(main())
