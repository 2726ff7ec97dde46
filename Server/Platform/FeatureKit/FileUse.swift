package import Database

/// How a feature drops its rows' references to a library file. The library does not know the feature; it calls `willErase` when a file is
/// deleted.
package struct FileUse: Sendable {
    /// It is called for every deleted file, whether or not the feature refers to it, since a concurrent request may just have added a
    /// reference. It runs in the same transaction, before the file's row is deleted. It is not called when a whole account is deleted,
    /// because the feature's own rows are deleted then too.
    package let willErase: @Sendable (_ id: String, _ owner: String, _ tx: WriteTransaction) throws -> Void

    package init(willErase: @escaping @Sendable (_ id: String, _ owner: String, _ tx: WriteTransaction) throws -> Void) {
        self.willErase = willErase
    }
}
