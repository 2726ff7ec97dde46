package import Database
internal import KeepsakeWire

/// Supplies what responses about an account say about its files. The Media feature implements it.
package protocol AccountFiles: Sendable {
    /// The columns that `summary` reads, in the order in which it reads them, and the joins with the table `account` that they need. With
    /// these, one statement reads an account and its summary.
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
    /// `nil` when no feature stores files, as in tests of this feature alone.
    let files: FileSummary?

    var user: User {
        var user = account.user
        user.profilePictureURL = files?.profilePicture
        user.usage = files.map { AccountUsage(files: $0.fileCount, bytes: $0.byteCount, quota: $0.quota) }
        return user
    }
}
