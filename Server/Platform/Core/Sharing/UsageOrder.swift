/// Decides which key may use a resource next, by how much of the resource each key has used. If keys only took turns, those with long uses
/// would have most of the resource, and every other key would wait for one long use of each of them.
///
/// This is start-time fair queueing (Goyal, Vin and Cheng, 1996). Each key has a mark: a use begins at the mark and moves it by its cost.
/// The key with the lowest mark is next. The clock stands at the beginning of the newest use. A key that was idle begins its next use
/// there, so a key collects no turns while it is idle.
package struct UsageOrder<Key: Hashable & Sendable>: Sendable {
    /// The clock also moves by 1 whenever uses have cost this much. New keys all begin at the clock. If only new keys came, the clock would
    /// otherwise stand still, and a key with a higher mark would wait for ever.
    private static var drift: UInt64 { 256 }
    /// Above this number of keys, those that the clock has passed are removed. If more keys are left, the next removal comes only above
    /// twice their number.
    private static var mostMarks: Int { 4_096 }

    /// How far before the clock the use of an idle key begins. So the key comes before one that uses the resource all the time and whose
    /// mark the clock has just reached. It should be a few times the cost of a short use.
    private let headStart: UInt64
    private var marks: [Key: UInt64] = [:]
    private var clock: UInt64 = 0
    /// The cost since the clock last drifted.
    private var cost: UInt64 = 0
    /// The number of keys above which the next removal comes.
    private var sweptCount = Self.mostMarks

    /// - Parameter headStart: how far an idle key is ahead of a key that uses the resource all the time, in the unit of the costs.
    package init(headStart: UInt64) { self.headStart = headStart }

    /// The key with the lowest rank is next; keys of equal rank take turns. 0 for a key that has used little.
    package func rank(of key: Key) -> UInt64 { rank(ofStart: start(of: key, notBefore: earliest)) }

    /// The mark at which the next use begins, for a key that has not used the resource. It never decreases until `reset`.
    package var earliest: UInt64 { clock - min(clock, headStart) }

    /// The mark at which the key's next use begins. Unlike its rank, it does not change with the uses of other keys, so a heap can hold it.
    /// - Parameter earlier: `earliest` when the key began to wait.
    package func start(of key: Key, notBefore earlier: UInt64) -> UInt64 { max(marks[key] ?? 0, earlier) }

    package func rank(ofStart start: UInt64) -> UInt64 { start - min(start, earliest) }

    /// Call it when a use has ended, before the next one is chosen.
    /// - Parameter cost: in any unit, such as microseconds; 0 counts as 1.
    package mutating func used(_ cost: UInt64, by key: Key) {
        let cost = max(1, cost)
        clock = max(clock, marks[key] ?? 0)
        marks[key] = clock + cost
        self.cost += cost
        clock += self.cost / Self.drift
        self.cost %= Self.drift
        if marks.count > sweptCount {
            marks = marks.filter { $0.value > clock }
            sweptCount = max(Self.mostMarks, 2 * marks.count)
        }
    }

    /// Forgets what was used. Call it when nobody waits: nobody had to wait for those uses.
    package mutating func reset() {
        marks = [:]
        (clock, cost, sweptCount) = (0, 0, Self.mostMarks)
    }
}

extension UInt64 {
    /// The time from an earlier reading of a clock to this one. 0 if the other reading is later: two threads may read the clock in one
    /// order and use the readings in the other.
    package func elapsed(since begin: UInt64) -> UInt64 { self > begin ? self - begin : 0 }
}
