import Core
import HTTPServer
import NIOCore
import Synchronization

/// How many bytes of one answer are in memory at a time: one piece, from the disk until it has left for the network. The piece grows
/// while the client takes it at once and shrinks when it does not, so a slow client costs little, and a fast one gets large reads.
struct AnswerWindow {
    /// What every answer may have without asking: with it each of `ChannelLimits.answers` goes on, if slowly.
    static let least = 4 * 1_024
    /// A piece that leaves within this time is followed by one twice as large.
    private static let quick = TimeAmount.milliseconds(50)
    /// A piece that takes longer is followed by one half as large.
    private static let slow = TimeAmount.milliseconds(400)

    private let most: Int
    /// Where growing starts, and where shrinking ends.
    private let start: Int
    /// How often a byte lies in memory: with TLS once as it was read and once encrypted.
    private let copyCount: Int
    private let answers: AnswersInFlight
    private let place: AnswersInFlight.Place
    private let connection: Connection?
    private let connectionByteCount: Int
    private var wanted: Int
    /// Bytes of the budget and of the connection's window that pieces may use.
    private var granted = 0
    private var isShort = false

    init(_ place: AnswersInFlight.Place, _ answers: AnswersInFlight, _ connection: Connection?, _ limits: ChannelLimits) {
        self.place = place
        self.answers = answers
        self.connection = connection
        let isSecure = connection?.isSecure ?? false
        let isHTTP2 = connection?.isHTTP2 ?? false
        copyCount = isSecure ? 2 : 1
        connectionByteCount = limits.connectionAnswerByteCount
        most = isSecure || isHTTP2 ? limits.framedPieceByteCount : limits.pieceByteCount
        // A stream's window may be shut from the start, and one client may open a hundred of them. A socket takes some bytes always.
        start = limits.firstPieceByteCount
        wanted = isHTTP2 ? start : min(most, 4 * start)
    }

    /// The size of the next piece, 1 or more, `remaining` at most.
    mutating func pieceByteCount(remaining: Int64) -> Int {
        let want = Int(min(Int64(wanted), remaining))
        if want > Self.least, want * copyCount > granted, !grow(to: want), want > start { _ = grow(to: start) }
        let size = min(want, max(granted / copyCount, Self.least))
        note(isShort: size < want && size < start)
        return size
    }

    /// A piece has left.
    mutating func left(after time: TimeAmount) {
        if time < Self.quick {
            wanted = min(wanted * 2, most)
        } else if time > Self.slow, wanted > start {
            wanted = max(wanted / 2, start)
            giveBack(max(0, granted - wanted * copyCount))
        }
    }

    /// No piece is in memory any more.
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
            try place.bytes.grow(by: more)
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
        place.bytes.shrink(by: byteCount)
        connection?.answerByteCount.subtract(byteCount, ordering: .relaxed)
    }

    private mutating func note(isShort: Bool) {
        guard isShort != self.isShort else { return }
        self.isShort = isShort
        answers.countShort(isShort ? 1 : -1)
    }
}
