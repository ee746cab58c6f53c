"""Secrets that are known by what stands around them: addresses, headers, command lines, netrc files.

Owns rows and the two checks that they share; an assignment to a name is `assignments.py`.
"""

from __future__ import annotations

from memgit.screening.checksums import basic_password
from memgit.screening.passwords import is_password, is_strong_password
from memgit.screening.randomness import is_hexadecimal, looks_random
from memgit.screening.rule import Rule


def _is_bearer(token: str) -> bool:
    return len(token) >= 16 and looks_random(token)


def _is_user(token: str) -> bool:
    return _is_bearer(token) and (len(token) >= 32 or not is_hexadecimal(token))


def _is_authorization(token: str) -> bool:
    password = basic_password(token)
    return _is_bearer(token) if password is None else is_password(password)


def _is_basic(credential: str) -> bool:
    password = basic_password(credential)
    return password is not None and is_password(password)


ADDRESSES = (
    Rule(
        "url-password",
        ("://",),
        r"://[^\s:/@\"'<>|\\]{0,64}+:(?P<secret>[^\s@/\"'`<>|\\,]{1,100}+(?:@[^\s@/\"'`<>|\\,]{1,100}+){0,2}?)"
        r"@[\w.$\[-]{1,100}+(?!@)",
        "RFC 3986, section 3.2.1",
        is_password,
        embedded=True,
    ),
    Rule(
        "url-token",
        ("://",),
        r"://(?P<secret>[0-9A-Za-z_.~+%-]{20,255}+)@[\w.$\[-]{1,100}+(?!@)",
        "RFC 3986, section 3.2.1; Sentry: DSN",
        _is_user,
        embedded=True,
    ),
    Rule(
        "pgpass-password",
        (":5432:", ":6432:", ":5433:", ":*:*:"),
        r"(?::[0-9]{4}:[0-9A-Za-z_*-]{1,63}|(?<=\*):\*:\*):[0-9A-Za-z_*-]{1,63}:(?P<secret>[^\s:\"'`\\]{6,200}+)(?!:)",
        "PostgreSQL manual: the password file",
        is_password,
        embedded=True,
    ),
)
"""Found inside a long run of characters."""

HEADERS = (
    Rule(
        "bearer-token",
        ("bearer ",),
        r"bearer {1,3}(?P<secret>[0-9a-z_.~+/=-]{16,2000}+)",
        "RFC 6750, section 2.1",
        _is_bearer,
        folded=True,
    ),
    Rule(
        "basic-credential",
        ("basic ",),
        r"basic {1,3}(?P<secret>[0-9a-z+/_-]{8,400}+={0,2})",
        "RFC 7617, section 2",
        _is_basic,
        folded=True,
    ),
    Rule(
        "authorization-token",
        ("authorization",),
        r"authorization[\"'`]?\s{0,2}[:=]\s{0,2}[\"'`]?(?:[a-z-]{1,20} (?:token=)?\"?)?"
        r"(?P<secret>[0-9a-z_.~+/=-]{20,2000}+)",
        "RFC 9110, section 11.6.2",
        _is_authorization,
        folded=True,
        embedded=True,
    ),
    Rule(
        "netrc-password",
        ("machine ", "default login "),
        r"(?:machine\s{1,4}\S{1,200}+|default(?=\s{1,40}login\s{1,4}(?!anonymous)))\s{1,40}login\s{1,4}\S{1,100}+\s{1,40}password\s{1,4}(?P<secret>[^\s\"'\\]{6,200}+)",
        "GNU inetutils manual: .netrc",
        is_password,
    ),
    Rule(
        "command-line-password",
        ("curl ", "wget "),
        r"(?:curl|wget) (?:(?:[^\n]|(?<=\\)\n){0,160}?[ \n])?(?:-u|--user|-a|--auth|--proxy-user) ?=?"
        r"[\"']?[^\s:\"'/]{1,64}+:(?P<secret>[^\s\"']{6,200}+)",
        "curl manual: --user",
        is_strong_password,
    ),
    Rule(
        "command-option-password",
        ("sshpass -p", "docker login ", "mysql ", "mysqldump ", "mariadb ", "redis-cli "),
        r"(?:sshpass -p ?|docker login [^\n]{0,120}?-p[ =]?|(?:mysql(?:dump)?|mariadb) (?:[^\n]{0,120}? )?-p"
        r"|redis-cli (?:[^\n]{0,120}? )?-a )[\"']?(?P<secret>[^\s\"']{6,200}+)",
        "manuals of sshpass, docker, mysql and redis-cli",
        is_strong_password,
    ),
    Rule(
        "authentication-pair",
        ("auth=(", "auth = ("),
        r"auth ?= ?\( ?[\"'][^\"'\n]{1,80}+[\"'], ?[\"'](?P<secret>[^\"'\n]{6,200}+)[\"']",
        "requests manual: basic authentication",
        is_password,
    ),
    Rule(
        "database-user-password",
        ("identified by ", "identified with "),
        r"identified (?:with [a-z0-9_]{1,40} )?by (?:password )?'(?P<secret>[^'\n]{6,200}+)'",
        "MySQL and Oracle manuals: CREATE USER",
        is_password,
        folded=True,
    ),
)
"""Found by a literal that ends in a blank."""
