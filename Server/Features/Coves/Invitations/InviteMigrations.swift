import Database

/// Append-only: never edit a migration that has run anywhere.
enum InviteMigrations {
    static let all = [
        Migration(
            "coves/002-invite",
            [
                // phone: in E.164; whoever has proved the number sees the invitation. row_bytes: what the row counts against the sender's
                // quota. A row is deleted when it is used, rejected or cancelled, and some time after it has expired.
                """
                CREATE TABLE cove_invite (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    cove TEXT COLLATE "C" NOT NULL REFERENCES cove (id) ON DELETE CASCADE,
                    phone TEXT COLLATE "C" NOT NULL,
                    sender TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    message TEXT,
                    is_opened SMALLINT NOT NULL CONSTRAINT cove_invite_opened CHECK (is_opened IN (0, 1)),
                    created_at BIGINT NOT NULL,
                    expires_at BIGINT NOT NULL,
                    row_bytes BIGINT NOT NULL,
                    UNIQUE (cove, phone)
                )
                """,
                "CREATE INDEX cove_invite_phone ON cove_invite (phone, created_at, id)",
                "CREATE INDEX cove_invite_sender ON cove_invite (sender, created_at, id)",
                "CREATE INDEX cove_invite_sender_cove ON cove_invite (sender, cove, created_at, id)",
                "CREATE INDEX cove_invite_expires ON cove_invite (expires_at, id)",
            ])
    ]
}
