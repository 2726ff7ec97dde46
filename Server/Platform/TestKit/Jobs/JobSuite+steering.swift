internal import Core
internal import Database
internal import Jobs

/// Listing, retrying, removing and counting jobs, and the query plans of these operations.
extension JobSuite {
    static let steering: [Check] = [
        Check("A list is paged, ordered by kind and then by time") { fixture in
            for number in 1...7 { try await fixture.put(Note(number: number), in: .seconds(-number)) }
            for number in 8...10 { try await fixture.put(OtherNote(number: number), in: .seconds(-number)) }
            var pages: [[JobEntry]] = []
            repeat {
                pages.append(try await fixture.store.list(state: .ready, after: pages.last?.last?.cursor, limit: 4))
            } while pages.last?.isEmpty == false
            try expectEqual(pages.map(\.count), [4, 4, 2, 0])
            let all = pages.flatMap { $0 }
            try expectEqual(Set(all.map(\.id)).count, 10)
            try expectEqual(all.map(\.kind), [String](repeating: OtherNote.kind, count: 3) + [String](repeating: Note.kind, count: 7))
            try expectEqual(all.map(\.runAt), all[..<3].map(\.runAt).sorted() + all[3...].map(\.runAt).sorted())
            try expect(all.allSatisfy { $0.payload == nil }, "a list carries payloads")
            let notes = try await fixture.store.list(state: .ready, kind: Note.kind, after: all[4].cursor, limit: 100)
            try expectEqual(notes, Array(all[5...]))
            try await expectEqual(fixture.store.list(state: .ready, limit: 0).count, 1)
            try await expectEqual(fixture.store.list(state: .parked), [])
        },
        Check("A list page has at most a hundred jobs, and one more that tells whether others follow") { fixture in
            try await fixture.database.write { [queue = fixture.queue] tx in
                for number in 1...102 { try queue.enqueue(Note(number: number), owner: nil, tx) }
            }
            try await expectEqual(fixture.store.list(state: .ready, limit: 5_000).count, 101)
        },
        Check("A parked job that is retried gets all its attempts again, and its fencing number continues") { fixture in
            let id = try await fixture.put(RetriedJob(number: 1), key: "k", owner: "someone")
            let leases = fixture.leases("a")
            for _ in 1...2 {
                let lease = try await take(leases, room: 1)[0].lease
                try await expect(leases.retry(lease, at: fixture.clock.now, error: "hm"), "lost")
            }
            let stale = try await take(leases, room: 1)[0].lease
            try await expectEqual(fixture.store.retry(stale.id), false)
            try await expect(leases.park(stale, error: "no"), "lost")
            fixture.clock.advance(by: .seconds(5))
            try await expectEqual(fixture.store.retry(stale.id), true)
            let entry = try await fixture.shown(id)
            try expectEqual(entry.state, .ready)
            try expectEqual([entry.attempt, entry.tries, entry.lost], [3, 0, 0])
            try expectEqual(entry.runAt, fixture.clock.now)
            try expectEqual([entry.key, entry.owner, entry.payload, entry.error], ["k", "someone", #"{"number":1}"#, "no"])
            try await expectEqual(take(leases, room: 1).map(\.lease.attempt), [4])
            try await expect(expectThrows { try await leases.finish(stale) } is LeaseLost, "the fencing number was reset")
            try await expectEqual(fixture.store.retry("nobody"), false)
        },
        Check("A removed job is gone, and a running attempt of it cannot complete") { fixture in
            let id = try await fixture.put(Note(number: 1))
            let lease = try await take(fixture.leases("a"), room: 1)[0].lease
            try await expectEqual(fixture.store.remove(lease.id), true)
            try await expectEqual(fixture.store.remove(lease.id), false)
            try await expect(fixture.isGone(id), "it is still there")
            try await expect(expectThrows { try await fixture.leases("a").finish(lease) } is LeaseLost, "it could complete")
        },
        Check("Deleting an owner deletes all of the owner's jobs") { fixture in
            for owner in ["anna", "anna", "bert"] { try await fixture.put(Note(number: 1), owner: owner) }
            try await fixture.put(Note(number: 1))
            let count = try await fixture.database.write { tx in try JobStore.removeAll(of: "anna", tx) }
            try expectEqual(count, 2)
            try await expectEqual(Set(fixture.store.list(state: .ready).map(\.owner)), ["bert", nil])
        },
        Check("Jobs are counted by kind and state, with the age of the oldest due job") { fixture in
            let leases = fixture.leases("a")
            try await fixture.put(OtherNote(number: 1), in: .seconds(-30))
            try await expect(leases.park(take(leases, room: 1)[0].lease, error: "no"), "lost")
            try await fixture.put(Note(number: 1), in: .seconds(-20))
            _ = try await take(leases, room: 1)
            for delay in [-10, -5, 60] { try await fixture.put(Note(number: 2), in: .seconds(delay)) }
            try await fixture.put(RetriedJob(number: 3), in: .seconds(60))
            try await expectEqual(
                fixture.store.counts(),
                [
                    JobCounts(kind: OtherNote.kind, parked: 1),
                    JobCounts(kind: Note.kind, ready: 3, running: 1, oldestReady: .seconds(10)),
                    JobCounts(kind: RetriedJob.kind, ready: 1),
                ])
        },
        Check("Every statement that lists, claims or counts reads an index") { fixture in
            // Enough rows that no engine prefers a table scan.
            try await fixture.database.write { [queue = fixture.queue] tx in
                for number in 1...200 { try queue.enqueue(Note(number: number), key: "\(number)", owner: "\(number % 5)", tx) }
                for number in 201...400 {
                    try queue.enqueue(Note(number: number), owner: nil, turn: JobTurnKey(party: "\(number % 5)", target: "x"), tx)
                }
            }
            let now = fixture.clock.now
            let leases = fixture.leases("a")
            let skippingLocked = try await fixture.database.write { tx in tx.skippingLocked }
            let lease = JobLease(id: "x", attempt: 1)
            let leasesToExtend = [lease, JobLease(id: "y", attempt: 2)]
            let key = JobTurnKey(party: "1", target: "x")
            let kinds = [OtherNote.kind, Note.kind]
            var statements: [(SQL, index: String?, allowed: [String])] = [
                // Merges the rows of each kind, which the index selected.
                (JobLeases.heads(kinds, count: 4), "job_ready", ["SCAN head"]),
                (leases.take(JobGroup(kind: Note.kind), now: now, count: 4, skippingLocked), "job_ready", ["SCAN picked"]),
                (leases.take(JobGroup(kind: Note.kind, owner: "1"), now: now, count: 4, skippingLocked), nil, ["SCAN picked"]),
                (leases.take(JobGroup(kind: Note.kind, owner: "1", turn: key), now: now, count: 4, skippingLocked), nil, ["SCAN picked"]),
                (leases.take(JobGroup(kind: Note.kind, turn: key), now: now, count: 4, skippingLocked), "job_unowned", ["SCAN picked"]),
                // One row for each account, or turn key, that was found.
                (JobLeases.accounts(Note.kind, after: "1", count: 4), "job_turn", ["SCAN turn", "SCAN beginning"]),
                (JobLeases.turnKeys(Note.kind, after: "1", count: 4), "job_unowned", ["SCAN turn", "SCAN beginning"]),
                // At most as many rows as runners have slots, so a sort is cheap.
                (JobLeases.firstExpiry(kinds), "job_running", []),
                (JobLeases.expired(kinds, now: now, skippingLocked), "job_running", ["TEMP B-TREE", "Sort"]),
                (leases.takeOver(lease, lost: 1, now: now, error: "x"), nil, []),
                (leases.parkLost(lease, lost: 1, error: "x"), nil, []),
                (JobLeases.extend(leasesToExtend, until: now, skippingLocked), nil, ["SCAN picked", "using job_running"]),
                (JobLeases.held(among: leasesToExtend), nil, ["using job_running"]),
                (JobStore.correctStart(kinds, now: now), "job_ready", []),
                (JobStore.correctLease(kinds, now: now), "job_running", []),
                (JobStore.one("x"), nil, []),
                (JobStore.all(of: "1"), "job_owner", []),
                // Counting reads every entry, but only of an index.
                (JobStore.readyCounts, "job_ready", ["USING INDEX job_ready", "using job_ready"]),
                (JobStore.runningCounts, "job_running", ["USING INDEX job_running", "using job_running"]),
                (JobStore.parkedCounts, "job_parked", ["USING INDEX job_parked", "using job_parked"]),
            ]
            let cursor = JobCursor(kind: Note.kind, runAt: now, id: "x")
            for state in JobState.allCases {
                for (kind, after) in [(nil, nil), (nil, cursor), (Note.kind, nil), (Note.kind, cursor)] as [(String?, JobCursor?)] {
                    let page = JobStore.page(state: state, kind: kind, after: after, count: 20)
                    // The first page of all kinds starts at the index's beginning.
                    let allowed = kind == nil && after == nil ? ["USING INDEX job_", "Index Scan using job_"] : []
                    statements.append((page, "job_\(state.rawValue)", allowed))
                }
            }
            for (statement, index, allowed) in statements {
                let plan = try await QueryPlan(statement, on: fixture.database)
                let faults = plan.faults.filter { fault in !allowed.contains { fault.contains($0) } }
                try expect(faults.isEmpty, "\(faults) in \(plan)")
                if let index { try expect(plan.uses(index), "\(index) is not used in \(plan)") }
            }
        },
    ]
}
