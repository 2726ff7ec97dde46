internal import Database

extension AccountMigrations {
    static let identity = Migration(
        "accounts/005-identity",
        [
            // Maps an issuer's subject to an account.
            """
            CREATE TABLE identity (
                issuer TEXT COLLATE "C" NOT NULL CHECK (length(issuer) BETWEEN 1 AND 512),
                subject TEXT COLLATE "C" NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
                account TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                email TEXT COLLATE "C" CHECK (length(email) BETWEEN 3 AND 254),
                created_at BIGINT NOT NULL,
                PRIMARY KEY (issuer, subject)
            )
            """,
            "CREATE INDEX identity_account ON identity (account, created_at, issuer, subject)",
            "CREATE INDEX identity_account_subject ON identity (account, subject)",
            // identity: a hash of issuer and subject. Tokens issued before deleted_at are refused.
            """
            CREATE TABLE deleted_identity (
                identity TEXT COLLATE "C" PRIMARY KEY NOT NULL CHECK (length(identity) = 43),
                deleted_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX deleted_identity_deleted_at ON deleted_identity (deleted_at)",
            """
            CREATE TABLE used_nonce (
                hash TEXT COLLATE "C" PRIMARY KEY NOT NULL CHECK (length(hash) = 43),
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX used_nonce_expires_at ON used_nonce (expires_at)",
            // A row outlives its account until the token is revoked, so it has no foreign key.
            """
            CREATE TABLE apple_token (
                account TEXT COLLATE "C" NOT NULL,
                subject TEXT COLLATE "C" NOT NULL,
                client_id TEXT COLLATE "C" NOT NULL,
                sealed BYTEA NOT NULL,
                created_at BIGINT NOT NULL,
                PRIMARY KEY (account, subject, client_id)
            )
            """,
        ])
}
