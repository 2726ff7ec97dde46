internal import Database

extension AccountMigrations {
    static let engines = Migration(
        "accounts/026-outside-engines",
        // Whether engines outside the installation may get the account's data.
        ["ALTER TABLE account ADD COLUMN outside_engines SMALLINT NOT NULL DEFAULT 1 CHECK (outside_engines IN (0, 1))"])
}
