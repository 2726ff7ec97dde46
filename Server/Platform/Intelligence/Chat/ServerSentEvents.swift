package import NIOCore

/// Reads a stream of server-sent events (WHATWG HTML §9.2) from bytes that may be cut anywhere. Pure.
package struct ServerSentEvents: Sendable {
    package struct Event: Sendable, Equatable {
        /// `message` unless the event names another.
        package var name = "message"
        /// The last `id` of the stream; empty when there was none.
        package var id = ""
        package var data: String

        package init(name: String = "message", id: String = "", data: String) {
            self.name = name
            self.id = id
            self.data = data
        }
    }

    /// Thrown when an event is larger than the limit.
    package struct TooLarge: Error {}

    private let limit: Int
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var hasData = false
    private var name = ""
    private var id = ""
    /// Whether the last byte was a carriage return: a line feed that follows ends the same line.
    private var skipsLineFeed = false

    /// - Parameter limit: the largest event, in bytes.
    package init(limit: Int = 1 << 20) { self.limit = limit }

    /// - Returns: the events that are complete now.
    package mutating func receive(_ bytes: ByteBuffer) throws(TooLarge) -> [Event] {
        var events: [Event] = []
        for byte in bytes.readableBytesView {
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
                guard line.count + data.count <= limit else { throw TooLarge() }
            }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        // A line that begins with a colon is a comment.
        guard colon != line.startIndex else { return nil }
        var value = colon < line.endIndex ? line[line.index(after: colon)...] : []
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "data":
            if hasData { data.append(UInt8(ascii: "\n")) }
            hasData = true
            data += value
        case "event": name = String(decoding: value, as: UTF8.self)
        case "id": if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
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
