import Synchronization

/// An answer that this node writes. Its readers take the pieces from here, before they are stored.
final class LiveAnswer: Sendable {
    /// The longest answer, in bytes; a longer one is cut short.
    static let byteLimit = 400_000

    private struct State {
        var texts: [String] = []
        var byteCount = 0
        /// Pieces that are stored.
        var storedCount = 0
        /// A user may have asked for the end.
        var shallLook = false
        var hasEnded = false
    }

    let message: StoredMessage
    private let state = Mutex(State())

    init(_ message: StoredMessage) { self.message = message }

    /// The answer is as long as it may become.
    struct Full: Error {}

    /// - Throws: `Full`; the piece is then cut.
    func append(_ text: String) throws(Full) {
        let isFull = state.withLock { state in
            let rest = Self.byteLimit - state.byteCount
            let isFull = text.utf8.count > rest
            // By characters: half of one is none.
            let cut = isFull ? String(decoding: text.utf8.prefix(rest), as: UTF8.self).dropLast() : text[...]
            if !cut.isEmpty {
                state.texts.append(String(cut))
                state.byteCount += cut.utf8.count
            }
            return isFull
        }
        if isFull { throw Full() }
    }

    /// - Parameter index: the number of pieces that the reader has.
    func read(after index: Int) -> (texts: [String], hasEnded: Bool) {
        state.withLock { (Array($0.texts.dropFirst(index)), $0.hasEnded) }
    }

    var whole: String { state.withLock { $0.texts.joined() } }

    /// Pieces that are not stored yet, and the number of the first, from 1.
    var unstored: (texts: [String], first: Int64) {
        state.withLock { (Array($0.texts.dropFirst($0.storedCount)), Int64($0.storedCount) + 1) }
    }

    func noteStored(_ count: Int) { state.withLock { $0.storedCount += count } }

    /// Somebody may have asked for the end of the answer: look at its row soon.
    func look() { state.withLock { $0.shallLook = true } }

    func takeLook() -> Bool {
        state.withLock { state in
            defer { state.shallLook = false }
            return state.shallLook
        }
    }

    /// Its row says how it ended.
    func end() { state.withLock { $0.hasEnded = true } }
}
