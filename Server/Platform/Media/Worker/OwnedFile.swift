/// A stored file that a job reads, as far as the workers know it.
package struct OwnedFile: Sendable {
    /// The id of the account that owns the file. If its pictures are slow, the workers remember it, and not whoever looks at them.
    package let owner: String

    package init(owner: String) { self.owner = owner }
}
