import ArgumentParser
import Foundation
import KeepsakeKit
import KeepsakeWire

struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Entries that commands with --queue keep on this computer until they are sent.",
        subcommands: [List.self, Send.self, Retry.self, Cancel.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the entries of the account, in the order in which they are sent.")

        @Flag(help: "A line of JSON for each entry: id, kind, state, label, queued_at, bytes, attempts, error.")
        var json = false

        func run() async throws {
            try await ClientFailure.reporting(json: json) {
                let entries = try await ClientFolder().queue().entries()
                for entry in entries {
                    try json ? ClientOutput.print(json: QueueLine(entry), .capsules) : ClientOutput.print(QueueLine(entry).text)
                }
                if entries.isEmpty, !json { try ClientOutput.print("nothing is queued") }
            }
        }
    }

    struct Send: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send the entries now. What the server refuses for good is parked, and the others are sent.")

        @Flag(inversion: .prefixedNo, help: "Show how much was sent. Default: on a terminal")
        var progress: Bool?

        @Flag(help: "One line of JSON: sent, waiting, parked, uncertain, each a number of entries.")
        var json = false

        func run() async throws {
            try await ClientFailure.reporting(json: json) {
                let queue = try ClientFolder().queue()
                let before = try await queue.entries()
                let status = await flush(queue, before)
                let after = try await queue.entries()
                try show(before, after)
                // The entries that this run has parked.
                let parked = after.filter { entry in
                    entry.state == .parked && before.contains { $0.id == entry.id && $0.state != .parked }
                }
                let reasons = parked.map { "\($0.kind.rawValue) \($0.id): \($0.error?.message ?? "refused")" }
                if !json { for reason in reasons { ClientOutput.note(reason) } }
                switch status {
                case .waiting(let error), .needsSignIn(let error): throw error
                case .busy: throw ClientFailure(.unavailable, "Another command is sending the queue. Wait until it ends.")
                case .idle, .sending, .stopped: break
                }
                guard !parked.isEmpty else { return }
                if json { throw ClientFailure(.refused, reasons.joined(separator: "; ")) }
                throw ExitCode(ClientFailure.Kind.refused.rawValue)
            }
        }

        private func flush(_ queue: OfflineQueue, _ entries: [QueueEntry]) async -> QueueStatus {
            let byteCount = entries.reduce(0) { $0 + ($1.state == .waiting ? $1.byteCount : 0) }
            guard let bar = await UploadProgress(total: byteCount, isWanted: progress) else { return await queue.flush() }
            let events = await queue.events()
            let showing = Task { await bar.follow(events, of: entries) }
            let status = await queue.flush()
            // The task shows what has happened so far, and then ends.
            showing.cancel()
            await showing.value
            await bar.endLine()
            return status
        }

        private func show(_ before: [QueueEntry], _ after: [QueueEntry]) throws {
            let left = Set(after.map(\.id))
            let sent = before.filter { !left.contains($0.id) }
            if json {
                let counts = [
                    "sent": sent.count, "waiting": after.count { $0.state == .waiting || $0.state == .sending },
                    "parked": after.count { $0.state == .parked }, "uncertain": after.count { $0.state == .uncertain },
                ]
                return try ClientOutput.print(json: counts, .capsules)
            }
            for entry in sent { try ClientOutput.print("sent \(entry.kind.rawValue) \(entry.id)") }
            if before.isEmpty { try ClientOutput.print("nothing is queued") }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put a parked or an uncertain entry back into its place. `keepsake queue send` then sends it.",
            discussion:
                "An entry is uncertain if an attempt got no response and the server no longer recognizes a repeat: check first whether it exists."
        )

        @Argument(help: "The entry's id, as the list shows it.")
        var id: String?

        @Flag(help: "All parked entries.")
        var all = false

        @Flag(help: "One line of JSON: retried, the number of entries.")
        var json = false

        func validate() throws {
            guard (id != nil) != all else { throw ValidationError("Pass an entry's id or --all, not both.") }
        }

        func run() async throws {
            try await ClientFailure.reporting(json: json) {
                let queue = try ClientFolder().queue()
                let count = if let id { try await queue.retry(id) ? 1 : 0 } else { try await queue.retryParked() }
                guard all || count == 1 else {
                    throw ClientFailure(.unavailable, "No entry with this id is parked or uncertain. List the entries with: keepsake queue")
                }
                try json
                    ? ClientOutput.print(json: ["retried": count], .capsules)
                    : ClientOutput.print("\(count) \(count == 1 ? "entry waits" : "entries wait") to be sent")
            }
        }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove an entry without sending it.")

        @Argument(help: "The entry's id, as the list shows it.")
        var id: String

        @Flag(help: "One line of JSON: the entry as it was.")
        var json = false

        func run() async throws {
            try await ClientFailure.reporting(json: json) {
                guard let entry = try await ClientFolder().queue().cancel(id) else {
                    throw ClientFailure(.unavailable, "There is no such entry. List the entries with: keepsake queue")
                }
                if json { return try ClientOutput.print(json: QueueLine(entry), .capsules) }
                let doubt = entry.attempts > 0 ? "; an attempt was made, so the server may have it" : ""
                try ClientOutput.print("removed \(entry.kind.rawValue) \(entry.id)\(doubt)")
            }
        }
    }
}

/// An entry of the queue, for output as text and as JSON.
struct QueueLine: Encodable {
    let id: String
    let kind: String
    let state: String
    let label: String
    let queuedAt: Date
    let bytes: Int64
    let attempts: Int
    @OrNull var error: String?

    enum CodingKeys: String, CodingKey {
        case id, kind, state, label
        case queuedAt = "queued_at"
        case bytes, attempts, error
    }

    init(_ entry: QueueEntry) {
        id = entry.id
        kind = entry.kind.rawValue
        state =
            switch entry.state {
            case .waiting: "waiting"
            case .sending: "sending"
            case .parked: "parked"
            case .uncertain: "uncertain"
            }
        label = entry.label
        queuedAt = entry.queuedAt
        bytes = entry.byteCount
        attempts = entry.attempts
        _error = OrNull(wrappedValue: entry.error?.message)
    }

    var text: String {
        let reason = error.map { ": " + $0 } ?? ""
        let columns = [id, ClientOutput.time(queuedAt), kind, ClientOutput.short(label, 60), ClientOutput.size(bytes), state + reason]
        return ClientOutput.line(columns.filter { !$0.isEmpty }.joined(separator: "  "))
    }
}

/// Puts calls into the queue instead of sending them.
enum Queueing {
    /// - Parameter label: the name of the entries in the list of the queue.
    static func add(_ calls: [QueuedCall], label: String, json: Bool) async throws {
        let queue = try ClientFolder().queue()
        for call in calls {
            let entry = try await queue.enqueue(call, label: String(label.prefix(100)))
            try json
                ? ClientOutput.print(json: QueueLine(entry), .capsules)
                : ClientOutput.print("queued \(entry.kind.rawValue) \(entry.id); send it with: keepsake queue send")
        }
    }
}
