import Foundation
import KeepsakeWire

/// A capture that the server has finished.
public struct ProcessedCapture: Sendable, Equatable {
    public var captureId: String
    /// The user's day, `2026-12-31`.
    public var date: String
    /// The event's number.
    public var seq: Int64
}

/// A stream of captures as the server finishes them, for one consumer.
public struct ProcessedCaptures: AsyncSequence, Sendable {
    public enum Element: Sendable, Equatable {
        case processed(ProcessedCapture)
        /// Some may have been missed: read all captures again.
        case reset(seq: Int64)
    }

    let base: EventStream

    public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream.Iterator

        /// - Throws: as `EventStream`.
        public mutating func next() async throws -> ProcessedCaptures.Element? {
            while let message = try await base.next() {
                switch message {
                case .reset(let seq): return .reset(seq: seq)
                case .event(let event):
                    guard event.type == "capture.processed", case .object(let data) = event.data, case .string(let id) = data["id"],
                        case .string(let date) = data["date"]
                    else { continue }
                    return .processed(ProcessedCapture(captureId: id, date: date, seq: event.seq))
                }
            }
            return nil
        }
    }
}
