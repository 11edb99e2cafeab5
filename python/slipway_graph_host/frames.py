"""Frames of the connection: two lengths, a JSON header and a body."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, cast

from .json_text import loads

LARGEST_HEADER = 1024 * 1024
LARGEST_BODY = 256 * 1024 * 1024

_LENGTHS = struct.Struct(">II")


class BadFrame(Exception):  # noqa: N818
    """Invalid bytes, or a frame that the other side would reject."""


def frame_start(header: bytes, body_bytes: int) -> bytes:
    """A frame up to its body."""
    _check(len(header), body_bytes)
    return _LENGTHS.pack(len(header), body_bytes) + header


class FrameReader:
    """Splits a byte stream into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._needed = _LENGTHS.size

    def push(self, chunk: bytes) -> Iterator[tuple[dict[str, Any], bytes]]:
        buffer = self._buffer
        buffer += chunk
        if len(buffer) < self._needed:
            return
        start = 0
        self._needed = _LENGTHS.size
        while len(buffer) - start >= _LENGTHS.size:
            header_bytes, body_bytes = _LENGTHS.unpack_from(buffer, start)
            _check(header_bytes, body_bytes)
            body_start = start + _LENGTHS.size + header_bytes
            end = body_start + body_bytes
            if len(buffer) < end:
                self._needed = end - start
                break
            yield _header(bytes(buffer[start + _LENGTHS.size : body_start])), bytes(buffer[body_start:end])
            start = end
        del buffer[:start]


def _check(header_bytes: int, body_bytes: int) -> None:
    if header_bytes > LARGEST_HEADER:
        raise BadFrame(f"header of {header_bytes} bytes")
    if body_bytes > LARGEST_BODY:
        raise BadFrame(f"body of {body_bytes} bytes")


def _header(text: bytes) -> dict[str, Any]:
    try:
        header = loads(text)
    except ValueError:
        header = None
    if not isinstance(header, dict):
        raise BadFrame("header is not a JSON object")
    return cast("dict[str, Any]", header)
