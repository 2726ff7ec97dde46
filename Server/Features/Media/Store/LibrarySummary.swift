package import Accounts
package import Database
package import Web

/// What `GET /user/me` shows of an account's files.
package struct LibrarySummary: AccountFiles {
    private let presenter: MediaPresenter
    private let quota: MediaQuota

    package init(links: SignedLinks, quota: MediaQuota) {
        presenter = MediaPresenter(links: links)
        self.quota = quota
    }

    package func summary(of account: String, _ tx: ReadTransaction) throws -> FileSummary {
        let row = try tx.row(Self.statement(account))
        let picture = try row?.get("media", as: String?.self)
        return FileSummary(
            profilePicture: picture.map { presenter.link($0, owner: account) }, fileCount: try row?.get("file_count") ?? 0,
            byteCount: try row?.get("byte_count") ?? 0, quota: Int(quota.byteCount))
    }

    /// An account that has stored nothing has no row, and no picture either.
    static func statement(_ account: String) -> SQL {
        """
        SELECT media_usage.file_count, media_usage.byte_count + media_usage.row_bytes AS byte_count, profile_picture.media
        FROM media_usage LEFT JOIN profile_picture ON profile_picture.account = media_usage.account
        WHERE media_usage.account = \(account)
        """
    }
}
