import Foundation
import KeepsakeWire
import Testing

@testable import KeepsakeKit

@Suite("KeepsakeKit's streams of live events", .timeLimit(.minutes(1)))
struct EventSubscriberTests {
    @Test("a consumer that does not read gets a reset instead of an unbounded list, and then what follows")
    func slowConsumer() async throws {
        let subscriber = EventSubscriber(since: 0, onEnd: {})
        let capacity = Int64(EventSubscriber.capacity)
        func event(_ seq: Int64) -> LiveEvent { LiveEvent(seq: seq, type: "t", at: Date(timeIntervalSince1970: 0), data: .null) }
        for seq in 1...capacity + 2 { subscriber.offer(event(seq)) }
        #expect(try await subscriber.next() == .reset(seq: capacity + 1))
        #expect(try await subscriber.next() == .event(event(capacity + 2)))
        // An event that the consumer has seen does not come again.
        subscriber.offer(event(capacity + 2))
        subscriber.finish(nil)
        #expect(try await subscriber.next() == nil)
    }
}
