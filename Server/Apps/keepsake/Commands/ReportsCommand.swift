import ArgumentParser
import Core
import Database
import Foundation
import KeepsakeWire
import People

struct ReportsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reports", abstract: "List and resolve reports about people, coves, events and photos.",
        subcommands: [List.self, Resolve.self])

    enum Status: String, ExpressibleByArgument, CaseIterable { case open, resolved }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List reports, newest first.")

        @Option(help: "open or resolved. Default: open")
        var status = Status.open

        @Option(help: "The most reports to list, 1…1000.")
        var limit = 50

        @Flag(help: "A line of JSON for each report.")
        var json = false

        @OptionGroup var options: ToolOptions

        func run() async throws {
            try await ReportsCommand.open(options) { reports in
                try Output.checkLimit(limit)
                let page = try await reports.page(status == .open ? .open : .resolved, PageRequest(after: nil, limit: limit))
                let rows = page.rows
                if json {
                    for report in rows { print(try report.json()) }
                } else if rows.isEmpty {
                    print("no reports")
                } else {
                    print(Output.table(AdminReport.headings, rows.map(\.cells)))
                }
                if page.next != nil { Exit.note(Output.more("reports", limit: limit, otherwise: "read them in the console")) }
            }
        }
    }

    struct Resolve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Mark a report as resolved. Works while the server runs.")

        @Argument(help: "The report's id, as the list shows it.")
        var id: String

        @Option(help: "What was done, for other administrators; at most 1000 characters.")
        var note: String?

        @Flag(help: "One line of JSON: the report.")
        var json = false

        @OptionGroup var options: ToolOptions

        func run() async throws {
            try await ReportsCommand.open(options) { reports in
                let report = try await reports.resolve(id, note: note)
                print(json ? try report.json() : "report \(report.id) is resolved")
            }
        }
    }

    private static func open(_ options: ToolOptions, _ body: (Reports) async throws -> Void) async throws {
        try await Exit.reporting {
            let settings = try await Settings.read(options)
            try settings.requireInstallation()
            let backend = try await Backend.open(settings, mode: .tool, logger: .silent)
            let result: Result<Void, any Error>
            do { result = .success(try await body(backend.features[PeopleFeature.self].reports)) } catch { result = .failure(error) }
            try await backend.close()
            try result.get()
        }
    }
}

extension AdminReport {
    fileprivate static let headings = ["ID", "SENT AT", "KIND", "SUBJECT", "ACCOUNT", "REPORTER", "REASON"]

    fileprivate var cells: [String] {
        [
            id, WireDate.format(createdAt, .microseconds), subject.kind.rawValue, Self.line(subject.id), subject.accountID ?? "-",
            reporter.id,
            Self.line(reason),
        ]
    }

    /// The text as one short line without control characters, so that the output stays a table. A stranger wrote the text, and a terminal
    /// obeys some control characters.
    private static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        let line = String(String.UnicodeScalarView(scalars))
        return line.count > 60 ? line.prefix(59) + "…" : line
    }

    fileprivate func json() throws -> String {
        let encoder = Surface.capsules.makeEncoder()
        encoder.outputFormatting.insert(.sortedKeys)
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
