"""Unpacks RTF as Outlook stores it in messages (MS-OXRTFCP)."""

from __future__ import annotations

import struct

_PACKED, _PLAIN = 0x75465A4C, 0x414C454D
_START = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArial"
    b"Times New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
"""What references may point to before anything is unpacked."""
_WINDOW = 4096


def unpack(data: bytes) -> bytes:
    """The RTF; b"" if it cannot be unpacked. At most 9 times as long as `data`."""
    if len(data) < 16:
        return b""
    _, size, kind, _ = struct.unpack_from("<4I", data)
    if kind == _PLAIN:
        return data[16 : 16 + size]
    if kind != _PACKED:
        return b""
    window = bytearray(_START.ljust(_WINDOW, b"\0"))
    write, at = len(_START), 16
    out = bytearray()
    while at < len(data) and len(out) < size:
        control = data[at]
        at += 1
        for bit in range(8):
            if control >> bit & 1:
                if at + 1 >= len(data):
                    return bytes(out)
                offset, length = data[at] << 4 | data[at + 1] >> 4, (data[at + 1] & 15) + 2
                at += 2
                if offset == write:
                    return bytes(out)
                found = range(offset, offset + length)
            elif at < len(data):
                found = range(0)
                out.append(data[at])
                window[write] = data[at]
                write = (write + 1) % _WINDOW
                at += 1
            else:
                return bytes(out)
            for place in found:  # byte by byte, because a reference may overlap what it writes
                char = window[place % _WINDOW]
                out.append(char)
                window[write] = char
                write = (write + 1) % _WINDOW
    return bytes(out[:size])
