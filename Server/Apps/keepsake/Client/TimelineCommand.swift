import ArgumentParser
import KeepsakeKit

struct TimelineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "timeline", abstract: "List entries of all kinds, the latest first.")

    @Option(help: "Only entries from this day or time on (ISO 8601).")
    var from: String?

    @Option(help: "Only entries up to this day, or before this time (ISO 8601).")
    var to: String?

    @Option(help: "Only entries with this tag.")
    var tag: String?

    @OptionGroup var options: ListOptions

    func run() async throws {
        try await ClientFailure.reporting(json: options.json) {
            let entries = try ClientFolder().server().timeline.entries(from: from, to: to, tag: tag, limit: options.pageSize)
            try await options.print(entries, none: "no entries", EntryLine.text)
        }
    }
}
