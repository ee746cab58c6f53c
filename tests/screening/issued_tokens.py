"""A second source of keys: tokens that are known by their form, as the public documentation of each issuer shows them.

Written without the rules at hand and apart from `keys.py`, of which it takes nothing. No checksum is computed: the body
is drawn, as in a token that was mistyped, or made by somebody who knows only how the issuer's tokens look.

A form is written in a few signs: `<A36>` is 36 characters of the alphabet A.
"""

from __future__ import annotations

import re
import string
from random import Random

ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "a": string.ascii_letters,
    "u": string.ascii_letters + string.digits + "-_",
    "b": string.ascii_letters + string.digits + "+/",
    "d": string.digits,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "l": string.ascii_lowercase,
    "w": string.ascii_lowercase + string.digits,
    "W": string.ascii_uppercase + string.digits,
    "B": string.ascii_uppercase + "234567",
    "c": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}
_UUID = "<h8>-<h4>-<h4>-<h4>-<h12>"


def draw(form: str, random: Random) -> str:
    """Return a form with each of its signs replaced by as many characters, each drawn independently."""
    return re.sub(r"<(\w)(\d+)>", lambda sign: "".join(random.choices(ALPHABETS[sign[1]], k=int(sign[2]))), form)


TOKENS: dict[str, tuple[str, ...]] = {
    "aws-key-id": ("AKIA<B16>", "ASIA<B16>"),
    "github-classic": ("ghp_<A36>",),
    "github-oauth": ("gho_<A36>",),
    "github-app": ("ghu_<A36>", "ghs_<A36>", "ghr_<A76>"),
    "github-fine-grained": ("github_pat_<A22>_<A59>",),
    "gitlab-personal": ("glpat-<u20>", "glpat-<A20>", "glpat-<u27>.<w2>.<w9>"),
    "gitlab-others": (
        "gldt-<u20>", "glrt-<u20>", "glptt-<h40>", "glcbt-<h2>_<u20>", "glsoat-<u20>", "glft-<u20>", "glimt-<u25>",
        "glagent-<u50>", "gloas-<h64>", "glffct-<u20>", "glwt-<u20>", "GR1348941<u20>",
    ),
    "npm": ("npm_<A36>",),
    "pypi": ("pypi-AgEIcHlwaS5vcmc<u150>", "pypi-AgENdGVzdC5weXBpLm9yZw<u140>"),
    "rubygems": ("rubygems_<h48>",),
    "crates": ("cio<A32>",),
    "docker-hub": ("dckr_pat_<u27>", "dckr_oat_<u32>"),
    "slack": (
        "xoxb-<d12>-<d13>-<A24>", "xoxb-<d11>-<A24>", "xoxp-<d12>-<d12>-<d13>-<h32>", "xapp-1-A<W10>-<d13>-<h64>",
        "xoxe.xoxp-1-<A146>", "xoxa-2-<d12>-<d12>-<d12>-<h32>",
    ),
    "slack-webhook": ("https://hooks.slack.com/services/T<W8>/B<W10>/<A24>",),
    "discord-bot": ("M<A23>.<u6>.<u27>", "N<A25>.<u6>.<u38>", "OT<A22>.<u6>.<u38>"),
    "discord-webhook": (
        "https://discord.com/api/webhooks/<d18>/<u68>", "https://discordapp.com/api/webhooks/<d19>/<u68>",
    ),
    "telegram": ("<d10>:AA<u33>", "<d9>:<u35>"),
    "stripe": ("sk_live_<A24>", "sk_live_51<A97>", "sk_test_<A24>", "rk_live_<A24>", "rk_test_51<A97>", "whsec_<A32>"),
    "twilio": ("SK<h32>",),
    "sendgrid": ("SG.<u22>.<u43>",),
    "mailgun": ("key-<h32>", "<h32>-<h8>-<h8>"),
    "mailchimp": ("<h32>-us<d1>", "<h32>-us1<d1>"),
    "openai": ("sk-<A48>", "sk-proj-<u48>", "sk-proj-<u156>", "sk-svcacct-<u74>", "sk-<A20>T3Blbk" + "FJ<A20>"),
    "anthropic": ("sk-ant-api03-<u93>AA", "sk-ant-admin01-<u93>AA", "sk-ant-oat01-<u93>AA"),
    "hugging-face": ("hf_<A34>", "hf_<a34>"),
    "google-api-key": ("AIza<u35>", "AIzaSy<u33>"),
    "google-oauth": ("GOCSPX-<u28>", "ya29.<u120>", "1//0<u60>"),
    "azure-client-secret": ("<A3>8Q~<u34>", "<A3>7Q~<u31>"),
    "azure-devops": ("<A52>JQQJ99<A18>AZDO<A4>",),
    "digitalocean": ("dop_v1_<h64>", "doo_v1_<h64>", "dor_v1_<h64>"),
    "cloudflare": ("v1.0-<h24>-<h146>",),
    "heroku": ("HRKU-" + _UUID, "HRKU-AA<u58>"),
    "vault": ("hvs.<u24>", "hvs.CAESI<u90>", "hvb.AAAAAQ<u140>"),
    "terraform": ("<A14>.atlasv1.<A67>",),
    "grafana": ("glsa_<A32>_<h8>", "glc_<A80>", "eyJrIjoi<A64>"),
    "new-relic": ("NRAK-<W27>", "NRII-<u32>", "NRJS-<h19>", "NRRA-<h42>"),
    "sentry": ("sntryu_<h64>", "sntrys_eyJpYXQiO<b120>_<b43>"),
    "sentry-dsn": ("https://<h32>@o<d6>.ingest.sentry.io/<d7>", "https://<h32>:<h32>@sentry.corp.net/<d2>"),
    "shopify": ("shpat_<h32>", "shpss_<h32>", "shpca_<h32>", "shppa_<h32>"),
    "square": ("EAAA<u60>", "sq0atp-<u22>", "sq0csp-<u43>"),
    "atlassian": ("ATATT3xFfGF0<u171>=<H8>", "ATCTT3xFfGN0<u171>=<H8>", "ATBB<A24><H8>"),
    "linear": ("lin_api_<A40>",),
    "notion": ("secret_<A43>", "ntn_<d11><A35>"),
    "figma": ("figd_<u40>",),
    "postman": ("PMAK-<h24>-<h34>",),
    "dropbox": ("sl.<u136>", "sl.B<u140>", "sl.u.AF<u180>"),
    "jwt": (
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI<A40>.<u43>",
        "eyJhbGciOiJSUzI1NiIsImtpZCI6Ij<A20>.eyJ<A90>.<u342>",
    ),
    "age": ("AGE-SECRET-KEY-1<c58>",),
    "hosting": (
        "nfp_<A36>", "sbp_<h40>", "sb_secret_<u31>", "pscale_tkn_<u43>", "pscale_pw_<u43>", "pul-<h40>", "dapi<h32>",
        "dp.pt.<A43>", "dp.st.prd.<A43>", "tskey-auth-k<A11>CNTRL-<A32>", "dt0c01.<W24>.<W64>", "rnd_<A32>",
        "napi_<w64>", "fio-u-<u64>", "LTAI5t<A18>", "fm2_<b200>", "vcp_<A56>",
    ),
    "build-services": (
        "CCIPAT_<A22>_<h40>", "squ_<h40>", "sqp_<h40>", "bkua_<h40>", "AKCp<A69>", "oy2<w43>", "CLOJARS_<h60>",
        "pnu_<A36>", "rdme_<w70>",
    ),
    "model-services": (
        "gsk_<A52>", "r8_<A37>", "xai-<A80>", "pplx-<A48>", "sk-or-v1-<h64>", "lsv2_pt_<h32>_<h10>", "sk-<h32>",
        "tvly-<A32>",
    ),
    "business-services": (
        "pat<A14>.<h64>", "xkeysib-<h64>-<A16>", "re_<A8>_<A24>", "shippo_live_<h40>", "duffel_live_<u43>",
        "FLWSECK-<h32>-X", "EZAK<A54>", "tfp_<A44>_<A14>", "CFPAT-<u43>", "access-production-" + _UUID,
        "live_<h35>", "sdk-" + _UUID, "aio_<A28>",
    ),
}  # fmt: skip
"""Kinds of tokens, each with the forms that its issuer documents."""
