import Outbound
import Testing

@Suite("Token counts")
struct TokenCountTests {
    @Test("numbers that no engine can mean are bounded, so that a sum of rows does not overflow")
    func bounded() {
        let bounded = CallLedger.Tokens(input: .max, output: -1)
        #expect(bounded.input == 1_000_000_000 && bounded.output == 0)
        let usual = CallLedger.Tokens(input: 120, output: 7)
        #expect(usual.input == 120 && usual.output == 7)
    }
}
