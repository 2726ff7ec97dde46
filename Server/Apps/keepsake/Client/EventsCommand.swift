import ArgumentParser
import Foundation
import KeepsakeKit
import KeepsakeWire

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Print what happens in the account.",
        discussion: "Without --follow, prints the events that the server still has, of at most seven days.")

    @Flag(help: "Print each event as it happens, until the command is interrupted. After a lost connection it continues without a gap.")
    var follow = false

    @Option(help: "Only events after this number. Default: with --follow future events, otherwise all")
    var since: Int64?

    @Flag(help: "A line of JSON for each event.")
    var json = false

    func validate() throws {
        if let since, since < 0 { throw ValidationError("--since must not be negative.") }
    }

    func run() async throws {
        try await ClientFailure.reporting(json: json) {
            let server = try ClientFolder().server()
            guard follow else { return try await printStored(server) }
            for try await message in server.events.follow(since: since) { try show(message) }
        }
    }

    private func printStored(_ server: KeepsakeServer) async throws {
        var seq = since ?? 0
        while true {
            let page = try await server.send(LiveEndpoints.poll, PollEventsInput(since: seq, wait: 0))
            // Without `since`, the list starts with the oldest event, so it needs no note that older ones are missing.
            if page.reset, since != nil { try show(.reset(seq: page.seq)) }
            for event in page.items { try show(.event(event)) }
            guard !page.items.isEmpty || page.reset, page.seq != seq else { return }
            seq = page.seq
        }
    }

    private func show(_ message: LiveMessage) throws {
        if json { return try ClientOutput.print(json: message, .captures) }
        switch message {
        case .event(let event):
            let data = String(decoding: (try? Self.encoder.encode(event.data)) ?? Data(), as: UTF8.self)
            try ClientOutput.print(
                "\(event.seq)  \(ClientOutput.time(event.at))  \(ClientOutput.line(event.type))  \(ClientOutput.short(data, 200))")
        case .reset(let seq): try ClientOutput.print("\(seq)  the server no longer has all events before this number")
        }
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
