import Core
import Database
import FeatureKit
import Foundation
import Live
import Logging
import Outbound
import Web

@testable import Blobs

extension FeatureContext {
    /// A context for a feature that stores rows but no files. Tests use it to create a feature themselves; the server makes its contexts
    /// from `FeaturePlatform`.
    static func forTests(_ database: any Database, clock: WallClock) -> FeatureContext {
        let publicURL: @Sendable () -> String = { "https://keepsake.example" }
        let signer = Signer(key: Entropy.system.bytes(32))
        return FeatureContext(
            database: database, gate: UploadGate(store: NoBlobs()), ledger: BlobLedger(clock: clock), events: EventLog(clock: clock),
            hub: Hub(database: database, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
            identifiers: Identifiers(clock: clock, entropy: .system),
            links: SignedLinks(publicURL: publicURL, signer: signer, lifetimeDays: 7, clock: clock), cursors: Cursors(signer: signer),
            outbound: OutboundHTTP(.production), timeZone: .gmt, publicURL: publicURL, settings: FeatureSettings(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
}

/// A blob store that refuses every call, so that a feature fails if it uses files although it must not.
private struct NoBlobs: BlobStore {
    func stage(isResumable: Bool) async throws -> any BlobWriter { throw BlobError.closed }
    func stage(as key: BlobKey) async throws -> any BlobWriter { throw BlobError.closed }
    func resume(_ checkpoint: BlobCheckpoint) async throws -> any BlobWriter { throw BlobError.closed }
    func publish(_ staged: [StagedBlob]) async throws { throw BlobError.closed }
    func open(_ key: BlobKey) async throws -> any BlobReader { throw BlobError.closed }
    func openStaged(_ key: BlobKey) async throws -> any BlobReader { throw BlobError.closed }
    func delete(_ key: BlobKey) async throws { throw BlobError.closed }
    func list(olderThan limit: Timestamp?) -> BlobListing { BlobListing { NoEntries() } }
    func removeLeftovers(olderThan limit: Timestamp) async throws -> Int { throw BlobError.closed }
    func freeByteCount() async throws -> Int64 { throw BlobError.closed }
}

private final class NoEntries: BlobSource {
    func next() async throws -> [BlobListing.Entry]? { nil }
}
