import Foundation

/// Reads a stream of server-sent events (WHATWG HTML §9.2.6) from bytes that may be cut anywhere. Pure.
struct ServerSentEvents {
    struct Event: Sendable, Equatable {
        /// `message` unless the event names another.
        var name = "message"
        /// The last id of the stream; empty when there was none.
        var id = ""
        var data: String
    }

    /// The longest line and the largest event, in bytes: more than the longest answer takes with its message.
    static let maxByteCount = 8_388_608

    /// How long the server asks to wait before the next connection.
    private(set) var retry: Duration?

    private let limit: Int
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var name = ""
    private var id = ""
    private var isFirstLine = true
    /// A line feed that follows belongs to the carriage return before it.
    private var skipsLineFeed = false

    init(limit: Int = Self.maxByteCount) { self.limit = limit }

    /// - Returns: the events that are complete now. An event without its blank line is incomplete, and its id does not count.
    /// - Throws: `invalid_response` when a line or an event is too large.
    mutating func receive(_ bytes: Data) throws -> [Event] {
        var events: [Event] = []
        for byte in bytes {
            if skipsLineFeed {
                skipsLineFeed = false
                if byte == UInt8(ascii: "\n") { continue }
            }
            switch byte {
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                skipsLineFeed = byte == UInt8(ascii: "\r")
                if let event = endLine() { events.append(event) }
            default:
                line.append(byte)
                guard line.count + data.count <= limit else {
                    throw KeepsakeError(.invalidResponse, "An event of the stream is larger than \(limit) bytes.")
                }
            }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        var text = line[...]
        if isFirstLine {
            isFirstLine = false
            // A byte order mark.
            if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        }
        guard !text.isEmpty else { return endEvent() }
        let field = text.prefix { $0 != UInt8(ascii: ":") }
        var value = text.dropFirst(field.count + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        // The field of a comment is empty.
        switch String(decoding: field, as: UTF8.self) {
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            hasData = true
            data += value
        case "event": name = String(decoding: value, as: UTF8.self)
        case "id": if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        case "retry":
            let isNumber = value.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            if isNumber, let milliseconds = Int64(String(decoding: value, as: UTF8.self)) { retry = .milliseconds(milliseconds) }
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> Event? {
        defer {
            data.removeAll(keepingCapacity: true)
            hasData = false
            name = ""
        }
        guard hasData else { return nil }
        return Event(name: name.isEmpty ? "message" : name, id: id, data: String(decoding: data, as: UTF8.self))
    }
}
