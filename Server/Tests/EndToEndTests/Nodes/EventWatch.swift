import Foundation
import Synchronization
import TestKit

/// Reads a person's events through nginx, as a device does: it reconnects with the last number that it has seen.
final class EventWatch: Sendable {
    struct Seen: Sendable {
        /// The number of the last event.
        var last: Int64
        var count = 0
        /// Ids in `mood.added` events, with how often each came.
        var moods: [String: Int] = [:]
        /// Holes, repetitions and resets: a client must see none of them.
        var faults: [String] = []
        var connections = 0
    }

    private let person: CampaignPerson
    private let port: Int
    private let client: RetryingClient
    private let state: Mutex<(seen: Seen, isStopped: Bool)>

    /// - Parameter since: the number of the person's last event so far.
    init(_ person: CampaignPerson, port: Int, since: Int64) {
        self.person = person
        self.port = port
        // The timeout is longer than a poll, and short enough for the client to leave a node that hangs.
        client = RetryingClient(url: "http://127.0.0.1:\(port)", timeout: .seconds(5))
        state = Mutex((Seen(last: since), false))
    }

    var seen: Seen { state.withLock { $0.seen } }
    func stop() { state.withLock { $0.isStopped = true } }
    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// The number of the person's last event.
    static func head(_ person: CampaignPerson, _ client: RetryingClient) async throws -> Int64 {
        let answer = try await client.send("GET", "/events?wait=0", as: person.token)
        guard let seq = answer.json()["seq"] as? NSNumber else {
            throw RetryingClient.GaveUp(description: "events: \(answer.status) \(answer.text)")
        }
        return seq.int64Value
    }

    private func note(_ event: [String: Any]) {
        guard let seq = (event["seq"] as? NSNumber)?.int64Value else { return }
        state.withLock { state in
            if seq != state.seen.last + 1 { state.seen.faults.append("event \(seq) after \(state.seen.last)") }
            state.seen.last = seq
            state.seen.count += 1
            if event["type"] as? String == "mood.added", let id = (event["data"] as? [String: Any])?["id"] as? String {
                state.seen.moods[id, default: 0] += 1
            }
        }
    }

    /// Reads by long polls until `stop()`.
    func poll() async {
        while !isStopped {
            guard let answer = try? await client.send("GET", "/events?since=\(seen.last)&wait=2", as: person.token) else { continue }
            guard answer.status == 200 else {
                state.withLock { $0.seen.faults.append("poll: \(answer.status) \(answer.text)") }
                return
            }
            let page = answer.json()
            if page["reset"] as? Bool == true { state.withLock { $0.seen.faults.append("reset after \($0.seen.last)") } }
            for event in page["items"] as? [[String: Any]] ?? [] { note(event) }
            state.withLock { $0.seen.connections += 1 }
        }
    }

    /// Reads by WebSockets until `stop()`. Blocks its thread.
    func listen() {
        while !isStopped {
            do {
                let path = "/ws/events?since=\(seen.last)&access_token=\(person.token)"
                // A device closes a socket on which it receives nothing. The server pings only every 25 s, so this client waits less than a
                // device.
                let socket = try WebSocketClient(port: port, path: path, timeout: 3)
                state.withLock { $0.seen.connections += 1 }
                while !isStopped {
                    let frame = try socket.nextMessage()
                    guard frame.opcode == 1 else { break }
                    guard let event = try JSONSerialization.jsonObject(with: Data(frame.payload)) as? [String: Any] else { continue }
                    if event["type"] as? String == "reset" {
                        state.withLock { $0.seen.faults.append("reset after \($0.seen.last)") }
                    }
                    note(event)
                }
            } catch is BlockingThreads.Misuse {
                return state.withLock { $0.seen.faults.append("the suite lacks .blocksThreads") }
            } catch {
                usleep(100_000)
            }
        }
    }
}
