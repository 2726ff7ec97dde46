internal import Core

/// Limits how many large results exist, and so their memory. A job whose result may be larger than `MediaResult.copiedByteCount` occupies a
/// place from its start until nobody refers to its result. Another such job starts only when a place is free, so a store that is slower
/// than the workers delays only these jobs. Only jobs whose callers store the result occupy places: while a caller refers to such a result,
/// it must wait for nothing but the store.
struct LargeResults {
    private struct Counted {
        let keys: Set<Requester.Share>
        /// Whether the job has made a large result, which counts until `end`.
        var isKept = false
    }

    private let limit: Int
    private let limitPerKey: Int
    private var counted: [UInt64: Counted] = [:]

    /// - Parameter limitPerKey: applies to each account and to each network.
    init(limit: Int, limitPerKey: Int) {
        self.limit = limit
        self.limitPerKey = limitPerKey
    }

    var count: Int { counted.count }

    func hasRoom(for keys: Set<Requester.Share>) -> Bool {
        counted.count < limit && keys.allSatisfy { key in counted.values.count(where: { $0.keys.contains(key) }) < limitPerKey }
    }

    mutating func begin(_ id: UInt64, for keys: Set<Requester.Share>) { counted[id] = Counted(keys: keys) }

    /// Counts a job's large result until `end`, even after the job has ended.
    mutating func keep(_ id: UInt64) { counted[id]?.isKept = true }

    /// Call it when the job has ended, with or without a result.
    mutating func finished(_ id: UInt64) {
        if counted[id]?.isKept == false { counted[id] = nil }
    }

    /// Call it when nobody refers to a kept result any more.
    mutating func end(_ id: UInt64) { counted[id] = nil }
}
