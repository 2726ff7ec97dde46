import Database

/// Append-only: never edit a migration that has run anywhere.
enum FriendMigrations {
    static let all = [
        Migration(
            "people/003-friends",
            [
                // Each friendship has two rows with the same id, one for each of the two people.
                """
                CREATE TABLE friendship (
                    id TEXT COLLATE "C" NOT NULL,
                    account TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    friend TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    created_at BIGINT NOT NULL,
                    PRIMARY KEY (account, friend),
                    CONSTRAINT friendship_two CHECK (account <> friend)
                )
                """,
                "CREATE INDEX friendship_by_time ON friendship (account, created_at, id)",
                "CREATE UNIQUE INDEX friendship_id ON friendship (id, account)",
                "CREATE INDEX friendship_friend ON friendship (friend, account)",
                // A resolved request stays for a while, so that a retry of the resolution gets the same response. A new request of the same
                // sender to the same recipient replaces it. friendship: the id of the friendship that began when the request was accepted.
                """
                CREATE TABLE friend_request (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    sender TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    recipient TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    created_at BIGINT NOT NULL,
                    status TEXT COLLATE "C" NOT NULL
                        CONSTRAINT friend_request_status CHECK (status IN ('PENDING', 'ACCEPTED', 'REJECTED')),
                    resolved_at BIGINT,
                    friendship TEXT COLLATE "C",
                    UNIQUE (sender, recipient),
                    CONSTRAINT friend_request_two CHECK (sender <> recipient),
                    CONSTRAINT friend_request_resolved CHECK ((resolved_at IS NULL) = (status = 'PENDING')),
                    CONSTRAINT friend_request_friendship CHECK ((friendship IS NOT NULL) = (status = 'ACCEPTED'))
                )
                """,
                "CREATE INDEX friend_request_recipient ON friend_request (recipient, sender)",
                "CREATE INDEX friend_request_received ON friend_request (recipient, created_at, id) WHERE status = 'PENDING'",
                "CREATE INDEX friend_request_sent ON friend_request (sender, created_at, id) WHERE status = 'PENDING'",
                "CREATE INDEX friend_request_by_age ON friend_request (resolved_at, id) WHERE resolved_at IS NOT NULL",
                // Neither counter counts people whose account is hidden. request_count: how many pending requests the account has received.
                """
                ALTER TABLE profile ADD COLUMN friend_count BIGINT NOT NULL DEFAULT 0
                    CONSTRAINT profile_friend_count CHECK (friend_count >= 0)
                """,
                """
                ALTER TABLE profile ADD COLUMN request_count BIGINT NOT NULL DEFAULT 0
                    CONSTRAINT profile_request_count CHECK (request_count >= 0)
                """,
            ])
    ]
}
