internal import Database

extension AccountMigrations {
    static let people = Migration(
        "accounts/024-people",
        [
            // phone: in E.164, from a verified token. phone_proved_at: when that token was issued; a newer proof moves the number.
            "ALTER TABLE account ADD COLUMN phone TEXT COLLATE \"C\" CHECK (length(phone) BETWEEN 3 AND 32)",
            "ALTER TABLE account ADD COLUMN phone_proved_at BIGINT",
            "CREATE UNIQUE INDEX account_phone ON account (phone) WHERE phone IS NOT NULL",
            // The operator sets verified_at and suspended_at.
            "ALTER TABLE account ADD COLUMN verified_at BIGINT",
            "ALTER TABLE account ADD COLUMN suspended_at BIGINT",
        ])
}
