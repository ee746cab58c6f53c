"""Formats of the keys of what programs talk to: payment, mail, chat, models, documents.

Owns rows, no code. Each row was written from the public description that its `source` names; none was taken from
another tool. Where a prefix is unmistakable, a token may be a few characters shorter or longer than the issuer's: it
was mistyped or cut.
"""

from __future__ import annotations

from memgit.screening.randomness import drawn_from, looks_drawn, looks_random
from memgit.screening.rule import END_OF_RUN, END_OF_WORD, Rule

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
        r"whsec_[0-9A-Za-z+/]{24,64}={0,2}" + END_OF_WORD,
        "Stripe: webhook signatures",
        looks_drawn,
    ),
    Rule(
        "sendgrid-key",
        ("SG.",),
        r"SG\.[0-9A-Za-z_-]{18,26}\.[0-9A-Za-z_-]{34,52}" + END_OF_RUN,
        "SendGrid: API keys (69 characters)",
        looks_random,
    ),
    Rule("mailgun-key", ("key-",), r"key-[0-9a-f]{30,34}" + END_OF_WORD, "Mailgun: API keys"),
    Rule(
        "mailchimp-key",
        ("-us",),
        r"[0-9a-f]{30,34}-us[0-9]{1,2}" + END_OF_WORD,
        "Mailchimp: API keys",
        lead=34,
    ),
    Rule(
        "brevo-key",
        ("xkeysib-", "xsmtpsib-"),
        r"x(?:key|smtp)sib-[0-9a-f]{48,72}-[0-9A-Za-z]{12,20}" + END_OF_WORD,
        "Brevo: API keys",
    ),
    Rule(
        "shopify-token",
        ("shpat_", "shpss_", "shpca_", "shppa_"),
        r"shp(?:at|ss|ca|pa)_[0-9A-Za-z]{24,40}" + END_OF_WORD,
        "Shopify changelog 2020-04, token formats",
    ),
    Rule(
        "square-token",
        ("sq0csp-", "sq0atp-", "EAAA"),
        r"(?:sq0csp-[0-9A-Za-z_-]{32,48}|sq0atp-[0-9A-Za-z_-]{17,28}"
        r"|EAAA[0-9A-Za-z_-]{60})" + END_OF_RUN,
        "Square: access tokens and other credentials",
        looks_drawn,
    ),
    Rule(
        "discord-webhook",
        ("/api/webhooks/",),
        r"/api/webhooks/[0-9]{17,20}/[0-9A-Za-z_-]{44,80}" + END_OF_RUN,
        "Discord: webhook resource",
        embedded=True,
    ),
    Rule(
        "openai-key",
        ("sk-",),
        r"sk-(?:(?:proj|svcacct|admin|service|None)-[0-9A-Za-z_-]{20,220}+|[0-9A-Za-z_-]{8,80}T3BlbkFJ[0-9A-Za-z_-]{8,80}+)",
        "OpenAI: API keys; most hold T3BlbkFJ",
        looks_random,
    ),
    Rule(
        "anthropic-key",
        ("sk-ant-",),
        r"sk-ant-[a-z]{3,6}[0-9]{2}-[0-9A-Za-z_-]{50,140}" + END_OF_RUN,
        "Anthropic: API and admin keys",
        drawn_from(90),
    ),
    Rule(
        "provider-key",
        ("sk-", "gsk_", "r8_", "xai-", "pplx-", "tvly-"),
        r"(?:sk-(?:or-v1-)?[0-9A-Za-z]{30,64}|gsk_[0-9A-Za-z]{40,64}|r8_[0-9A-Za-z]{30,40}|xai-[0-9A-Za-z]{60,90}"
        r"|pplx-[0-9A-Za-z]{40,56}|tvly-(?:dev-|prod-)?[0-9A-Za-z]{24,40})" + END_OF_RUN,
        "OpenAI, OpenRouter, DeepSeek, Groq, Replicate, xAI, Perplexity, Tavily: API keys",
        looks_drawn,
    ),
    Rule(
        "huggingface-token",
        ("hf_", "api_org_"),
        r"(?:hf|api_org)_[0-9A-Za-z]{24,44}" + END_OF_WORD,
        "Hugging Face: user access tokens",
        drawn_from(37),
    ),
    Rule(
        "langsmith-key",
        ("lsv2_",),
        r"lsv2_(?:pt|sk)_[0-9a-f]{28,36}_[0-9a-f]{4,14}" + END_OF_WORD,
        "LangSmith: API keys",
    ),
    Rule(
        "linear-key",
        ("lin_api_", "lin_oauth_"),
        r"lin_(?:api_[0-9A-Za-z]{32,48}|oauth_[0-9a-f]{48,80})" + END_OF_WORD,
        "Linear: personal API keys",
    ),
    Rule(
        "notion-token",
        ("ntn_", "secret_"),
        r"(?:ntn_[0-9]{9,12}[0-9A-Za-z]{24,42}|secret_[0-9A-Za-z]{42,44})" + END_OF_WORD,
        "Notion: authorization",
        looks_drawn,
    ),
    Rule(
        "airtable-token",
        ("pat",),
        r"pat[0-9A-Za-z]{13,15}\.[0-9a-f]{48,72}" + END_OF_WORD,
        "Airtable: personal access tokens",
    ),
    Rule(
        "figma-token",
        ("figd_",),
        r"figd_[0-9A-Za-z_-]{28,60}" + END_OF_RUN,
        "Figma: REST API authentication",
        looks_drawn,
    ),
    Rule(
        "contentful-token",
        ("CFPAT-",),
        r"CFPAT-[0-9A-Za-z_-]{32,50}" + END_OF_RUN,
        "Contentful: content management API",
    ),
    Rule(
        "mapbox-secret-token",
        ("sk.eyJ",),
        r"sk\.eyJ[0-9A-Za-z_-]{40,300}\.[0-9A-Za-z_-]{22}" + END_OF_RUN,
        "Mapbox: access tokens",
    ),
    Rule("twilio-key", ("SK",), r"SK[0-9a-f]{31,33}" + END_OF_WORD, "Twilio: API keys"),
    Rule(
        "dropbox-token",
        ("sl.",),
        r"sl\.(?:u\.)?[0-9A-Za-z_-]{80,2000}+",
        "Dropbox: OAuth guide, short-lived access tokens",
        looks_random,
    ),
    Rule(
        "resend-key",
        ("re_",),
        r"re_[0-9A-Za-z]{7,9}_[0-9A-Za-z]{18,28}" + END_OF_WORD,
        "Resend: API keys",
        looks_random,
    ),
    Rule(
        "payment-key",
        ("FLWSECK", "EZAK", "EZTK", "shippo_live_", "shippo_test_", "duffel_live_", "duffel_test_", "live_"),
        r"(?:FLWSECK(?:_TEST)?-[0-9a-f]{26,40}(?:-X)?|EZ[AT]K[0-9A-Za-z]{44,58}|shippo_(?:live|test)_[0-9a-f]{32,44}"
        r"|duffel_(?:live|test)_[0-9A-Za-z_-]{32,48}|live_[0-9a-f]{34,36})" + END_OF_RUN,
        "Flutterwave, EasyPost, Shippo, Duffel, Lob: API keys",
        looks_drawn,
    ),
    Rule(
        "plaid-token",
        ("access-production-", "access-sandbox-", "access-development-"),
        r"access-(?:production|sandbox|development)-[0-9a-f]{7,9}(?:-[0-9a-f]{3,5}){3}-[0-9a-f]{3,13}" + END_OF_WORD,
        "Plaid: access tokens",
    ),
    Rule(
        "typeform-token",
        ("tfp_",),
        r"tfp_[0-9A-Za-z_.-]{36,64}" + END_OF_RUN,
        "Typeform: personal access tokens",
        looks_random,
    ),
    Rule(
        "frameio-token",
        ("fio-u-",),
        r"fio-u-[0-9A-Za-z_-]{48,72}" + END_OF_RUN,
        "Frame.io: developer tokens",
        looks_random,
    ),
)
"""What programs talk to."""
