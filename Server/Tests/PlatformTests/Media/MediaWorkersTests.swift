import CMedia
import Core
import Foundation
import MediaFrames
import MediaTools
import TestThreads
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Media worker pool", .blocksThreads)
struct MediaWorkersTests {
    @Test("A worker that is killed or stopped costs one file, and is replaced", arguments: [true, false])
    func lost(_ isKilled: Bool) async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run {
            $0.jobTimeout = isKilled ? .seconds(30) : .seconds(2)
        } _: { workers in
            _ = try await workers.inspect(photo)
            let first = try await WorkerFixture.process(workers)
            kill(first, SIGSTOP)
            let before = workers.taken
            async let costs = workers.failure(photo)
            if isKilled {
                try await WorkerFixture.eventually { workers.taken > before }
                // After this time, the worker has the request.
                try await Task.sleep(for: .milliseconds(100))
                kill(first, SIGKILL)
            }
            let failure = try await costs
            #expect(failure == (isKilled ? .crashed : .timedOut))
            let facts = try await workers.inspect(photo)
            #expect(facts.width == 480)
            #expect(workers.processes.first != first)
            #expect(kill(first, 0) != 0, "nothing is left of it")
        }
    }

    @Test("A worker that dies while it is idle costs nothing")
    func idle() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run { workers in
            for _ in 0..<3 {
                let worker = try await WorkerFixture.process(workers)
                kill(worker, SIGKILL)
                try await WorkerFixture.eventually { WorkerFixture.hasEnded(worker) }
                let facts = try await workers.inspect(photo)
                #expect(facts.width == 480)
            }
        }
    }

    static let garbage = [
        // A frame of 2 GB, invalid JSON, a short frame, a response to another request, impossible sizes, a variant without its bytes.
        #"\177\377\377\377"#, #"\0\0\0\007garbage"#, #"\0\0\0\0"#, #"\0\0\0\022{"answer":"ready"}"#,
        #"\0\0\0\121{"answer":"facts","kind":"jpeg","width":99999,"height":1,"frames":1,"alpha":true}"#,
        #"\0\0\0\052{"answer":"variant","width":1,"height":1 }"#,
    ]

    @Test("A worker that sends garbage costs one file, and is replaced", arguments: garbage)
    func mad(_ answer: String) async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        let flag = FileManager.default.temporaryDirectory.appending(path: "keepsake-mad-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: flag) }
        // The first start sends garbage, and the second one starts the real worker.
        let script = """
            if [ -e \(flag) ]; then exec \(WorkerFixture.program) work; fi
            : > \(flag)
            printf '\\0\\0\\0\\022{"answer":"ready"}' >&3
            dd bs=1 count=1 <&3 >/dev/null 2>&1
            printf '\(answer)' >&3
            exec sleep 60
            """
        try await WorkerFixture.run { options in
            options.program = "/bin/sh"
            options.arguments = ["-c", script]
            options.jobTimeout = .seconds(30)
        } _: { workers in
            let failure = try await workers.failure(photo)
            #expect(failure == .crashed)
            let facts = try await workers.inspect(photo)
            #expect(facts.width == 480)
        }
    }

    @Test(
        "A program that is missing or does not respond causes 503 after a short wait",
        arguments: [["-c", "exit 1"], ["-c", "sleep 60"]])
    func unstartable(_ arguments: [String]) async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run { options in
            options.program = "/bin/sh"
            options.arguments = arguments
            options.startTimeout = .milliseconds(200)
        } _: { workers in
            let problem = await #expect(throws: Problem.self) { try await workers.inspect(photo) }
            #expect(problem?.kind == .unavailable && problem?.retryAfter != nil)
        }
        try await WorkerFixture.run {
            $0.program = "/nowhere/keepsake-media"
        } _: { workers in
            let problem = await #expect(throws: Problem.self) { try await workers.inspect(photo) }
            #expect(problem?.kind == .unavailable)
        }
    }

    @Test("Jobs beyond the queue's limit are 503 with Retry-After, and the others are served")
    func full() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run {
            $0.queue = 4
        } _: { workers in
            _ = try await workers.inspect(photo)
            let worker = try await WorkerFixture.process(workers)
            kill(worker, SIGSTOP)
            let before = workers.taken
            async let first = workers.inspect(photo)
            // Waits until the worker has the first job, before the others come.
            try await WorkerFixture.eventually { workers.taken > before }
            let outcomes = try await withThrowingTaskGroup(of: Problem?.self) { group in
                for _ in 0..<19 { group.addTask { try await Self.problem(workers, photo) } }
                // The 15 refusals come while the worker is stopped.
                var outcomes: [Problem?] = []
                for _ in 0..<15 { outcomes.append(try await group.next() ?? nil) }
                kill(worker, SIGCONT)
                for try await outcome in group { outcomes.append(outcome) }
                return outcomes
            }
            #expect(outcomes.prefix(15).allSatisfy { $0?.kind == .unavailable && $0?.retryAfter != nil })
            #expect(outcomes.suffix(4).allSatisfy { $0 == nil })
            let facts = try await first
            #expect(facts.width == 480)
        }
    }

    static func problem(_ workers: MediaWorkers, _ bytes: [UInt8]) async throws -> Problem? {
        do {
            _ = try await workers.inspect(bytes)
            return nil
        } catch let problem as Problem {
            return problem
        }
    }

    @Test("A cancelled job leaves the queue")
    func cancelled() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run { workers in
            _ = try await workers.inspect(photo)
            let worker = try await WorkerFixture.process(workers)
            kill(worker, SIGSTOP)
            let before = workers.taken
            async let first = workers.inspect(photo)
            try await WorkerFixture.eventually { workers.taken > before }
            let second = Task { try await workers.inspect(photo) }
            try await WorkerFixture.eventually { workers.waiting == 1 }
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
            #expect(workers.waiting == 0)
            kill(worker, SIGCONT)
            let facts = try await first
            #expect(facts.width == 480)
        }
    }

    @Test("A worker is replaced after its maximum number of jobs, and when its memory has grown")
    func usedUp() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        for change: @Sendable (inout MediaWorkerOptions) -> Void in [{ $0.jobsPerWorker = 3 }, { $0.residentBytes = 1 << 20 }] {
            try await WorkerFixture.run(change) { workers in
                var seen: Set<pid_t> = []
                for _ in 0..<9 {
                    seen.insert(try await WorkerFixture.process(workers))
                    _ = try await workers.inspect(photo)
                }
                #expect(seen.count >= 3)
            }
        }
    }

    @Test("Two workers run in parallel, and the spare one ends when it is idle")
    func spare() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run { options in
            options.workers = 2
            options.spareIdle = .seconds(2)
        } _: { workers in
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Sends jobs until the pool starts the second worker.
                let end = ContinuousClock.now + .seconds(60)
                for _ in 0..<4 {
                    group.addTask {
                        while workers.processes.count < 2, ContinuousClock.now < end {
                            _ = try await workers.variant(photo, VariantRequest(width: 100, height: 100, format: .webp))
                        }
                    }
                }
                try await group.waitForAll()
                #expect(workers.processes.count == 2)
            }
            try await WorkerFixture.eventually { workers.processes.count == 1 }
        }
    }

    @Test("After the shutdown no worker runs, and a job is refused")
    func shutdown() async throws {
        var pool: MediaWorkers?
        var worker: pid_t = 0
        (pool, worker) = try await WorkerFixture.run { workers in (workers, try await WorkerFixture.process(workers)) }
        #expect(kill(worker, 0) != 0)
        let problem = await #expect(throws: Problem.self) { try await pool?.inspect([1]) }
        #expect(problem?.kind == .unavailable)
    }

    @Test("The sandbox refuses sockets, programs, files, processes, tracing, signals, and memory beyond the limits")
    func sandbox() async throws {
        var ours: CInt = -1
        var theirs: CInt = -1
        #expect(media_socket_pair(&ours, &theirs) == 0)
        let channel = FrameChannel(socket: ours)
        var process: pid_t = 0
        // This process stands for the server, and a world-readable file for its database.
        let words: [String] = [WorkerFixture.program, "probe", "\(getpid())", "/etc/passwd"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        defer { for argument in arguments { free(argument) } }
        #expect(media_spawn(WorkerFixture.program, &arguments, &environment, theirs, -1, -1, 1, &process) == 0)
        close(theirs)
        let (frame, _) = try channel.receive(until: .now + .seconds(60))
        #expect(frame == FlatJSON(["got": .number(0)]))
        var status: CInt = 0
        waitpid(process, &status, 0)
        // Control: the same call works without the sandbox, so the sandbox caused the refusals above.
        #expect(socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0) >= 0)
    }
}
