"""Hides the locations of services and files; the same rules as src/platform/redaction/places.ts."""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

# Patterns must stay linear on hostile text: bounded repeats, and starts only where a token starts.
_FLAGS = re.IGNORECASE | re.ASCII

_PLACE = re.compile(
    "|".join(
        [
            r"(?P<url>(?<![a-z0-9])(?:jdbc:)?[a-z][a-z0-9+.-]{0,20}://[^\s\"<>]+)",
            r"(?P<windows>(?<![a-z0-9])[a-z]:\\[^\s\"'<>|]+)",
            r"(?P<path>(?<![\w./\\@-])(?:/[\w.@+~-]+){2,}/?(?::\d+){0,2})",
            r"(?P<ip6>(?<![\w:.])\[?(?:[\da-f]{0,4}:){2,9}[\da-f.]{0,20}(?:%\w{1,15})?\]?(?::\d{1,5})?(?!\w))",
            r"(?P<ip4>(?<![\w.-])(?<!version )(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5}|/\d{1,2})?(?![\w-]|\.\d))",
            r"(?P<name>(?<![\w.-])(?:\*?\.)?(?:[\w-]{1,63}\.){1,20}[a-z][\w-]{1,62}"
            r"(?::(?P<port>\d{1,5})(?![\d:]))?(?![\w-]|\.\w))",
            r"(?P<label>(?<![\w./\\-])(?P<host>[a-z][\w-]{0,62}):(?P<label_port>\d{2,5})(?![\w:-]|\.\w))",
        ]
    ),
    _FLAGS,
)
_INTERNAL = re.compile(
    r"(?:^|\.)(?:svc|internal|corp|intranet)(?:\.|$)"
    r"|(?:^|\.)(?:local|localhost|localdomain|cluster|lan|home|private)\.?$",
    _FLAGS,
)
# Domains of managed databases.
_MANAGED = re.compile(
    r"\.(?:amazonaws\.com|windows\.net|(?:documents|database)\.azure\.com|mongodb\.net|snowflakecomputing\.com"
    r"|supabase\.co|neon\.tech|upstash\.io|psdb\.cloud|cockroachlabs\.cloud|aivencloud\.com"
    r"|db\.ondigitalocean\.com|elastic-cloud\.com|confluent\.cloud|redis-cloud\.com|redislabs\.com)$",
    _FLAGS,
)
_FILE = re.compile(
    r"\.(?:[cm]?[jt]sx?|d|json[cl5]?|ya?ml|toml|mdx?|py|pyc|go|rs|java|kt|rb|php|c|cc|cpp|h|hpp|cs|swift|scala"
    r"|vue|svelte|html?|s?css|less|sql|sh|bash|ps1|txt|csv|tsv|lock|log|ini|cfg|conf|env|xml|proto|graphql"
    r"|wasm|node|map)$",
    _FLAGS,
)
# Words followed by a number that is not a port.
_COUNTED = frozenset(
    "account at char character chapter code col column count customer day errno error eval exit file http "
    "https id index invoice item kb length line limit max mb message min ms node number offset order page pid "
    "pos position product ref request retry row rule run section seq size sku status step task thread ticket "
    "time timeout total user uid value version year".split()
)
_WELL_KNOWN = frozenset([22, 25, 53, 80, 88, 110, 143, 389, 443, 465, 587, 636, 873, 993, 995])
# A bare host name looks like any word; network errors print one of these before it.
_AFTER_CODE = re.compile(
    r"\b((?:getaddrinfo|query\w{1,12}|connect)\s+E[A-Z_]{3,20}|ENOTFOUND|EAI_AGAIN)(:?[ \t]+)"
    r"(?!\[redacted)[^\s,;]+",
    re.ASCII,
)
_AFTER_WORD = re.compile(r'\b((?:host(?: ?name)?|server at)\s+\\{0,7})"[^"\s]{1,255}"', _FLAGS)
_LOOKUP = re.compile(r"\b(lookup\s+)[^\s:]{1,255}(?=\s+on\s+[\d\[]|:\s+(?:no such host|i/o timeout))", _FLAGS)
_CLOSING = re.compile(r"(?<!\[redacted)[)\]}.,;:!?'`*]+$")
_DEFAULT_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}


def _is_port(digits: str) -> bool:
    port = int(digits)
    return port in _WELL_KNOWN or 1024 <= port <= 65_535


def _ip_version(text: str) -> int:
    try:
        return ip_address(text).version
    except ValueError:
        return 0


def _is_internal(host: str) -> bool:
    return (
        "." not in host
        or _ip_version(host) != 0
        or _INTERNAL.search(host) is not None
        or _MANAGED.search(host) is not None
    )


def _redact_url(url: str) -> str:
    """Keeps public web URLs; any other URL may be a connection string."""
    bare = _CLOSING.sub("", url)
    return url if _is_public(bare) else f"[redacted url]{url[len(bare) :]}"


def _is_public(url: str) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS or parts.username or parts.password or not parts.hostname:
        return False
    if (port is not None and port != _DEFAULT_PORTS[scheme]) or _is_internal(parts.hostname):
        return False
    # A webhook URL is itself a credential.
    return re.search(r"^hooks\.|/webhooks?/", parts.hostname + (parts.path or "/"), _FLAGS) is None


def _redact_name(name: str, port: str | None) -> str:
    host = name if port is None else name[: -len(port) - 1]
    if _INTERNAL.search(host) and not _FILE.search(host):
        return "[redacted host]"
    if _MANAGED.search(host):
        return "[redacted host]"
    return "[redacted host]" if port is not None and _is_port(port) and not _FILE.search(host) else name


def _is_ip6(text: str) -> bool:
    bare = re.sub(r"%\w+$", "", re.sub(r"^\[|\](?::\d+)?$", "", text))
    if not re.search(r"\d", bare):
        return False
    return 6 in (_ip_version(bare), _ip_version(re.sub(r":\d+$", "", bare)))


def _redact_place(found: re.Match[str]) -> str:
    whole = found.group()
    if found["windows"] or found["path"] or whole.lower().startswith("file:"):
        return "[redacted path]"
    if found["url"]:
        return _redact_url(whole)
    if found["ip6"]:
        return "[redacted host]" if _is_ip6(whole) else whole
    if found["ip4"]:
        return "[redacted host]" if _ip_version(re.split("[:/]", whole)[0]) == 4 else whole
    if found["name"]:
        return _redact_name(whole, found["port"])
    named = found["host"].lower() in _COUNTED
    return whole if named or not _is_port(found["label_port"]) else "[redacted host]"


def redact_places(text: str) -> str:
    text = _AFTER_CODE.sub(r"\1\2[redacted host]", text)
    text = _AFTER_WORD.sub(r"\1[redacted host]", text)
    text = _LOOKUP.sub(r"\1[redacted host]", text)
    return _PLACE.sub(_redact_place, text)
