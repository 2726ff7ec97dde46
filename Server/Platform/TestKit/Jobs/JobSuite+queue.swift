internal import Core
internal import Database
internal import Jobs
internal import Synchronization

/// Enqueueing jobs, and the order in which they are claimed.
extension JobSuite {
    private struct Refusal: Error {}

    static let queue: [Check] = [
        Check("A job enqueued by a transaction that fails does not exist") { fixture in
            _ = try await expectThrows {
                try await fixture.database.write { [queue = fixture.queue] tx in
                    try queue.enqueue(Note(number: 1), owner: nil, tx)
                    throw Refusal()
                }
            }
            try expectEqual(try await fixture.store.list(state: .ready), [])
        },
        Check("A key has one job while that waits, runs or is parked, and may have another afterwards") { fixture in
            let leases = fixture.leases("a")
            let first = try await fixture.put(Note(number: 1), key: "k")
            try expect(first != nil, "the first was refused")
            try await expectEqual(fixture.put(Note(number: 2), key: "k"), nil)
            let other = try await (
                fixture.put(Note(number: 3), key: "l", in: .seconds(1)), fixture.put(OtherNote(number: 4), key: "k", in: .seconds(1))
            )
            try expect(other.0 != nil && other.1 != nil, "another key or another kind was refused")
            let lease = try await take(leases, room: 1)[0].lease
            try expectEqual(lease.id, first)
            try await expectEqual(fixture.put(Note(number: 5), key: "k"), nil)
            try await expect(leases.park(lease, error: "no"), "it could not be parked")
            try await expectEqual(fixture.put(Note(number: 6), key: "k"), nil)
            try await expect(fixture.store.remove(lease.id), "it could not be removed")
            let next = try await fixture.put(Note(number: 7), key: "k")
            try expect(next != nil, "refused although the first is gone")
        },
        Check("A job may enqueue its successor with the same key") { fixture in
            let leases = fixture.leases("a")
            try await fixture.put(Note(number: 1), key: "k")
            let lease = try await take(leases, room: 1)[0].lease
            let next = try await leases.finish(lease) { [queue = fixture.queue] tx in
                try queue.enqueue(Note(number: 2), key: "k", owner: nil, tx)
            }
            try await expectEqual(fixture.shown(next).payload, #"{"number":2}"#)
        },
        Check("Of many concurrent callers that enqueue one key, only one is told that the job is new") { fixture in
            let new = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<24 { group.addTask { try await fixture.put(Note(number: number), key: "k") != nil } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try expectEqual(new, 1)
            try expectEqual(try await fixture.store.list(state: .ready).count, 1)
        },
        Check("Jobs are claimed in the order of their times, across kinds, up to the given number") { fixture in
            for number in [5, 1, 3] { try await fixture.put(Note(number: number), in: .seconds(-10 + number)) }
            for number in [4, 2, 6] { try await fixture.put(OtherNote(number: number), in: .seconds(-10 + number)) }
            var order: [[String]] = []
            for room in [1, 2, 2, 4] {
                order.append(try await take(fixture.leases("a"), room: room).map(\.payload).sorted())
            }
            try expectEqual(order.map { $0.map { $0.filter(\.isNumber) } }, [["1"], ["2", "3"], ["4", "5"], ["6"]])
        },
        Check("A batch of one kind is in order and skips jobs that others claimed") { fixture in
            for number in 1...9 { try await fixture.put(Note(number: number), in: .seconds(-10 + number)) }
            let schedule = try await fixture.leases("b").schedule([Note.kind], room: 4)
            let first = try await take(fixture.leases("a"), room: 4).map(\.payload)
            try expectEqual(first, (1...4).map { #"{"number":\#($0)}"# })
            // "b" read the queue before "a" claimed jobs, so "b" must now skip those jobs and take the next four.
            let second = try await fixture.leases("b").claim([Note.kind: Note.policy], schedule, room: 4).jobs.map(\.payload)
            try expectEqual(second, (5...8).map { #"{"number":\#($0)}"# })
        },
        Check("A delayed job is not claimed before its time") { fixture in
            try await fixture.put(Note(number: 1), in: .seconds(60))
            try await expectEqual(fixture.leases("a").schedule([Note.kind], room: 4).next, fixture.clock.now + .seconds(60))
            for wait in [59, 1] {
                try await expectEqual(take(fixture.leases("a"), room: 4).count, 0)
                fixture.clock.advance(by: .seconds(wait))
            }
            try await expectEqual(take(fixture.leases("a"), room: 4).count, 1)
        },
        Check("A sleeping runner is woken by a commit, and by its timer when a job is due") { fixture in
            let started = Mutex<[Int: Timestamp]>([:])
            var options = JobRunner.Options()
            options.poll = .hours(1)
            let clock = WallClock.system
            let runner = fixture.runner(
                [JobHandler(Note.self) { run in started.withLock { $0[run.payload.number] = clock.now } }], clock: clock,
                options: options)
            try await JobFixture.running(runner) {
                // Long enough for the runner to fall asleep.
                try await Task.sleep(for: .milliseconds(100))
                let due = try await fixture.database.write { [queue = fixture.queue] tx in
                    let due = clock.now + .milliseconds(400)
                    try queue.enqueue(Note(number: 1), owner: nil, at: clock.now, tx)
                    try queue.enqueue(Note(number: 2), owner: nil, at: due, tx)
                    return due
                }
                try await eventually("both have run") { started.withLock { $0.count == 2 } }
                try expect(started.withLock { $0[2] ?? due } >= due, "the second came before its time")
            }
        },
        Check("A payload or key that is too large is rejected, and its transaction leaves nothing") { fixture in
            struct Letter: Job {
                static let kind = "suite/letter"
                let text: String
            }
            // The encoded payload is the text within {"text":""}, 11 bytes.
            let largest = String(repeating: "x", count: JobLimits.payloadByteCount - 11)
            let id = try await fixture.put(Letter(text: largest), key: String(repeating: "k", count: 200))
            try await expectEqual(fixture.shown(id).payload?.utf8.count, JobLimits.payloadByteCount)
            let size = JobLimits.payloadByteCount + 1
            try expectEqual(
                try await expectThrows { try await fixture.put(Letter(text: largest + "x")) } as? JobError,
                .payloadTooLarge(kind: Letter.kind, byteCount: size))
            for key in ["", String(repeating: "k", count: 201), "a\0b"] {
                try expectEqual(
                    try await expectThrows { try await fixture.put(Letter(text: ""), key: key) } as? JobError,
                    .keyUnusable(kind: Letter.kind))
            }
            try expectEqual(try await fixture.store.list(state: .ready).count, 1)
        },
    ]

    /// Reads the queue and claims jobs of all kinds of the suite, once.
    static func take(_ leases: JobLeases, room: Int, suspects: Int = 1) async throws -> [ClaimedJob] {
        try await claim(leases, room: room, suspects: suspects).jobs
    }

    static func claim(_ leases: JobLeases, room: Int, suspects: Int = 1) async throws -> JobLeases.Claim {
        let policies = [Note.kind: Note.policy, OtherNote.kind: OtherNote.policy, RetriedJob.kind: RetriedJob.policy]
        let schedule = try await leases.schedule(policies.keys.sorted(), room: room)
        return try await leases.claim(policies, schedule, room: room, suspects: suspects)
    }
}
