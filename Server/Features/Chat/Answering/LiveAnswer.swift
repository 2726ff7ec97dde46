import Synchronization

/// An answer that this node writes. Requests read the pieces from here, before they are stored.
final class LiveAnswer: Sendable {
    /// The longest answer, in bytes; a longer one is cut short.
    static let byteLimit = 400_000
    /// The longest piece, in bytes. A longer piece from a model is split.
    static let pieceByteCount = 8 * 1_024

    private struct State {
        var texts: [String] = []
        var byteCount = 0
        /// How many pieces are stored.
        var storedCount = 0
        /// The user may have stopped the answer.
        var shallLook = false
    }

    let message: StoredMessage
    private let state = Mutex(State())

    init(_ message: StoredMessage) { self.message = message }

    /// The answer has reached its greatest length.
    struct Full: Error {}

    /// - Parameter text: text from a model. It may contain U+0000, which is left out, because no database stores it.
    /// - Throws: `Full`; the piece is then cut.
    func append(_ text: String) throws(Full) {
        let text = ChatRules.storable(text)
        let isFull = state.withLock { state in
            let rest = Self.byteLimit - state.byteCount
            let isFull = text.utf8.count > rest
            // The text is cut between characters, not within one.
            let cut = isFull ? String(decoding: text.utf8.prefix(rest), as: UTF8.self).dropLast() : text[...]
            state.texts += Self.pieces(of: cut.utf8)
            state.byteCount += cut.utf8.count
            return isFull
        }
        if isFull { throw Full() }
    }

    private static func pieces(of text: Substring.UTF8View) -> [String] {
        var (pieces, rest) = ([String](), Array(text)[...])
        while !rest.isEmpty {
            var end = min(rest.startIndex + pieceByteCount, rest.endIndex)
            // A piece does not end within a character's bytes.
            while end < rest.endIndex, rest[end] & 0xC0 == 0x80 { end -= 1 }
            pieces.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[end...]
        }
        return pieces
    }

    /// The next pieces. It stops at the piece that brings them to `ChatStore.progressByteCount` bytes.
    /// - Parameter index: the number of pieces that the reader has.
    func read(after index: Int) -> [String] { state.withLock { ChatStore.beginning(of: $0.texts.dropFirst(index)) } }

    var texts: [String] { state.withLock { $0.texts } }

    var byteCount: Int { state.withLock { $0.byteCount } }

    var whole: String { state.withLock { $0.texts.joined() } }

    /// Pieces that are not stored yet, and the number of the first, from 1.
    var unstored: (texts: [String], first: Int64) {
        state.withLock { (Array($0.texts.dropFirst($0.storedCount)), Int64($0.storedCount) + 1) }
    }

    func noteStored(_ count: Int) { state.withLock { $0.storedCount += count } }

    /// Call this when the user may have stopped the answer. The writer then reads the answer's row soon.
    func look() { state.withLock { $0.shallLook = true } }

    func takeLook() -> Bool {
        state.withLock { state in
            defer { state.shallLook = false }
            return state.shallLook
        }
    }
}
