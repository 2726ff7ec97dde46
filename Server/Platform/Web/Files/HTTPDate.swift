import Foundation

/// Dates in HTTP headers (RFC 9110 §5.6.7). Writes the preferred format; reads all three.
enum HTTPDate {
    static func format(seconds: Int64) -> String {
        formatter("EEE, dd MMM yyyy HH:mm:ss 'GMT'").string(from: Date(timeIntervalSince1970: Double(seconds)))
    }

    /// - Returns: whole seconds since 1970.
    static func parse(_ text: String) -> Int64? {
        for format in ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy"] {
            if let date = formatter(format).date(from: text) { return Int64(date.timeIntervalSince1970) }
        }
        return nil
    }

    // A new one each time: DateFormatter is not Sendable, and these headers are rare.
    private static func formatter(_ format: String) -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = format
        return formatter
    }
}
