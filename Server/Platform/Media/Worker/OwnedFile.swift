package import Core

/// A stored file that a job reads, as far as the workers know it.
package struct OwnedFile: Sendable {
    /// The id of the account that owns the file. If its pictures are slow, the workers remember it, and not whoever looks at them.
    package let owner: String
    /// Stands for the file's bytes. Of jobs that make the same of the same bytes, one runs at a time, and all get its result.
    package let name: String

    package init(owner: String, name: String) {
        self.owner = owner
        self.name = name
    }

    /// Who is remembered when the work is slow.
    package var requester: Requester { Requester(account: owner, network: nil) }
}
