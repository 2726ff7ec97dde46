import Synchronization

/// A value that takes long to make. The first request for it makes it; requests that arrive meanwhile wait for the same result.
final class LazyValue<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case none
        case making(Task<Value, any Error>)
        case made(Value)
    }

    private let make: @Sendable () throws -> Value
    private let state = Mutex(State.none)

    init(_ make: @escaping @Sendable () throws -> Value) { self.make = make }

    /// The value; `nil` until it is made.
    var made: Value? {
        state.withLock { state in
            if case .made(let value) = state { value } else { nil }
        }
    }

    /// - Throws: the error of `make`. The next request then calls `make` again.
    func value() async throws -> Value {
        let task = state.withLock { state -> Task<Value, any Error> in
            switch state {
            case .made(let value): return Task { value }
            case .making(let task): return task
            case .none:
                // Making the value takes too long for an event loop.
                let task = Task.detached(executorPreference: globalConcurrentExecutor) { [self] in
                    let made = Result { try make() }
                    self.state.withLock { state in
                        if case .success(let value) = made { state = .made(value) } else { state = .none }
                    }
                    return try made.get()
                }
                state = .making(task)
                return task
            }
        }
        return try await task.value
    }
}
