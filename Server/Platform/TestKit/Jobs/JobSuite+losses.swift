internal import Core
internal import Database
internal import Dispatch
internal import Jobs

/// Workers that die, and workers that only seem dead.
extension JobSuite {
    static let losses: [Check] = [
        Check("When a worker's lease expires, its job is claimed as another attempt") { fixture in
            try await fixture.put(Note(number: 1))
            let (a, b) = (fixture.leases("a"), fixture.leases("b"))
            let first = try await take(a, room: 4)[0]
            let expiry = fixture.clock.now + .seconds(6)
            try await expectEqual(fixture.shown(first.lease.id).leaseUntil, expiry)
            try await expectEqual(b.schedule([Note.kind], room: 4).next, expiry)
            fixture.clock.advance(by: .seconds(6) - .microseconds(1))
            try await expectEqual(take(b, room: 4).count, 0)
            fixture.clock.advance(by: .microseconds(1))
            let second = try await take(b, room: 4)[0]
            try expectEqual(second.lease, JobLease(id: first.lease.id, attempt: 2))
            try expectEqual([second.tries, second.lost], [2, 1])
            let entry = try await fixture.shown(first.lease.id)
            try expectEqual(entry.worker, "b")
            try expectEqual(entry.error, "the worker a died or stopped in attempt 1")
        },
        Check("An attempt that lost its lease cannot write, and its effect is rolled back") { fixture in
            let (stale, lease) = try await loseOne(fixture)
            try await expect(expectThrows { try await finish(stale, fixture) } is LeaseLost, "another error")
            try await expectEqual(fixture.effects(), [:])
            let a = fixture.leases("a")
            try await expectEqual(a.renew([stale]), [])
            try await expectEqual(a.retry(stale, at: fixture.clock.now, error: "no"), false)
            try await expectEqual(a.park(stale, error: "no"), false)
            try await expectEqual(a.giveBack(stale), false)
            try await finish(lease, fixture)
            try await expect(expectThrows { try await finish(lease, fixture) } is LeaseLost, "another error")
            try await expectEqual(fixture.effects(), [1: 1])
        },
        Check("Negative control: without fencing, the same attempt makes the effect a second time") { fixture in
            let (stale, lease) = try await loseOne(fixture)
            try await finish(lease, fixture)
            try await finish(stale, fixture, isFenced: false)
            try await expectEqual(fixture.effects(), [1: 2])
        },
        Check("An expired lease that no other worker claimed can be renewed") { fixture in
            try await fixture.put(Note(number: 1))
            let a = fixture.leases("a")
            let lease = try await take(a, room: 1)[0].lease
            fixture.clock.advance(by: .seconds(60))
            try await expectEqual(a.renew([lease, JobLease(id: "nobody", attempt: 1)]), [lease])
            try await expectEqual(take(fixture.leases("b"), room: 4).count, 0)
        },
        Check("On a store with several writers, leases are renewed while a transaction that finishes one of the jobs is open") { fixture in
            try await fixture.put(Note(number: 1))
            try await fixture.put(Note(number: 2))
            let a = fixture.leases("a")
            let held = try await take(a, room: 2).map(\.lease)
            let (started, startedMaker) = AsyncStream.makeStream(of: Void.self)
            let renewed = DispatchSemaphore(value: 0)
            async let hasRenewed = a.finish(held[0]) { tx in
                startedMaker.finish()
                return !tx.locksRows || renewed.wait(timeout: .now() + .seconds(10)) == .success
            }
            for await _ in started {}
            fixture.clock.advance(by: .seconds(2))
            let left = try await a.renew(held)
            renewed.signal()
            try await expect(hasRenewed, "the renewal waited")
            // SQLite has one writer, so there the first job was finished before.
            try expect(left.contains(held[1]), "a lease is lost")
            try await expectEqual(fixture.shown(held[1].id).leaseUntil, fixture.clock.now + .seconds(6))
        },
        Check("A job that kills every worker is parked, with an error that says so") { fixture in
            let id = try await fixture.put(Note(number: 1))
            for number in 1...5 {
                let taken = try await take(fixture.leases("node \(number)"), room: 4)
                try expectEqual(taken.map(\.tries), [number])
                fixture.clock.advance(by: .seconds(7))
            }
            let claim = try await claim(fixture.leases("node 6"), room: 4)
            try expectEqual(claim.jobs.count, 0)
            try expectEqual(claim.parked.map(\.id), [id])
            let entry = try await fixture.shown(id)
            try expectEqual(entry.state, .parked)
            try expectEqual([entry.tries, entry.lost], [5, 5])
            try expectEqual(entry.error, "the worker node 5 died or stopped in attempt 5, as 5 of 5 attempts did")
        },
        Check("whenParked runs once, in the write that parks a job, after lost workers and after a failure") {
            fixture in
            let handler = JobHandler(
                RetriedJob.self,
                whenParked: { job, owner, reason, tx in
                    guard owner == "ada", !reason.isEmpty else { throw Failure(description: "not this job's owner and reason") }
                    try JobFixture.makeEffect(job.number, tx)
                }
            ) { _ in throw JobFailure.permanent("it cannot be done") }
            // A worker that died holds its third and last attempt.
            let lost = try await fixture.put(RetriedJob(number: 1), owner: "ada")
            for number in 1...3 {
                try await expectEqual(take(fixture.leases("node \(number)"), room: 1).count, 1)
                fixture.clock.advance(by: .seconds(7))
            }
            let failed = try await fixture.put(RetriedJob(number: 2), owner: "ada")
            try await JobFixture.running(fixture.runner([handler]), fixture.runner([handler], node: "there")) {
                try await eventually("both are parked") {
                    try await fixture.store.counts() == [JobCounts(kind: RetriedJob.kind, parked: 2)]
                }
            }
            try await expectEqual(fixture.shown(lost).error, "the worker node 3 died or stopped in attempt 3, as 3 of 3 attempts did")
            try await expectEqual(fixture.shown(failed).error, "JobFailure: it cannot be done")
            try await expectEqual(fixture.effects(), [1: 1, 2: 1])
        },
        Check("When whenParked throws, the job is not parked") { fixture in
            let id = try await fixture.put(Note(number: 1))
            let lease = try await take(fixture.leases("a"), room: 1)[0].lease
            struct Stop: Error {}
            let thrown = try await expectThrows { try await fixture.leases("a").park(lease, error: "no") { _ in throw Stop() } }
            try expect(thrown is Stop, "another error")
            try await expectEqual(fixture.shown(id).state, .running)
        },
        Check("Jobs that are lost together with a poison job complete and are not parked instead of it") { fixture in
            let poison = try await fixture.put(Note(number: 0))
            for number in 1...20 { try await fixture.put(Note(number: number)) }
            // A worker dies with all its jobs when it has the poison job. Otherwise it completes all of them.
            for round in 0..<60 {
                let leases = fixture.leases("node \(round)")
                let taken = try await take(leases, room: 4)
                if taken.contains(where: { $0.lease.id == poison }) || taken.isEmpty {
                    fixture.clock.advance(by: .seconds(7))
                } else {
                    for job in taken { try await leases.finish(job.lease) }
                }
            }
            let left = try await fixture.store.counts()
            try expectEqual(left, [JobCounts(kind: Note.kind, parked: 1)])
            try await expectEqual(fixture.shown(poison).state, .parked)
        },
        Check("Jobs that lost several workers run one at a time on a node") { fixture in
            for number in 1...3 { try await fixture.put(Note(number: number)) }
            for _ in 1...2 {
                try await expectEqual(take(fixture.leases("a"), room: 4).count, 3)
                fixture.clock.advance(by: .seconds(7))
            }
            try await expectEqual(take(fixture.leases("b"), room: 4, suspects: 0).count, 0)
            try await expectEqual(take(fixture.leases("b"), room: 4, suspects: 1).count, 1)
            // Another node may run one such job, too.
            try await expectEqual(take(fixture.leases("c"), room: 4, suspects: 1).count, 1)
        },
    ]

    /// - Returns: an attempt that lost its lease, and the attempt that holds it now.
    private static func loseOne(_ fixture: JobFixture) async throws -> (stale: JobLease, current: JobLease) {
        try await fixture.put(Note(number: 1))
        let stale = try await take(fixture.leases("a"), room: 1)[0].lease
        fixture.clock.advance(by: .seconds(7))
        return (stale, try await take(fixture.leases("b"), room: 1)[0].lease)
    }

    private static func finish(_ lease: JobLease, _ fixture: JobFixture, isFenced: Bool = true) async throws {
        try await fixture.leases("a", isFenced: isFenced).finish(lease) { tx in try JobFixture.makeEffect(1, tx) }
    }
}
