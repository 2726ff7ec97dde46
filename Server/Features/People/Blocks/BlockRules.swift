import Core

/// Pure decisions about blocks.
enum BlockRules {
    /// The most people whom one person can block.
    static let maxBlocks = 10_000

    /// - Throws: `.invalid`, with the field `userId`, if the id is empty or is the caller's own id.
    static func person(_ text: String, by viewer: String) throws -> String {
        guard let id = try TextRules.optionalLine(text, field: "userId", max: 128) else {
            throw Problem(.invalid, "userId must not be empty.", field: "userId")
        }
        guard id != viewer else { throw Problem(.invalid, "You cannot block yourself.", field: "userId") }
        return id
    }
}

extension Problem {
    static let tooManyBlocks = Problem(.conflict, "You can block at most \(BlockRules.maxBlocks) people. Unblock somebody first.")
}
