extension Sequence where Element: Equatable {
    /// Whether the elements of `run` occur in this sequence, one after the other. `false` when `run` is empty. Reads no element after the
    /// first occurrence.
    ///
    /// The number of comparisons is at most three times the number of elements of both, see `RunFinder`.
    func containsRun(_ run: [Element]) -> Bool {
        guard !run.isEmpty else { return false }
        var finder = RunFinder(run)
        return contains { finder.isEnd($0) }
    }
}

/// Finds a run in a sequence of which it gets one element after the other.
///
/// The number of comparisons is at most three times the number of elements of both (Knuth, Morris and Pratt). To compare the run from its
/// beginning at each position would need up to the product of the two lengths, if the sequence repeats the beginning of the run.
struct RunFinder<Element: Equatable> {
    private let run: [Element]
    /// For each prefix of `run`, the length of the longest shorter prefix that is also its suffix.
    private let borders: [Int]
    /// How many of the latest elements match the beginning of `run`.
    private var matched = 0

    init(_ run: [Element]) {
        var borders = [0]
        var matched = 0
        for element in run.dropFirst() {
            while matched > 0, run[matched] != element { matched = borders[matched - 1] }
            if run[matched] == element { matched += 1 }
            borders.append(matched)
        }
        self.run = run
        self.borders = borders
    }

    /// - Parameter element: the next element of the sequence.
    /// - Returns: whether the run ends with this element; `false` when the run is empty.
    mutating func isEnd(_ element: Element) -> Bool {
        guard !run.isEmpty else { return false }
        if matched == run.count { matched = borders[matched - 1] }
        while matched > 0, run[matched] != element { matched = borders[matched - 1] }
        if run[matched] == element { matched += 1 }
        return matched == run.count
    }
}

extension RunFinder: Sendable where Element: Sendable {}
