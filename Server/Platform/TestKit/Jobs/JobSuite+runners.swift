internal import Core
internal import Database
internal import Jobs
internal import Synchronization

/// Runners: renewing a lease, losing it, several runners on one store.
extension JobSuite {
    static let runners: [Check] = [
        Check("A runner keeps the lease of a long job while the job runs") { fixture in
            let id = try await fixture.put(Note(number: 1))
            let gate = Gate()
            let handler = JobHandler(Note.self) { run in
                await gate.wait()
                try await run.complete { tx in try JobFixture.makeEffect(1, tx) }
            }
            try await JobFixture.running(fixture.runner([handler])) {
                try await eventually("it runs") { try await fixture.shown(id).state == .running }
                for _ in 1...10 {
                    fixture.clock.advance(by: .seconds(5))
                    let until = fixture.clock.now + .seconds(6)
                    try await eventually("it is renewed") { try await fixture.shown(id).leaseUntil == until }
                    try await expectEqual(take(fixture.leases("other"), room: 4).count, 0)
                }
                gate.open()
                try await eventually("it is done") { try await fixture.isGone(id) }
            }
            try await expectEqual(fixture.effects(), [1: 1])
        },
        Check("A handler that lost its job is cancelled, and its effect is rolled back") { fixture in
            let id = try await fixture.put(Note(number: 1))
            let outcome = Mutex<(wasCancelled: Bool, error: (any Error)?)?>(nil)
            let handler = JobHandler(Note.self) { run in
                let wasCancelled = (try? await Task.sleep(for: .seconds(60))) == nil
                do {
                    try await run.complete { tx in try JobFixture.makeEffect(1, tx) }
                } catch {
                    outcome.withLock { $0 = (wasCancelled, error) }
                    throw error
                }
            }
            try await JobFixture.running(fixture.runner([handler])) {
                try await eventually("it runs") { try await fixture.shown(id).state == .running }
                // What a takeover by another node writes.
                try await fixture.database.write { tx in
                    try tx.run("UPDATE job SET attempt = attempt + 1, tries = tries + 1, worker = 'other' WHERE id = \(id)")
                }
                try await eventually("the handler has ended") { outcome.withLock { $0 != nil } }
            }
            try expect(outcome.withLock { $0?.wasCancelled ?? false }, "it was not cancelled")
            try await expectEqual(fixture.effects(), [:])
            let entry = try await fixture.shown(id)
            try expectEqual([entry.attempt, entry.tries], [2, 2])
            try expectEqual(entry.worker, "other")
        },
        Check("A handler that ignores cancellation blocks its slot but not its job") { fixture in
            let id = try await fixture.put(RetriedJob(number: 1))
            let gate = Gate()
            let errors = Mutex<[any Error]>([])
            let handler = JobHandler(RetriedJob.self) { run in
                if run.attempt == 1 { await gate.wait() }
                do {
                    try await run.complete { tx in try JobFixture.makeEffect(run.attempt, tx) }
                } catch {
                    errors.withLock { $0.append(error) }
                    throw error
                }
            }
            try await JobFixture.running(fixture.runner([handler])) {
                defer { gate.open() }
                try await eventually("it runs") { try await fixture.shown(id).state == .running }
                try await eventually("its timeout is over and its lease is no longer renewed; another attempt completes it") {
                    fixture.clock.advance(by: .seconds(1))
                    return try await fixture.isGone(id)
                }
                gate.open()
                try await eventually("the first has ended") { errors.withLock { !$0.isEmpty } }
            }
            try await expectEqual(fixture.effects(), [2: 1])
            try expect(errors.withLock { $0.allSatisfy { $0 is LeaseLost || $0 is CancellationError } }, "another error")
        },
        Check("When a second runner takes over from a paused one, the effect is made once") { fixture in
            try await expectEqual(racingRunners(fixture, isFenced: true), [1: 1])
        },
        Check("Negative control: two runners without the fence make the effect twice") { fixture in
            try await expectEqual(racingRunners(fixture, isFenced: false), [1: 2])
        },
        Check("Two nodes on one store run each of many jobs once, and both run some") { fixture in
            let other = try await fixture.openAgain()
            let started = Mutex<Set<String>>([])
            let done = Mutex<[String: Int]>([:])
            func handler(_ node: String) -> JobHandler {
                JobHandler(Note.self) { run in
                    // Neither node runs ahead before the other has a job.
                    started.withLock { _ = $0.insert(node) }
                    try await eventually("both have some") { started.withLock { $0.count == 2 } }
                    try await run.complete { tx in try JobFixture.makeEffect(run.payload.number, tx) }
                    done.withLock { $0[node, default: 0] += 1 }
                }
            }
            do {
                try await fixture.database.write { [queue = fixture.queue] tx in
                    for number in 1...300 { try queue.enqueue(Note(number: number), owner: nil, tx) }
                }
                let (a, b) = (
                    fixture.runner([handler("a")], node: "a"), fixture.runner([handler("b")], node: "b", over: other)
                )
                try await JobFixture.running(a, b) {
                    try await eventually("all are done") { try await fixture.store.counts().isEmpty }
                }
            } catch {
                try? await other.close()
                throw error
            }
            try await other.close()
            try await expectEqual(fixture.effects(), Dictionary(uniqueKeysWithValues: (1...300).map { ($0, 1) }))
            try expectEqual(done.withLock { $0.values.reduce(0, +) }, 300)
            try expectEqual(done.withLock { $0.count }, 2)
        },
        Check("An account with hundreds of due jobs delays each other account's job by one job, also with one place") { fixture in
            try await fixture.database.write { [queue = fixture.queue, clock = fixture.clock] tx in
                for number in 1...200 { try queue.enqueue(Note(number: number), owner: "ada", at: clock.now - .seconds(60), tx) }
                for number in 201...240 { try queue.enqueue(Note(number: number), owner: "ben", at: clock.now - .seconds(30), tx) }
                for owner in ["eve", "zoe"] { try queue.enqueue(Note(number: 300), owner: owner, tx) }
            }
            let started = Mutex<[String]>([])
            let handler = JobHandler(Note.self) { run in started.withLock { $0.append(run.owner ?? "") } }
            var options = JobFixture.quick
            options.concurrency = 1
            try await JobFixture.running(fixture.runner([handler], options: options)) {
                // Turns go by the time that jobs took, so an account may have several short ones for another's long one.
                try await eventually("the others take turns again") {
                    started.withLock { owners in ["ada", "ben"].allSatisfy(owners.dropFirst(4).contains) }
                }
            }
            let owners = started.withLock { $0 }
            try expectEqual(owners.prefix(4).sorted(), ["ada", "ben", "eve", "zoe"])
            let before = owners.dropFirst(4).prefix(while: { $0 != "ben" }).count
            try expect(before < 100, "\(before) jobs of ada before ben's second")
        },
        Check("An account's jobs hold at most half of the places, and another account's job starts beside them") { fixture in
            for number in 1...8 { try await fixture.put(Note(number: number), owner: "ada") }
            let running = Mutex<[String]>([])
            let gate = Gate()
            let handler = JobHandler(Note.self) { run in
                running.withLock { $0.append(run.owner ?? "") }
                await gate.wait()
            }
            try await JobFixture.running(fixture.runner([handler])) {
                defer { gate.open() }
                try await eventually("two run") { running.withLock { $0.count == 2 } }
                try await fixture.put(Note(number: 9), owner: "ben")
                try await eventually("the other account's job runs") { running.withLock { $0.contains("ben") } }
                try expectEqual(running.withLock { $0.sorted() }, ["ada", "ada", "ben"])
                gate.open()
                try await eventually("all are done") { try await fixture.store.counts().isEmpty }
            }
        },
        Check("A job that somebody waits for starts although other jobs hold as many places as they may") { fixture in
            struct Mail: Job {
                static let kind = "suite/mail"
                static let policy = JobPolicy(isUrgent: true)
                let number: Int
            }
            for number in 1...8 { try await fixture.put(Note(number: number), in: .seconds(-60)) }
            let running = Mutex(0)
            let gate = Gate()
            let handlers = [
                JobHandler(Note.self) { _ in
                    running.withLock { $0 += 1 }
                    await gate.wait()
                },
                JobHandler(Mail.self) { _ in },
            ]
            try await JobFixture.running(fixture.runner(handlers)) {
                defer { gate.open() }
                try await eventually("three run") { running.withLock { $0 == 3 } }
                for number in 1...3 {
                    let mail = try await fixture.put(Mail(number: number))
                    try await eventually("the mail is sent") { try await fixture.isGone(mail) }
                }
                try expectEqual(running.withLock { $0 }, 3)
                gate.open()
                try await eventually("all are done") { try await fixture.store.counts().isEmpty }
            }
        },
        Check("A runner claims no job of a kind that it has no handler for") { fixture in
            let otherNote = try await fixture.put(OtherNote(number: 1), in: .seconds(-10))
            let note = try await fixture.put(Note(number: 2))
            try await JobFixture.running(fixture.runner([JobHandler(Note.self) { _ in }])) {
                try await eventually("its own is done") { try await fixture.isGone(note) }
            }
            try await expectEqual(fixture.shown(otherNote).state, .ready)
        },
    ]

    /// One runner is late, like a paused process: it renews no lease, and completes after another runner has taken the job over and done
    /// it.
    private static func racingRunners(_ fixture: JobFixture, isFenced: Bool) async throws -> [Int: Int] {
        let id = try await fixture.put(Note(number: 1))
        let gate = Gate()
        let lateEnd = Mutex(false)
        var late = JobFixture.quick
        late.heartbeat = .seconds(3600)
        late.isFenced = isFenced
        let slow = JobHandler(Note.self) { run in
            defer { lateEnd.withLock { $0 = true } }
            await gate.wait()
            try await run.complete { tx in try JobFixture.makeEffect(1, tx) }
        }
        let quick = JobHandler(Note.self) { run in try await run.complete { tx in try JobFixture.makeEffect(1, tx) } }
        // With one slot, the late runner cannot take over its own job.
        late.concurrency = 1
        try await JobFixture.running(fixture.runner([slow], node: "late", options: late)) {
            try await eventually("it runs") { try await fixture.shown(id).state == .running }
            fixture.clock.advance(by: .seconds(7))
            try await JobFixture.running(fixture.runner([quick], node: "quick")) {
                try await eventually("it is done") { try await fixture.isGone(id) }
            }
            gate.open()
            try await eventually("the late one has ended") { lateEnd.withLock { $0 } }
        }
        return try await fixture.effects()
    }
}
