package import Database

extension MediaLibrary {
    /// Called for every deleted file, whether or not the feature uses it, in the transaction that deletes it and before the file's row is
    /// deleted. Not called when a whole account is deleted.
    /// - Returns: bytes by which the owner's rows have grown, negative when they have shrunk. The library counts them.
    package typealias Erasure = @Sendable (_ id: String, _ owner: String, _ tx: WriteTransaction) throws -> Int64

    /// Registers what a feature does with every file that is deleted. For the feature's initializer, before any request is served.
    /// - Parameter make: gets a library to use in the erasure. The feature's own library refers to the erasure, so an erasure that refers to
    ///   that one would never be released.
    package func beforeErasing(_ make: (_ library: MediaLibrary) -> Erasure) {
        var own = store
        own.erasures = FileErasures()
        store.erasures.add(make(MediaLibrary(store: own, presenter: presenter, identifiers: identifiers)))
    }
}
