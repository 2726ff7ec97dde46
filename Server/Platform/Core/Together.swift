/// Calls `body` for each element, for at most `count` of them at the same time. The calls begin in the order of the elements.
/// - Parameter ended: called with each result, one after the other, as soon as there is one.
/// - Returns: the results in the order in which the calls ended.
/// - Throws: the first error; the other calls are cancelled then.
@discardableResult
package func together<Element: Sendable, Outcome: Sendable>(
    _ elements: [Element], atMost count: Int, _ body: @escaping @Sendable (Element) async throws -> Outcome,
    ended: (Outcome) -> Void = { _ in }
) async throws -> [Outcome] {
    try await withThrowingTaskGroup(of: Outcome.self) { group in
        var outcomes: [Outcome] = []
        for element in elements.prefix(count) { group.addTask { try await body(element) } }
        var rest = elements.dropFirst(count)
        while let outcome = try await group.next() {
            ended(outcome)
            outcomes.append(outcome)
            if let element = rest.popFirst() { group.addTask { try await body(element) } }
        }
        return outcomes
    }
}
