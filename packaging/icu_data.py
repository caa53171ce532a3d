"""Creates an object file with the part of ICU's data that a static hrgate needs.

Foundation includes ICU with the data of all languages, 34 MB. hrgate prints English and reads UTF-8. It needs
the time zones, the calendars, the character properties, and the root and English locales. Prints the name of
the data's symbol: the linker's option --wrap=NAME replaces the data in the archive with this object file.

usage: icu_data.py lib_FoundationICU.a OUT.o
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

# ICU User Guide, "ICU Data": a top-level file with the name of a locale contains its data; res_index lists
# them.
LOCALE = re.compile(r"(?!res_index\.)[a-z]{2,3}(_[A-Za-z0-9]+)*\.res")
# Character set converters, and dictionaries for word breaks in scripts without spaces.
UNUSED = re.compile(r".*\.(cnv|dict)|translit/.*|brkitr/.*_.*|unames\.icu|cnvalias\.icu")


class Unreadable(Exception):
    """The archive or its data has an unexpected format."""


def is_needed(name):
    """Returns whether hrgate needs the item with this name (without the top folder of the data)."""
    if UNUSED.fullmatch(name):
        return False
    leaf = name.rsplit("/", 1)[-1]
    return not LOCALE.fullmatch(leaf) or leaf.startswith(("en.", "en_"))


def items(data):
    """Returns the header and the items by name. Format: ICU's ucmndata.h, "CmnD", a table of offsets."""
    header, magic, endian, form = struct.unpack_from("<HH4xB3x4s", data) if len(data) > 16 else (0, 0, 0, b"")
    if magic != 0x27DA or endian != 0 or form != b"CmnD":
        raise Unreadable("the data is not an ICU package for a little-endian machine")
    (count,) = struct.unpack_from("<I", data, header)
    table = [struct.unpack_from("<II", data, header + 4 + 8 * index) for index in range(count)]
    ends = [offset for _, offset in table[1:]] + [len(data) - header]
    result = {}
    for (name, begin), end in zip(table, ends):
        name += header
        result[data[name : data.index(b"\0", name)].decode()] = data[header + begin : header + end]
    return data[:header], result


def package(header, contents):
    """Encodes a package of these items: names in ascending order, contents aligned to 16 bytes."""
    names = sorted(contents)
    at = 4 + 8 * len(names)
    strings, table = b"", []
    for name in names:
        table.append(at + len(strings))
        strings += name.encode() + b"\0"
    body = b"\xaa" * (-(at + len(strings)) % 16)
    offsets = []
    for name in names:
        offsets.append(at + len(strings) + len(body))
        body += contents[name] + b"\xaa" * (-len(contents[name]) % 16)
    entries = b"".join(struct.pack("<II", *entry) for entry in zip(table, offsets))
    return header + struct.pack("<I", len(names)) + entries + strings + body


def symbol(archive):
    """Returns the member of the archive that defines ICU's data, and the symbol."""
    listing = subprocess.run(["nm", "-A", archive], capture_output=True, text=True, check=False).stdout
    found = re.findall(r":([^:]+):[0-9a-f]+ R (icudt\d+_dat)$", listing, re.MULTILINE)
    if len(found) != 1:
        raise Unreadable(f"{archive} does not define ICU's data exactly once")
    return found[0]


def main(archive, out):
    member, name = symbol(archive)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        whole, object_ = folder / "whole.dat", folder / "whole.o"
        extraction = subprocess.run(["ar", "p", archive, member], capture_output=True, check=True)
        object_.write_bytes(extraction.stdout)
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.rodata", object_, whole], check=True)
        header, contents = items(whole.read_bytes())
        needed = {key: value for key, value in contents.items() if is_needed(key.split("/", 1)[1])}
        part = folder / "part.dat"
        part.write_bytes(package(header, needed))
        source, stand_in = folder / "part.s", f"__wrap_{name}"
        source.write_text(
            f'.section .rodata,"a",@progbits\n.balign 16\n.globl {stand_in}\n.type {stand_in}, @object\n'
            f'{stand_in}:\n'
            f'.incbin "{part}"\n.size {stand_in}, . - {stand_in}\n.section .note.GNU-stack,"",@progbits\n'
        )
        subprocess.run(["as", "-o", out, source], check=True)
        sizes = f"{part.stat().st_size} of {whole.stat().st_size} bytes"
        print(f"· {name}: {len(needed)} of {len(contents)} items, {sizes}", file=sys.stderr)
        print(name)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip().rsplit("\n", 1)[-1])
    try:
        main(*sys.argv[1:])
    except Unreadable as reason:
        sys.exit(f"icu_data.py: {reason}")
