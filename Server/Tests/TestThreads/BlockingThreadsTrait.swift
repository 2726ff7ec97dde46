import TestKit
package import Testing

/// For suites that block their thread, for example by reading sockets or waiting for processes. Their tests run on separate threads.
package struct BlockingThreadsTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await BlockingThreads.run(function)
    }
}

extension Trait where Self == BlockingThreadsTrait {
    package static var blocksThreads: Self { BlockingThreadsTrait() }
}
