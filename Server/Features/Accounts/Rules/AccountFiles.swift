package import Database
internal import KeepsakeWire

/// What accounts show of their files. Media implements it.
package protocol AccountFiles: Sendable {
    /// The columns that `summary` reads, in its order, and the joins with the table `account` that they need. With them one statement reads
    /// an account and its summary.
    static var columns: SQL { get }
    static var joins: SQL { get }

    func summary(of account: String, _ row: inout RowReader) throws -> FileSummary
}

package struct FileSummary: Sendable {
    /// A signed link; `nil` without a profile picture.
    let profilePicture: String?
    let fileCount: Int
    /// Bytes of files and rows.
    let byteCount: Int
    /// Bytes that the account may store.
    let quota: Int

    package init(profilePicture: String?, fileCount: Int, byteCount: Int, quota: Int) {
        self.profilePicture = profilePicture
        self.fileCount = fileCount
        self.byteCount = byteCount
        self.quota = quota
    }
}

/// An account as its owner sees it.
struct OwnAccount: Sendable {
    let account: Account
    /// `nil` where nothing keeps files, as in tests of this feature alone.
    let files: FileSummary?

    var user: User {
        var user = account.user
        user.profilePictureURL = files?.profilePicture
        user.usage = files.map { AccountUsage(files: $0.fileCount, bytes: $0.byteCount, quota: $0.quota) }
        return user
    }
}
