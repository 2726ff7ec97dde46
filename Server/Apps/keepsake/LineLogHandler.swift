import Foundation
import KeepsakeWire
import Logging

/// Writes each log entry as one line of JSON on standard error: a constant message and its metadata.
struct LineLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    let label: String
    private let write: @Sendable (String) -> Void

    init(
        label: String, level: Logger.Level, write: @escaping @Sendable (String) -> Void = { FileHandle.standardError.write(Data($0.utf8)) }
    ) {
        self.label = label
        self.logLevel = level
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var fields = metadata.merging(event.metadata ?? [:]) { _, new in new }
        // Hummingbird's id of the request duplicates ours.
        fields["hb.request.id"] = nil
        var line = "{\"time\":\(quoted(Self.time())),\"level\":\"\(event.level)\",\"message\":\(quoted("\(event.message)"))"
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) { line += ",\(quoted(key)):\(quoted("\(value)"))" }
        write(line + "}\n")
    }

    private static func time() -> String { WireDate.format(Date(), .milliseconds) }

    private func quoted(_ text: String) -> String {
        // The fast path for nearly all values: methods, routes, ids, numbers.
        if text.utf8.allSatisfy(Self.isPlain) { return "\"\(text)\"" }
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case _ where scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value:
                out += "\\u" + String(String(scalar.value + 0x10000, radix: 16).dropFirst())
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        0x20..<0x7F ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
