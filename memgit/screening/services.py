"""Formats of the keys of what programs talk to: payment, mail, chat, models, documents.

Owns rows, no code. Each row was written from the public description that its `source` names; none was taken from
another tool.
"""

from __future__ import annotations

from memgit.screening.checksums import is_discord_token
from memgit.screening.randomness import looks_drawn
from memgit.screening.rule import END_OF_RUN, END_OF_WORD, Rule

# Two digits or more in base 64 begin with one of these.
_DIGITS_IN_BASE64 = tuple(first + second for first in "MNO" for second in "DTjz")

SERVICES = (
    Rule(
        "slack-token",
        ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xapp-"),
        r"(?:xox[a-e]\.xox[bp]|xox[abcdeoprs]|xapp)-[0-9A-Za-z%+/=-]{24,400}+",
        "Slack API: token types",
        looks_drawn,
    ),
    Rule(
        "slack-webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/T[0-9A-Za-z]{7,12}/[0-9A-Za-z]{8,24}/[0-9A-Za-z/]{20,64}",
        "Slack API: incoming webhooks",
    ),
    Rule(
        "stripe-key",
        ("sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_org_"),
        r"[rs]k_(?:live|test|org)_[0-9A-Za-z_]{16,250}+",
        "Stripe: API keys",
        looks_drawn,
    ),
    Rule(
        "stripe-webhook-secret",
        ("whsec_",),
        r"whsec_[0-9A-Za-z+/]{32,64}={0,2}" + END_OF_WORD,
        "Stripe: webhook signatures",
        looks_drawn,
    ),
    Rule(
        "sendgrid-key",
        ("SG.",),
        r"SG\.[0-9A-Za-z_-]{22}\.[0-9A-Za-z_-]{43}" + END_OF_RUN,
        "SendGrid: API keys (69 characters)",
    ),
    Rule("mailgun-key", ("key-",), r"key-[0-9a-f]{32}" + END_OF_WORD, "Mailgun: API keys"),
    Rule(
        "mailchimp-key",
        ("-us",),
        r"[0-9a-f]{32}-us[0-9]{1,2}" + END_OF_WORD,
        "Mailchimp: API keys",
        lead=32,
    ),
    Rule(
        "brevo-key",
        ("xkeysib-", "xsmtpsib-"),
        r"x(?:key|smtp)sib-[0-9a-f]{64}-[0-9A-Za-z]{16}" + END_OF_WORD,
        "Brevo: API keys",
    ),
    Rule(
        "shopify-token",
        ("shpat_", "shpss_", "shpca_", "shppa_"),
        r"shp(?:at|ss|ca|pa)_[0-9A-Fa-f]{32}" + END_OF_WORD,
        "Shopify changelog 2020-04, token formats",
    ),
    Rule(
        "square-token",
        ("sq0csp-", "sq0atp-", "EAAA"),
        r"(?:sq0csp-[0-9A-Za-z_-]{43}|sq0atp-[0-9A-Za-z_-]{22}"
        r"|EAAA[0-9A-Za-z_-]{60})" + END_OF_RUN,
        "Square: access tokens and other credentials",
        looks_drawn,
    ),
    Rule(
        "telegram-bot-token",
        (":AA",),
        r"[0-9]{8,10}:AA[0-9A-Za-z_-]{33}" + END_OF_RUN,
        "Telegram: bot API, tokens",
        looks_drawn,
        lead=10,
    ),
    Rule(
        "discord-webhook",
        ("/api/webhooks/",),
        r"/api/webhooks/[0-9]{17,20}/[0-9A-Za-z_-]{60,80}" + END_OF_RUN,
        "Discord: webhook resource",
        embedded=True,
    ),
    Rule(
        "discord-token",
        _DIGITS_IN_BASE64,
        r"[MNO][DTjz][0-9A-Za-z]{21,26}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,45}" + END_OF_RUN,
        "Discord: bot tokens; the first part is the user's id",
        is_discord_token,
    ),
    Rule(
        "openai-key",
        ("sk-",),
        r"sk-(?:[a-z]{4,8}-)?[0-9A-Za-z_-]{20,150}",
        "OpenAI: API keys; each holds T3BlbkFJ",
        lambda key: "T3BlbkFJ" in key,
    ),
    Rule(
        "anthropic-key",
        ("sk-ant-",),
        r"sk-ant-[a-z]{3,6}[0-9]{2}-[0-9A-Za-z_-]{80,120}" + END_OF_RUN,
        "Anthropic: API and admin keys",
        looks_drawn,
    ),
    Rule(
        "provider-key",
        ("sk-", "gsk_", "r8_", "xai-", "pplx-"),
        r"(?:sk-(?:or-v1-)?[0-9A-Za-z]{32,64}|gsk_[0-9A-Za-z]{52}|r8_[0-9A-Za-z]{37}|xai-[0-9A-Za-z]{80}"
        r"|pplx-[0-9A-Za-z]{48})" + END_OF_RUN,
        "OpenRouter, DeepSeek, Groq, Replicate, xAI, Perplexity: API keys",
        looks_drawn,
    ),
    Rule(
        "huggingface-token",
        ("hf_", "api_org_"),
        r"(?:hf|api_org)_[A-Za-z]{34}" + END_OF_WORD,
        "Hugging Face: user access tokens",
        looks_drawn,
    ),
    Rule("langsmith-key", ("lsv2_",), r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}" + END_OF_WORD, "LangSmith: API keys"),
    Rule(
        "linear-key",
        ("lin_api_", "lin_oauth_"),
        r"lin_(?:api_[0-9A-Za-z]{40}|oauth_[0-9a-f]{64})" + END_OF_WORD,
        "Linear: personal API keys",
    ),
    Rule(
        "notion-token",
        ("ntn_", "secret_"),
        r"(?:ntn_[0-9]{11}[0-9A-Za-z]{35}|secret_[0-9A-Za-z]{43})" + END_OF_WORD,
        "Notion: authorization",
        looks_drawn,
    ),
    Rule(
        "airtable-token",
        ("pat",),
        r"pat[0-9A-Za-z]{14}\.[0-9a-f]{64}" + END_OF_WORD,
        "Airtable: personal access tokens",
    ),
    Rule(
        "figma-token",
        ("figd_",),
        r"figd_[0-9A-Za-z_-]{38,60}" + END_OF_RUN,
        "Figma: REST API authentication",
        looks_drawn,
    ),
    Rule(
        "contentful-token", ("CFPAT-",), r"CFPAT-[0-9A-Za-z_-]{43}" + END_OF_RUN, "Contentful: content management API"
    ),
    Rule(
        "mapbox-secret-token",
        ("sk.eyJ",),
        r"sk\.eyJ[0-9A-Za-z_-]{40,300}\.[0-9A-Za-z_-]{22}" + END_OF_RUN,
        "Mapbox: access tokens",
    ),
)
"""What programs talk to."""
