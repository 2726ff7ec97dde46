import Database

/// Append-only: never edit a migration that has run anywhere.
enum CoveMigrations {
    static let all = [
        Migration(
            "coves/001-cove",
            [
                // creator: stays after the creator has left; NULL after a deleted account's coves were handed on. cover: a picture of the media
                // library, which belongs to cover_owner. member_count: without hidden accounts. event_count: events that have not ended.
                """
                CREATE TABLE cove (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    creator TEXT COLLATE "C" REFERENCES account (id) ON DELETE SET NULL,
                    name TEXT NOT NULL,
                    description TEXT,
                    location TEXT NOT NULL,
                    cover TEXT COLLATE "C",
                    cover_owner TEXT COLLATE "C",
                    joining TEXT COLLATE "C" NOT NULL DEFAULT 'id' CHECK (joining IN ('id', 'invite')),
                    member_count BIGINT NOT NULL DEFAULT 0,
                    event_count BIGINT NOT NULL DEFAULT 0,
                    created_at BIGINT NOT NULL,
                    ended_at BIGINT
                )
                """,
                "CREATE INDEX cove_creator ON cove (creator, created_at, id)",
                "CREATE INDEX cove_cover ON cove (cover) WHERE cover IS NOT NULL",
                // hidden: 1 while the account is closed or suspended.
                """
                CREATE TABLE cove_member (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    cove TEXT COLLATE "C" NOT NULL REFERENCES cove (id) ON DELETE CASCADE,
                    account TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    role TEXT COLLATE "C" NOT NULL CHECK (role IN ('MEMBER', 'ADMIN')),
                    joined_at BIGINT NOT NULL,
                    hidden SMALLINT NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1)),
                    UNIQUE (cove, account)
                )
                """,
                "CREATE INDEX cove_member_by_time ON cove_member (cove, joined_at, account)",
                "CREATE INDEX cove_member_of ON cove_member (account, joined_at, cove)",
                "CREATE INDEX cove_member_admin ON cove_member (cove, joined_at, account) WHERE role = 'ADMIN'",
            ])
    ]
}
