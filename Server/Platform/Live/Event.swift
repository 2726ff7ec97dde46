package import Core
package import Database

/// Something that happened to an account, as its own devices and other rooms hear of it.
package struct Event: Sendable, Hashable {
    /// Whose log it stands in.
    package let account: String
    /// Its place in that log: 1, 2, 3 … without holes. Numbers are in the order of the commits.
    package let seq: Int64
    /// When it was written. Never earlier than that of the number before, even if a clock was set back.
    package let at: Timestamp
    package let kind: Kind
    /// JSON (RFC 8259) of the emitting room's making, at most 64 KB of UTF-8. Opaque here.
    package let payload: String

    package init(account: String, seq: Int64, at: Timestamp, kind: Kind, payload: String) {
        self.account = account
        self.seq = seq
        self.at = at
        self.kind = kind
        self.payload = payload
    }

    /// A dotted name: the room, then what happened, for example `media.added`.
    package struct Kind: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        package let name: String

        /// - Parameter value: at most 64 characters; a constant of the room that emits it.
        package init(stringLiteral value: StaticString) { name = "\(value)" }

        /// As read back, or as a client asks for it; nothing says that anybody emits it.
        package init(named name: String) { self.name = name }

        package var description: String { name }
    }
}

extension Event: TableRow {
    package static let table = Table<Event>("event")

    package init(_ row: inout RowReader, writing event: Event?) throws {
        try self.init(&row, writing: event, account: event?.account ?? "")
    }

    /// - Parameter account: whose log was asked for.
    init(_ row: inout RowReader, writing event: Event? = nil, account: String) throws {
        self.account = account
        row.write("account", account)
        seq = try row.next("seq", event?.seq)
        at = try row.next("at", event?.at)
        kind = Kind(named: try row.next("kind", event?.kind.name))
        payload = try row.next("payload", event?.payload)
    }
}
