"""Formats of the tokens of code hosts, package registries and build services.

Owns rows, no code. Each row was written from the public description that its `source` names; none was taken from
another tool.
"""

from __future__ import annotations

from memgit.screening.checksums import has_crc32_base62, is_github_token, is_package_index_macaroon
from memgit.screening.randomness import looks_drawn
from memgit.screening.rule import END_OF_RUN, END_OF_WORD, Rule

CODE_HOSTS = (
    Rule(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        r"gh[pousr]_[0-9A-Za-z]{36,255}+",
        "github.blog 2021-04-05, token formats",
        is_github_token,
    ),
    Rule(
        "github-fine-grained-token",
        ("github_pat_",),
        r"github_pat_[0-9A-Za-z]{22}_[0-9A-Za-z]{59}" + END_OF_WORD,
        "GitHub changelog 2022-10-18, fine-grained tokens",
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
        ),
        r"gl[a-z]{2,5}-[0-9A-Za-z_-]{20,300}+",
        "GitLab documentation: token overview, token prefixes",
        looks_drawn,
    ),
    Rule(
        "bitbucket-token",
        ("ATBB", "ATCTT3xFfG"),
        r"(?:ATBB[0-9A-Za-z]{32}|ATCTT3xFfG[0-9A-Za-z_=-]{100,300}+)" + END_OF_RUN,
        "Atlassian: app passwords and repository access tokens",
        looks_drawn,
    ),
    Rule(
        "atlassian-token",
        ("ATATT3xFfG", "ATSTT3xFfG"),
        r"AT[AS]TT3xFfG[0-9A-Za-z_=-]{100,300}+",
        "Atlassian: API tokens for your account",
    ),
    Rule(
        "docker-token",
        ("dckr_pat_", "dckr_oat_"),
        r"dckr_(?:pat|oat)_[0-9A-Za-z_-]{27,32}" + END_OF_RUN,
        "Docker Hub: access tokens",
        looks_drawn,
    ),
    Rule(
        "npm-token",
        ("npm_",),
        r"npm_[0-9A-Za-z]{36}" + END_OF_WORD,
        "GitHub changelog 2021-09-23, npm token format",
        has_crc32_base62,
    ),
    Rule(
        "pypi-token", ("pypi-Ag",), r"pypi-Ag[0-9A-Za-z_-]{50,500}+", "PyPI help: API tokens", is_package_index_macaroon
    ),
    Rule("rubygems-token", ("rubygems_",), r"rubygems_[0-9a-f]{48}" + END_OF_WORD, "RubyGems guides: API key scopes"),
    Rule("crates-token", ("cio",), r"cio[0-9A-Za-z]{32}" + END_OF_WORD, "crates.io: API tokens", looks_drawn),
    Rule("nuget-key", ("oy2",), r"oy2[0-9a-z]{43}" + END_OF_WORD, "NuGet: scoped API keys", looks_drawn),
    Rule("artifactory-token", ("AKCp",), r"AKCp[0-9A-Za-z]{69}" + END_OF_WORD, "JFrog: API key", looks_drawn),
    Rule("buildkite-token", ("bkua_",), r"bkua_[0-9a-f]{40}" + END_OF_WORD, "Buildkite: API access tokens"),
    Rule(
        "sonar-token",
        ("sqp_", "squ_", "sqa_"),
        r"sq[pua]_[0-9a-f]{40}" + END_OF_WORD,
        "SonarQube: generating and using tokens",
    ),
    Rule(
        "sentry-token",
        ("sntrys_", "sntryu_"),
        r"sntry(?:u_[0-9a-f]{64}|s_[0-9A-Za-z+/=_-]{60,400}+)",
        "Sentry: auth tokens",
    ),
    Rule("postman-key", ("PMAK-",), r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}" + END_OF_WORD, "Postman: API authentication"),
    Rule(
        "circleci-token",
        ("CCIPAT_", "CCIPRJ_"),
        r"CCIP(?:AT|RJ)_[0-9A-Za-z]{20,30}_[0-9a-z]{40}" + END_OF_WORD,
        "CircleCI: API tokens",
    ),
)
"""Where code, packages and builds are kept."""
