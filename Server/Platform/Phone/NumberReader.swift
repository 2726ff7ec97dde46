internal import Core
internal import Foundation

/// Reads the phone numbers of requests. One request may send a thousand. Accounts and networks take turns, a turn reads a few numbers, and
/// the library works on threads that serve no request.
package final class NumberReader: Sendable {
    /// The most texts that are read in one turn. For ordinary numbers a turn takes a few milliseconds.
    static let turnCount = 50

    private let work: FairWork

    package convenience init() {
        self.init(work: FairWork(Self.limits(processors: ProcessInfo.processInfo.activeProcessorCount)))
    }

    /// - Parameter work: limits how many requests read numbers at a time; accounts and networks take turns.
    init(work: FairWork) { self.work = work }

    /// The limits of the turns. Half of the processors stay free.
    static func limits(processors: Int) -> FairSemaphore.Limits {
        let atOnce = max(1, processors / 2)
        return FairSemaphore.Limits(
            permits: atOnce, permitsPerKey: 1, permitsPerNetwork: max(1, atOnce * 3 / 4), waiting: 512, waitingPerKey: 32,
            waitingPerNetwork: 128)
    }

    /// Reads each text as `PhoneNumber.e164` does, in the turns of the current request.
    /// - Parameter caller: the caller's own number in E.164. A text without a country code is read as a number of the same country.
    /// - Returns: for each text its number in E.164; `nil` for a text that is not a number.
    /// - Throws: `.tooManyRequests` when too many requests of the account or network wait; `.unavailable` when too many requests wait in
    ///   total, or when the library cannot be loaded; `CancellationError`.
    package func e164(_ texts: [String], caller: String?) async throws -> [String?] {
        var region: String?
        if let caller { region = try await inTurn { try PhoneNumber.region(of: caller) } }
        var numbers: [String?] = []
        numbers.reserveCapacity(texts.count)
        for start in stride(from: 0, to: texts.count, by: Self.turnCount) {
            let part = Array(texts[start..<min(start + Self.turnCount, texts.count)])
            numbers += try await inTurn { [region] in try part.map { try PhoneNumber.e164($0, region: region) } }
        }
        return numbers
    }

    private func inTurn<T: Sendable>(_ read: @escaping @Sendable () throws -> T) async throws -> T {
        let turn = try await work.turn()
        defer { turn.release() }
        return try await work.compute(read)
    }
}
