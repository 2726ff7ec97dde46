import ArgumentParser
import Foundation
import KeepsakeWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Prints the output of client commands. Each call writes its text without buffering it, so that a program that reads the output from a
/// pipe gets each line immediately.
enum ClientOutput {
    /// Prints lines for people, and removes control characters.
    static func print(_ text: String) throws {
        try print(styled: text.split(separator: "\n", omittingEmptySubsequences: false).map { line(String($0)) }.joined(separator: "\n"))
    }

    /// - Parameter styled: a text that may contain control sequences of a terminal. Apply `line` to every part of it that others wrote.
    static func print(styled text: String) throws { try write(text + "\n") }

    /// - Throws: `ExitCode.success` when nobody reads the output any more, as in `keepsake timeline | head -1`; otherwise `ClientFailure`.
    private static func write(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { writeBytes(1, $0.baseAddress, $0.count) }
            if count >= 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EPIPE {
                throw ExitCode.success
            } else if errno != EINTR {
                throw ClientFailure(.unavailable, "Standard output cannot be written: \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Prints the value as one line of JSON, in the style of the API of `surface`, with sorted keys.
    static func print(json value: some Encodable, _ surface: Surface) throws { try print(styled: json(value, surface)) }

    /// The text that `print(json:_:)` prints, without the end of the line.
    static func json(_ value: some Encodable, _ surface: Surface) throws -> String {
        let encoder = surface.makeEncoder()
        encoder.outputFormatting.insert(.sortedKeys)
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Prints a line on standard error.
    static func note(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data("keepsake: \(line(text))\n".utf8)) }

    /// Prints a line of JSON on standard error.
    static func note(json: String) { try? FileHandle.standardError.write(contentsOf: Data((json + "\n").utf8)) }

    /// The text as one line without control characters, because a terminal obeys some of them. The number of Unicode scalars stays the
    /// same.
    static func line(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: " " as Unicode.Scalar
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The result of `line`, cut to `count` characters, so that it fits beside other columns.
    static func short(_ text: String, _ count: Int = 100) -> String {
        let line = line(text)
        return line.count > count ? line.prefix(count - 1) + "…" : line
    }

    /// A time as `2026-12-31 20:00`, in this computer's time zone.
    static func time(_ date: Date) -> String {
        let local = date.addingTimeInterval(Double(TimeZone.current.secondsFromGMT(for: date)))
        return String(WireDate.format(local, .wholeSeconds).prefix(16)).replacing("T", with: " ")
    }

    static func time(milliseconds: Int) -> String { time(Date(timeIntervalSince1970: Double(milliseconds) / 1_000)) }

    /// A size as `12.3 MB`. Units are powers of 1,024, as in all limits and settings.
    static func size(_ byteCount: Int64) -> String {
        var value = Double(byteCount)
        var units = ["bytes", "KB", "MB", "GB"][...]
        while value >= 1_023.95, units.count > 1 {
            value /= 1_024
            units = units.dropFirst()
        }
        guard units.first != "bytes" else { return "\(byteCount) \(byteCount == 1 ? "byte" : "bytes")" }
        return "\((value * 10).rounded() / 10) \(units.first ?? "")"
    }
}

/// Calls `write(2)`. It is not a member of `ClientOutput`, because there the name `write` means the type's own method.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(descriptor, bytes, count) }
