import ArgumentParser
import Foundation
import KeepsakeKit
import KeepsakeWire

struct AskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask", abstract: "Ask about your entries. The answer consists of their own sentences.")

    @Argument(help: "The question.")
    var question: [String]

    @Option(help: "Only from entries of this day or time on (ISO 8601).")
    var from: String?

    @Option(help: "Only from entries up to this day, or before this time (ISO 8601).")
    var to: String?

    @Option(help: "Only from entries of this kind, for example memory.")
    var kind: String?

    @Flag(help: "One line of JSON: the server's response.")
    var json = false

    func run() async throws {
        try await ClientFailure.reporting(json: json) {
            let answer = try await ClientFolder().server().ask(
                question.joined(separator: " "), from: from.map(LocalDate.bound), to: to.map(LocalDate.bound), kind: kind)
            if json { return try ClientOutput.print(json: answer, .multimedia) }
            for line in answer.answer.split(whereSeparator: \.isNewline) { try ClientOutput.print(ClientOutput.line(String(line))) }
            for source in answer.sources {
                try ClientOutput.print("    from \(source.kind) of \(ClientOutput.time(milliseconds: source.at)) (\(source.id))")
            }
        }
    }
}
