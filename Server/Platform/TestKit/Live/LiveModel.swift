internal import Core
package import Live

/// The expected relation between what emitters were told and what subscribers saw, whatever happened in between. Pure.
package struct LiveModel: Sendable {
    private let accounts: Int
    /// By write: true when its emitter was told that it committed, false when it was told that it did not. A write without an entry may
    /// have committed or not.
    private var told: [PlannedWrite.ID: Bool] = [:]
    /// The event that the first reader of a number saw; other readers must see the same.
    private var seen: [String: [Int64: Event]] = [:]
    private var places: [PlannedWrite.ID: [PlannedWrite.Part: Int64]] = [:]
    private var sent: [String: [Int64: PlannedWrite.Mark]] = [:]
    /// By subscriber: its account and the last number it saw.
    private var readers: [Int: (account: String, last: Int64)] = [:]
    private var wrongs: [String] = []
    /// The number of all faults, including those whose text is not kept.
    package private(set) var wrongCount = 0
    package private(set) var deliveries = 0

    package init(accounts: Int) { self.accounts = accounts }

    /// - Parameter answer: the result of `PlannedWrite.run`.
    package mutating func told(_ write: PlannedWrite.ID, _ answer: Bool?) {
        if let answer { told[write] = answer }
    }

    package mutating func starts(_ reader: Int, _ account: String, at last: Int64) { readers[reader] = (account, last) }

    package func last(_ reader: Int) -> Int64 { readers[reader]?.last ?? 0 }

    /// - Returns: when the write was started, in nanoseconds of the machine's clock.
    @discardableResult
    package mutating func saw(_ reader: Int, _ event: Event) -> Int64 {
        deliveries += 1
        guard let (account, last) = readers[reader] else { return 0 }
        if event.account != account { wrong("\(reader) reads \(account) and got an event of \(event.account)") }
        if event.seq != last + 1 { wrong("\(reader) got \(event.seq) of \(account) after \(last)") }
        readers[reader] = (account, event.seq)
        if let known = seen[account]?[event.seq] {
            if known != event { wrong("\(event.seq) of \(account) differs between readers") }
        } else {
            seen[account, default: [:]][event.seq] = event
            note(event)
        }
        return sent[account]?[event.seq]?.sent ?? 0
    }

    /// - Returns: the event's emitter; -1 when no emitter of this campaign sent it.
    func emitter(_ event: Event) -> Int { sent[event.account]?[event.seq]?.emitter ?? -1 }

    package mutating func wasReset(_ reader: Int, to head: Int64) {
        wrong("\(reader) was reset from \(last(reader)) to \(head), though nothing is pruned")
        readers[reader]?.last = head
    }

    private mutating func note(_ event: Event) {
        guard let mark = try? JSON.decode(PlannedWrite.Mark.self, event.payload) else {
            return wrong("\(event.seq) of \(event.account) was not emitted by this campaign")
        }
        let write = PlannedWrite(emitter: mark.emitter, number: mark.number, accounts: accounts)
        let part = PlannedWrite.Part(account: event.account, index: mark.index)
        if !write.parts.contains(part) || mark.filler != write.filler(mark.index) {
            wrong("\(event.seq) of \(event.account) has another payload than its emitter sent")
        }
        if let other = places[write.id, default: [:]].updateValue(event.seq, forKey: part) {
            wrong("\(write.id) appears twice in \(event.account), at \(other) and \(event.seq)")
        }
        sent[event.account, default: [:]][event.seq] = mark
    }

    private mutating func wrong(_ what: String) {
        wrongCount += 1
        if wrongs.count < 20 { wrongs.append(what) }
    }

    /// Judges the campaign after all subscribers have caught up.
    ///
    /// - Parameter heads: each account's last number, from the store.
    /// - Returns: the first twenty faults; empty when the log kept its promise.
    package mutating func verdict(heads: [String: Int64]) -> [String] {
        for (reader, place) in readers.sorted(by: { $0.key < $1.key }) where place.last != heads[place.account] ?? 0 {
            wrong("\(reader) saw \(place.account) up to \(place.last), but its log ends at \(heads[place.account] ?? 0)")
        }
        for (account, head) in heads where Int64(seen[account]?.count ?? 0) != head {
            wrong("\(seen[account]?.count ?? 0) events of \(account) were seen, but the log has \(head)")
        }
        for (id, answer) in told { judge(id, answer) }
        // A write without an answer must be complete or absent.
        for id in places.keys where told[id] == nil { judge(id, true) }
        judgeOrder()
        return wrongs
    }

    private mutating func judge(_ id: PlannedWrite.ID, _ isThere: Bool) {
        let places = places[id] ?? [:]
        guard isThere else {
            if !places.isEmpty { wrong("\(id) was rolled back but was seen") }
            return
        }
        let parts = PlannedWrite(emitter: id.emitter, number: id.number, accounts: accounts).parts
        for part in parts {
            guard let place = places[part] else {
                wrong("\(id) was acknowledged or seen in part, but its \(part) was not seen")
                continue
            }
            // The events of one write must be consecutive.
            if part.index > 0, places[PlannedWrite.Part(account: part.account, index: part.index - 1)] != place - 1 {
                wrong("\(id) is not consecutive in \(part.account)")
            }
        }
    }

    /// An emitter waits for each write before it starts the next, so its events must be in that order.
    private mutating func judgeOrder() {
        var last: [Int: [String: Int64]] = [:]
        for id in places.keys.sorted(by: { ($0.emitter, $0.number) < ($1.emitter, $1.number) }) {
            for (part, place) in places[id] ?? [:] where part.index == 0 {
                if let before = last[id.emitter]?[part.account], before >= place { wrong("\(id) comes before an earlier write") }
                last[id.emitter, default: [:]][part.account] = place
            }
        }
    }
}
