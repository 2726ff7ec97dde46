import Core
import HTTPServer
import NIOCore
import Synchronization

/// How many bytes of one response are in memory at a time: one piece, from the read until it has left for the network. The piece grows
/// while the client takes pieces quickly, and shrinks when it does not. A slow client costs little memory; a fast client gets large reads.
struct AnswerWindow {
    /// Bytes that every response may hold without a share of the budget. So each of the `ChannelLimits.answers` responses makes progress,
    /// even if slowly.
    static let least = 4 * 1_024
    /// When a piece leaves within this time, the next one is twice as large.
    static let quick = TimeAmount.milliseconds(50)
    /// When a piece takes longer than this, the next one is half as large.
    static let slow = TimeAmount.milliseconds(400)

    private let most: Int
    /// The size at which growing starts and shrinking ends.
    private let start: Int
    /// How many copies of a byte are in memory: with TLS two, the plain and the encrypted one.
    private let copyCount: Int
    private let answers: AnswersInFlight
    private let slot: AnswersInFlight.Slot
    private let connection: Connection?
    private let connectionByteCount: Int
    private var wanted: Int
    /// Bytes of the budget and of the connection's window that this response holds.
    private var granted = 0
    private var isShort = false
    /// Whether the next piece may have the largest size, as for a client that takes pieces quickly.
    var isLargest: Bool { wanted == most }

    init(_ slot: AnswersInFlight.Slot, _ answers: AnswersInFlight, _ connection: Connection?, _ limits: ChannelLimits) {
        self.slot = slot
        self.answers = answers
        self.connection = connection
        let isSecure = connection?.isSecure ?? false
        let isHTTP2 = connection?.isHTTP2 ?? false
        copyCount = isSecure ? 2 : 1
        connectionByteCount = limits.connectionAnswerByteCount
        most = isHTTP2 ? limits.http2PieceByteCount : isSecure ? limits.framedPieceByteCount : limits.pieceByteCount
        // Over HTTP/2, begin with a small piece. A client may close a stream's window from the start, and may open a hundred such streams.
        // A socket of HTTP/1.1 always takes some bytes.
        start = limits.firstPieceByteCount
        wanted = isHTTP2 ? start : min(most, 4 * start)
    }

    /// The size of the next piece: from 1 to `remaining` bytes.
    mutating func pieceByteCount(remaining: Int64) -> Int {
        let want = Int(min(Int64(wanted), remaining))
        if want > Self.least, want * copyCount > granted, !grow(to: want), want > start { _ = grow(to: start) }
        let size = min(want, max(granted / copyCount, Self.least))
        note(isShort: size < want && size < start)
        return size
    }

    /// Reserves memory for a body of `byteCount` that is written in one piece.
    /// - Returns: whether the budgets allow it.
    mutating func takeWhole(_ byteCount: Int) -> Bool { grow(to: byteCount) }

    /// Records that a piece has left, and adapts the size of the next one.
    mutating func left(after time: TimeAmount) {
        if time < Self.quick {
            wanted = min(wanted * 2, most)
        } else if time > Self.slow, wanted > start {
            wanted = max(wanted / 2, start)
            giveBack(max(0, granted - wanted * copyCount))
        }
    }

    /// Returns all the memory that the response holds. Call this when no piece is in memory any more.
    mutating func close() {
        giveBack(granted)
        note(isShort: false)
    }

    private mutating func grow(to byteCount: Int) -> Bool {
        let more = byteCount * copyCount - granted
        guard more > 0 else { return true }
        if let connection {
            let held = connection.answerByteCount.add(more, ordering: .relaxed).newValue
            guard held <= connectionByteCount else {
                connection.answerByteCount.subtract(more, ordering: .relaxed)
                return false
            }
        }
        do {
            try slot.bytes.grow(by: more)
        } catch {
            connection?.answerByteCount.subtract(more, ordering: .relaxed)
            return false
        }
        granted += more
        return true
    }

    private mutating func giveBack(_ byteCount: Int) {
        guard byteCount > 0 else { return }
        granted -= byteCount
        slot.bytes.shrink(by: byteCount)
        connection?.answerByteCount.subtract(byteCount, ordering: .relaxed)
    }

    private mutating func note(isShort: Bool) {
        guard isShort != self.isShort else { return }
        self.isShort = isShort
        answers.countShort(isShort ? 1 : -1)
    }
}
