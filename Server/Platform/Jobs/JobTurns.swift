package import Core

/// Decides which due jobs start. Accounts take turns by the time that their jobs took, not by the number of the jobs: an account with one
/// short job does not wait for many accounts with long jobs. The parties that asked for jobs without an account take turns in the same way.
/// Urgent jobs start first, and jobs that wait for the same service cannot occupy all places. Each node decides for itself.
package struct JobTurns: Sendable {
    /// Who takes turns.
    private enum Holder: Sendable, Hashable {
        case account(String)
        /// `JobTurnKey.party` of jobs that belong to no account.
        case party(String)
        /// The jobs of a kind that belong to no account and no party.
        case kind(String)

        init(_ jobs: JobGroup) {
            if let owner = jobs.owner {
                self = .account(owner)
            } else if let party = jobs.turn?.party {
                self = .party(party)
            } else {
                self = .kind(jobs.kind)
            }
        }

        /// Whether the holder leaves places to others.
        var isLimited: Bool { if case .kind = self { false } else { true } }
    }

    /// The most holders whose last start is remembered. Those that are forgotten count as if none of their jobs had started.
    private static let rememberedCount = 4_096

    /// The kinds whose policy is urgent.
    private let urgent: Set<String>
    /// The most jobs of one account, or of one party, at a time: half of the places.
    private let mostOfHolder: Int
    /// The most jobs at a time that wait for the same target: a quarter of the places.
    private let mostOfTarget: Int
    /// The most urgent jobs at a time, and also the most other jobs at a time. So urgent jobs always find a place, and so do the others.
    private let mostOfGroup: Int
    /// The most jobs of a kind at a time, for kinds that have such a limit.
    private let mostOfKind: [String: Int]
    /// The number of the last start of each holder.
    private var starts: [Holder: Int] = [:]
    private var startCount = 0
    /// How long the jobs of each holder took, in milliseconds.
    private var usage = UsageOrder<Holder>(headStart: 200)
    /// For each kind, the last account or turn key that the latest schedule contains.
    package private(set) var cursors: [String: String] = [:]

    /// - Parameters:
    ///   - places: how many jobs may run at a time.
    ///   - urgent: the kinds whose policy is urgent.
    ///   - mostOfKind: the most jobs of a kind at a time; a kind that is not in it has no limit.
    package init(places: Int = .max, urgent: Set<String> = [], mostOfKind: [String: Int] = [:]) {
        self.urgent = urgent
        self.mostOfKind = mostOfKind
        mostOfHolder = max(1, places / 2)
        mostOfTarget = max(1, places / 4)
        mostOfGroup = urgent.isEmpty ? places : max(1, places - max(1, places / 4))
    }

    /// Notes the last account or turn key of each kind in the schedule, so that the next schedule continues after them.
    package mutating func note(_ schedule: JobSchedule) {
        for (kind, last) in schedule.cursors { cursors[kind] = last }
    }

    /// Notes that a job has started.
    package mutating func started(_ jobs: JobGroup) {
        startCount += 1
        starts[Holder(jobs)] = startCount
        guard starts.count > Self.rememberedCount else { return }
        let oldest = startCount - Self.rememberedCount / 2
        starts = starts.filter { $0.value > oldest }
    }

    /// Notes that an attempt has ended, however it ended.
    package mutating func ended(_ jobs: JobGroup, after time: Duration) {
        usage.used(UInt64(max(0, time.wholeMilliseconds)), by: Holder(jobs))
    }

    /// Notes that no job is due: nobody had to wait for the jobs that have ended.
    package mutating func rested() { usage.reset() }

    /// Chooses at most `room` of the due jobs, one after the other. Urgent jobs come first. Among the urgent jobs, and then among the
    /// others, the account with the fewest running jobs comes first. Of accounts with equally many, the one whose jobs took the least time
    /// comes first, and then the one whose last job started the longest time ago. Of one account, the job that is due first comes first.
    /// Parties count as accounts.
    ///
    /// - Parameter running: the group of each job that runs.
    package func shares(_ schedule: JobSchedule, room: Int, now: Timestamp, running: [JobGroup] = []) -> [JobShare] {
        var turns = self
        var held: [Holder: Int] = [:]
        var ofKind: [String: Int] = [:]
        var ofTarget: [String: Int] = [:]
        var (urgentCount, otherCount) = (0, 0)
        func hold(_ jobs: JobGroup) {
            held[Holder(jobs), default: 0] += 1
            ofKind[jobs.kind, default: 0] += 1
            if let target = jobs.turn?.target { ofTarget[target, default: 0] += 1 }
            if urgent.contains(jobs.kind) { urgentCount += 1 } else { otherCount += 1 }
        }
        for job in running { hold(job) }
        var due = schedule.heads.filter { $0.runAt <= now }
        var shares: [JobShare] = []
        for _ in 0..<max(0, room) {
            func mayStart(_ head: JobSchedule.Head) -> Bool {
                guard ofKind[head.kind, default: 0] < mostOfKind[head.kind] ?? .max else { return false }
                if let target = head.turn?.target, ofTarget[target, default: 0] >= mostOfTarget { return false }
                let free = mostOfGroup - (urgent.contains(head.kind) ? urgentCount : otherCount)
                let holder = Holder(head.group)
                let heldCount = held[holder, default: 0]
                guard holder.isLimited, heldCount > 0 else { return free > 0 }
                // The last place is for a holder that has no running job.
                return heldCount < mostOfHolder && free > 1
            }
            func rank(_ head: JobSchedule.Head) -> (Int, Int, UInt64, Int) {
                let holder = Holder(head.group)
                let group = urgent.contains(head.kind) ? 0 : 1
                return (group, held[holder, default: 0], usage.rank(of: holder), turns.starts[holder, default: 0])
            }
            let next = due.indices.filter { mayStart(due[$0]) }.min { one, other in
                let (first, second) = (rank(due[one]), rank(due[other]))
                return first == second ? (due[one].runAt, due[one].id) < (due[other].runAt, due[other].id) : first < second
            }
            guard let next else { break }
            let head = due.remove(at: next)
            hold(head.group)
            turns.started(head.group)
            if let index = shares.firstIndex(where: { $0.group == head.group }) {
                shares[index].count += 1
            } else {
                shares.append(JobShare(head.group, count: 1))
            }
        }
        return shares
    }
}

/// How many jobs of a group start now.
package struct JobShare: Sendable, Hashable {
    package let group: JobGroup
    package var count: Int

    package init(_ group: JobGroup, count: Int) {
        self.group = group
        self.count = count
    }

    package init(kind: String, owner: String? = nil, turn: JobTurnKey? = nil, count: Int) {
        self.init(JobGroup(kind: kind, owner: owner, turn: turn), count: count)
    }
}
