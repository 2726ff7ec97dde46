import Foundation
import KeepsakeWire

/// The one connection for all consumers: requests that the server answers when something happens.
actor EventFeed {
    private struct Weak { weak var subscriber: EventSubscriber? }

    private let client: Client
    private var subscribers: [Int: Weak] = [:]
    private var count = 0
    private var loop: Task<Void, Never>?
    private var wait: Task<Void, Never>?
    private var request: Task<EventPage, any Error>?
    /// The number that the next request names; `nil` before the first response.
    private var since: Int64?

    init(client: Client) { self.client = client }

    func subscribe(since start: Int64?) -> EventSubscriber {
        count += 1
        let number = count
        let subscriber = EventSubscriber(since: start) { [weak self] in Task { await self?.leave(number) } }
        subscribers[number] = Weak(subscriber: subscriber)
        if loop == nil {
            since = nil
            loop = Task { await self.run() }
        } else if let start, let current = since, start < current {
            // The others skip what they have seen.
            since = start
            request?.cancel()
        } else if start == nil, let current = since {
            subscriber.start(at: current)
        }
        return subscriber
    }

    private func leave(_ number: Int) {
        subscribers[number] = nil
        if subscribers.isEmpty { stop() }
    }

    private func stop() {
        loop?.cancel()
        request?.cancel()
        wait?.cancel()
        loop = nil
    }

    func reconnect() {
        request?.cancel()
        wait?.cancel()
    }

    private var all: [EventSubscriber] { subscribers.values.compactMap(\.subscriber) }

    private func run() async {
        var failures = 0
        do {
            // All requests belong to one session: a later sign-in must not receive the events of the one before.
            let session = try await sessionID()
            while !Task.isCancelled {
                if since == nil { since = all.compactMap(\.position).min() }
                let asked = since
                let client = client
                let task = Task {
                    // Without a number, only find out the newest one, so that nothing is missed if this response is lost.
                    try await client.send(
                        LiveEndpoints.poll,
                        .init(deadline: .seconds(40), sessionID: session, attemptTimeout: .seconds(40), repeats: false)
                    ) { _ in PollEventsInput(since: asked, wait: asked == nil ? 0 : nil) }
                }
                request = task
                let result = await task.result
                guard !Task.isCancelled else { return }
                switch result {
                case .success(let page):
                    failures = 0
                    receive(page, asked)
                case .failure(let error as KeepsakeError) where error.code == .cancelled:
                    // A consumer wants older events, or the app called `reconnect`.
                    continue
                case .failure(let error as KeepsakeError) where error.isRetryable:
                    failures += 1
                    await pause(client.retries.wait(afterAttempt: failures, retryAfter: error.retryAfter, client.randomness))
                case .failure(let error): throw error
                }
            }
        } catch {
            guard !Task.isCancelled else { return }
            loop = nil
            for subscriber in all { subscriber.finish(error) }
            subscribers = [:]
        }
    }

    private func sessionID() async throws -> StoredSession.ID {
        var failures = 0
        while true {
            do {
                return try await client.session.currentID()
            } catch let error as KeepsakeError where error.code == .storeUnavailable && !Task.isCancelled {
                failures += 1
                await pause(client.retries.wait(afterAttempt: failures, retryAfter: nil, client.randomness))
            }
        }
    }

    /// Ends early when the app calls `reconnect`.
    private func pause(_ duration: Duration) async {
        let clock = client.clock
        let task = Task { _ = try? await clock.sleep(duration) }
        wait = task
        await task.value
    }

    private func receive(_ page: EventPage, _ asked: Int64?) {
        for subscriber in all {
            if page.reset, let asked, (subscriber.position ?? 0) >= asked {
                // A consumer that has seen all up to this number needs no reset, unless the server's own numbers went back.
                if page.seq < asked || (subscriber.position ?? 0) < page.seq { subscriber.reset(to: page.seq) }
            }
            subscriber.start(at: page.seq)
            // One that joined during the request and wants older events is not covered by this page.
            guard let position = subscriber.position, position >= asked ?? page.seq else { continue }
            for event in page.items { subscriber.offer(event) }
            subscriber.advance(to: page.seq)
        }
        // A consumer may have asked for older events during the request.
        let lowest = all.compactMap(\.position).min()
        since = min(page.seq, lowest ?? page.seq)
    }
}
