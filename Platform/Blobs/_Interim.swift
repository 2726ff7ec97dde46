package import Core
import Crypto
package import Database
import Foundation
package import Logging
import ServiceLifecycle

package struct BlobLedger: Sendable { package init(clock: WallClock) {}
    package static let migrations = [Migration("blobs/001-blob", ["CREATE TABLE blob (key TEXT COLLATE \"C\" PRIMARY KEY, owner TEXT, sha256 TEXT, byte_count BIGINT, refs BIGINT)"])]
    package struct Adoption { package let key: BlobKey; package let isSurplus: Bool }
    package func adopt(_ s: StagedBlob, owner: String, _ tx: WriteTransaction) throws -> Adoption {
        if let r = try tx.row("UPDATE blob SET refs = refs + 1 WHERE owner = \(owner) AND sha256 = \(s.sha256) AND byte_count = \(s.byteCount) AND refs > 0 RETURNING key") { return Adoption(key: try r.get("key"), isSurplus: true) }
        try tx.run("INSERT INTO blob VALUES (\(s.key), \(owner), \(s.sha256), \(s.byteCount), 1)"); return Adoption(key: s.key, isSurplus: false) }
    package func release(_ k: BlobKey, _ tx: WriteTransaction) throws { try tx.run("UPDATE blob SET refs = refs - 1 WHERE key = \(k)") } }
package struct BlobAudit: Sendable { package init(database: any Database, store: LocalBlobStore, references: [SQL], clock: WallClock) {}
    package struct Report: Sendable { package var problems: [String] = []; package var blobCount = 0; package var byteCount = 0; package var orphanCount = 0 }
    package func run(_ p: @Sendable (Int64, Int64) -> Void) async throws -> Report { Report() } }
package struct BlobJanitor: Service { package init(database: any Database, store: LocalBlobStore, ledger: BlobLedger, clock: WallClock, logger: Logger) {}
    func run() async throws { try await gracefulShutdown() } }
