import Foundation
import KeepsakeKit
import KitTransport

/// An app with an offline queue, which tests kill: `queue-client URL QUEUE TOKENS TRANSPORT`. QUEUE is the queue's folder, TOKENS the file
/// of the tokens, and TRANSPORT `urlsession` or `http`. It reads commands from standard input, one a line:
///
/// - `start`: begins to send.
/// - `moments LABEL FILM PHOTO SOUND`: adds one entry of each kind, with these files.
/// - `moods FROM COUNT`: adds COUNT moods, numbered from FROM.
/// - `capture LABEL PHOTO`: adds a capture.
/// - `films COUNT FILM`: adds COUNT uploads of the file FILM.
///
/// It prints `ready`, `added LABEL` once an entry is durable, `sent LABEL`, `parked LABEL REASON` and `idle`. It exits at the end
/// of its input.
@main
enum QueueClient {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let url = URL(string: arguments[1]) else { exit(64) }
        let keepsake = Keepsake(
            url: url, tokens: FileTokenStore(URL(fileURLWithPath: arguments[3])),
            transport: arguments[4] == "http" ? AsyncHTTPTransport() : URLSessionTransport(),
            retries: RetryPolicy(
                deadline: .seconds(10), fileDeadline: .seconds(600), maxAttempts: 2, firstWait: .milliseconds(20),
                longestWait: .milliseconds(200)))
        let queue = OfflineQueue(keepsake, folder: URL(fileURLWithPath: arguments[2]))
        let events = await queue.events()
        let printing = Task { for await event in events { report(event) } }
        defer { printing.cancel() }
        say("ready")
        for await line in lines() { try await run(line.split(separator: " ").map(String.init), queue) }
    }

    private static func run(_ words: [String], _ queue: OfflineQueue) async throws {
        switch words.first {
        case "start": await queue.start()
        case "moments" where words.count == 5:
            let label = words[1]
            let (film, photo, sound) = (
                URL(fileURLWithPath: words[2]), URL(fileURLWithPath: words[3]), URL(fileURLWithPath: words[4])
            )
            try await add(.mood("calm", note: "mood-\(label)", images: [film]), "mood-\(label)", queue)
            try await add(.memory(title: "memory-\(label)"), "memory-\(label)", queue)
            try await add(.upload([film], labels: .init(title: "upload-\(label)")), "upload-\(label)", queue)
            // A capsule has no name of its own, but a time.
            let date = Date(timeIntervalSince1970: 1_000_000_000 + (Double(label) ?? 0))
            try await add(.capsule(sound, duration: 1, createdAt: date), "capsule-\(label)", queue)
            try await add(.captureFile("capture-\(label)", photo), "capture-\(label)", queue)
        case "moods" where words.count == 3:
            guard let from = Int(words[1]), let count = Int(words[2]) else { exit(64) }
            for number in from..<from + count { try await add(.mood("calm", note: "mood-\(number)"), "mood-\(number)", queue) }
        case "capture" where words.count == 3:
            let photo = URL(fileURLWithPath: words[2])
            try await add(.capture(photo: photo, transcription: "words", id: "capture-\(words[1])"), "capture-\(words[1])", queue)
        case "films" where words.count == 3:
            guard let count = Int(words[1]) else { exit(64) }
            for number in 1...count {
                let film = URL(fileURLWithPath: words[2])
                try await add(.upload([film], labels: .init(title: "film-\(number)")), "film-\(number)", queue)
            }
        default: exit(64)
        }
    }

    private static func add(_ call: QueuedCall, _ label: String, _ queue: OfflineQueue) async throws {
        try await queue.enqueue(call, label: label)
        say("added \(label)")
    }

    private static func report(_ event: QueueEvent) {
        switch event {
        case .sent(let entry, _): say("sent \(entry.label)")
        case .changed(let entry) where entry.state == .parked || entry.state == .uncertain:
            say("parked \(entry.label) \(entry.error?.description ?? "uncertain")")
        case .status(.idle): say("idle")
        default: break
        }
    }

    /// Writes without a buffer, so that a line arrives if it was printed before a kill.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    /// The lines of standard input.
    private static func lines() -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return lines
    }
}
