import Blobs
import Core
import Database
import DatabaseEngines
import Foundation
import Installation
import S3Blobs

extension Settings {
    /// Why a request gets 507, for the log: which disk is full, and how much is free there.
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

    private static func free(_ folder: String) -> String {
        guard let disk = InstallationGauges.disk(of: folder) else { return "an unknown amount free" }
        return "\(SizeText.rounded(disk.free)) free"
    }
}
