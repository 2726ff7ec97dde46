import Foundation

/// Parses a stream of server-sent events (WHATWG HTML §9.2.6). The bytes can arrive in pieces of any size. Pure: no I/O.
struct ServerSentEvents {
    struct Event: Sendable, Equatable {
        /// `message` unless the event names another.
        var name = "message"
        /// The last id that the stream has sent up to this event; empty when it has sent none.
        var id = ""
        var data: String
    }

    /// The most bytes of one line or one event. The longest answer of the assistant, together with its message, is shorter.
    static let maxByteCount = 8_388_608

    /// How long the server asks the client to wait before it connects again.
    private(set) var retry: Duration?

    private let limit: Int
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var name = ""
    private var id = ""
    private var isFirstLine = true
    /// Whether the last byte was a carriage return: then a line feed that follows belongs to the same line end.
    private var skipsLineFeed = false

    init(limit: Int = Self.maxByteCount) { self.limit = limit }

    /// - Returns: the events that are complete now. An event is complete, and its id counts, only after its blank line.
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
            // Skip a byte order mark.
            if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        }
        guard !text.isEmpty else { return endEvent() }
        let field = text.prefix { $0 != UInt8(ascii: ":") }
        var value = text.dropFirst(field.count + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        // A comment line starts with a colon, so its field is empty.
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
