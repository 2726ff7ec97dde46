import Core
import Testing

@Suite("Sizes in messages for people")
struct SizeTextTests {
    @Test("sizes are in megabytes, with at most one decimal from 1 MB on and two below; only nothing is 0 MB")
    func rounded() {
        let samples: [(Int64, String)] = [
            (-5, "0 MB"), (0, "0 MB"), (1, "0.01 MB"), (5_000, "0.01 MB"), (20_000, "0.02 MB"), (524_288, "0.5 MB"),
            (961_382, "0.92 MB"), (1_043_333, "0.99 MB"), (1_043_334, "1 MB"), (1_048_575, "1 MB"), (1_048_576, "1 MB"),
            (1_101_004, "1 MB"), (1_101_005, "1.1 MB"), (1_500_000, "1.4 MB"), (2_044_723, "1.9 MB"), (2_044_724, "2 MB"),
            (10_737_418_240, "10240 MB"), (.max, "8796093022208 MB"),
        ]
        for (byteCount, text) in samples { #expect(SizeText.rounded(byteCount) == text, "\(byteCount)") }
    }

    @Test("limits are exact: whole megabytes, or bytes")
    func limits() {
        let samples = [
            (0, "0 bytes"), (65_536, "65536 bytes"), (1_048_575, "1048575 bytes"), (1_048_576, "1 MB"), (1_048_577, "1048577 bytes"),
            (52_428_800, "50 MB"),
        ]
        for (byteCount, text) in samples { #expect(SizeText.limit(byteCount) == text) }
    }
}
