/// Decides whose turn it is at a resource that one key at a time uses, by how much of it each key has used. If keys only took turns, those
/// whose uses are long would have most of the resource, and everybody else would wait for one long use of each of them.
///
/// This is start-time fair queueing (Goyal, Vin and Cheng, 1996). Each key has a mark: a use begins at the mark and moves it by its cost.
/// The key with the lowest mark is next. The clock is where the newest use began, and the use of a key that was idle begins there, so
/// nobody collects turns while idle.
package struct UsageOrder<Key: Hashable & Sendable>: Sendable {
    /// The clock also moves by 1 whenever uses have cost this much. New keys all begin at the clock: if only new keys came, it would
    /// otherwise stand still, and a key with a higher mark would wait for ever.
    private static var drift: UInt64 { 256 }
    /// Above this number of keys, those that the clock has passed are removed.
    private static var mostMarks: Int { 4_096 }

    /// How far an idle key goes before the clock, so that it comes before a key that uses the resource all the time and whose mark the
    /// clock has just reached. A few times the cost of a short use.
    private let headStart: UInt64
    private var marks: [Key: UInt64] = [:]
    private var clock: UInt64 = 0
    /// The cost since the clock last drifted.
    private var cost: UInt64 = 0

    /// - Parameter headStart: in the unit of the costs.
    package init(headStart: UInt64) { self.headStart = headStart }

    /// The key with the lowest rank is next; keys of equal rank take turns. 0 for a key that has used little.
    package func rank(of key: Key) -> UInt64 {
        let earliest = clock - min(clock, headStart)
        return max(marks[key] ?? 0, earliest) - earliest
    }

    /// Call it when a use has ended, before the next one is chosen.
    /// - Parameter cost: in any unit, such as microseconds; 0 counts as 1.
    package mutating func used(_ cost: UInt64, by key: Key) {
        let cost = max(1, cost)
        clock = max(clock, marks[key] ?? 0)
        marks[key] = clock + cost
        self.cost += cost
        clock += self.cost / Self.drift
        self.cost %= Self.drift
        if marks.count > Self.mostMarks { marks = marks.filter { $0.value > clock } }
    }

    /// Forgets what was used. Call it when nobody waits: nobody had to wait for those uses.
    package mutating func reset() {
        marks = [:]
        (clock, cost) = (0, 0)
    }
}
