package import Database

extension MediaLibrary {
    /// Called for every deleted file, whether or not the feature uses it, in the transaction that deletes it and before the file's row is
    /// deleted. Not called when a whole account is deleted.
    /// - Returns: bytes by which the owner's rows have grown, negative when they have shrunk. The library counts them against the quota.
    package typealias Erasure = @Sendable (_ id: String, _ owner: String, _ tx: WriteTransaction) throws -> Int64

    /// Called before a write that deletes files: when the owner deletes a file through the library, and by `prepareErasing`. A feature with
    /// very many references to the files can drop most of them here, in short writes of its own. The write that deletes the files may still
    /// fail.
    package typealias Preparation = @Sendable (_ ids: [String], _ owner: String) async throws -> Void

    /// Call it before the transaction of a write that erases or replaces files. Very many captures may refer to each file, and a write that
    /// changed all of them would delay all other writes. These captures lose the file even if the write fails, so first check that the
    /// account may erase the files.
    /// - Parameter ids: all files of the write that belong to the owner.
    package func prepareErasing(_ ids: [String], owner: String) async throws { try await store.erasures.prepare(ids, owner) }

    /// Registers a preparation. Call it in the feature's initializer, before any request is served.
    /// - Parameter make: makes the preparation; gets a library for it, as in `beforeErasing`.
    package func beforeDeleting(_ make: (_ library: MediaLibrary) -> Preparation) {
        var own = store
        own.erasures = FileErasures()
        store.erasures.add(preparation: make(MediaLibrary(store: own, presenter: presenter, identifiers: identifiers)))
    }

    /// Registers what a feature does when a file is deleted. Call it in the feature's initializer, before any request is served.
    /// - Parameter make: makes the erasure; gets a library for it. The erasure must use this library and not the feature's own, which
    ///   refers to the erasure. Otherwise the two would never be released.
    package func beforeErasing(_ make: (_ library: MediaLibrary) -> Erasure) {
        var own = store
        own.erasures = FileErasures()
        store.erasures.add(make(MediaLibrary(store: own, presenter: presenter, identifiers: identifiers)))
    }
}
