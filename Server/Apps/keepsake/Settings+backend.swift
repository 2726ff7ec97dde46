import Blobs
import Core
import DatabaseEngines
import Foundation
import HTTPServer
import Logging
import Nodes
import S3Blobs
import Web

extension Settings {
    func openBlobs(
        _ mode: Backend.Mode, clock: WallClock, entropy: Entropy, metrics: Metrics, logger: Logger
    ) async throws -> any BlobStore {
        var options = BlobAddress.Options(scratchFolder: dataFolder + "/scratch")
        options.removingLeftovers = mode == .serving
        options.keptOpen = mode == .serving ? channelLimits.openFiles : 0
        options.keptFree = BlobLimits.keptFree
        options.observe = { metrics.count($0) }
        do {
            return try await blobs.open(options, clock: clock, entropy: entropy, logger: logger)
        } catch BlobError.system(operation: let operation, code: let code) where code == EACCES || code == EPERM {
            // If this user may not use a folder or file, this throws an error that names it, its owner and the user.
            try requireFileAccess()
            throw BlobError.system(operation: operation, code: code)
        }
    }

    /// The folder for copies of an object store's blobs, which programs need that read files.
    var copiesFolder: String { dataFolder + "/copies" }

    /// The origin of links to the object store; `nil` when clients get no such links.
    var redirectOrigin: String? {
        guard blobsRedirect, case .s3(let address, _) = blobs else { return nil }
        return address.origin
    }

    /// Warnings about settings that do not work when several nodes share the database.
    var warningsForSeveralNodes: [String] {
        var warnings: [String] = []
        if case .file = blobs {
            warnings.append(
                "several nodes share the database, but KEEPSAKE_BLOBS is a folder: only the node that received a file can read it")
        }
        if publicURL == nil {
            warnings.append(
                "several nodes share the database, but KEEPSAKE_PUBLIC_URL is not set: links lead to the node that made them")
        }
        return warnings
    }

    /// Decides whether this node may collect garbage. Nodes share a bucket, so one of them lists it and deletes what is unused. A folder
    /// belongs to one node.
    func garbageTurn(_ turns: Turns) -> BlobGarbageCollector.Turn {
        switch blobs {
        case .file: { _, _ in true }
        case .s3: { work, pause in try await turns.take(work, every: pause) }
        }
    }

    /// A file that no decoder may be able to read: the SQLite database, or with PostgreSQL the lock file in the data folder.
    var probedFile: String {
        if case .sqlite(let path) = database { return path }
        return dataFolder + "/keepsake.lock"
    }
}
