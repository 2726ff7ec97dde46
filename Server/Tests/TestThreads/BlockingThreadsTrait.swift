import TestKit
package import Testing

/// For suites that read sockets, wait for processes, or block their thread otherwise: their tests run on threads of their own.
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
