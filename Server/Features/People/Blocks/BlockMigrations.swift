import Database

/// Append-only: never edit a migration that has run anywhere.
enum BlockMigrations {
    static let all = [
        Migration(
            "people/007-block-name",
            [
                // name: the person's name when the block was made; the blocker may not read a later name. It is NULL if the block is older
                // than this column, or if the person had blocked the blocker.
                "ALTER TABLE block ADD COLUMN name TEXT CONSTRAINT block_name CHECK (length(name) <= 100)"
            ], release: 2)
    ]
}
