internal import Core

/// What the workers know of a stored file that a job reads.
package struct OwnedFile: Sendable {
    /// The id of the account that owns the file. If this account requests work that is slow, the workers remember it (`SlowWork`).
    package let owner: String
    /// Identifies the file's bytes. Of several jobs that do the same work on the same bytes, one runs at a time, and all get its result.
    package let name: String

    package init(owner: String, name: String) {
        self.owner = owner
        self.name = name
    }

    /// The requester that the workers remember when the owner's work is slow.
    var requester: Requester { Requester(account: owner, network: nil) }
}
