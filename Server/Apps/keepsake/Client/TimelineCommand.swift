import ArgumentParser
import KeepsakeKit

struct TimelineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline", abstract: "List entries of all kinds or of some, the latest first.")

    @Option(help: "Only entries from this day or time on (ISO 8601).")
    var from: String?

    @Option(help: "Only entries up to this day, or before this time (ISO 8601).")
    var to: String?

    @Option(help: "Only entries with this tag.")
    var tag: String?

    @Option(help: "Only entries of this kind: mood, memory, event, capsule, capture or file. Repeat it for several kinds.")
    var kind: [String] = []

    @OptionGroup var options: ListOptions

    func run() async throws {
        try await ClientFailure.reporting(json: options.json) {
            let entries = try ClientFolder().server().timeline.entries(
                from: from.map(LocalDate.bound), to: to.map(LocalDate.bound), tag: tag, kinds: kind, limit: options.pageSize)
            try await options.print(entries, none: "no entries", EntryLine.text)
        }
    }
}
