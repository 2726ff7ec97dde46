package import Core
import Crypto
package import Database
import NIOCore

/// Reads all stored bytes and compares them with their rows, for `keepsake verify`. It can run while the server runs, and uses bounded
/// memory.
package struct BlobAudit: Sendable {
    let database: any Database
    let store: any BlobStore
    let references: [BlobReferences]
    let clock: WallClock

    /// - Parameter references: every column of every feature that holds blob keys. With an empty list, references are not counted.
    package init(database: any Database, store: any BlobStore, references: [BlobReferences], clock: WallClock) {
        self.database = database
        self.store = store
        self.references = references
        self.clock = clock
    }

    package enum Problem: Sendable, Hashable {
        /// A live row whose bytes are missing.
        case missing(BlobKey)
        case wrongByteCount(BlobKey, expected: Int64, found: Int64)
        case wrongHash(BlobKey)
        /// The bytes exist, but reading them failed.
        case unreadable(BlobKey, String)
        /// This user may not read the bytes, so it is not known whether they are damaged.
        case forbidden(BlobKey)
        /// The object store could not be reached, or refused the request, so it is not known whether the bytes are damaged.
        case unanswered(BlobKey, String)
        /// The row's reference count differs from the number of references found.
        case wrongReferences(BlobKey, counted: Int, found: Int)
        /// A row of another module refers to a blob that is not live.
        case dangling(String, BlobKey)
        /// A file older than 48 hours without a row: the sweep should have removed it.
        case orphan(BlobKey)
    }

    package struct Report: Sendable {
        /// The most problems that `problems` holds; further ones are only counted.
        package static let mostProblems = 1000

        /// The first problems, at most `mostProblems`.
        package internal(set) var problems: [Problem] = []
        package internal(set) var problemCount = 0
        /// How many problems only say that a file was not checked: `.forbidden` and `.unanswered`.
        package internal(set) var uncheckedCount = 0
        /// The number of live blobs checked, and the sum of their byte counts as their rows state them.
        package internal(set) var blobCount = 0
        package internal(set) var byteCount: Int64 = 0
        /// Files without a row, of any age, including those of uploads in progress.
        package internal(set) var orphanCount = 0

        mutating func add(_ problem: Problem) {
            problemCount += 1
            if problem.isUnchecked { uncheckedCount += 1 }
            if problems.count < Self.mostProblems { problems.append(problem) }
        }

        mutating func count(_ entry: BlobLedger.Entry) {
            blobCount += 1
            byteCount += entry.byteCount
        }
    }

    private static let pageCount = 500
    /// Files below this size are read several at a time if the store is on another machine, because reading one mostly waits for the
    /// response. Larger files are read one after the other, so that the progress shows each piece.
    private static let smallByteCount: Int64 = 1 << 20
    private static let filesAtOnce = 8

    /// - Parameter progress: called after each piece with the bytes checked and the bytes in total.
    package func run(progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }) async throws -> Report {
        var report = Report()
        let total: Int64 = try await database.read { tx in try tx.row(BlobLedger.liveTotals)?.get("bytes") ?? 0 }
        progress(0, total)
        var last = ""
        while true {
            let (entries, miscounts) = try await page(after: last)
            guard let end = entries.last else { break }
            last = end.key.text
            for problem in miscounts { report.add(problem) }
            var found: [BlobKey: Problem] = [:]
            let small = entries.filter { store.isRemote && $0.byteCount < Self.smallByteCount }
            try await together(small, atMost: Self.filesAtOnce) { entry -> (BlobLedger.Entry, Problem?) in
                (entry, await check(entry) { _ in })
            } ended: { checked in
                let (entry, problem) = checked
                found[entry.key] = problem
                report.count(entry)
                progress(report.byteCount, total)
            }
            for entry in entries where !(store.isRemote && entry.byteCount < Self.smallByteCount) {
                let before = report.byteCount
                found[entry.key] = await check(entry) { progress(before + $0, total) }
                report.count(entry)
                progress(report.byteCount, total)
            }
            for entry in entries {
                if let problem = found[entry.key], try await isStillLive(entry.key) { report.add(problem) }
            }
        }
        for column in references { try await findDangling(column, &report) }
        try await findOrphans(&report)
        return report
    }

    // MARK: Bytes

    private func check(_ entry: BlobLedger.Entry, _ progress: (Int64) -> Void) async -> Problem? {
        do {
            let reader = try await store.open(entry.key)
            guard reader.byteCount == entry.byteCount else {
                return .wrongByteCount(entry.key, expected: entry.byteCount, found: reader.byteCount)
            }
            var sha256 = SHA256()
            var done: Int64 = 0
            for try await chunk in reader.chunks(in: 0..<reader.byteCount) {
                chunk.withUnsafeReadableBytes { sha256.update(bufferPointer: $0) }
                done += Int64(chunk.readableBytes)
                progress(done)
            }
            return Hex.encode(sha256.finalize()) == entry.sha256 ? nil : .wrongHash(entry.key)
        } catch BlobError.missing {
            return .missing(entry.key)
        } catch BlobError.forbidden {
            return .forbidden(entry.key)
        } catch BlobError.unavailable(let reason) {
            return .unanswered(entry.key, reason)
        } catch BlobError.refused(let reason) {
            return .unanswered(entry.key, reason)
        } catch {
            return .unreadable(entry.key, "\(error)")
        }
    }

    /// Whether the blob is still live. A blob that was released after its page was read may have been deleted before this check reached it.
    func isStillLive(_ key: BlobKey) async throws -> Bool {
        try await database.read { tx in try tx.first(BlobLedger.entry(key), BlobLedger.Entry.init)?.state == .live }
    }

    // MARK: References

    /// The next rows, and those with a wrong reference count. One snapshot reads both, so that a concurrent write does not look like an
    /// error.
    private func page(after last: String) async throws -> (entries: [BlobLedger.Entry], miscounts: [Problem]) {
        try await database.read { [references] tx in
            let entries = try tx.list(BlobLedger.live(after: last, count: Self.pageCount), BlobLedger.Entry.init)
            guard let first = entries.first, let end = entries.last, !references.isEmpty else { return (entries, []) }
            var found: [BlobKey: Int] = [:]
            for column in references {
                for row in try tx.rows(column.counts(from: first.key, through: end.key)) {
                    found[try row.get("key"), default: 0] += try row.get("refs", as: Int.self)
                }
            }
            let miscounts = entries.filter { $0.references != found[$0.key, default: 0] }
            return (entries, miscounts.map { .wrongReferences($0.key, counted: $0.references, found: found[$0.key, default: 0]) })
        }
    }

    private func findDangling(_ column: BlobReferences, _ report: inout Report) async throws {
        var last = ""
        while true {
            let keys = try await database.read { [last] tx in
                try tx.rows(column.dangling(after: last, count: Self.pageCount)).map { try $0.get("key", as: BlobKey.self) }
            }
            guard let end = keys.last else { return }
            last = end.text
            for key in keys { report.add(.dangling(column.name, key)) }
        }
    }

    // MARK: Files

    private func findOrphans(_ report: inout Report) async throws {
        let limit = clock.now - BlobLimits.sweeping
        for try await entries in store.list(olderThan: nil) {
            for start in stride(from: 0, to: entries.count, by: 100) {
                let some = entries[start..<Swift.min(start + 100, entries.count)]
                let known = try await database.read { tx in
                    Set(try tx.rows(BlobLedger.known(among: some.map(\.key))).map { try $0.get("key", as: BlobKey.self) })
                }
                for entry in some where !known.contains(entry.key) {
                    report.orphanCount += 1
                    if entry.stagedAt < limit { report.add(.orphan(entry.key)) }
                }
            }
        }
    }
}

extension BlobAudit.Problem {
    /// Whether the file was not checked, and may be intact.
    package var isUnchecked: Bool {
        switch self {
        case .forbidden, .unanswered: true
        default: false
        }
    }
}

extension BlobAudit.Problem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let key): "\(key): its bytes are missing"
        case .wrongByteCount(let key, let expected, let found): "\(key): \(found) bytes, not \(expected)"
        case .wrongHash(let key): "\(key): its bytes differ from those that were stored"
        case .unreadable(let key, let reason): "\(key): cannot be read: \(reason)"
        case .forbidden(let key): "\(key): this user may not read it"
        case .unanswered(let key, let reason): "\(key): the object store did not send it: \(reason)"
        case .wrongReferences(let key, let counted, let found): "\(key): its row counts \(counted) references, but \(found) were found"
        case .dangling(let column, let key): "\(key): \(column) refers to it, but it has no row, or its row says that it is unused"
        case .orphan(let key): "\(key): older than 48 hours and has no row"
        }
    }
}
