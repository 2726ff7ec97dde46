internal import Database

extension AccountMigrations {
    static let timeZone = Migration(
        "accounts/027-time-zone",
        // An IANA name. NULL: the server's time zone.
        ["ALTER TABLE account ADD COLUMN time_zone TEXT COLLATE \"C\" CHECK (length(time_zone) BETWEEN 1 AND 64)"])
}
