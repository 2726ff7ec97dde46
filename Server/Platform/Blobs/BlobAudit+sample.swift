package import Core
import Database

extension BlobAudit {
    /// What `sample` found.
    package struct Sample: Sendable, Equatable {
        /// The number of files that were looked up.
        package var fileCount: Int
        package var problems: [Problem]
        /// Whether these were all files, and not only some of them.
        package var isWhole: Bool

        package init(fileCount: Int = 0, problems: [Problem] = [], isWhole: Bool = false) {
            self.fileCount = fileCount
            self.problems = problems
            self.isWhole = isWhole
        }
    }

    /// Checks whether some files exist and have the lengths that their rows state. Unlike `run`, it does not read them. It checks the
    /// newest files, because they are missing if the files were restored to an earlier state, and random other files.
    /// - Parameters:
    ///   - count: the number of newest files to check for each column that refers to blobs, and the number of random files. If there are at
    ///     most `2 * count` files, it checks all of them.
    ///   - limit: no further file is looked up after this time.
    /// - Throws: `BlobError.unavailable` or `.refused` when the store cannot be asked.
    package func sample(count: Int, within limit: Duration = .seconds(10), entropy: Entropy = .system) async throws -> Sample {
        let (entries, areAll) = try await database.read { [references] tx -> ([BlobLedger.Entry], Bool) in
            let first = try tx.list(BlobLedger.live(after: "", count: 2 * count + 1), BlobLedger.Entry.init)
            if first.count <= 2 * count { return (first, true) }
            var chosen: [BlobKey: BlobLedger.Entry] = [:]
            for statement in references.compactMap({ $0.newest(count: count) }) {
                for row in try tx.rows(statement) {
                    let key: BlobKey = try row.get("key")
                    guard let entry = try tx.first(BlobLedger.entry(key), BlobLedger.Entry.init), entry.state == .live else { continue }
                    chosen[key] = entry
                }
            }
            for _ in 0..<count {
                // Keys are random, so the first key after a random one belongs to a random file. After the last key, the first one follows.
                let start = BlobKey(entropy: entropy).text
                guard let entry = try tx.first(BlobLedger.live(after: start, count: 1), BlobLedger.Entry.init) ?? first.first else {
                    continue
                }
                chosen[entry.key] = entry
            }
            return (Array(chosen.values), false)
        }
        let end = ContinuousClock.now + limit
        var sample = Sample()
        for entry in entries {
            guard ContinuousClock.now < end else { break }
            if let problem = try await lookUp(entry), try await isStillLive(entry.key) { sample.problems.append(problem) }
            sample.fileCount += 1
        }
        sample.isWhole = areAll && sample.fileCount == entries.count
        return sample
    }

    private func lookUp(_ entry: BlobLedger.Entry) async throws -> Problem? {
        do {
            let reader = try await store.open(entry.key)
            guard reader.byteCount != entry.byteCount else { return nil }
            return .wrongByteCount(entry.key, expected: entry.byteCount, found: reader.byteCount)
        } catch BlobError.missing {
            return .missing(entry.key)
        } catch BlobError.forbidden {
            return .forbidden(entry.key)
        } catch BlobError.system(operation: let operation, code: let code) {
            return .unreadable(entry.key, "\(BlobError.system(operation: operation, code: code))")
        }
    }
}
