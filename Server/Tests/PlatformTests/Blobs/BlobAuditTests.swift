import Blobs
import Core
import Database
import Foundation
import TestKit
import Testing

@Suite("Blob audit")
struct BlobAuditTests {
    private func audit(_ fixture: BlobFixture, _ references: [BlobReferences] = []) -> BlobAudit {
        BlobAudit(database: fixture.database, store: fixture.store, references: references, clock: fixture.clock.wall)
    }

    @Test("A store without faults passes, and the progress ends at the total", arguments: StoragePair.allCases)
    func whole(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        var total: Int64 = 0
        for size in [0, 1, 1000, 700_000] {
            _ = try await fixture.storeBlob(BlobStoreSuite.bytes(size))
            total += Int64(size)
        }
        var steps: [Int64] = []
        let report = try await audit(fixture).run { done, all in
            steps.append(done)
            #expect(all == total)
        }
        #expect(report.problems == [] && report.problemCount == 0)
        #expect(report.blobCount == 4 && report.byteCount == total && report.orphanCount == 0)
        #expect(steps == steps.sorted() && steps.last == total && steps.count > 4)
    }

    @Test(
        "The audit reports a flipped bit, a truncated file, a grown file and a missing file, each by its key",
        arguments: StoragePair.allCases)
    func damage(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let keys = try await [1, 2, 3, 4, 5].asyncMap { try await fixture.storeBlob(BlobStoreSuite.bytes(400_000, seed: $0)) }
        try await fixture.change(keys[0]) { $0[399_999] ^= 1 }
        try await fixture.change(keys[1]) { $0.removeLast() }
        try await fixture.change(keys[2]) { $0.append(0) }
        try await fixture.deleteBytes(keys[3])
        let report = try await audit(fixture).run()
        #expect(
            Set(report.problems) == [
                .wrongHash(keys[0]), .wrongByteCount(keys[1], expected: 400_000, found: 399_999),
                .wrongByteCount(keys[2], expected: 400_000, found: 400_001), .missing(keys[3]),
            ])
        #expect(report.blobCount == 5)
        #expect("\(BlobAudit.Problem.missing(keys[3]))" == "\(keys[3]): its bytes are missing")
    }

    @Test("Small files of a store on another machine are read eight at a time, large ones and those of a local store one after the other")
    func together() async throws {
        let fixture = try await BlobFixture(.embedded)
        var keys: [BlobKey] = []
        for seed in 0..<30 { keys.append(try await fixture.storeBlob(BlobStoreSuite.bytes(1_000, seed: UInt64(seed)))) }
        for seed in 0..<2 { _ = try await fixture.storeBlob(BlobStoreSuite.bytes(1 << 20, seed: UInt64(seed))) }
        for key in keys.prefix(3) { try await fixture.deleteBytes(key) }
        for isRemote in [true, false] {
            let store = CrowdedStore(base: fixture.store, isRemote: isRemote)
            let audit = BlobAudit(database: fixture.database, store: store, references: [], clock: fixture.clock.wall)
            var done: [Int64] = []
            let report = try await audit.run { bytes, _ in done.append(bytes) }
            #expect(store.calls.most == (isRemote ? 8 : 1))
            #expect(report.blobCount == 32 && report.byteCount == 30_000 + (2 << 20))
            #expect(report.problems == keys.prefix(3).sorted().map { .missing($0) })
            #expect(done == done.sorted() && done.last == report.byteCount)
        }
    }

    @Test("A file that an object store does not send is reported as not checked, and not as damaged")
    func unanswered() async throws {
        let fixture = try await BlobFixture(.embedded)
        let keys = try await [1, 2].asyncMap { try await fixture.storeBlob(BlobStoreSuite.bytes(1_000, seed: $0)) }
        let store = CrowdedStore(base: fixture.store, isRemote: true, silent: keys[0])
        let audit = BlobAudit(database: fixture.database, store: store, references: [], clock: fixture.clock.wall)
        let report = try await audit.run()
        #expect(report.problems == [.unanswered(keys[0], "GetObject: the connection broke")])
        #expect(report.uncheckedCount == 1 && report.problemCount == 1)
        #expect(report.problems.allSatisfy(\.isUnchecked) && !BlobAudit.Problem.missing(keys[0]).isUnchecked)
    }

    @Test("The audit checks every row when the rows fill more than one page", arguments: StoragePair.allCases)
    func pages(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let ledger = fixture.ledger
        let key = try await fixture.storeBlob([1])
        // A page has 500 rows. In an object store, each row costs a request.
        let count = pair == .embedded ? 1200 : 600
        try await fixture.database.write { tx in
            for number in 0..<count { _ = try ledger.adopt(stagedBlob("\(number)"), owner: "ada", tx) }
        }
        let report = try await audit(fixture).run()
        #expect(report.blobCount == count + 1)
        // Only one blob has bytes. The report must stay small even after a disaster.
        #expect(report.problemCount == count)
        #expect(report.problems.count == min(count, BlobAudit.Report.mostProblems))
        #expect(!report.problems.contains(.missing(key)))
    }

    @Test("A sample of few files is all of them, and finds missing ones and those of another length", arguments: StoragePair.allCases)
    func smallSample(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        #expect(try await audit(fixture).sample(count: 2) == BlobAudit.Sample(isWhole: true))
        let keys = try await [1, 2, 3, 4].asyncMap { try await fixture.storeBlob(BlobStoreSuite.bytes(1_000, seed: $0)) }
        #expect(try await audit(fixture).sample(count: 2) == BlobAudit.Sample(fileCount: 4, isWhole: true))
        try await fixture.deleteBytes(keys[0])
        try await fixture.change(keys[1]) { $0.append(0) }
        // A dead blob is not a problem.
        try await fixture.release(keys[2])
        try await fixture.deleteBytes(keys[2])
        let sample = try await audit(fixture).sample(count: 2)
        #expect(sample.fileCount == 3 && sample.isWhole)
        #expect(Set(sample.problems) == [.missing(keys[0]), .wrongByteCount(keys[1], expected: 1_000, found: 1_001)])
        #expect(try await audit(fixture).sample(count: 2, within: .zero) == BlobAudit.Sample())
    }

    @Test("A sample of many files has the newest ones, and others at random", arguments: StoragePair.allCases)
    func largeSample(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let pictures = BlobReferences(table: "picture", column: "blob", newestBy: "id")
        var keys = try await (1...12).asyncMap { try await fixture.storeBlob(BlobStoreSuite.bytes(100, seed: UInt64($0))) }
        // This keeps the files with the first keys from being among the newest.
        keys.sort()
        for (picture, key) in keys.enumerated() { try await fixture.refer(picture, to: key) }
        let sample = try await audit(fixture, [pictures]).sample(count: 3)
        #expect((3...6).contains(sample.fileCount) && !sample.isWhole && sample.problems == [], "\(sample)")
        // The sample starts before all keys or after all of them; after the last key, it continues with the first one.
        for (first, byte) in zip(keys, [UInt8(0), 255]) {
            let entropy = Entropy { [UInt8](repeating: byte, count: $0) }
            try await fixture.deleteBytes(first)
            #expect(try await audit(fixture, [pictures]).sample(count: 3, entropy: entropy).problems == [.missing(first)])
            try await fixture.release(first)
        }
        for key in keys.suffix(3) { try await fixture.deleteBytes(key) }
        let found = try await audit(fixture, [pictures]).sample(count: 3)
        #expect(Set(found.problems).isSuperset(of: keys.suffix(3).map { .missing($0) }), "\(found)")
        let newest = try #require(pictures.newest(count: 3))
        #expect(try await QueryPlan(newest, on: fixture.database).faults(mayWalk: true).isEmpty)
    }

    @Test("A dead blob is no problem, with bytes or without", arguments: StoragePair.allCases)
    func dead(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        for deletes in [false, true] {
            let key = try await fixture.storeBlob([UInt8(deletes ? 1 : 0)])
            try await fixture.release(key)
            if deletes { try await fixture.store.delete(key) }
        }
        let report = try await audit(fixture).run()
        #expect(report.problems == [] && report.blobCount == 0 && report.orphanCount == 0)
    }

    @Test("A blob released and reaped while the audit runs is not missing", arguments: StoragePair.allCases)
    func reapedMeanwhile(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let key = try await fixture.storeBlob([1])
        _ = try await fixture.storeBlob([2])
        // An object store cannot be changed within the closure, which is synchronous.
        if pair == .shared { try await fixture.deleteBytes(key) }
        var isFirst = pair == .embedded
        let report = try await audit(fixture).run { [fixture] _, _ in
            guard isFirst else { return }
            isFirst = false
            try? FileManager.default.removeItem(atPath: fixture.path(key))
        }
        #expect(report.problems == [.missing(key)], "the negative control: a live blob that vanishes is a problem")
        try await fixture.release(key)
        #expect(try await audit(fixture).run().problems == [])
    }

    @Test("The audit counts references in every registered column", arguments: StoragePair.allCases)
    func references(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let right = try await fixture.storeBlob([1])
        let twice = try await fixture.storeBlob([2])
        #expect(try await fixture.storeBlob([2]) == twice)
        let unused = try await fixture.storeBlob([3])
        let overused = try await fixture.storeBlob([4])
        let nowhere = BlobKey(entropy: .system)
        let dead = try await fixture.storeBlob([5])
        try await fixture.release(dead)
        for (picture, key) in [right, twice, twice, overused, overused, nowhere, dead, dead].enumerated() {
            try await fixture.refer(picture, to: key)
        }
        try await fixture.database.write { tx in try tx.run("INSERT INTO picture (id, blob) VALUES (100, NULL)") }
        let report = try await audit(fixture, [BlobFixture.pictures]).run()
        #expect(
            Set(report.problems) == [
                .wrongReferences(unused, counted: 1, found: 0), .wrongReferences(overused, counted: 1, found: 2),
                .dangling("picture.blob", nowhere), .dangling("picture.blob", dead),
            ])
        #expect(report.problemCount == 4)
    }

    @Test("Files without a row are counted, and are problems only after the age of the sweep", arguments: StoragePair.allCases)
    func orphans(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let known = try await fixture.storeBlob([1])
        let old = try await BlobStoreSuite.put([2], in: fixture.store).key
        fixture.clock.advance(by: .hours(48) + fixture.instant)
        let new = try await BlobStoreSuite.put([3], in: fixture.store).key
        let report = try await audit(fixture).run()
        // An object store dates its objects by its own clock, which the test cannot move.
        #expect(Set(report.problems) == (pair == .embedded ? [.orphan(old)] : [.orphan(old), .orphan(new)]))
        #expect(report.orphanCount == 2 && report.blobCount == 1)
        #expect(try await fixture.exists(known))
    }
}

extension Sequence {
    fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
        var mapped: [T] = []
        for element in self { mapped.append(try await transform(element)) }
        return mapped
    }
}

/// A store that counts how many blobs are being opened at the same time.
private struct CrowdedStore: BlobStoreDecorator {
    let base: any BlobStore
    let isRemote: Bool
    /// The blob that the store fails to open, as while the network is down.
    var silent: BlobKey?
    let calls = SimultaneousCalls()

    func open(_ key: BlobKey) async throws -> any BlobReader {
        calls.enter()
        defer { calls.leave() }
        try await Task.sleep(for: .milliseconds(20))
        if key == silent { throw BlobError.unavailable("GetObject: the connection broke") }
        return try await base.open(key)
    }
}
