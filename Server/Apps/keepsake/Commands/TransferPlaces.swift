import Blobs
import Core
import Foundation
import S3Blobs
import Transfer

/// Reads the places of `keepsake copy`, `backup` and `restore` that the settings do not contain.
struct TransferPlaces {
    var environment = ProcessInfo.processInfo.environment

    /// The keys of an object store. They are in variables such as `KEEPSAKE_BACKUP_AWS_ACCESS_KEY_ID`. If these are not set, the variables
    /// without `KEEPSAKE_BACKUP_` count, which the server uses too.
    private func keys(_ prefix: String) -> [String: String] {
        var keys: [String: String] = [:]
        for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] {
            keys[name] = environment["KEEPSAKE_\(prefix)_\(name)"] ?? environment[name]
        }
        // A session token belongs to one pair of keys, so read it from the same variables as the keys.
        let isOwn = environment["KEEPSAKE_\(prefix)_AWS_ACCESS_KEY_ID"] != nil
        keys["AWS_SESSION_TOKEN"] = environment[isOwn ? "KEEPSAKE_\(prefix)_AWS_SESSION_TOKEN" : "AWS_SESSION_TOKEN"]
        return keys
    }

    /// - Parameter prefix: the part of the variables' names that says whose keys they hold, `FROM` or `TO`.
    func blobs(_ text: String, _ name: String, keys prefix: String) throws -> BlobAddress {
        do {
            return try BlobAddress(text, environment: keys(prefix))
        } catch {
            throw Settings.Wrong(description: "\(name) \(error)")
        }
    }

    /// - Parameters:
    ///   - text: a folder, or `s3://BUCKET?…`.
    ///   - creating: whether to create a folder that does not exist.
    func repository(_ text: String, creating: Bool = false, clock: WallClock = .system) async throws -> BackupRepository {
        guard text.hasPrefix("s3:") else {
            let folder = text.hasPrefix("file:") ? String(text.dropFirst(5)) : text
            guard !folder.isEmpty else { throw Settings.Wrong(description: "the place for backups must be a folder or s3://BUCKET?…") }
            return BackupRepository(try await BackupFolder.open(folder, creating: creating), clock: clock)
        }
        do {
            let (address, credentials) = (try S3Address(text), try S3Credentials(environment: keys("BACKUP")))
            return BackupRepository(
                BackupBucket(address, credentials, clock: clock, logger: .silent),
                clock: clock)
        } catch {
            throw Settings.Wrong(description: "the place for backups \(error)")
        }
    }
}
