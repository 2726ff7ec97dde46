import Blobs

/// The names in a place for backups:
///
///     keepsake-backup                   the installation that is backed up here
///     busy                              exists while a backup or a prune runs
///     blobs/3f/3f…                      the bytes of a file; shared by all snapshots
///     snapshots/ID/rows/TABLE.rows      the rows of a table
///     snapshots/ID/snapshot             the description of the snapshot; written last
///     deletions/TIME                    accounts that were deleted
enum BackupNames {
    static let mark = "keepsake-backup"
    static let busy = "busy"
    static let blobs = "blobs/"
    static let snapshots = "snapshots/"
    static let deletions = "deletions/"

    /// Whether `name` consists of ASCII letters, digits, `-` and `_`, like the ids of snapshots and the names of tables.
    static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 100
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    static func blob(_ key: BlobKey) -> String { "\(blobs)\(key.text.prefix(2))/\(key.text)" }

    /// - Returns: `nil` for a file that is not a blob: other programs may use the same part of a bucket.
    static func key(ofBlob name: String) -> BlobKey? {
        guard let key = name.split(separator: "/").last.flatMap({ BlobKey($0) }), blob(key) == name else { return nil }
        return key
    }

    /// Whether the file is one that a backup into a folder was writing when the backup was killed.
    static func isUnfinished(_ name: String) -> Bool {
        name.split(separator: "/").last?.hasPrefix(BackupFolder.temporary) ?? false
    }

    /// - Returns: the id of the snapshot that the file belongs to, also of an unfinished one; `nil` for another program's file.
    static func snapshot(of name: String) -> String? {
        let parts = name.split(separator: "/")
        let isDescription = parts.count == 3 && (parts[2] == "snapshot" || isUnfinished(name))
        let isTable = parts.count == 4 && parts[2] == "rows" && (parts[3].hasSuffix(".rows") || isUnfinished(name))
        return isDescription || isTable ? String(parts[1]) : nil
    }

    static func description(_ snapshot: String) -> String { "\(snapshots)\(snapshot)/snapshot" }

    static func rows(_ table: String, _ snapshot: String) -> String { "\(snapshots)\(snapshot)/rows/\(table).rows" }

    static func deletions(_ id: String) -> String { deletions + id }
}
