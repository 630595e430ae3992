"""Run files by a reader of their own, after docs/RUNFILE.md: python3 run_records.py FILE... prints for each a digest of the
records that every run of the same model has, and how many of each kind there are. A wrong checksum is an error."""
import hashlib
import struct
import sys

KINDS = {1: 'model', 2: 'setup', 3: 'channels', 4: 'sample', 5: 'state', 6: 'event', 7: 'end', 64: 'checkpoint', 65: 'work'}
TABLE = []
for i in range(256):
    for _ in range(8):
        i = (i >> 1) ^ (0x82F63B78 if i & 1 else 0)
    TABLE.append(i)


def crc32c(data):
    c = 0xFFFFFFFF
    for b in data:
        c = TABLE[(c ^ b) & 0xFF] ^ (c >> 8)
    return c ^ 0xFFFFFFFF


def records(data, check=True):
    """(kind, content) of every complete record."""
    if data[:8] != b'\x89CARDAN\n' or struct.unpack('<I', data[8:12])[0] != 1:
        raise ValueError('no run file of version 1')
    at = 16
    while at + 16 <= len(data):
        kind, length, head, body = struct.unpack('<4I', data[at:at + 16])
        whole = (length + 7) // 8 * 8
        if at + 16 + whole > len(data):
            return
        content = data[at + 16:at + 16 + whole]
        if check and (crc32c(data[at:at + 8]) != head or crc32c(content) != body):
            raise ValueError('record at byte %d does not fit its checksums' % at)
        yield kind, content[:length]
        at += 16 + whole


def digest(path, check=True):
    """Of the records below kind 64, but for the names of files among the notes in the setup."""
    h, counts = hashlib.sha256(), {}
    for kind, content in records(open(path, 'rb').read(), check):
        counts[KINDS.get(kind, kind)] = counts.get(KINDS.get(kind, kind), 0) + 1
        if kind < 64 and kind != 2:
            h.update(struct.pack('<II', kind, len(content)) + content)
    return h.hexdigest(), counts


if __name__ == '__main__':
    for name in sys.argv[1:]:
        print(*digest(name))
