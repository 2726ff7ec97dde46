import Database

/// Append-only: never edit a migration that has run anywhere.
enum PhotoMigrations {
    static let all = [
        Migration(
            "people/004-photo",
            [
                // id: sorts by the time of the upload, and stays the same when the photo's file is replaced. A profile picture that was
                // uploaded through the media library has no row here.
                """
                CREATE TABLE profile_photo (
                    account TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                    id TEXT COLLATE "C" NOT NULL,
                    media TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES media (id) ON DELETE CASCADE,
                    PRIMARY KEY (account, id)
                )
                """
            ])
    ]
}
