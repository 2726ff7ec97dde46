internal import DequeModule

/// Why a `FairQueue` did not take an element.
package enum FairQueueRefusal: Error, Sendable {
    /// The queue holds `limit` elements.
    case full
    /// The queue holds `limitPerKey` elements of this key.
    case keyIsFull
}

/// A bounded queue in which keys take turns: a key with a hundred elements does not delay a key with one.
/// Elements of the same key leave in the order in which they were enqueued, unless one is enqueued ahead of the others, or `dequeue` looks
/// ahead.
package struct FairQueue<Key: Hashable & Sendable, Element> {
    /// Maximum number of elements of all keys together, 1 or more.
    package let limit: Int
    /// Maximum number of elements of one key, 1 or more.
    package let limitPerKey: Int
    package private(set) var count = 0
    private typealias Item = (element: Element, isAhead: Bool)
    private var elements: [Key: Deque<Item>] = [:]
    /// The keys that still have elements, and whose last removed element was ahead.
    private var afterAhead: Set<Key> = []
    /// Each key that has elements, once; the first one is next.
    private var turns: Deque<Key> = []

    package init(limit: Int, limitPerKey: Int) {
        self.limit = limit
        self.limitPerKey = limitPerKey
    }

    package var isEmpty: Bool { count == 0 }

    package func count(of key: Key) -> Int { elements[key]?.count ?? 0 }

    /// - Parameter isAhead: whether the element leaves before the other elements of its key. Elements that are ahead leave in the order in
    ///   which they came. After each of them, one element that is not ahead leaves, so elements that are ahead never keep the others
    ///   waiting forever.
    package mutating func enqueue(_ element: Element, for key: Key, isAhead: Bool = false) throws(FairQueueRefusal) {
        guard count < limit else { throw .full }
        let ofKey = count(of: key)
        guard ofKey < limitPerKey else { throw .keyIsFull }
        let place = isAhead ? min(placeAhead(of: key), ofKey) : ofKey
        elements[key, default: []].insert((element, isAhead), at: place)
        if ofKey == 0 { turns.append(key) }
        count += 1
    }

    /// The position for a new element that is ahead. It may be past the end: the key may have too few elements that are not ahead.
    private func placeAhead(of key: Key) -> Int {
        if let last = elements[key]?.lastIndex(where: { $0.isAhead }) { return last + 2 }
        return afterAhead.contains(key) ? 1 : 0
    }

    /// Removes and returns the oldest element of the key whose turn it is. That key then goes to the end of the order.
    /// - Parameter mayRun: keys for which it returns `false` are skipped and keep their turn.
    package mutating func dequeue(where mayRun: (Key) -> Bool = { _ in true }) -> (key: Key, element: Element)? {
        dequeue(whereNext: { key, _ in mayRun(key) })
    }

    /// - Parameters:
    ///   - mayRun: whether an element may leave now.
    ///   - lookAhead: how many elements behind a key's oldest one are tried as well, when that one may not leave now.
    ///   - mayBePassed: whether the elements behind an element that may not leave are tried.
    ///   - rank: the element with the lowest rank leaves first; keys of equal rank take turns.
    package mutating func dequeue(
        whereNext mayRun: (Key, Element) -> Bool, lookAhead: Int = 0, past mayBePassed: (Element) -> Bool = { _ in true },
        rank: (Element) -> UInt64 = { _ in 0 }
    ) -> (key: Key, element: Element)? {
        guard let best = bestPlace(mayRun, lookAhead, mayBePassed, rank) else { return nil }
        let key = turns.remove(at: best.turn)
        guard var ofKey = elements.removeValue(forKey: key), !ofKey.isEmpty else { return nil }
        let item = ofKey.remove(at: best.place)
        count -= 1
        if !ofKey.isEmpty {
            elements[key] = ofKey
            turns.append(key)
        }
        if item.isAhead, !ofKey.isEmpty {
            afterAhead.insert(key)
        } else if !afterAhead.isEmpty {
            afterAhead.remove(key)
        }
        return (key, item.element)
    }

    /// The rank of the element that `dequeue` with the same arguments would remove; `nil` if it would remove none.
    package func lowestRank(
        whereNext mayRun: (Key, Element) -> Bool, lookAhead: Int = 0, past mayBePassed: (Element) -> Bool = { _ in true },
        rank: (Element) -> UInt64
    ) -> UInt64? {
        bestPlace(mayRun, lookAhead, mayBePassed, rank)?.rank
    }

    /// The element that `dequeue` with the same arguments would remove, and its rank; `nil` if it would remove none.
    package func next(
        where mayRun: (Key, Element) -> Bool, rank: (Element) -> UInt64
    ) -> (element: Element, rank: UInt64)? {
        guard let best = bestPlace(mayRun, 0, { _ in true }, rank), let ofKey = elements[turns[best.turn]] else { return nil }
        return (ofKey[best.place].element, best.rank)
    }

    private func bestPlace(
        _ mayRun: (Key, Element) -> Bool, _ lookAhead: Int, _ mayBePassed: (Element) -> Bool, _ rank: (Element) -> UInt64
    ) -> (turn: Int, place: Int, rank: UInt64)? {
        var best: (turn: Int, place: Int, rank: UInt64)?
        for (turn, key) in turns.enumerated() {
            guard let ofKey = elements[key],
                let place = (0..<min(ofKey.count, 1 + lookAhead))
                    .first(where: { mayRun(key, ofKey[$0].element) || !mayBePassed(ofKey[$0].element) }),
                mayRun(key, ofKey[place].element)
            else { continue }
            let rank = rank(ofKey[place].element)
            if best.map({ rank < $0.rank }) ?? true { best = (turn, place, rank) }
            // No rank is lower than 0, so the search ends.
            if rank == 0 { break }
        }
        return best
    }

    /// Removes the first element for which `matches` is true, wherever it is.
    package mutating func remove(where matches: (Element) -> Bool) -> Element? {
        for (key, ofKey) in elements {
            guard let index = ofKey.firstIndex(where: { matches($0.element) }) else { continue }
            let item = elements[key]?.remove(at: index)
            count -= 1
            if elements[key]?.isEmpty ?? true {
                elements[key] = nil
                turns.removeAll { $0 == key }
                afterAhead.remove(key)
            }
            return item?.element
        }
        return nil
    }

    /// Calls `body` with each element, in no order.
    package func forEach(_ body: (Element) -> Void) {
        for ofKey in elements.values { ofKey.forEach { body($0.element) } }
    }

    package mutating func removeAll() -> [Element] {
        var all: [Element] = []
        while let next = dequeue() { all.append(next.element) }
        return all
    }
}

extension FairQueue: Sendable where Element: Sendable {}
