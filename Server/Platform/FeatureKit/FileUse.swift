package import Database

/// How a feature whose rows refer to files of the library drops these references. The library does not know the feature; it calls this when
/// a file is deleted.
package struct FileUse: Sendable {
    /// Called for every file that is deleted, whether or not the feature refers to it, in the same transaction and before the file's row is
    /// deleted, which another request may have done just now. Not called when a whole account is deleted: then the feature's rows go too.
    package let willErase: @Sendable (_ id: String, _ owner: String, _ tx: WriteTransaction) throws -> Void

    package init(willErase: @escaping @Sendable (_ id: String, _ owner: String, _ tx: WriteTransaction) throws -> Void) {
        self.willErase = willErase
    }
}
