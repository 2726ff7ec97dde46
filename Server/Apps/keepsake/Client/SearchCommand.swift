import ArgumentParser
import Foundation
import KeepsakeKit
import KeepsakeWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Search everything that was written or spoken, the best match first.")

    @Argument(help: "Words, all of which must occur. The last may be the beginning of a word.")
    var words: [String]

    @Option(help: "Only results of this kind: mood, memory, event, capsule or file.")
    var kind: String?

    @OptionGroup var options: ListOptions

    func run() async throws {
        try await ClientFailure.reporting(json: options.json) {
            let found = try ClientFolder().server().search(words.joined(separator: " "), kind: kind, limit: options.pageSize)
            let isBold = isatty(1) == 1
            try await options.print(found, none: "nothing found") { EntryLine.text($0, isBold: isBold) }
        }
    }
}
