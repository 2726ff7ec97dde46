import Foundation
import Synchronization
import Testing

@testable import Web

@Suite("Values that are made once")
struct LazyValueTests {
    private final class Count: Sendable {
        private let number = Mutex(0)

        func next() -> Int {
            number.withLock { number in
                number += 1
                return number
            }
        }
    }

    private struct Failure: Error {}

    @Test("many who ask at the same time get one value")
    func together() async throws {
        let count = Count()
        let value = LazyValue {
            usleep(50_000)
            return count.next()
        }
        #expect(value.made == nil)
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await value.value() } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(values == [1] && value.made == 1)
        #expect(try await value.value() == 1)
        #expect(count.next() == 2)
    }

    @Test("after an error the next request tries again")
    func again() async throws {
        let count = Count()
        let value = LazyValue {
            let number = count.next()
            if number == 1 { throw Failure() }
            return number
        }
        await #expect(throws: Failure.self) { try await value.value() }
        #expect(value.made == nil)
        #expect(try await value.value() == 2)
    }
}
