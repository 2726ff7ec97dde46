import Core
import Database
import Logging
import SQLiteEngine
import Synchronization
import TestKit
import Testing

@testable import Jobs

/// A database that a test can make unavailable.
private final class UnreliableDatabase: DatabaseDecorator {
    let base: any Database
    let isAway = Mutex(false)

    init(_ base: any Database) { self.base = base }

    private func check() throws {
        if isAway.withLock({ $0 }) { throw DatabaseError.unavailable("for the test") }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        try check()
        return try await base.read(body)
    }
    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        try check()
        return try await base.write(body)
    }
}

/// Stores the logged messages, each with its reason.
private final class Diary: Sendable {
    let lines = Mutex<[String]>([])
    var logger: Logger { Logger(label: "diary") { _ in Page(diary: self) } }

    private struct Page: LogHandler {
        let diary: Diary
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let reason = event.metadata?["reason"].map { " (\($0))" } ?? ""
            diary.lines.withLock { $0.append("\(event.level): \(event.message)\(reason)") }
        }
    }
}

@Suite("Jobs during a database outage")
struct JobOutageTests {
    struct Note: Job {
        static let kind = "outage/note"
        let number: Int
    }

    @Test("A runner logs an outage once, finishes its job when the database is back, and continues")
    func outage() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        let fixture = try await JobFixture({ try await SQLiteDatabase.open(path: "\(path)/\($0).sqlite") }, store: "outage")
        let database = UnreliableDatabase(fixture.database)
        let diary = Diary()
        let (started, starts) = AsyncStream.makeStream(of: Int.self)
        let goOn = Mutex(false)
        let handler = JobHandler(Note.self) { run in
            starts.yield(run.payload.number)
            while !goOn.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
        }
        let runner = fixture.runner([handler], over: database, options: JobFixture.quick, logger: diary.logger)
        try await fixture.put(Note(number: 1))
        try await JobFixture.running(runner) {
            var numbers = started.makeAsyncIterator()
            #expect(await numbers.next() == 1)
            database.isAway.withLock { $0 = true }
            let end = ContinuousClock.now + .seconds(60)
            while diary.lines.withLock({ $0.isEmpty }), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
            // Long enough that many lease renewals and polls fail.
            try await Task.sleep(for: .milliseconds(200))
            goOn.withLock { $0 = true }
            try await Task.sleep(for: .milliseconds(300))
            database.isAway.withLock { $0 = false }
            try await fixture.put(Note(number: 2))
            #expect(await numbers.next() == 2)
            while try await !fixture.store.counts().isEmpty, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
            #expect(try await fixture.store.counts().isEmpty)
        }
        let lines = diary.lines.withLock { $0 }
        #expect(lines.filter { $0 == "error: the database is not available; jobs wait until it is back" }.count == 1, "\(lines)")
        #expect(lines.filter { $0 == "info: the database is back; jobs continue" }.count == 1, "\(lines)")
        #expect(lines.count == 2, "\(lines)")
        try await fixture.database.close()
    }

    @Test("A full disk is logged once, with its name, also while reads succeed, and once more when a row was written")
    func full() {
        let diary = Diary()
        let outage = JobOutage(logger: diary.logger) { "the disk of /data is full" }
        for _ in 0..<3 {
            outage.began(DatabaseError.full)
            outage.ended(since: outage.failureCount, hasWritten: false)
        }
        let full = "error: the disk of the database is full; jobs continue by themselves when it has room (the disk of /data is full)"
        #expect(diary.lines.withLock { $0 } == [full])
        // A success from before the last failure does not end the outage.
        outage.ended(since: outage.failureCount - 1, hasWritten: true)
        #expect(diary.lines.withLock { $0 } == [full])
        outage.ended(since: outage.failureCount, hasWritten: true)
        outage.ended(since: outage.failureCount, hasWritten: true)
        let room = "info: the disk of the database has room again; jobs continue"
        #expect(diary.lines.withLock { $0 } == [full, room])
        outage.began(DatabaseError.unavailable("for the test"))
        outage.ended(since: outage.failureCount, hasWritten: false)
        #expect(
            diary.lines.withLock { $0.dropFirst(2) } == [
                "error: the database is not available; jobs wait until it is back", "info: the database is back; jobs continue",
            ])
    }
}
