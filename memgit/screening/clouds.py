"""Formats of the keys of clouds, hosting and monitoring.

Owns rows, no code. Each row was written from the public description that its `source` names; none was taken from
another tool. Where a prefix is unmistakable, a token may be a few characters shorter or longer than the issuer's: it
was mistyped or cut.
"""

from __future__ import annotations

from memgit.screening.randomness import drawn_from, looks_drawn, looks_random
from memgit.screening.rule import END_OF_RUN, END_OF_WORD, Rule

CLOUDS = (
    Rule(
        "aws-access-key-id",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{12,18}" + END_OF_WORD,
        "AWS IAM user guide: unique identifiers",
        looks_drawn,
    ),
    Rule(
        "aws-secret-access-key",
        ("AKIA", "ASIA"),
        r"A[KS]IA[A-Z0-9]{16}[\s,;:|\"'=]{1,8}(?:(?i:aws|secret|access|key|id|is|[_ =:\"'|]){0,24}?)"
        r"(?P<secret>[0-9A-Za-z+/]{40})(?![0-9A-Za-z+/])",
        "AWS IAM user guide: access keys; the secret beside its id",
        looks_random,
    ),
    Rule(
        "alibaba-access-key-id",
        ("LTAI",),
        r"LTAI[0-9A-Za-z]{12,20}" + END_OF_WORD,
        "Alibaba Cloud: AccessKey pair",
        looks_drawn,
    ),
    Rule(
        "google-api-key",
        ("AIza",),
        r"AIza[0-9A-Za-z_-]{25,40}" + END_OF_RUN,
        "Google Cloud: API keys",
        drawn_from(39),
    ),
    Rule(
        "google-oauth-secret",
        ("GOCSPX-",),
        r"GOCSPX-[0-9A-Za-z_-]{20,36}" + END_OF_RUN,
        "Google identity: OAuth 2.0 clients",
    ),
    Rule(
        "google-access-token",
        ("ya29.",),
        r"ya29\.[0-9A-Za-z_-]{40,600}+",
        "Google identity: access tokens",
        looks_drawn,
    ),
    Rule(
        "google-refresh-token",
        ("1//0",),
        r"1//0[0-9A-Za-z_-]{40,200}+",
        "Google identity: refresh tokens",
        looks_random,
    ),
    Rule(
        "azure-account-key",
        ("AccountKey=",),
        r"AccountKey=(?P<secret>[0-9A-Za-z+/]{86}==)",
        "Azure Storage: connection strings",
    ),
    Rule(
        "azure-shared-access-key",
        ("SharedAccessKey=",),
        r"SharedAccessKey=(?P<secret>[0-9A-Za-z+/]{43}=)",
        "Azure Service Bus: connection strings",
    ),
    Rule(
        "azure-signature",
        ("sig=",),
        r"sig=(?P<secret>(?:[0-9A-Za-z+/]|%2[BbFf]){43}(?:=|%3[Dd]))",
        "Azure Storage: shared access signatures",
        looks_drawn,
    ),
    Rule(
        "azure-client-secret",
        ("Q~",),
        r"[0-9A-Za-z_.~-]{3}[0-9]Q~[0-9A-Za-z_.~-]{31,34}"
        r"(?![0-9A-Za-z~]|[_.-]{1,3}[0-9A-Za-z~])",
        "Microsoft identity platform: client secrets",
        looks_drawn,
        lead=4,
    ),
    Rule(
        "azure-resource-key",
        ("QQJ99",),
        r"[0-9A-Za-z]{52}JQQJ99[0-9A-Za-z]{14,30}" + END_OF_WORD,
        "Microsoft: identifiable keys of Azure DevOps and Azure AI",
        looks_drawn,
        lead=53,
    ),
    Rule(
        "cloudflare-origin-key",
        ("v1.0-",),
        r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,200}+",
        "Cloudflare: Origin CA keys",
    ),
    Rule(
        "digitalocean-token",
        ("dop_v1_", "doo_v1_", "dor_v1_"),
        r"do[opr]_v1_[0-9A-Za-z]{40,80}" + END_OF_WORD,
        "DigitalOcean: API reference, tokens",
    ),
    Rule(
        "heroku-key",
        ("HRKU-",),
        r"HRKU-[0-9A-Za-z_-]{28,64}" + END_OF_RUN,
        "Heroku: platform API tokens",
        looks_drawn,
    ),
    Rule(
        "terraform-token",
        ("atlasv1.",),
        r"[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{48,80}" + END_OF_RUN,
        "HashiCorp: Terraform Cloud API tokens",
        lead=15,
    ),
    Rule(
        "vault-token",
        ("hvs.", "hvb.", "hvr."),
        r"hv[sbr]\.[0-9A-Za-z_-]{18,300}+",
        "HashiCorp Vault: tokens",
        drawn_from(28),
    ),
    Rule("pulumi-token", ("pul-",), r"pul-[0-9a-f]{32,48}" + END_OF_WORD, "Pulumi: access tokens"),
    Rule(
        "databricks-token",
        ("dapi",),
        r"dapi[0-9a-f]{30,34}(?:-[0-9])?" + END_OF_WORD,
        "Databricks: personal access tokens",
    ),
    Rule(
        "planetscale-token",
        ("pscale_",),
        r"pscale_(?:tkn|pw|oauth)_[0-9A-Za-z_.-]{32,64}" + END_OF_RUN,
        "PlanetScale: service tokens",
        looks_drawn,
    ),
    Rule(
        "supabase-key",
        ("sbp_", "sb_secret_"),
        r"sb(?:p_[0-9a-f]{32,48}|_secret_[0-9A-Za-z_-]{22,64})" + END_OF_RUN,
        "Supabase: API keys",
    ),
    Rule(
        "fly-token",
        ("fm1_", "fm1a_", "fm1r_", "fm2_"),
        r"fm[12][a-z]?_[0-9A-Za-z+/=,_-]{60,900}+",
        "Fly.io: access tokens",
    ),
    Rule(
        "netlify-token",
        ("nfp_",),
        r"nfp_[0-9A-Za-z_-]{30,40}" + END_OF_RUN,
        "Netlify: personal access tokens",
        looks_random,
    ),
    Rule(
        "tailscale-key",
        ("tskey-",),
        r"tskey-[a-z]{3,10}-[0-9A-Za-z]{8,32}-[0-9A-Za-z]{16,64}" + END_OF_WORD,
        "Tailscale: key prefixes",
    ),
    Rule(
        "doppler-token",
        ("dp.",),
        r"dp\.(?:pt|st|ct|scim|sa|audit)\.(?:[a-z0-9_-]{2,35}\.)?[0-9A-Za-z]{32,50}" + END_OF_WORD,
        "Doppler: token formats",
    ),
    Rule(
        "grafana-token",
        ("glsa_", "glc_", "eyJrIjoi"),
        r"(?:glsa_[0-9A-Za-z]{26,32}+(?:_[0-9a-f]{4,8})?|(?:glc_|eyJrIjoi)[0-9A-Za-z+/]{40,400}+={0,2})",
        "Grafana: service account tokens, cloud access policies",
    ),
    Rule(
        "new-relic-key",
        ("NRAK-", "NRII-", "NRJS-", "NRRA-"),
        r"NR(?:AK|II|JS|RA)-[0-9A-Za-z_-]{16,48}" + END_OF_RUN,
        "New Relic: API keys",
        looks_drawn,
    ),
    Rule(
        "dynatrace-token",
        ("dt0c01.", "dt0s0"),
        r"dt0[cs]\d\d\.[0-9A-Z]{8,24}\.[0-9A-Z]{48,72}" + END_OF_WORD,
        "Dynatrace: token format",
    ),
    Rule("render-key", ("rnd_",), r"rnd_[0-9A-Za-z]{26,36}" + END_OF_WORD, "Render: API keys", looks_random),
    Rule("neon-key", ("napi_",), r"napi_[0-9a-z]{50,72}" + END_OF_WORD, "Neon: API keys", looks_drawn),
    Rule(
        "vercel-token",
        ("vcp_", "vci_", "vca_", "vcr_", "vck_"),
        r"vc[piark]_[0-9A-Za-z]{24,64}" + END_OF_WORD,
        "Vercel changelog 2026: token formats",
        looks_random,
    ),
    Rule("adafruit-key", ("aio_",), r"aio_[0-9A-Za-z]{24,32}" + END_OF_WORD, "Adafruit IO: API keys", looks_random),
    Rule(
        "launchdarkly-key",
        ("sdk-",),
        r"sdk-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}" + END_OF_WORD,
        "LaunchDarkly: SDK keys",
    ),
)
"""Where programs run and are watched."""
