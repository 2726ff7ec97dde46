package import Core

/// Decides which due jobs start. Accounts take turns by the time that their jobs took, whatever their number: an account with one short job
/// does not wait for many accounts with long ones. Short jobs that somebody waits for start first. Each node decides for itself.
package struct JobTurns: Sendable {
    /// Who takes turns: an account, or the jobs of a kind that belong to no account.
    private enum Holder: Sendable, Hashable {
        case account(String)
        case kind(String)

        init(_ kind: String, _ owner: String?) { self = owner.map(Holder.account) ?? .kind(kind) }
    }

    /// Holders whose last start is remembered. Those that are forgotten count as if none of their jobs had started.
    private static let rememberedCount = 4_096

    /// The kinds whose policy is urgent.
    private let urgent: Set<String>
    /// The most jobs of one account at a time: half of the places.
    private let mostOfAccount: Int
    /// The most urgent jobs at a time, and the most others. So urgent jobs always find a place, and so do the others.
    private let mostOfGroup: Int
    /// The most jobs of a kind at a time, for kinds that have such a limit.
    private let mostOfKind: [String: Int]
    /// The number of the last start of each holder.
    private var starts: [Holder: Int] = [:]
    private var startCount = 0
    /// How long the jobs of each holder took, in milliseconds.
    private var usage = UsageOrder<Holder>(headStart: 200)
    /// For each kind, the account that the last schedule has seen last.
    package private(set) var cursors: [String: String] = [:]

    /// - Parameters:
    ///   - places: how many jobs may run at a time.
    ///   - urgent: the kinds whose policy is urgent.
    ///   - mostOfKind: the most jobs of a kind at a time; no limit for kinds that it lacks.
    package init(places: Int = .max, urgent: Set<String> = [], mostOfKind: [String: Int] = [:]) {
        self.urgent = urgent
        self.mostOfKind = mostOfKind
        mostOfAccount = max(1, places / 2)
        mostOfGroup = urgent.isEmpty ? places : max(1, places - max(1, places / 4))
    }

    /// Notes which accounts the schedule has seen, so that the next one continues after them.
    package mutating func note(_ schedule: JobSchedule) {
        for (kind, owner) in schedule.cursors { cursors[kind] = owner }
    }

    /// Notes that a job has started.
    package mutating func started(_ kind: String, owner: String?) {
        startCount += 1
        starts[Holder(kind, owner)] = startCount
        guard starts.count > Self.rememberedCount else { return }
        let oldest = startCount - Self.rememberedCount / 2
        starts = starts.filter { $0.value > oldest }
    }

    /// Notes that an attempt has ended, however it ended.
    package mutating func ended(_ kind: String, owner: String?, after time: Duration) {
        usage.used(UInt64(max(0, time.wholeMilliseconds)), by: Holder(kind, owner))
    }

    /// Notes that no job is due: nobody had to wait for the jobs that have ended.
    package mutating func rested() { usage.reset() }

    /// Chooses at most `room` of the due jobs, one after the other: an urgent one first; then one of the account with the fewest running
    /// jobs, whose jobs took the least time, and of equals, whose last job started the longest time ago; then the one that is due first.
    ///
    /// - Parameter running: kind and owner of each job that runs.
    package func shares(
        _ schedule: JobSchedule, room: Int, now: Timestamp, running: [(kind: String, owner: String?)] = []
    ) -> [JobShare] {
        var turns = self
        var held: [Holder: Int] = [:]
        var ofKind: [String: Int] = [:]
        var (urgentCount, otherCount) = (0, 0)
        func hold(_ kind: String, _ owner: String?) {
            held[Holder(kind, owner), default: 0] += 1
            ofKind[kind, default: 0] += 1
            if urgent.contains(kind) { urgentCount += 1 } else { otherCount += 1 }
        }
        for job in running { hold(job.kind, job.owner) }
        var due = schedule.heads.filter { $0.runAt <= now }
        var shares: [JobShare] = []
        for _ in 0..<max(0, room) {
            func mayStart(_ head: JobSchedule.Head) -> Bool {
                guard ofKind[head.kind, default: 0] < mostOfKind[head.kind] ?? .max else { return false }
                let free = mostOfGroup - (urgent.contains(head.kind) ? urgentCount : otherCount)
                let heldCount = held[Holder(head.kind, head.owner), default: 0]
                guard head.owner != nil, heldCount > 0 else { return free > 0 }
                // The last place is for an account that has none.
                return heldCount < mostOfAccount && free > 1
            }
            func rank(_ head: JobSchedule.Head) -> (Int, Int, UInt64, Int) {
                let holder = Holder(head.kind, head.owner)
                let group = urgent.contains(head.kind) ? 0 : 1
                return (group, held[holder, default: 0], usage.rank(of: holder), turns.starts[holder, default: 0])
            }
            let next = due.indices.filter { mayStart(due[$0]) }.min { one, other in
                let (first, second) = (rank(due[one]), rank(due[other]))
                return first == second ? (due[one].runAt, due[one].id) < (due[other].runAt, due[other].id) : first < second
            }
            guard let next else { break }
            let head = due.remove(at: next)
            hold(head.kind, head.owner)
            turns.started(head.kind, owner: head.owner)
            if let index = shares.firstIndex(where: { $0.kind == head.kind && $0.owner == head.owner }) {
                shares[index].count += 1
            } else {
                shares.append(JobShare(kind: head.kind, owner: head.owner, count: 1))
            }
        }
        return shares
    }
}

/// How many jobs of a kind and an account start now.
package struct JobShare: Sendable, Hashable {
    package let kind: String
    /// `nil` for jobs that belong to no account.
    package let owner: String?
    package var count: Int

    package init(kind: String, owner: String? = nil, count: Int) {
        self.kind = kind
        self.owner = owner
        self.count = count
    }
}
