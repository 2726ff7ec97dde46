import Foundation
import KeepsakeWire

/// A capture that the server has finished processing.
public struct ProcessedCapture: Sendable, Equatable {
    public var captureId: String
    /// The day in the user's time zone, for example `2026-12-31`.
    public var date: String
    /// The number of the event that reported the capture.
    public var seq: Int64
}

/// A stream of the captures that the server finishes, for one consumer.
public struct ProcessedCaptures: AsyncSequence, Sendable {
    public enum Element: Sendable, Equatable {
        case processed(ProcessedCapture)
        /// The stream may have missed some captures: read all captures again.
        case reset(seq: Int64)
    }

    let base: EventStream

    public func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator()) }

    public struct Iterator: AsyncIteratorProtocol {
        var base: EventStream.Iterator

        /// - Throws: the same errors as `EventStream`.
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
