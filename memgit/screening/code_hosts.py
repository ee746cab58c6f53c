"""Formats of the tokens of code hosts, package registries and build services.

Owns rows, no code. Each row was written from the public description that its `source` names; none was taken from
another tool. Where a prefix is unmistakable, a token may be a few characters shorter or longer than the issuer's: it
was mistyped or cut.
"""

from __future__ import annotations

from memgit.screening.checksums import has_crc32_base62, is_package_index_macaroon
from memgit.screening.randomness import drawn_from, looks_drawn, looks_random
from memgit.screening.rule import END_OF_RUN, END_OF_WORD, Rule

CODE_HOSTS = (
    Rule(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        r"gh[pousr]_[0-9A-Za-z]{20,255}+",
        "github.blog 2021-04-05, token formats",
        drawn_from(40),
        has_crc32_base62,
        embedded=True,
    ),
    Rule(
        "github-fine-grained-token",
        ("github_pat_",),
        r"github_pat_[0-9A-Za-z_]{30,255}+",
        "GitHub changelog 2022-10-18, fine-grained tokens",
        drawn_from(93),
        embedded=True,
    ),
    Rule(
        "gitlab-token",
        (
            "glpat-",
            "gldt-",
            "glrt-",
            "glrtr-",
            "glptt-",
            "glsoat-",
            "glcbt-",
            "glft-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glffct-",
            "glwt-",
            "GR1348941",
        ),
        r"(?:gl[a-z]{2,5}-|GR1348941)[0-9A-Za-z_-]{12,300}+(?:\.[0-9a-z]{2}\.[0-9a-z]{7,9})?",
        "GitLab documentation: token overview, token prefixes",
        drawn_from(22),
    ),
    Rule(
        "bitbucket-token",
        ("ATBB", "ATCTT3xFfG"),
        r"(?:ATBB[0-9A-Za-z]{28,36}|ATCTT3xFfG[0-9A-Za-z_=-]{60,300}+)" + END_OF_RUN,
        "Atlassian: app passwords and repository access tokens",
        looks_drawn,
    ),
    Rule(
        "atlassian-token",
        ("ATATT3xFfG", "ATSTT3xFfG"),
        r"AT[AS]TT3xFfG[0-9A-Za-z_=-]{60,300}+",
        "Atlassian: API tokens for your account",
    ),
    Rule(
        "docker-token",
        ("dckr_pat_", "dckr_oat_"),
        r"dckr_(?:pat|oat)_[0-9A-Za-z_-]{20,40}" + END_OF_RUN,
        "Docker Hub: access tokens",
        drawn_from(36),
    ),
    Rule(
        "npm-token",
        ("npm_",),
        r"npm_[0-9A-Za-z]{24,64}" + END_OF_WORD,
        "GitHub changelog 2021-09-23, npm token format",
        drawn_from(40),
        has_crc32_base62,
    ),
    Rule(
        "npm-registry-password",
        ("_authToken=", "_password=", "_auth="),
        r"_(?:authToken|password|auth)=(?P<secret>[0-9A-Za-z+/=_.-]{16,200}+)",
        "npm documentation: .npmrc, auth related configuration",
        looks_random,
        embedded=True,
    ),
    Rule(
        "pypi-token",
        ("pypi-",),
        r"pypi-(?:Ag[0-9A-Za-z_-]{40,500}+|[0-9A-Za-z_-]{60,500}+)",
        "PyPI help: API tokens",
        looks_random,
        is_package_index_macaroon,
    ),
    Rule(
        "rubygems-token",
        ("rubygems_",),
        r"rubygems_[0-9a-f]{36,64}" + END_OF_WORD,
        "RubyGems guides: API key scopes",
        looks_drawn,
    ),
    Rule("crates-token", ("cio",), r"cio[0-9A-Za-z]{31,33}" + END_OF_WORD, "crates.io: API tokens", looks_drawn),
    Rule("clojars-token", ("CLOJARS_",), r"CLOJARS_[0-9a-f]{40,72}" + END_OF_WORD, "Clojars: deploy tokens"),
    Rule("nuget-key", ("oy2",), r"oy2[0-9a-z]{40,46}" + END_OF_WORD, "NuGet: scoped API keys", looks_drawn),
    Rule("artifactory-token", ("AKCp",), r"AKCp[0-9A-Za-z]{56,74}" + END_OF_WORD, "JFrog: API key", looks_drawn),
    Rule("buildkite-token", ("bkua_",), r"bkua_[0-9a-f]{32,48}" + END_OF_WORD, "Buildkite: API access tokens"),
    Rule(
        "sonar-token",
        ("sqp_", "squ_", "sqa_"),
        r"sq[pua]_[0-9a-f]{32,48}" + END_OF_WORD,
        "SonarQube: generating and using tokens",
    ),
    Rule(
        "sentry-token",
        ("sntrys_", "sntryu_"),
        r"sntry(?:u_[0-9a-f]{48,80}+|s_[0-9A-Za-z+/=_-]{60,400}+)",
        "Sentry: auth tokens",
    ),
    Rule(
        "postman-key",
        ("PMAK-",),
        r"PMAK-[0-9a-f]{20,28}-[0-9a-f]{26,40}" + END_OF_WORD,
        "Postman: API authentication",
    ),
    Rule(
        "circleci-token",
        ("CCIPAT_", "CCIPRJ_"),
        r"CCIP(?:AT|RJ)_[0-9A-Za-z]{18,30}_[0-9a-z]{32,48}" + END_OF_WORD,
        "CircleCI: API tokens",
    ),
    Rule(
        "prefect-key", ("pnu_", "pnb_"), r"pn[ub]_[0-9A-Za-z]{28,40}" + END_OF_WORD, "Prefect: API keys", looks_random
    ),
    Rule("readme-key", ("rdme_",), r"rdme_[0-9a-z]{54,76}" + END_OF_WORD, "ReadMe: API keys", looks_drawn),
)
"""Where code, packages and builds are kept."""
