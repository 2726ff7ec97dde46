import Synchronization

/// An answer that this node writes. Its readers take the pieces from here, before they are stored.
final class LiveAnswer: Sendable {
    /// The longest answer, in bytes; a longer one is cut short.
    static let byteLimit = 400_000
    /// A piece from a model that is longer, in bytes, becomes several.
    static let pieceByteCount = 8 * 1_024

    private struct State {
        var texts: [String] = []
        var byteCount = 0
        /// Pieces that are stored.
        var storedCount = 0
        /// The user may have stopped the answer.
        var shallLook = false
    }

    let message: StoredMessage
    private let state = Mutex(State())

    init(_ message: StoredMessage) { self.message = message }

    /// The answer is as long as it may become.
    struct Full: Error {}

    /// - Parameter text: from a model, so it may contain U+0000. The answer leaves that out, because no database stores it.
    /// - Throws: `Full`; the piece is then cut.
    func append(_ text: String) throws(Full) {
        let text = ChatRules.storable(text)
        let isFull = state.withLock { state in
            let rest = Self.byteLimit - state.byteCount
            let isFull = text.utf8.count > rest
            // The text is cut between characters, because half a character is none.
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

    /// The next pieces, up to the one with which they are `ChatStore.progressByteCount` long.
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

    /// The user may have stopped the answer: read its row soon.
    func look() { state.withLock { $0.shallLook = true } }

    func takeLook() -> Bool {
        state.withLock { state in
            defer { state.shallLook = false }
            return state.shallLook
        }
    }
}
