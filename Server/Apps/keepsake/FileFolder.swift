import Blobs
import Core
import Database
import DatabaseEngines
import Foundation
import Logging
import S3Blobs
import Transfer

/// Checks that keep an installation from storing its files in a mistyped folder, or in the folder of another installation. They use a mark,
/// a file in the folder with the installation's id. Buckets have no mark, because a server must be able to start while its object store is
/// unavailable.
extension BlobAddress {
    /// - Parameters:
    ///   - installation: the id of the installation whose files are in the folder, or will be.
    ///   - setting: the name of the setting that gives the address, as the operator wrote it.
    /// - Throws: `Settings.Wrong` when another installation has marked the folder.
    func requireMark(_ installation: String, setBy setting: String) throws {
        guard case .file(let folder) = self else { return }
        guard let found = try StoreMark(in: folder).read(), found != installation else { return }
        throw Self.foreign(folder, setting)
    }

    /// Marks the folder as the installation's.
    func mark(as installation: String) throws {
        guard case .file(let folder) = self, try StoreMark(in: folder).read() != installation else { return }
        try StoreMark(in: folder).write(installation)
    }

    /// - Parameter isNew: whether the database is empty. In that case, the folder may also belong to this installation, and the database
    ///   was lost.
    static func foreign(_ folder: String, _ setting: String, isNew: Bool = false) -> Settings.Wrong {
        let lost = "If it is this one, and its database is lost, restore a backup with keepsake restore"
        return Settings.Wrong(
            description: """
                \(setting): the folder of the files, \(folder), belongs to another installation, which \(StoreMark(in: folder).path) names; \
                choose another folder, or delete that file if the other installation is gone\(isNew ? ". \(lost)" : "")
                """)
    }
}

extension Settings {
    /// Checks that the folder of the files belongs to this installation. Call it before the folder is opened, because opening creates it.
    /// - Parameter isNew: whether the installation begins now.
    /// - Throws: `Wrong` when the folder belongs to another installation; `.unavailable` when the folder has neither a mark nor any of the
    ///   files that the database names: then its path is mistyped, or its disk is not mounted.
    func requireOwnFiles(_ database: any Database, isNew: Bool) async throws {
        guard case .file(let folder) = blobs else { return }
        let mark = try StoreMark(in: folder).read()
        let installation = try await isNew ? nil : Self.installation(of: database)
        if let mark, mark == installation { return }
        // An installation from an older version has no id until it serves or is backed up.
        if mark != nil, isNew || installation != nil { throw BlobAddress.foreign(folder, placeNames.blobs, isNew: isNew) }
        guard !isNew else { return }
        let known = try await Self.someFiles(of: database)
        if known.contains(where: { FileManager.default.fileExists(atPath: "\(folder)/blobs/\($0.text.prefix(2))/\($0.text)") }) { return }
        if mark != nil { throw BlobAddress.foreign(folder, placeNames.blobs) }
        guard !known.isEmpty else { return }
        throw missing(folder, installation)
    }

    private func missing(_ folder: String, _ installation: String?) -> Problem {
        let last = installation.map { "; if they are lost for good, write \($0) into \(StoreMark(in: folder).path) to go on without them" }
        // Only with PostgreSQL can there be another node.
        let node: String? =
            if case .postgres = database {
                """
                . If this is a second node of the database, it cannot use a folder of its own: all nodes need one bucket, \
                KEEPSAKE_BLOBS=s3://…, see docs/operations/nodes.md
                """
            } else { nil }
        return Problem(
            .unavailable,
            """
            \(placeNames.blobs): the folder \(folder) has none of the installation's files, which the database names; correct the folder, \
            mount its disk, or restore a backup\(last ?? "")\(node ?? "")
            """)
    }

    /// Marks the folder of the files. A server calls it before it serves. It also marks the folder of an installation from an older
    /// version.
    /// - Throws: `Wrong` when the folder belongs to another installation.
    func markFiles(_ database: any Database, _ identifiers: Identifiers, logger: Logger) async throws {
        guard case .file(let folder) = blobs else { return }
        do {
            let installation: String
            if let known = try await Self.installation(of: database) {
                installation = known
            } else {
                // If the database was put back to an earlier state without an id, it gets the id of the mark again.
                let id = try StoreMark(in: folder).read() ?? identifiers.next()
                installation = try await TransferState(database: database, clock: identifiers.clock).installation(candidate: id)
            }
            try blobs.requireMark(installation, setBy: placeNames.blobs)
            try blobs.mark(as: installation)
        } catch BlobError.full {
            logger.warning(
                "the folder of the files could not be marked as this installation's, because its disk is full; the next start marks it",
                metadata: ["folder": "\(folder)"])
        } catch DatabaseError.full {
            logger.warning(
                "the folder of the files could not be marked as this installation's, because the database's disk is full"
            )
        }
    }

    /// - Returns: `nil` when the installation has no id yet.
    private static func installation(of database: any Database) async throws -> String? {
        do {
            return try await TransferState(database: database, clock: .system).knownInstallation()
        } catch DatabaseError.engine {
            // The tables come from a version without ids.
            return nil
        }
    }

    /// A sample of the files that must exist; empty when no file is stored.
    private static func someFiles(of database: any Database) async throws -> [BlobKey] {
        do {
            return try await database.read { tx in
                let entries = try tx.list(BlobLedger.live(after: "", count: 64), BlobLedger.Entry.init)
                return entries.map(\.key)
            }
        } catch DatabaseError.engine {
            return []
        }
    }
}
