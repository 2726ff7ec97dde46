#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A histogram of durations with a precision of 2 %.
package struct Latencies: Sendable, CustomStringConvertible {
    private var counts: [Int: Int] = [:]
    package private(set) var count = 0

    mutating func add(nanoseconds: Int64) {
        counts[Int(log(Double(max(nanoseconds, 1))) * 50), default: 0] += 1
        count += 1
    }

    /// The quantile in milliseconds, for `share` in 0...1; 0 when there are no values.
    package func quantile(_ share: Double) -> Double {
        var left = Int((Double(count) * share).rounded(.up))
        for (bucket, number) in counts.sorted(by: { $0.key < $1.key }) {
            left -= number
            if left <= 0 { return exp(Double(bucket + 1) / 50) / 1_000_000 }
        }
        return 0
    }

    package var description: String {
        func round(_ value: Double) -> Double { (value * 10).rounded() / 10 }
        return "p50 \(round(quantile(0.5))) ms, p99 \(round(quantile(0.99))) ms"
    }
}
