internal import Database

/// Append-only: never edit a migration that has run anywhere.
enum AccountMigrations {
    static let all = [
        Migration(
            "accounts/001-account",
            [
                """
                CREATE TABLE account (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL CHECK (length(id) BETWEEN 1 AND 128),
                    email TEXT COLLATE "C" UNIQUE CHECK (length(email) BETWEEN 3 AND 254),
                    name TEXT CHECK (length(name) BETWEEN 1 AND 200),
                    password_hash TEXT,
                    is_admin SMALLINT NOT NULL DEFAULT 0 CHECK (is_admin IN (0, 1)),
                    is_pro SMALLINT NOT NULL DEFAULT 0 CHECK (is_pro IN (0, 1)),
                    created_at BIGINT NOT NULL
                )
                """
            ]),
        Migration(
            "accounts/002-session",
            [
                // expires_at: when the session's newest refresh token expires.
                """
                CREATE TABLE session (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL CHECK (length(id) BETWEEN 1 AND 128),
                    account TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    created_at BIGINT NOT NULL,
                    last_used_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL CHECK (expires_at > created_at),
                    ended_at BIGINT
                )
                """,
                "CREATE INDEX session_account ON session (account, created_at)",
                "CREATE INDEX session_expires_at ON session (expires_at)",
                // hash: SHA-256 in base64url. The token itself is not stored.
                """
                CREATE TABLE refresh_token (
                    hash TEXT COLLATE "C" PRIMARY KEY NOT NULL CHECK (length(hash) = 43),
                    session TEXT COLLATE "C" NOT NULL REFERENCES session (id) ON DELETE CASCADE,
                    created_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL CHECK (expires_at > created_at),
                    used_at BIGINT
                )
                """,
                "CREATE INDEX refresh_token_session ON refresh_token (session)",
                "CREATE INDEX refresh_token_expires_at ON refresh_token (expires_at)",
            ]),
        Migration(
            "accounts/003-keys",
            [
                // signs_from: when the key begins to sign. Before that, every node reads the key, and the key set publishes it.
                """
                CREATE TABLE signing_key (
                    kid TEXT COLLATE "C" PRIMARY KEY NOT NULL CHECK (length(kid) BETWEEN 1 AND 64),
                    private_key BYTEA NOT NULL,
                    created_at BIGINT NOT NULL,
                    signs_from BIGINT NOT NULL CHECK (signs_from >= created_at)
                )
                """,
                "CREATE INDEX signing_key_signs_from ON signing_key (signs_from, kid)",
                """
                CREATE TABLE server_secret (
                    name TEXT COLLATE "C" PRIMARY KEY NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
                    value BYTEA NOT NULL,
                    created_at BIGINT NOT NULL
                )
                """,
            ]),
        Migration(
            "accounts/004-cookie",
            [
                // hash: SHA-256 in base64url. The cookie's value itself is not stored.
                """
                CREATE TABLE session_cookie (
                    hash TEXT COLLATE "C" PRIMARY KEY NOT NULL CHECK (length(hash) = 43),
                    session TEXT COLLATE "C" NOT NULL REFERENCES session (id) ON DELETE CASCADE,
                    created_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL CHECK (expires_at > created_at)
                )
                """,
                "CREATE INDEX session_cookie_session ON session_cookie (session)",
                "CREATE INDEX session_cookie_expires_at ON session_cookie (expires_at)",
            ]),
        Migration(
            "accounts/021-session-origin",
            [
                // How the session was opened. Existing sessions become password; nearly all of them were.
                """
                ALTER TABLE session ADD COLUMN method TEXT COLLATE "C" NOT NULL DEFAULT 'password'
                    CHECK (method IN ('password', 'apple', 'oidc', 'firebase', 'tool'))
                """,
                "ALTER TABLE session ADD COLUMN user_agent TEXT CHECK (length(user_agent) BETWEEN 1 AND 256)",
            ]),
        Migration(
            "accounts/022-invitation",
            [
                // hash: SHA-256 of the code in base64url; email_hash: of the code and the address it is for. Neither the code nor the
                // address is stored.
                """
                CREATE TABLE invitation (
                    hash TEXT COLLATE "C" PRIMARY KEY NOT NULL CHECK (length(hash) = 43),
                    email_hash TEXT COLLATE "C" CHECK (length(email_hash) = 43),
                    account TEXT COLLATE "C" REFERENCES account (id) ON DELETE CASCADE,
                    created_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL CHECK (expires_at > created_at),
                    used_at BIGINT,
                    CHECK ((account IS NULL) = (used_at IS NULL))
                )
                """,
                "CREATE INDEX invitation_account ON invitation (account) WHERE account IS NOT NULL",
                "CREATE INDEX invitation_expires_at ON invitation (expires_at)",
            ]),
        Migration(
            "accounts/023-password-reset",
            [
                // hash: SHA-256 of the code in base64url. The code is derived from the id and a secret of the server, and is not stored.
                """
                CREATE TABLE password_reset (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL CHECK (length(id) BETWEEN 1 AND 128),
                    hash TEXT COLLATE "C" UNIQUE NOT NULL CHECK (length(hash) = 43),
                    account TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    created_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL CHECK (expires_at > created_at)
                )
                """,
                "CREATE INDEX password_reset_account ON password_reset (account)",
                "CREATE INDEX password_reset_expires_at ON password_reset (expires_at)",
            ]),
        identity,
        closing,
        recovery,
        people,
        summaries,
        engines,
        timeZone,
        emailChange,
        registration,
        registrationTimeZone,
        administrators,
        recoveredAt,
        tokenTimes,
        liveSessions,
        registrationParty,
    ]
}
