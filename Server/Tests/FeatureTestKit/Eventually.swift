import Testing

/// Repeats the check until it succeeds, for at most a minute.
func eventually(_ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("it never came true")
}
