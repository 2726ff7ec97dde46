/// Sizes in messages for people, in megabytes of 1,048,576 bytes.
///
/// One unit for all sizes makes the sizes of a message comparable: "0.92 MB of 1 MB", not "961382 bytes of 1 MB".
package enum SizeText {
    private static let megabyte: Int64 = 1_048_576

    /// Rounds a size to at most one decimal from 1 MB on, and to at most two decimals below. Only 0 becomes "0 MB"; the smallest other
    /// result is "0.01 MB".
    /// - Parameter byteCount: a negative one counts as 0.
    package static func rounded(_ byteCount: Int64) -> String {
        guard byteCount > 0 else { return "0 MB" }
        // The division comes first, so that the largest number does not overflow.
        let (whole, rest) = byteCount.quotientAndRemainder(dividingBy: megabyte)
        let parts: Int64 = whole == 0 ? 100 : 10
        let rounded = max((rest * parts + megabyte / 2) / megabyte, whole == 0 ? 1 : 0)
        if rounded == parts { return "\(whole + 1) MB" }
        if rounded == 0 { return "\(whole) MB" }
        if parts == 10 { return "\(whole).\(rounded) MB" }
        let (tenths, hundredths) = rounded.quotientAndRemainder(dividingBy: 10)
        return hundredths == 0 ? "0.\(tenths) MB" : "0.\(tenths)\(hundredths) MB"
    }

    /// A limit, which is never rounded: whole megabytes, or else bytes.
    package static func limit(_ byteCount: Int64) -> String {
        byteCount >= megabyte && byteCount % megabyte == 0 ? "\(byteCount / megabyte) MB" : "\(byteCount) bytes"
    }

    package static func limit(_ byteCount: Int) -> String { limit(Int64(byteCount)) }
}
