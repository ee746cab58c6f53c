"""Formats of the keys of clouds, hosting and monitoring.

Owns rows, no code. Each row was written from the public description that its `source` names; none was taken from
another tool.
"""

from __future__ import annotations

from memgit.screening.randomness import looks_drawn
from memgit.screening.rule import END_OF_RUN, END_OF_WORD, Rule

CLOUDS = (
    Rule(
        "aws-access-key-id",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        r"A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}" + END_OF_WORD,
        "AWS IAM user guide: unique identifiers",
        looks_drawn,
    ),
    Rule(
        "alibaba-access-key-id",
        ("LTAI",),
        r"LTAI[0-9A-Za-z]{12,20}" + END_OF_WORD,
        "Alibaba Cloud: AccessKey pair",
        looks_drawn,
    ),
    Rule("google-api-key", ("AIza",), r"AIza[0-9A-Za-z_-]{35}" + END_OF_RUN, "Google Cloud: API keys", looks_drawn),
    Rule(
        "google-oauth-secret",
        ("GOCSPX-",),
        r"GOCSPX-[0-9A-Za-z_-]{28}" + END_OF_RUN,
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
        r"(?![0-9A-Za-z_.~-])",
        "Microsoft identity platform: client secrets",
        looks_drawn,
        lead=4,
    ),
    Rule(
        "digitalocean-token",
        ("dop_v1_", "doo_v1_", "dor_v1_"),
        r"do[opr]_v1_[0-9a-f]{64}" + END_OF_WORD,
        "DigitalOcean: API reference, tokens",
    ),
    Rule(
        "heroku-key",
        ("HRKU-",),
        r"HRKU-[0-9A-Za-z_-]{36,64}" + END_OF_RUN,
        "Heroku: platform API tokens",
        looks_drawn,
    ),
    Rule(
        "terraform-token",
        (".atlasv1.",),
        r"[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_=-]{60,80}" + END_OF_RUN,
        "HashiCorp: Terraform Cloud API tokens",
        lead=14,
    ),
    Rule(
        "vault-token",
        ("hvs.", "hvb.", "hvr."),
        r"hv[sbr]\.[0-9A-Za-z_-]{24,300}+",
        "HashiCorp Vault: tokens",
        looks_drawn,
    ),
    Rule("pulumi-token", ("pul-",), r"pul-[0-9a-f]{40}" + END_OF_WORD, "Pulumi: access tokens"),
    Rule(
        "databricks-token",
        ("dapi",),
        r"dapi[0-9a-f]{32}(?:-[0-9])?" + END_OF_WORD,
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
        r"sb(?:p_[0-9a-f]{40}|_secret_[0-9A-Za-z_-]{22,64})" + END_OF_RUN,
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
        r"nfp_[0-9A-Za-z_-]{36}" + END_OF_RUN,
        "Netlify: personal access tokens",
        looks_drawn,
    ),
    Rule(
        "tailscale-key",
        ("tskey-",),
        r"tskey-[a-z]{3,10}-[0-9A-Za-z]{8,32}-[0-9A-Za-z]{20,64}" + END_OF_WORD,
        "Tailscale: key prefixes",
    ),
    Rule(
        "doppler-token",
        ("dp.",),
        r"dp\.(?:pt|st|ct|scim|sa|audit)\.(?:[a-z0-9_-]{2,35}\.)?[0-9A-Za-z]{40,44}" + END_OF_WORD,
        "Doppler: token formats",
    ),
    Rule(
        "grafana-token",
        ("glsa_", "glc_"),
        r"(?:glsa_[0-9A-Za-z]{32}_[0-9a-f]{8}|glc_[0-9A-Za-z+/]{40,400}+={0,2})",
        "Grafana: service account tokens, cloud access policies",
    ),
    Rule(
        "new-relic-key",
        ("NRAK-", "NRII-", "NRJS-"),
        r"NR(?:AK|II|JS)-[0-9A-Za-z_-]{19,32}" + END_OF_RUN,
        "New Relic: API keys",
        looks_drawn,
    ),
    Rule(
        "dynatrace-token",
        ("dt0c01.", "dt0s0"),
        r"dt0[cs]\d\d\.[0-9A-Z]{8,24}\.[0-9A-Z]{64}" + END_OF_WORD,
        "Dynatrace: token format",
    ),
)
"""Where programs run and are watched."""
