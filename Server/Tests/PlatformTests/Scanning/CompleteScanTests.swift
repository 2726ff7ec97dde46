import Blobs
import Core
import NIOCore
import TestKit
import TestThreads
import Testing

@testable import MediaTools

@Suite("Complete files that wait for the virus scanner", .blocksThreads)
struct CompleteScanTests {
    /// Three accounts of each network.
    private static func requesters(networks count: Int) -> [Requester] {
        (1...count).flatMap { network in
            (1...3).map { Requester(account: "\(network) \($0)", network: Network(ipv4: UInt32(network))) }
        }
    }

    /// Waits until `count` tasks hold a permit or wait for one.
    private func reach(_ count: Int, _ semaphore: FairSemaphore) async throws {
        while semaphore.heldCount + semaphore.waitingCount < count { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test("clamd gets at most eight files to scan, two of a network and one of the fifth network at once, and the others later")
    func verdicts() async throws {
        let standIn = try await StandInScanner(.whenTold, "stream: OK\0")
        let fixture = ScanFixture(standIn.address)
        let (connections, verdicts) = (fixture.scanner.connections, fixture.scanner.verdicts)
        var held: [Int] = []
        try await withThrowingTaskGroup(of: ScanVerdict.self) { group in
            for (number, requester) in Self.requesters(networks: 5).enumerated() {
                for _ in 1...3 {
                    group.addTask { try await requester.run { try await fixture.verdict(on: ScanFixture.clean(1_000)) } }
                }
                try await reach(3 * (number + 1), verdicts)
                held.append(verdicts.heldCount)
            }
            #expect(standIn.endCount <= 8)
            standIn.replyNow()
            for try await verdict in group { #expect(verdict == .clean) }
        }
        // Two of the eight permits are only for networks that hold none.
        #expect(held == [2, 2, 2, 4, 4, 4, 6, 6, 6, 7, 7, 7, 8, 8, 8])
        #expect(standIn.endCount == 45 && verdicts.heldCount == 0 && connections.heldCount == 0)
    }

    @Test("Accounts and networks have shares of the connections, and a part is only for networks that have few")
    func connections() async throws {
        let standIn = try await StandInScanner(.whenTold, "stream: OK\0")
        let fixture = ScanFixture(standIn.address, ClamdLimits(connections: 8))
        let connections = fixture.scanner.connections
        var held: [Int] = []
        await withThrowingTaskGroup(of: Void.self) { group in
            var scans: [any ScanStream] = []
            for (number, requester) in Self.requesters(networks: 3).enumerated() {
                for _ in 1...3 {
                    let scan = fixture.scanner.scan()
                    scans.append(scan)
                    group.addTask { try await requester.run { try await scan.prepare() } }
                }
                try? await reach(3 * (number + 1), connections)
                held.append(connections.heldCount)
            }
            for scan in scans { await scan.abort() }
        }
        // An account holds at most two connections, and a network four. One of the eight is only for networks that hold at most one.
        #expect(held == [2, 4, 4, 6, 7, 7, 8, 8, 8])
        #expect(connections.heldCount == 0 && connections.waitingCount == 0)
    }

    @Test("A scan for which nobody waits any more keeps its turn until clamd has replied", arguments: [true, false])
    func abandoned(isAborted: Bool) async throws {
        let standIn = try await StandInScanner(.whenTold, "stream: OK\0")
        let fixture = ScanFixture(standIn.address, ClamdLimits(verdict: isAborted ? .seconds(60) : .milliseconds(50)))
        let (connections, verdicts) = (fixture.scanner.connections, fixture.scanner.verdicts)
        let scan = fixture.scanner.scan()
        let verdict = Task {
            try await ScanFixture.feed(ScanFixture.clean(1_000), to: scan)
            return try await scan.finish()
        }
        while standIn.endCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
        if isAborted { await scan.abort() }
        await #expect(throws: ScannerUnavailable.self) { try await verdict.value }
        #expect(verdicts.heldCount == 1 && connections.heldCount == 1)
        standIn.replyNow()
        let end = ContinuousClock.now + .seconds(9)
        while verdicts.heldCount > 0, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
        #expect(verdicts.heldCount == 0 && connections.heldCount == 0)
    }

    @Test("A scan that clamd does not end is given up after clamd's own limit")
    func endless() async throws {
        let standIn = try await StandInScanner(.whenTold, "stream: OK\0")
        let fixture = ScanFixture(standIn.address, ClamdLimits(verdict: .milliseconds(10), longestScan: .milliseconds(50)))
        let verdicts = fixture.scanner.verdicts
        await #expect(throws: ScannerUnavailable.self) { try await fixture.verdict(on: ScanFixture.clean(1_000)) }
        let end = ContinuousClock.now + .seconds(9)
        while verdicts.heldCount > 0, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
        #expect(verdicts.heldCount == 0)
    }

    // MARK: Uploads

    /// A scanner that postpones all files, and is busy for a while before it takes a complete one.
    private final class BusyScanner: UploadScanner {
        struct Seen: Sendable {
            var waiting = 0
            var mostWaiting = 0
            var preparedCount = 0
            var openedCount = 0
            var isOpenedTooEarly = false
        }

        let seen = Guarded(Seen())
        let time: Duration

        init(_ time: Duration) { self.time = time }

        func scan() -> any ScanStream { Scan(self, isArriving: false) }
        func scanWhileArriving() -> any ScanStream { Scan(self, isArriving: true) }
    }

    private final class Scan: ScanStream {
        private let scanner: BusyScanner
        private let isArriving: Bool

        init(_ scanner: BusyScanner, isArriving: Bool) {
            self.scanner = scanner
            self.isArriving = isArriving
        }

        func prepare() async throws {
            scanner.seen.withLock { seen in
                seen.waiting += 1
                seen.mostWaiting = max(seen.mostWaiting, seen.waiting)
            }
            defer { scanner.seen.withLock { $0.waiting -= 1 } }
            do {
                try await Task.sleep(for: scanner.time)
            } catch {
                throw ScannerUnavailable("cancelled")
            }
            scanner.seen.withLock { $0.preparedCount += 1 }
        }

        func append(_ bytes: ByteBuffer) async throws {}

        func finish() async throws -> ScanVerdict {
            if isArriving { throw ScanPostponed() }
            return .clean
        }

        func abort() async {}
    }

    /// Notes whether a file is opened before the scanner takes it.
    private struct WatchedStore: BlobStoreDecorator {
        let base: any BlobStore
        let scanner: BusyScanner

        func openStaged(_ key: BlobKey) async throws -> any BlobReader {
            scanner.seen.withLock { seen in
                seen.openedCount += 1
                if seen.openedCount > seen.preparedCount { seen.isOpenedTooEarly = true }
            }
            return try await base.openStaged(key)
        }
    }

    private struct RefusingExaminer: UploadExaminer {
        func examine(_ file: StagedFile, type: String, accepted: Set<String>) async throws -> FileFacts {
            throw FileRefused("It is broken.")
        }
    }

    private func upload(_ count: Int, _ gate: UploadGate) async throws -> ReceivedUpload {
        let kind = UploadRules.FileKind(
            fields: ["file"], maxCount: 10, maxByteCount: 1_048_576, windowByteCount: 64, tailByteCount: 16, types: ["text/plain"],
            refusal: Problem(.unprocessable, "Not allowed."), recognise: { _, _ in nil }, conclude: { _ in "text/plain" })
        let session = UploadSession(rules: UploadRules(kinds: [kind], textFields: [], keepsTheOthers: true), gate: gate, owner: "ada")
        do {
            for number in 0..<count {
                try session.begin(field: "file", fileName: "\(number)")
                try await session.append(ScanFixture.clean(100_000))
                try await session.end()
            }
            return try await session.finish()
        } catch {
            await session.abort()
            throw error
        }
    }

    @Test("Two complete files of a request wait for the scanner at a time, and are read only when it takes them")
    func twoOfOneRequest() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let scanner = BusyScanner(.milliseconds(20))
        let received = try await upload(10, UploadGate(store: WatchedStore(base: store, scanner: scanner), scanner: scanner))
        #expect(received.files.count == 10)
        let seen = scanner.seen.withLock { $0 }
        #expect(seen.mostWaiting == 2 && seen.openedCount == 10 && !seen.isOpenedTooEarly)
        await store.close()
    }

    @Test("A file that its examination refuses does not wait for the scanner any longer")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let gate = UploadGate(store: store, scanner: BusyScanner(.seconds(20)), examiner: RefusingExaminer())
        let start = ContinuousClock.now
        let received = try await upload(3, gate)
        #expect(received.refusals.map(\.problem.message) == ["It is broken.", "It is broken.", "It is broken."])
        #expect(received.files.isEmpty && ContinuousClock.now - start < .seconds(9))
        await store.close()
    }
}
