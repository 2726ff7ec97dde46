import Foundation
import KeepsakeWire
import Logging
import Synchronization
import Web

/// Writes each log entry as one line of JSON: a constant message and its metadata. It is so small that a `Logger` stores it without an
/// allocation. That matters because every request copies the logger.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    fileprivate let writer: LogWriter

    init(level: Logger.Level, writer: LogWriter) {
        logLevel = level
        self.writer = writer
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        writer.write(
            Self.line(event, metadata, seconds: Int64(now.tv_sec), milliseconds: now.tv_nsec / 1_000_000, names: writer.names),
            isUrgent: event.level >= .warning)
    }

    /// - Parameters:
    ///   - metadata: the logger's own metadata. For a key that both have, the event's value is used.
    ///   - seconds: the time in whole seconds since 1970.
    ///   - milliseconds: the rest of the time, 0...999.
    ///   - names: replaces names of variables in messages and values by the names that the operator used.
    static func line(
        _ event: LogEvent, _ metadata: Logger.Metadata, seconds: Int64, milliseconds: Int, names: Settings.Source.Origins? = nil
    ) -> [UInt8] {
        func named(_ text: String) -> String {
            // A value that consists of a variable's name alone is about the variable itself, for example a misspelt one, so it stays.
            guard let names, text.contains("KEEPSAKE_"), text.contains(" ") else { return text }
            return names.naming(in: text)
        }
        var line = LogLine()
        line.begin(seconds: seconds, milliseconds: milliseconds, level: event.level, message: named(event.message.description))
        var fields: [(key: String, value: Logger.MetadataValue)] = []
        fields.reserveCapacity(8)
        // Leave out Hummingbird's request id, because the server logs its own.
        for (key, value) in event.metadata ?? [:] where key != hummingbirdID { fields.append((key, value)) }
        for (key, value) in metadata where key != hummingbirdID && event.metadata?[key] == nil { fields.append((key, value)) }
        fields.sort { $0.key < $1.key }
        for (key, value) in fields {
            switch value {
            case .string(let text): line.add(key, named(text))
            case .stringConvertible(let value):
                if let number = Self.number(value) { line.add(key, number: number) } else { line.add(key, named("\(value)")) }
            default: line.add(key, named("\(value)"))
            }
        }
        return line.end()
    }

    /// - Returns: the value as JSON, if it is a number or a Boolean. `nil` for any other value, and for a number that JSON cannot
    ///   represent.
    private static func number(_ value: any CustomStringConvertible & Sendable) -> String? {
        switch value {
        case let number as any BinaryInteger: "\(number)"
        case let number as Double where number.isFinite: "\(number)"
        case let isTrue as Bool: isTrue ? "true" : "false"
        default: nil
        }
    }

    private static let hummingbirdID = "hb.request.id"
}

extension LineLogHandler: RequestLogHandler {
    func log(_ line: RequestLine, level: Logger.Level) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        writer.write(
            Self.line(line, level, seconds: Int64(now.tv_sec), milliseconds: now.tv_nsec / 1_000_000), isUrgent: level >= .warning)
    }

    static func line(_ request: RequestLine, _ level: Logger.Level, seconds: Int64, milliseconds: Int) -> [UInt8] {
        var line = LogLine()
        line.begin(seconds: seconds, milliseconds: milliseconds, level: level, message: RequestLine.message)
        // These are the fields of `request.fields` in the same order. They are written directly, without an array; a test compares the two.
        if let account = request.account { line.add(field: "account", account) }
        if let fault = request.fault { line.add(field: "fault", fault) }
        line.add(field: "method", request.method)
        line.add(field: "ms", number: request.milliseconds)
        line.add(field: "request", request.requestID)
        line.add(field: "route", request.route)
        line.add(field: "status", number: Int64(request.status))
        return line.end()
    }
}

/// Builds the bytes of one line.
private struct LogLine {
    private var bytes: [UInt8] = []

    mutating func begin(seconds: Int64, milliseconds: Int, level: Logger.Level, message: String) {
        bytes.reserveCapacity(320)
        put("{\"time\":\"")
        bytes += SecondText.of(seconds)
        bytes.append(UInt8(ascii: "."))
        for divisor in [100, 10, 1] { bytes.append(UInt8(ascii: "0") + UInt8(milliseconds / divisor % 10)) }
        put("Z\",\"level\":\"")
        put(level.rawValue)
        put("\",\"message\":")
        quote(message)
    }

    mutating func add(_ key: String, _ value: String) {
        bytes.append(UInt8(ascii: ","))
        quote(key)
        bytes.append(UInt8(ascii: ":"))
        quote(value)
    }

    /// - Parameter number: valid JSON.
    mutating func add(_ key: String, number: String) {
        bytes.append(UInt8(ascii: ","))
        quote(key)
        bytes.append(UInt8(ascii: ":"))
        put(number)
    }

    /// - Parameter name: a constant of the program, so it needs no escaping.
    mutating func add(field name: StaticString, _ value: String) {
        begin(field: name)
        quote(value)
    }

    mutating func add(field name: StaticString, number: Int64) {
        begin(field: name)
        put(String(number))
    }

    private mutating func begin(field name: StaticString) {
        put(",\"")
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        put("\":")
    }

    consuming func end() -> [UInt8] {
        put("}\n")
        return bytes
    }

    private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        // Nearly all values, such as methods, routes, ids and numbers, need no escaping.
        if text.utf8.allSatisfy(Self.isPlain) { put(text) } else { escape(text) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": put("\\\"")
            case "\\": put("\\\\")
            case "\n": put("\\n")
            case _ where scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value:
                put("\\u" + String(String(scalar.value + 0x10000, radix: 16).dropFirst()))
            default: bytes.append(contentsOf: UTF8.encode(scalar)!)
            }
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        0x20..<0x7F ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}

/// The text of a second, such as `2026-12-31T20:00:00`. It is made once for each second.
private enum SecondText {
    private static let last = Mutex<(second: Int64, text: [UInt8])>((.min, []))

    static func of(_ second: Int64) -> [UInt8] {
        last.withLock { last in
            if last.second != second {
                last = (second, Array(WireDate.format(microseconds: second * 1_000_000, .wholeSeconds).utf8.dropLast()))
            }
            return last.text
        }
    }
}

extension Logger {
    /// Drops every entry. For commands: their output is for people or scripts, and they report errors themselves.
    static var silent: Logger { Logger(label: "keepsake") { _ in SwiftLogNoOpLogHandler() } }
}
