import Foundation
import TestKit
import Testing

@testable import FeatureTestKit
@testable import KeepsakeKit

/// The progress of an entry, and what a consumer gets that does not read for a while.
extension QueueTests {
    @Test("how much of an entry was sent is told in order, over all of its requests")
    func progress() async throws {
        try await TestServer.run(.sqlite, clock: clock()) { server in
            let fixture = try await QueueFixture(server)
            let film = URL(filePath: fixture.path + "/large.mp4")
            try Film.bytes(2 * 1_048_576).write(to: film)
            let queue = OfflineQueue(try fixture.keepsake(), folder: fixture.queue)
            let upload = try await queue.enqueue(.upload([film]))
            let capsule = try await queue.enqueue(.capsule(fixture.sound, duration: 1))
            let events = await queue.events()
            let reader = Task {
                var fractions: [QueueEntry.ID: [Double]] = [:]
                for await event in events {
                    if case .progress(let id, let fraction) = event { fractions[id, default: []].append(fraction) }
                    if case .sent(let entry, _) = event, entry.id == capsule.id { break }
                }
                return fractions
            }
            try await flushed(queue)
            let fractions = await reader.value
            for entry in [upload, capsule] {
                let told = fractions[entry.id] ?? []
                #expect(!told.isEmpty && told == told.sorted() && told.allSatisfy { 0...1 ~= $0 }, "\(entry.kind): \(told)")
            }
        }
    }

    @Test("a fraction counts the requests before, comes in steps of a hundredth, and replaces one that was not read")
    func fractions() async throws {
        let folder = try TemporaryFolder()
        var entry = StoredEntry(id: "e", server: "s", userID: "u", kind: "capsule", label: "", queuedAt: Date(), byteCount: 400)
        for (index, count) in [300, 100].enumerated() {
            try Data(count: count).write(to: URL(filePath: folder.path + "/body-\(index)"))
            entry.steps.append(.init(method: "POST", path: "/", surface: "capsules", body: "body-\(index)", takes: [:]))
        }
        entry.steps.append(.init(method: "POST", path: "/", surface: "capsules", takes: [:]))
        entry.step = 1
        let (subscribers, subscriber) = (QueueSubscribers(), QueueSubscriber())
        subscribers.add(subscriber)
        let progress = try #require(QueueProgress(of: entry, in: folder.path, subscribers))
        progress.report(0.2)
        #expect(await subscriber.next() == .progress("e", fraction: 0.8))
        progress.report(0.21)
        progress.report(0.4)
        progress.report(1)
        subscribers.offer(.status(.idle))
        #expect(await subscriber.next() == .progress("e", fraction: 1))
        #expect(await subscriber.next() == .status(.idle))
        // The last request has no body.
        entry.step = 2
        #expect(QueueProgress(of: entry, in: folder.path, subscribers) == nil)
    }

    @Test("a consumer that does not read gets a reset instead of an unbounded list")
    func slowConsumer() async throws {
        let subscriber = QueueSubscriber()
        for _ in 0...QueueSubscriber.capacity { subscriber.offer(.status(.idle)) }
        subscriber.offer(.status(.sending))
        var iterator = QueueEvents(subscriber: subscriber).makeAsyncIterator()
        #expect(await iterator.next() == .reset)
        #expect(await iterator.next() == .status(.sending))
    }
}
