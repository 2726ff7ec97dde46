import ArgumentParser
import Core
import Foundation
import Jobs
import KeepsakeWire

struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs", abstract: "List, show and retry background jobs.",
        subcommands: [List.self, Show.self, Retry.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List jobs by kind, then by the time they run.")

        @Option(help: "ready, running or parked. Default: all three")
        var state: JobState?

        @Option(help: "Only jobs of that kind, as the list shows it.")
        var kind: String?

        @Option(help: "The most jobs of each state to list, 1…1000.")
        var limit = 50

        @Flag(help: "A line of JSON for each job.")
        var json = false

        @OptionGroup var options: ToolOptions

        func run() async throws {
            try await JobsCommand.open(options) { store, settings in
                try Output.checkLimit(limit)
                var jobs: [JobEntry] = []
                var isCut = false
                for state in state.map({ [$0] }) ?? JobState.allCases {
                    let listed = try await page(state, store)
                    jobs += listed.prefix(limit)
                    if listed.count > limit { isCut = true }
                }
                if json {
                    for job in jobs { print(job.json(withPayload: false)) }
                } else if jobs.isEmpty {
                    print("no jobs")
                } else {
                    print(Output.table(JobEntry.headings, jobs.map { $0.cells(settings.naming) }))
                }
                if isCut { Exit.note(Output.more("jobs of a state", limit: limit, otherwise: "narrow the list with --kind")) }
            }
        }

        /// Reads jobs page by page, because the store returns at most 100 at a time. If there are more than `limit`, it returns one more
        /// than `limit`.
        private func page(_ state: JobState, _ store: JobStore) async throws -> [JobEntry] {
            var jobs: [JobEntry] = []
            while jobs.count <= limit {
                let wanted = min(limit + 1 - jobs.count, 100)
                let page = try await store.list(state: state, kind: kind, after: jobs.last?.cursor, limit: wanted)
                jobs += page
                if page.count < wanted { break }
            }
            return jobs
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show one job with its payload.")

        @Argument(help: "The job's id, as the list shows it.")
        var id: String

        @Flag(help: "One line of JSON.")
        var json = false

        @OptionGroup var options: ToolOptions

        func run() async throws {
            try await JobsCommand.open(options) { store, settings in
                guard let job = try await store.show(id) else { throw JobsCommand.unknown }
                print(json ? job.json(withPayload: true) : job.page(settings.naming))
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Retry parked jobs; each gets all its attempts again. Works while the server runs.")

        @Argument(help: "The job's id, as the list shows it.")
        var id: String?

        @Flag(help: "All parked jobs, or with --kind all of that kind.")
        var all = false

        @Option(help: "With --all: only jobs of that kind.")
        var kind: String?

        @Flag(help: "One line of JSON: retried, the number of jobs.")
        var json = false

        @OptionGroup var options: ToolOptions

        func validate() throws {
            guard (id != nil) != all else { throw ValidationError("Pass either a job's id or --all.") }
            guard all || kind == nil else { throw ValidationError("--kind requires --all.") }
        }

        func run() async throws {
            try await JobsCommand.open(options) { store, _ in
                var count = 0
                if let id {
                    guard try await store.retry(id) else {
                        throw try await store.show(id) == nil ? JobsCommand.unknown : Problem(.conflict, "This job is not parked.")
                    }
                    count = 1
                } else {
                    count = try await retryAll(store)
                }
                print(json ? #"{"retried":\#(count)}"# : "\(count) \(count == 1 ? "job is" : "jobs are") scheduled for a retry")
            }
        }

        /// Retries the jobs that are parked now. If one of them fails and is parked again meanwhile, it is not retried a second time.
        private func retryAll(_ store: JobStore) async throws -> Int {
            var count = 0
            var cursor: JobCursor?
            while true {
                let page = try await store.list(state: .parked, kind: kind, after: cursor, limit: 100)
                for job in page where try await store.retry(job.id) { count += 1 }
                guard page.count == 100, let last = page.last else { return count }
                cursor = last.cursor
            }
        }
    }

    private static let unknown = Problem(.notFound, "There is no such job. Completed jobs are deleted.")

    private static func open(_ options: ToolOptions, _ body: (JobStore, Settings) async throws -> Void) async throws {
        try await Exit.reporting {
            let settings = try await Settings.read(options)
            try settings.requireInstallation()
            let backend = try await Backend.open(settings, mode: .tool, logger: .silent)
            let result: Result<Void, any Error>
            do { result = .success(try await body(backend.jobs, settings)) } catch { result = .failure(error) }
            try await backend.close()
            try result.get()
        }
    }
}

extension JobState: ExpressibleByArgument {}

extension JobEntry {
    fileprivate static let headings = ["ID", "KIND", "STATE", "TRIES", "RUNS AT", "ERROR"]

    /// - Parameter naming: replaces names of settings in an error by the names that the operator used.
    fileprivate func cells(_ naming: (String) -> String) -> [String] {
        // Show one short line for each job, so that the output stays a table. `show` prints the whole error.
        let line = naming(error ?? "").split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        return [id, kind, state.rawValue, "\(tries)", Output.time(runAt), line.count > 60 ? line.prefix(59) + "…" : line]
    }

    /// - Parameter naming: replaces names of settings in the error by the names that the operator used.
    fileprivate func page(_ naming: (String) -> String) -> String {
        let fields: [(String, String?)] = [
            ("id", id), ("kind", kind), ("state", state.rawValue), ("key", key), ("owner", owner), ("tries", "\(tries)"),
            ("lost workers", "\(lost)"), ("attempts ever", "\(attempt)"), ("made", Output.time(createdAt)), ("runs at", Output.time(runAt)),
            ("worker", worker), ("lease until", leaseUntil.map(Output.time)), ("error", error.map(naming)), ("payload", payload),
        ]
        return fields.compactMap { name, value in
            value.map { name.padding(toLength: 15, withPad: " ", startingAt: 0) + $0 }
        }.joined(separator: "\n")
    }

    fileprivate func json(withPayload: Bool) -> String {
        func text(_ value: String?) -> JSONValue { value.map(JSONValue.string) ?? .null }
        var fields: [(String, JSONValue)] = [
            ("id", .string(id)), ("kind", .string(kind)), ("state", .string(state.rawValue)), ("key", text(key)), ("owner", text(owner)),
            ("tries", .integer(Int64(tries))), ("lost", .integer(Int64(lost))), ("attempt", .integer(Int64(attempt))),
            ("created_at", .string(Output.time(createdAt))), ("run_at", .string(Output.time(runAt))), ("worker", text(worker)),
            ("lease_until", text(leaseUntil.map(Output.time))), ("error", text(error)),
        ]
        // The payload is shown as stored, because only the job's own type can decode it.
        if withPayload { fields.append(("payload", text(payload))) }
        return Output.json(fields)
    }
}
