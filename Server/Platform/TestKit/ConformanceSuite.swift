/// A suite of checks for every implementation of an interface. Any test target can run it.
protocol ConformanceSuite {}

/// Thrown by a check that fails; the description says why.
package struct ConformanceFailure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

extension ConformanceSuite {
    static func expect(_ holds: Bool, _ what: @autoclosure () -> String, line: Int = #line) throws {
        guard holds else { throw ConformanceFailure(description: "\(what()) (line \(line))") }
    }

    static func expectEqual<T: Equatable>(_ a: T, _ b: T, line: Int = #line) throws {
        guard a == b else { throw ConformanceFailure(description: "\(a) is not \(b) (line \(line))") }
    }

    /// - Returns: the error that `body` threw.
    static func expectThrows(line: Int = #line, _ body: () async throws -> some Any) async throws -> any Error {
        do {
            _ = try await body()
        } catch {
            return error
        }
        throw ConformanceFailure(description: "nothing was thrown (line \(line))")
    }
}
