import Foundation
import KeepsakeWire
import TestKit
import WireJSON

/// Prints the time for encoding a page of 20 moods as JSON, with Keepsake's own writer and with Foundation's encoder. `make bench` runs it.
@main
struct Main {
    static func main() throws {
        let page = MoodPage.make()
        let encoder = Surface.multimedia.makeEncoder()
        var written = 0
        var encoded = 0
        let (ours, theirs) = try interleaved(
            rounds: 201, passes: 20, { try page.withJSON { written = $0.count } }, { encoded = try encoder.encode(page).count })
        let verdict = ours.median <= 30 ? "PASS" : "MISS"
        print("A page of 20 moods as JSON, median (min–max) of 201 rounds, on one core:")
        print("  Keepsake's own writer: \(ours.line) µs, \(written) bytes; target ≤ 30 µs: \(verdict)")
        print("  Foundation's encoder:  \(theirs.line) µs, \(encoded) bytes; \(rounded(theirs.median / ours.median)) times as long")
    }

    private struct Times {
        var microseconds: [Double] = []

        var median: Double { microseconds.sorted()[microseconds.count / 2] }
        var line: String { "\(rounded(median)) (\(rounded(microseconds.min() ?? 0))–\(rounded(microseconds.max() ?? 0)))" }
    }

    /// The two encoders take turns, so that other load on the machine affects both.
    private static func interleaved(rounds: Int, passes: Int, _ first: () throws -> Void, _ second: () throws -> Void) throws -> (
        Times, Times
    ) {
        var times = (Times(), Times())
        for round in -10..<rounds {
            let a = try time(passes, first)
            let b = try time(passes, second)
            guard round >= 0 else { continue }
            times.0.microseconds.append(a)
            times.1.microseconds.append(b)
        }
        return times
    }

    private static func time(_ passes: Int, _ body: () throws -> Void) throws -> Double {
        try ContinuousClock().measure { for _ in 0..<passes { try body() } } / .microseconds(passes)
    }

    private static func rounded(_ value: Double) -> String {
        value.formatted(.number.precision(.fractionLength(1)).locale(Locale(identifier: "en_US")))
    }
}
