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

    // An account that has stored nothing has no row of usage, and no picture either.
    package static let columns: SQL = """
        media_usage.file_count, media_usage.byte_count + media_usage.row_bytes AS byte_count, media_usage.quota_bytes,
            profile_picture.media
        """
    package static let joins: SQL = """
        LEFT JOIN media_usage ON media_usage.account = account.id LEFT JOIN profile_picture ON profile_picture.account = account.id
        """

    package func summary(of account: String, _ row: inout RowReader) throws -> FileSummary {
        let fileCount: Int? = try row.next("file_count")
        let byteCount: Int? = try row.next("byte_count")
        let ownQuota: Int64? = try row.next("quota_bytes")
        let picture: String? = try row.next("media")
        return FileSummary(
            profilePicture: picture.map { presenter.sharedLink($0, owner: account) }, fileCount: fileCount ?? 0,
            byteCount: byteCount ?? 0, quota: Int(ownQuota ?? quota.byteCount))
    }
}
