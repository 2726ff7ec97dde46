/// Calls `body` for each element, for at most `count` of them at the same time, and begins in their order.
/// - Returns: the results in the order in which the calls ended.
/// - Throws: the first error; the other calls are cancelled then.
@discardableResult
func together<Element: Sendable, Outcome: Sendable>(
    _ elements: [Element], atMost count: Int, _ body: @escaping @Sendable (Element) async throws -> Outcome
) async throws -> [Outcome] {
    try await withThrowingTaskGroup(of: Outcome.self) { group in
        var outcomes: [Outcome] = []
        for (position, element) in elements.enumerated() {
            if position >= count, let outcome = try await group.next() { outcomes.append(outcome) }
            group.addTask { try await body(element) }
        }
        for try await outcome in group { outcomes.append(outcome) }
        return outcomes
    }
}
