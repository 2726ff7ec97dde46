extension Sequence where Element: Equatable {
    /// Whether the elements of `run` occur in this sequence, one after the other. `false` when `run` is empty. Reads no element after the
    /// first occurrence.
    ///
    /// The number of comparisons is at most three times the number of elements of both (Knuth, Morris and Pratt). To compare `run` from its
    /// beginning at each position would need up to the product of the two lengths, if the sequence repeats the beginning of `run`.
    func containsRun(_ run: [Element]) -> Bool {
        guard !run.isEmpty else { return false }
        // For each beginning of `run`, the length of the longest shorter beginning with which it also ends.
        var borders = [0]
        var matched = 0
        for element in run.dropFirst() {
            while matched > 0, run[matched] != element { matched = borders[matched - 1] }
            if run[matched] == element { matched += 1 }
            borders.append(matched)
        }
        matched = 0
        for element in self {
            while matched > 0, run[matched] != element { matched = borders[matched - 1] }
            if run[matched] == element { matched += 1 }
            if matched == run.count { return true }
        }
        return false
    }
}
