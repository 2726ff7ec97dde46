import Database

@testable import Media
@testable import keepsake

extension TestServer {
    var copies: VariantMaker { backend.media.variants }

    /// Pauses the storage of smaller copies: copies that were sent stay in memory until `storeCopies`.
    func holdCopies() async { await copies.storage.pause() }

    func storeCopies() async throws {
        await copies.storage.resume()
        try await settleCopies()
    }

    /// Waits until all smaller copies that were sent are also stored.
    func settleCopies() async throws { try await eventually { await copies.pendingCount == 0 } }

    /// The number of stored copies.
    func storedCopyCount() async throws -> Int {
        try await backend.database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM media_variant")!.get("n", as: Int.self) }
    }
}
