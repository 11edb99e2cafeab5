"""Hides passwords, keys, tokens and logins; the same rules as src/platform/redaction/credentials.ts."""

from __future__ import annotations

import re

# Patterns must stay linear on hostile text: bounded repeats, and starts only where a token starts.
_FLAGS = re.IGNORECASE | re.ASCII

_SECRET_NAME = (
    r"pass(?:word|wd|phrase)|pwd|secret|token|api[ _-]?key"
    r"|(?:access|account|private|shared|signing|encryption|master)[ _-]?(?:access[ _-]?)?key"
    r"|credentials?|connection[ _-]?string|signature|authorization|cookie|(?<![a-z])(?:pass|auth|sig|dsn)"
)
_QUOTED = r'"(?:[^"\\]|\\.)*(?:"|$)' + r"|'(?:[^'\\]|\\.)*(?:'|$)" + r"""|\\{1,7}["'][^"']*(?:["']|$)"""
# Extends to the separator before the next field of a DSN, a query, a JSON text or a sentence.
_UNQUOTED = (
    r"(?:(?:Bearer|Basic|Token|Digest)\s+)?"
    r"""(?:[^\s;"'&\\]|\\(?!["'])|;(?!\s|$|[\w ]{1,40}=)|&(?![\w.-]{1,40}=))+"""
)
_FIELD = re.compile(
    rf"((?<![\w.-])[\w.-]{{0,100}}?(?:{_SECRET_NAME})(?:[_-]?(?:key(?:[_-]?id)?|id|value|hash)| provided)?"
    rf"""(?:\\{{0,7}}["'])?[ \t\u00a0]{{0,3}})(={{1,3}}>?|:)([ \t\u00a0]{{0,3}})({_QUOTED}|{_UNQUOTED})""",
    _FLAGS,
)
_QUERY_FIELD = re.compile(r"""([?&](?:key|code|pass|session|sid|jwt|sas|sv)=)[^&\s"'#]+""", _FLAGS)
_HOST_FIELD = re.compile(
    r"((?<![\w.-])(?:host(?:name|addr)?|server(?: ?name)?|data source|network address|endpoint)"
    r"""[ \t]{0,3}=[ \t]{0,3}["']?)(?!true\b|false\b|null\b|none\b|undefined\b|https?:|/|\[redacted)"""
    r"""[^\s;"',]+(?:,\d{1,5})?""",
    _FLAGS,
)
# In printed objects and in certificate errors.
_HOST_PROPERTY = re.compile(
    r"""((?<![\w.-])(?:host(?:name|addr)?|servername)(?:\\{0,7}["'])?:[ \t]{0,3})"""
    r"""(\\{0,7}["'])?([\w.-]{1,255})""",
    _FLAGS,
)
_SCHEME = re.compile(r"(?<![\w-])(Bearer|Basic|Negotiate)(\s{1,3})([\w.~+/=*-]{6,})", _FLAGS)
_KEY = re.compile(
    r"(?<![\w-])(?:(?:sk|rk)[-_]|gh[oprsu]_|github_pat_|glpat-|xox[a-z]-|AIza|ya29\.|npm_|hf_|gsk_|whsec_"
    r"|lsv2_(?:pt|sk)_|slp_|SG\.|tvly-|xai-|pplx-|r8_|dckr_pat_|dop_v1_|shpat_|glsa_|sbp_|sntry[su]_|ATATT)[\w.+/=*-]{6,}",
    re.ASCII,
)
_AWS_KEY_ID = re.compile(r"(?<!\w)(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,}", re.ASCII)
_AWS_SECRET = re.compile(
    r"(?<![\w/+=])(?=[A-Z\d/+]{0,39}[a-z])(?=[a-z\d/+]{0,39}[A-Z])(?=[A-Za-z/+]{0,39}\d)"
    r"[\w/+]{40}(?![\w/+=])",
    re.ASCII,
)
_JWT = re.compile(r"(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?", re.ASCII)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)")
# Drivers accept these without a scheme: user:password@host, user:password@tcp(host:port)/name.
_LOGIN = re.compile(
    r"(?<![\w/:@.%+-])(?!mailto:)[\w.%+-]{1,64}:[^\s:@/'\"]{1,128}@(?:[a-z]{2,8}\([^\s)]*\)|[\w-][\w.-]*)"
    r"(?::\d{1,5})?(?:/[^\s\"']*)?",
    _FLAGS,
)
# On command lines: --password x, curl -u user:password, mysql -ppassword.
_FLAG = re.compile(
    r"((?<![\w-])--[\w-]{0,40}(?:pass(?:word|wd|phrase)?|secret|token|api-?key)[ \t]{1,3})(?!-)"
    rf"""({_QUOTED}|[^\s"']+)""",
    _FLAGS,
)
_FLAG_PROSE = re.compile(
    r"(?:or|and|is|was|to|for|with|in|on|option|flag|argument|must|not|needs?|requires?)[,.;:)]?\Z", _FLAGS
)
_USER_FLAG = re.compile(
    r"""((?<![\w-])(?:-u|--(?:proxy-)?user)[ \t=]{0,3}["']?)[^\s:"']{1,64}:[^\s"']{1,128}""", re.ASCII
)
_MYSQL_FLAG = re.compile(r"""((?<![\w-])(?:mysql|mariadb)[\w-]{0,12}[ \t][^\n]{0,200}?[ \t]-p)[^\s"']+""", _FLAGS)
# user/password@host
_ORACLE = re.compile(r"""(?<![\w-])(?:jdbc:oracle:[a-z]{1,10}:|sqlplus[ \t]{1,3})[^\s"'@]{1,128}@[^\s"']+""", _FLAGS)
# What follows `password:` or `token:` in a sentence rather than in data.
_PROSE = re.compile(
    r"(?:required|missing|invalid|expected|must|is|was|not|should|cannot|can|too|wrong|incorrect|undefined"
    r"|null|empty|string|unknown|the|an?|no|at|received|does|did|authentication|failed|mismatch|expired|none"
    r"|true|false|please)\b|[^\w\"'\\]",
    _FLAGS,
)
_NOTHING = re.compile(r"(?:null|undefined|true|false|none)\b", _FLAGS)
_HAS_SCHEME = re.compile(r"(?:Bearer|Basic|Token|Digest)\s", _FLAGS)
_QUOTE = re.compile(r"""\\*["']""")
_LETTER_CASES = re.compile(r"[a-z][A-Z]|=")


def _has_digit(text: str) -> bool:
    return any(character.isdigit() or character == "*" for character in text)


def _looks_random(text: str) -> bool:
    return len(text) >= 6 and (_has_digit(text) or _LETTER_CASES.search(text) is not None)


def _redact_field(found: re.Match[str]) -> str:
    name, separator, gap, value = found.groups()
    quoted = _QUOTE.match(value)
    quote = quoted.group() if quoted else ""
    hidden = f"{name}{separator}{gap}{quote}[redacted]{quote}"
    if quote:
        return found.group() if value == quote + quote else hidden
    if separator != ":":
        return found.group() if _NOTHING.match(value) else hidden
    if re.search("pass|pwd", name, _FLAGS):
        return found.group() if _PROSE.match(value) else hidden
    return hidden if _HAS_SCHEME.match(value) or _looks_random(value) else found.group()


def _redact_flag(found: re.Match[str]) -> str:
    flag, value = found.groups()
    return found.group() if _FLAG_PROSE.match(value) else f"{flag}[redacted]"


def _redact_host_property(found: re.Match[str]) -> str:
    name, quote, host = found.groups()
    if quote or re.search(r"[\d.-]", host):
        return f"{name}{quote or ''}[redacted host]"
    return found.group()


def _redact_scheme(found: re.Match[str]) -> str:
    scheme, gap, value = found.groups()
    return f"{scheme}{gap}[redacted]" if _looks_random(value) or len(value) >= 20 else found.group()


def redact_credentials(text: str) -> str:
    text = _PRIVATE_KEY.sub("[redacted]", text)
    text = _ORACLE.sub("[redacted url]", text)
    text = _FLAG.sub(_redact_flag, text)
    for flag in (_USER_FLAG, _MYSQL_FLAG):
        text = flag.sub(r"\1[redacted]", text)
    text = _FIELD.sub(_redact_field, text)
    text = _QUERY_FIELD.sub(r"\1[redacted]", text)
    text = _HOST_FIELD.sub(r"\1[redacted host]", text)
    text = _HOST_PROPERTY.sub(_redact_host_property, text)
    text = _SCHEME.sub(_redact_scheme, text)
    text = _KEY.sub(lambda key: "[redacted]" if _has_digit(key.group()) else key.group(), text)
    text = _AWS_KEY_ID.sub("[redacted]", text)
    text = _AWS_SECRET.sub("[redacted]", text)
    text = _JWT.sub("[redacted]", text)
    return _LOGIN.sub("[redacted url]", text)
