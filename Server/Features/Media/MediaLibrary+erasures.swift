package import Database

extension MediaLibrary {
    /// Called for every deleted file, whether or not the feature uses it, in the transaction that deletes it and before the file's row is
    /// deleted. Not called when a whole account is deleted.
    /// - Returns: bytes by which the owner's rows have grown, negative when they have shrunk. The library counts them.
    package typealias Erasure = @Sendable (_ id: String, _ owner: String, _ tx: WriteTransaction) throws -> Int64

    /// Called before a write that deletes files: when the owner deletes one through the library, and by `prepareErasing`. So a feature with
    /// very many references to the files can drop most of them in writes of its own, each of which is short. The write that deletes the
    /// files may still fail.
    package typealias Preparation = @Sendable (_ ids: [String], _ owner: String) async throws -> Void

    /// Call it before a write that erases more than one file, outside of it: captures may name each of the files, and a write that takes the
    /// files from all of them would delay all other writes.
    /// - Parameter ids: all files of the write that belong to the owner.
    package func prepareErasing(_ ids: [String], owner: String) async throws { try await store.erasures.prepare(ids, owner) }

    /// Registers a preparation. For the feature's initializer, before any request is served.
    /// - Parameter make: gets a library, as that of `beforeErasing`.
    package func beforeDeleting(_ make: (_ library: MediaLibrary) -> Preparation) {
        var own = store
        own.erasures = FileErasures()
        store.erasures.add(preparation: make(MediaLibrary(store: own, presenter: presenter, identifiers: identifiers)))
    }

    /// Registers what a feature does with every file that is deleted. For the feature's initializer, before any request is served.
    /// - Parameter make: gets a library to use in the erasure. The feature's own library refers to the erasure, so an erasure that refers to
    ///   that one would never be released.
    package func beforeErasing(_ make: (_ library: MediaLibrary) -> Erasure) {
        var own = store
        own.erasures = FileErasures()
        store.erasures.add(make(MediaLibrary(store: own, presenter: presenter, identifiers: identifiers)))
    }
}
