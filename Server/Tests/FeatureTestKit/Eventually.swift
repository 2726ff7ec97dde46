import Testing

/// Repeats the check until it succeeds, for at most a minute. The pause grows from 10 to 100 ms, because many checks are requests, which
/// use processor time that the server needs.
func eventually(_ condition: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    var pause = Duration.milliseconds(10)
    while ContinuousClock.now < end {
        if try await condition() { return }
        try await Task.sleep(for: pause)
        pause = min(pause * 1.5, .milliseconds(100))
    }
    Issue.record("it never came true")
}
