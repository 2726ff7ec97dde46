package import Database

/// A room whose rows show files of the library. The library does not know it; it tells when a file goes.
package struct FileUse: Sendable {
    /// Called for every file that is taken away, whether or not the room shows it, in the same transaction and before the file's row is
    /// deleted, which somebody else may have done just now. Not called when a whole account ends: then the room's rows go too.
    package let willErase: @Sendable (_ id: String, _ owner: String, _ tx: WriteTransaction) throws -> Void

    package init(willErase: @escaping @Sendable (_ id: String, _ owner: String, _ tx: WriteTransaction) throws -> Void) {
        self.willErase = willErase
    }
}
