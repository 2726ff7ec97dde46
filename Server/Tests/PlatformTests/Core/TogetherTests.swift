import Core
import Testing

@Suite("Calls at the same time")
struct TogetherTests {
    private struct Refused: Error {}

    @Test("every element is called once, and at most as many at the same time as allowed")
    func bound() async throws {
        let calls = SimultaneousCalls()
        var ended: [Int] = []
        let outcomes = try await together(Array(0..<50), atMost: 3) { number -> Int in
            calls.enter()
            await Task.yield()
            calls.leave()
            return number
        } ended: { number in
            ended.append(number)
        }
        #expect(ended == outcomes)
        #expect(outcomes.sorted() == Array(0..<50))
        #expect((1...3).contains(calls.most))
        #expect(try await together([Int](), atMost: 3) { $0 } == [])
    }

    @Test("an error ends the calls that wait, and is thrown")
    func failure() async {
        await #expect(throws: Refused.self) {
            try await together([Duration.zero, .seconds(3_600)], atMost: 2) { duration in
                if duration == .zero { throw Refused() }
                try await Task.sleep(for: duration)
            }
        }
    }
}
