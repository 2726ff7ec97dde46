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

    static func key(ofBlob name: String) -> BlobKey? { name.split(separator: "/").last.flatMap { BlobKey($0) } }

    static func description(_ snapshot: String) -> String { "\(snapshots)\(snapshot)/snapshot" }

    static func rows(_ table: String, _ snapshot: String) -> String { "\(snapshots)\(snapshot)/rows/\(table).rows" }

    static func deletions(_ id: String) -> String { deletions + id }
}
