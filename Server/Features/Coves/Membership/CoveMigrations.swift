import Database

/// Append-only: never edit a migration that has run anywhere.
enum CoveMigrations {
    static let all = [
        Migration(
            "coves/001-cove",
            [
                // creator: does not change when the creator leaves the cove. When the creator's account is deleted and its coves are kept,
                // it becomes the member who inherits the cove. cover: a picture of the media library, which belongs to cover_owner.
                // member_count: without hidden accounts. event_count: events that have not ended. row_bytes: what the row counts against
                // the creator's quota.
                """
                CREATE TABLE cove (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    creator TEXT COLLATE "C" REFERENCES account (id) ON DELETE SET NULL,
                    name TEXT NOT NULL,
                    description TEXT,
                    location TEXT NOT NULL,
                    cover TEXT COLLATE "C",
                    cover_owner TEXT COLLATE "C",
                    joining TEXT COLLATE "C" NOT NULL DEFAULT 'id' CONSTRAINT cove_joining CHECK (joining IN ('id', 'invite')),
                    member_count BIGINT NOT NULL DEFAULT 0 CONSTRAINT cove_members CHECK (member_count >= 0),
                    event_count BIGINT NOT NULL DEFAULT 0 CONSTRAINT cove_events CHECK (event_count >= 0),
                    row_bytes BIGINT NOT NULL DEFAULT 0,
                    created_at BIGINT NOT NULL,
                    ended_at BIGINT,
                    CONSTRAINT cove_cover CHECK ((cover IS NULL) = (cover_owner IS NULL))
                )
                """,
                "CREATE INDEX cove_creator ON cove (creator, created_at, id)",
                "CREATE INDEX cove_cover_file ON cove (cover) WHERE cover IS NOT NULL",
                "CREATE INDEX cove_cover_owner ON cove (cover_owner, id) WHERE cover_owner IS NOT NULL",
                "CREATE INDEX cove_ended ON cove (ended_at, id) WHERE ended_at IS NOT NULL",
                // is_creator: 1 in the membership that has the creator's rights; a creator who leaves loses them, also when joining again.
                // is_acting: 1 for an ADMIN who only stands in for suspended ones. hidden: 1 while the account is suspended.
                """
                CREATE TABLE cove_member (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    cove TEXT COLLATE "C" NOT NULL REFERENCES cove (id) ON DELETE CASCADE,
                    account TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    role TEXT COLLATE "C" NOT NULL CONSTRAINT cove_member_role CHECK (role IN ('MEMBER', 'ADMIN')),
                    is_creator SMALLINT NOT NULL DEFAULT 0 CONSTRAINT cove_member_creator CHECK (is_creator IN (0, 1)),
                    is_acting SMALLINT NOT NULL DEFAULT 0 CONSTRAINT cove_member_acting CHECK (is_acting IN (0, 1)),
                    joined_at BIGINT NOT NULL,
                    hidden SMALLINT NOT NULL DEFAULT 0 CONSTRAINT cove_member_hidden CHECK (hidden IN (0, 1)),
                    UNIQUE (cove, account)
                )
                """,
                "CREATE INDEX cove_member_by_time ON cove_member (cove, hidden, joined_at, account)",
                "CREATE INDEX cove_member_of ON cove_member (account, joined_at, cove)",
                "CREATE INDEX cove_member_admin ON cove_member (cove, hidden, joined_at, account) WHERE role = 'ADMIN'",
                // People who were removed and need an invitation to return.
                """
                CREATE TABLE cove_removal (
                    cove TEXT COLLATE "C" NOT NULL REFERENCES cove (id) ON DELETE CASCADE,
                    account TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    removed_at BIGINT NOT NULL,
                    PRIMARY KEY (cove, account)
                )
                """,
                "CREATE INDEX cove_removal_of ON cove_removal (account, cove)",
            ]),
        Migration(
            "coves/005-lost-covers",
            [
                // This runs after `media/017-dead-blobs`, which deletes covers whose bytes are lost.
                """
                UPDATE cove SET cover = NULL, cover_owner = NULL
                WHERE cover IS NOT NULL AND NOT EXISTS (SELECT 1 FROM media WHERE media.id = cove.cover)
                """
            ], release: 2),
    ]
}
