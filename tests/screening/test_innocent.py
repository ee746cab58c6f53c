"""A small sample, written for this test, of what people and agents put into a memory: nothing in it is refused.

The measured budget, on thousands of texts from files of the machine, is `python -m benchmarks.screening`.
"""

from __future__ import annotations

import pytest

from memgit.screening import screen_text

SENTENCES = """\
We keep sessions in Redis and never in the cookie; the cookie holds an opaque id.
Decision: passwords are hashed with argon2id (m=19456, t=2, p=1), replacing bcrypt.
The API key for the sandbox lives in 1Password, item "atlas sandbox", not in the repository.
Rotate the signing key every 90 days: docs/runbooks/rotate-signing-key.md has the steps.
Constraint: never log an Authorization header; log the token's key id (kid) instead.
The token bucket refills 10 tokens a second and holds 100.
CSRF tokens are per form since v2.14.0; see commit 9fceb02d0ae598e95dc970b74767f19372d61af8.
The public key is ssh-ed25519 and its fingerprint is SHA256:uNiVztksCsDhcc0u9e8BrrJXVGd1WNH3Y3gk3Yq8xQ0.
Access tokens live 15 minutes, refresh tokens 30 days; both are revoked on password change.
Primary key is (tenant_id, created_at); the sort key is the ULID.
Ask Dana for the staging password, it is in the team vault under staging/db.
Secrets are mounted at /run/secrets/db_password and read once at start-up.
`git memory remember` refuses secrets before any object is written.
The key insight: merging is a union, so there is no secret ordering.
Tokenizer vocabulary is 32,000 entries; bos_token and eos_token are added by the model.
Use `aws sts get-session-token` with MFA; credentials expire after 12 hours.
The password policy asks for twelve characters since 2024-03-01.
Feature flag key: checkout-v2-redesign, owner: growth, default: off.
Cache key is the blake3 digest of the request: 6a953581d60dbebc9749b56d2383277fb02b58d260b4ccf6f119108fa0f1d4ef.
Artifact art_01jd8x3v5n9q4r7t2w6y8z0a1b was revised; key point in memoree://claim/clm_01jd8x3v5n9q4r7t2w6y8z0a1c@crev_1.
Set GITHUB_TOKEN in the environment; the default token of Actions is enough (permissions: contents: read).
401 means that the token expired, 403 that the key lacks the scope `repo:write`.
Keyboard shortcuts: key "k" opens search, key "Escape" closes it.
The monkey test (chaos) kills one pod every 10 minutes, keyed by deployment name.
Passwordless login: magic link, 10 minutes, single use, no password stored.
The license key check was removed in 3.0; the code path is dead.
hash("password") must never be equal across users: salts are 16 random bytes.
Wi-Fi: ask at the desk; the guest network has no password.
Das Passwort steht im Tresor, nicht hier. Le mot de passe est dans le coffre.
""".splitlines()

PIECES = {
    "python": 'token = os.environ["API_TOKEN"]\nclient = Client(token=token, secret=settings.SECRET_KEY)\n',
    "typescript": "const { apiKey, secretKey } = await loadConfig(process.env.CONFIG_PATH ?? './config.json');\n",
    "go": 'password, ok := os.LookupEnv("DB_PASSWORD")\nif !ok { return errors.New("DB_PASSWORD is not set") }\n',
    "rust": 'let token: Option<SecretString> = std::env::var("TOKEN").ok().map(SecretString::from);\n',
    "java": "private final String passwordHash; private static final int TOKEN_LENGTH_BYTES = 32;\n",
    "shell": 'export API_KEY="$(pass show atlas/api)"\ncurl -H "Authorization: Bearer $API_KEY" "$BASE/v1/jobs"\n',
    "compose": "environment:\n  POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?set it in .env}\n  POSTGRES_USER: app\n",
    "kubernetes": "- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: {name: db-credentials, key: password}\n",
    "actions": "env:\n  NPM_TOKEN: ${{ secrets.NPM_TOKEN }}\n  GH_TOKEN: ${{ github.token }}\n",
    "terraform": 'variable "db_password" {\n  type      = string\n  sensitive = true\n}\n',
    "env example": "DATABASE_URL=postgres://user:"
    + "password@localhost:5432/app\nSECRET_KEY=changeme\nAPI_KEY=<key>\n",
    "sql": "ALTER TABLE users ADD COLUMN password_hash bytea NOT NULL, ADD COLUMN token_version int DEFAULT 0;\n",
    "json schema": '{"password": {"type": "string", "minLength": 12}, "token": {"type": "string"}}\n',
    "npm lock": '"integrity": "sha512-Qa1Wn2Er3Ty4Ui5Op6As7Df8Gh9Jk0Lz1Xc2Vb3Nm4Qw5Er6Ty7Ui8Op9As0Df1Gh2Jk3L==",\n',
    "cargo lock": 'name = "secrecy"\nchecksum = "9bd1c54ea06cfd2f6b63219704de0b9b4f72dcc2b8fdef820be6cd799780e91e"\n',
    "go sum": "golang.org/x/crypto v0.21.0 h1:X31++rzVUdKhX5sWmSOFZxx8UW/ldWx55cbf08iNAMA=\n",
    "stack trace": '  File "/srv/app/auth/token.py", line 114, in refresh\n    raise TokenExpired(token_id)\n',
    "log": "2025-03-14T09:21:44Z WARN token expired request_id=4f1c7a52-9b1e-4c5e-8f0a-3b1d2c9e7a60 user=42\n",
    "patch": "@@ -12,7 +12,7 @@ def rotate_key(self, key_id: str) -> None:\n-index 3f2a1b9..9c8d7e6 100644\n",
    "minified": 'function(e,t){return e.token=t.password,e.apiKey||(e.apiKey=t.key),n(e,"secret")}' * 20,
    "image": '<img alt="key" src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4">\n',
    "public key": "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEY6Ya7W++7aUPzvMTrezH6Ycx3c+H\n",
    "pem shape": "The file starts with -----BEGIN " + "PRIVATE KEY----- and must be mode 600.\n",
    "go test": 'assert.Equal(t, "user:password", decode("dXNlcjpwYXNzd29yZA=="))\n',
    "headers": "Authorization: Bearer <token>\nX-Api-Key: {{api_key}}\nCookie: session=[redacted]\n",
    "helm": "--set image.tag=1.14.2-a1b2c3d --set auth.existingSecret=db-credentials\n",
}


@pytest.mark.parametrize("text", SENTENCES, ids=range(len(SENTENCES)))
def test_sentences_pass(text: str) -> None:
    """What a team writes about its secrets is not a secret."""
    assert screen_text(text, "statement") == ()


@pytest.mark.parametrize("name", PIECES)
def test_pieces_of_files_pass(name: str) -> None:
    """Code, configuration, lock files, logs and examples pass."""
    assert screen_text(PIECES[name], "artifact") == ()


def test_all_of_it_together_passes() -> None:
    """Nor does any of it become a secret by standing beside the rest."""
    assert screen_text("\n".join([*SENTENCES, *PIECES.values()]), "artifact") == ()
