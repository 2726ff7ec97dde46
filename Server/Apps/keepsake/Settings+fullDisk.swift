import Blobs
import Core
import Database
import DatabaseEngines
import Foundation
import Installation
import S3Blobs

extension Settings {
    /// Why a request is answered with 507, for the log: which disk is full, and how much is free there.
    /// - Parameter error: `DatabaseError.full` or `BlobError.full`.
    func explainFull(_ error: any Error) -> String {
        if case DatabaseError.full = error {
            guard case .sqlite(let path) = database else { return "the disk of the PostgreSQL server is full" }
            let folder = URL(filePath: path).deletingLastPathComponent().path
            return "the disk of the database is full: \(folder) has \(Self.free(folder))"
        }
        switch blobs {
        case .file(let folder):
            let kept = SizeText.limit(BlobLimits.keptFree)
            return "the disk of the files is full: \(folder) has \(Self.free(folder)); files leave \(kept) free"
        case .s3(let bucket, _):
            return "the bucket \(bucket.bucket) is full, or the disk of \(dataFolder), which has \(Self.free(dataFolder))"
        }
    }

    /// - Parameter mode: the mode of the server or command that found the disk full.
    /// - Returns: if `error` is about a full disk, a `FullDisk` with advice; otherwise `error` itself.
    func explainingFull(_ error: any Error, _ mode: Backend.Mode = .tool) -> any Error {
        switch error {
        case DatabaseError.full, BlobError.full: return FullDisk(reason: explainFull(error), advice: Self.advice(mode))
        default: return error
        }
    }

    /// Takes the lock of the data folder, so that no other server uses it.
    func takeLock() throws -> StoreLock {
        do {
            return try StoreLock.take(in: dataFolder)
        } catch BlobError.full {
            throw FullDisk(
                reason: "the disk of the data folder is full: \(dataFolder) has \(Self.free(dataFolder))", advice: Self.advice(.serving))
        }
    }

    private static func advice(_ mode: Backend.Mode) -> String {
        guard mode == .serving else { return "free a few MB there and run the command again" }
        let ready = SizeText.limit(BlobLimits.ready)
        return "free some space there and start the server again: a few MB are enough to start, \(ready) for uploads"
    }

    private static func free(_ folder: String) -> String {
        guard let disk = InstallationGauges.disk(of: folder) else { return "an unknown amount free" }
        return "\(SizeText.rounded(disk.free)) free"
    }
}
