package import Core
package import Database

/// An event of an account. The account's devices and other modules receive it.
package struct Event: Sendable, Hashable {
    /// The account whose log contains it.
    package let account: String
    /// The event's number in that log: 1, 2, 3 … without gaps, in the order of the commits.
    package let seq: Int64
    /// When the event was written. Never earlier than the time of the event before it, even if a clock was set back.
    package let at: Timestamp
    package let kind: Kind
    /// JSON (RFC 8259) from the emitting module, at most 64 KB of UTF-8. This module does not read it.
    package let payload: String

    package init(account: String, seq: Int64, at: Timestamp, kind: Kind, payload: String) {
        self.account = account
        self.seq = seq
        self.at = at
        self.kind = kind
        self.payload = payload
    }

    /// A dotted name: the module, then what happened, for example `media.added`.
    package struct Kind: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        package let name: String

        /// - Parameter value: at most 64 characters; a constant of the emitting module.
        package init(stringLiteral value: StaticString) { name = "\(value)" }

        /// A name from the database or from a client; it may be a name that no module emits.
        package init(named name: String) { self.name = name }

        package var description: String { name }
    }
}

extension Event: TableRow {
    package static let table = Table<Event>("event")

    package init(_ row: inout RowReader, writing event: Event?) throws {
        try self.init(&row, writing: event, account: event?.account ?? "")
    }

    /// - Parameter account: the account whose log is read.
    init(_ row: inout RowReader, writing event: Event? = nil, account: String) throws {
        self.account = account
        row.write("account", account)
        seq = try row.next("seq", event?.seq)
        at = try row.next("at", event?.at)
        kind = Kind(named: try row.next("kind", event?.kind.name))
        payload = try row.next("payload", event?.payload)
    }
}
