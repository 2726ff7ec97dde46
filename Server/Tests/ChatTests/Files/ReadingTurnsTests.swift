import Blobs
import Core
import Database
import NIOCore
import Search
import Synchronization
import TestKit
import Testing

@testable import Chat
@testable import FeatureTestKit
@testable import Jobs
@testable import Media
@testable import keepsake

@Suite("Turns of accounts whose files are read")
struct ReadingTurnsTests {
    @Test("an account with 100 files that take long delays another account's file by one job", arguments: StoragePair.allCases)
    func turns(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let reading = Reading(server)
            let (ada, ben) = (try await server.person("ada"), try await server.person("ben"))
            var files: [String] = []
            for number in 1...100 { files.append(try await reading.add("\(number).txt", of: ada)) }
            try await reading.run(concurrency: 1) {
                // The first job of ada is running when the file of ben arrives.
                try await eventually { reading.started.count == 1 }
                #expect(try await reading.jobs() == 1)
                let late = try await reading.add("late.txt", of: ben)
                reading.finishOne()
                try await eventually { reading.started.count == 2 }
                #expect(reading.started.map(\.owner) == [ada.id, ben.id])
                #expect(reading.started.last?.file == late)
                reading.finishAll()
                try await eventually { try await reading.jobs() == 0 }
                // Each file was read once, in the order of the uploads.
                #expect(reading.started.filter { $0.owner == ada.id }.map(\.file) == files)
                #expect(try await !reading.store.isAnyPending(files, owner: ada.id))
                #expect(try await reading.store.text(late, owner: ben.id) == "words")
            }
            for person in [ada, ben] { _ = try await server.checkedUsage(of: person) }
        }
    }

    @Test("while an answer waits for the texts of files, it reads only whether one of them is pending, after longer and longer pauses")
    func waiting() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let reading = Reading(server)
            let ada = try await server.person()
            let ids = [try await reading.add("1.txt", of: ada), try await reading.add("2.txt", of: ada)]
            let files = server.backend.features[ChatFeature.self].files
            try await files.waitForText(ids, owner: ada.id, atMost: .milliseconds(650))
            #expect(try await reading.store.isAnyPending(ids, owner: ada.id))
            #expect(try await !reading.store.isAnyPending(ids, owner: "somebody"))
            // None of the ids exists.
            try await files.waitForText(["none"], owner: ada.id, atMost: .seconds(60))
        }
        let reads = record.all.map { $0.text }.filter { $0.hasPrefix("SELECT id FROM chat_file") && $0.contains(" IN ") }
        #expect(reads.allSatisfy { $0.hasSuffix("LIMIT 1") })
        // The first wait reads at 0, 200, 600 and 650 ms, or less often if the machine is slow. Three more calls read once each.
        #expect((4...7).contains(reads.count), "\(reads.count)")
    }

    @Test("an account occupies one place of the runner, and other accounts the others", arguments: StoragePair.allCases)
    func places(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let reading = Reading(server)
            let people = try await ["ada", "ben", "eve"].asyncMap { try await server.person($0) }
            for person in people {
                for number in 1...4 { try await reading.add("\(number).txt", of: person) }
            }
            try await reading.run(concurrency: 8) {
                try await eventually { reading.started.count == 3 }
                // This is long enough for the runner to claim more jobs.
                try await Task.sleep(for: .milliseconds(200))
                #expect(reading.started.map(\.owner).sorted() == people.map(\.id).sorted())
                reading.finishAll()
                try await eventually { try await reading.jobs() == 0 }
                #expect(reading.started.count == 12)
            }
        }
    }

    @Test("at most four of the runner's eight places have jobs that read files, so that they do not only wait for turns of documents")
    func most() async throws {
        try await TestServer.run(StoragePair.embedded) { server in
            let handlers = server.backend.features[ChatFeature.self].patientJobs
            #expect(handlers.map(\.kind) == [ReadChatFile.kind] && handlers.map(\.most) == [4])
        }
    }

    @Test("a file that is stored while the last job of its account ends is read", arguments: StoragePair.allCases)
    func race(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let reading = Reading(server)
            let people = try await ["ada", "ben"].asyncMap { try await server.person($0) }
            reading.finishAll()
            try await reading.run(concurrency: 4) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for person in people {
                        for lane in 1...3 {
                            group.addTask { for number in 1...15 { try await reading.add("\(lane)-\(number).txt", of: person) } }
                        }
                    }
                    try await group.waitForAll()
                }
                try await eventually { try await reading.jobs() == 0 }
                #expect(try await reading.pendingCount() == 0)
                #expect(Set(reading.started.map(\.file)).count == 90)
            }
        }
    }

    @Test("the account's other files are read after a job failed, was removed, or its file was deleted", arguments: StoragePair.allCases)
    func broken(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let reading = Reading(server)
            let ada = try await server.person()
            var files: [String] = []
            for number in 1...4 { files.append(try await reading.add("\(number).txt", of: ada)) }
            // The file of the waiting job is deleted.
            #expect(try await reading.store.delete(files[0], owner: ada.id))
            reading.failing.withLock { $0 = [files[1]] }
            reading.finishAll()
            try await reading.run(concurrency: 2) {
                try await eventually { try await reading.jobs() == 0 }
            }
            #expect(reading.started.map(\.file) == files)
            #expect(try await reading.pendingCount() == 0)
            #expect(try await reading.store.text(files[1], owner: ada.id) == nil)
            #expect(try await reading.store.text(files[3], owner: ada.id) == "words")
            // An operator removes the job of a file.
            let other = try await reading.add("5.txt", of: ada)
            let job = try #require(try await reading.jobStore.list(state: .ready, kind: ReadChatFile.kind).first)
            #expect(try await reading.jobStore.remove(job.id))
            #expect(try await reading.pendingCount() == 1)
            for _ in 1...2 { try await reading.store.resumeReading() }
            #expect(try await reading.jobs() == 1)
            try await reading.run(concurrency: 2) {
                try await eventually { try await reading.jobs() == 0 }
            }
            #expect(try await reading.store.text(other, owner: ada.id) == "words")
            _ = try await server.checkedUsage(of: ada)
        }
    }
}

/// Stores files whose text is pending, and runs their jobs with a handler that waits until the test lets it finish.
private final class Reading: Sendable {
    let store: ChatFileStore
    let jobStore: JobStore
    let failing = Mutex<Set<String>>([])
    private let server: TestServer
    private let clock: TestClock
    private let starts = Mutex<[(owner: String, file: String)]>([])
    /// How many more jobs may finish.
    private let permits = Mutex(0)

    init(_ server: TestServer) {
        self.server = server
        // This clock is an hour ahead of the server's clock, so that the server's own runner does not see these jobs as due.
        clock = TestClock(server.clock.now + .hours(1))
        store = ChatFileStore(
            database: server.backend.database, library: server.backend.media.library,
            jobs: JobQueue(clock: clock.wall, identifiers: Identifiers(clock: clock.wall, entropy: .system)), clock: clock.wall)
        jobStore = JobStore(database: server.backend.database, clock: clock.wall)
    }

    /// Jobs that have started, in this order.
    var started: [(owner: String, file: String)] { starts.withLock { $0 } }

    func finishOne() { permits.withLock { $0 = 1 } }
    func finishAll() { permits.withLock { $0 = .max } }

    private func waitForPermit() async throws {
        while !permits.withLock({ permits in
            guard permits > 0 else { return false }
            permits -= 1
            return true
        }) {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The number of jobs that wait or run.
    func jobs() async throws -> Int {
        try await jobStore.counts().filter { $0.kind == ReadChatFile.kind }.reduce(0) { $0 + $1.ready + $1.running }
    }

    func pendingCount() async throws -> Int64 {
        try await server.backend.database.read { tx in
            try tx.row("SELECT COUNT(*) AS n FROM chat_file WHERE text_state = 1")?.get("n") ?? 0
        }
    }

    /// Stores a file as the handler of uploads does when it could not read the text in time.
    @discardableResult
    func add(_ name: String, of person: TestServer.Person) async throws -> String {
        let session = UploadSession(rules: ChatFileRules.upload, gate: server.backend.media.gate, owner: person.id)
        try session.begin(field: "file", fileName: name)
        try await session.append(ByteBuffer(string: "The words of \(name)"))
        try await session.end()
        let upload = try await session.finish()
        clock.advance(by: .milliseconds(1))
        return try await upload.settle {
            var file = ChatFile(
                id: "", owner: person.id, name: name, type: .text, byteCount: upload.files[0].blob.byteCount, width: nil, height: nil,
                textState: .pending, endpoint: nil, toolResource: nil, createdAt: clock.now)
            let bytes = store.library.unlistedFile(
                upload.files[0], type: ChatFileType.text.rawValue, rowBytes: file.rowBytes(text: nil))
            file.id = bytes.id
            let id = file.id
            return try await store.add(file, text: nil, SearchWords([]), bytes) { _ in id }
        }
    }

    /// Runs the jobs while `body` runs.
    func run(concurrency: Int, _ body: () async throws -> Void) async throws {
        var options = JobFixture.quick
        options.concurrency = concurrency
        let handler = JobHandler(
            ReadChatFile.self,
            whenParked: { [store] job, owner, _, tx in try store.finishReading(nil, of: job.file, owner: owner ?? "", tx) }
        ) { [self] run in
            let owner = try #require(run.owner)
            starts.withLock { $0.append((owner, run.payload.file)) }
            try await waitForPermit()
            if failing.withLock({ $0.contains(run.payload.file) }) { throw JobFailure.permanent("it is unreadable") }
            clock.advance(by: .milliseconds(1))
            try await run.complete { [store] tx in
                try store.finishReading("words", of: run.payload.file, owner: owner, tx)
            }
        }
        let runner = JobRunner(
            database: server.backend.database, handlers: [handler], node: "here", clock: clock.wall, entropy: .system,
            logger: JobFixture.logger, options: options)
        try await JobFixture.running(runner) { try await body() }
    }
}

extension Sequence {
    fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
        var results: [T] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
