package import Database

/// Reads the sizes of all stored files, page by page, for the metrics page.
package struct StoredSizes: Sendable {
    /// One file.
    package struct Row: Sendable {
        /// The file's position in the list. Pass it as `after` to read the next page.
        package let key: [String]
        /// One of `kinds`.
        package let kind: String
        package let byteCount: Int64
    }

    package static let kinds = ["image", "video", "audio", "document"]
    private let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// The files that people sent.
    /// - Parameter key: the last row's key; empty for the first page.
    package func originals(after key: [String], limit: Int) async throws -> [Row] {
        try await database.list(Self.originals(after: key, limit: limit)) { row in
            let id: String = try row.next("id")
            let type: String = try row.next("type")
            return Row(key: [id], kind: Self.kind(of: type), byteCount: try row.next("byte_count"))
        }
    }

    /// The smaller copies that the server made. Their `kind` is that of the copy, not of the original.
    /// - Parameter key: the last row's key; empty for the first page.
    package func copies(after key: [String], limit: Int) async throws -> [Row] {
        try await database.list(Self.copies(after: key, limit: limit)) { row in
            let parent: String = try row.next("parent")
            let spec: String = try row.next("spec")
            let type: String = try row.next("type")
            return Row(key: [parent, spec], kind: Self.kind(of: type), byteCount: try row.next("byte_count"))
        }
    }

    private static func kind(of type: String) -> String {
        let family = String(type.prefix { $0 != "/" })
        return kinds.contains(family) ? family : "document"
    }

    static func originals(after key: [String], limit: Int) -> SQL {
        "SELECT id, type, byte_count FROM media WHERE id > \(key.first ?? "") ORDER BY id LIMIT \(limit)"
    }

    static func copies(after key: [String], limit: Int) -> SQL {
        let (parent, spec) = key.count == 2 ? (key[0], key[1]) : ("", "")
        return """
            SELECT parent, spec, type, byte_count FROM media_variant WHERE (parent, spec) > (\(parent), \(spec))
            ORDER BY parent, spec LIMIT \(limit)
            """
    }
}
