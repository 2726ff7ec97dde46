package import Core
package import Database

/// Records every request to an engine outside the installation: whose data it carried, when, to which host, and how many bytes went out
/// and came back. The row is committed before the first byte is sent, so nothing leaves without a row.
package struct CallLedger: Sendable {
    /// How long rows are kept.
    package static let retention = Duration.days(90)

    private let database: any Database
    private let identifiers: Identifiers

    package init(database: any Database, identifiers: Identifiers) {
        self.database = database
        self.identifiers = identifiers
    }

    /// A request that the server is about to send.
    package struct Call: Sendable {
        /// Whose data the request carries; `nil` for a probe by the operator.
        package var owner: String?
        /// The engine's name, for example `gemini`.
        package var engine: String
        /// What the answer is for: `analyse`, `answer`, `chat`, `transcribe` or `probe`.
        package var purpose: String
        package var model: String
        package var host: String
        /// Bytes of the request's body.
        package var sentByteCount: Int
    }

    /// The tokens of a call, as the engine counts them.
    package struct Tokens: Sendable, Equatable {
        /// Tokens of the request.
        package var input: Int64
        /// Tokens of the answer.
        package var output: Int64

        /// The most tokens that a row counts for a request or an answer. The sum of an account's rows must not overflow.
        private static let most: Int64 = 1_000_000_000

        /// - Parameters: the engine's own numbers, which may be any.
        package init(input: Int64, output: Int64) {
            self.input = min(max(input, 0), Self.most)
            self.output = min(max(output, 0), Self.most)
        }
    }

    /// A row, for lists and tests.
    package struct Row: Sendable, Equatable {
        package let id: String
        package let owner: String?
        package let at: Timestamp
        package let engine: String
        package let purpose: String
        package let model: String
        package let host: String
        package let sentByteCount: Int64
        /// Bytes of the response's body; `nil` when no response came.
        package let receivedByteCount: Int64?
        package let milliseconds: Int64?
        /// `sent` while the request runs, or if the server stopped before the request ended. Otherwise `answered 200`, or the reason why
        /// there is no answer.
        package let outcome: String
        /// Tokens of the request, as the engine counts them; `nil` when the engine does not state them.
        package let inputTokens: Int64?
        /// Tokens of the answer, as the engine counts them; `nil` when the engine does not state them.
        package let outputTokens: Int64?
    }

    /// - Returns: the row's id.
    func begin(_ call: Call) async throws -> String {
        let row = Row(
            id: identifiers.next(), owner: call.owner, at: identifiers.clock.now, engine: call.engine, purpose: call.purpose,
            model: String(call.model.prefix(200)), host: String(call.host.prefix(255)), sentByteCount: Int64(call.sentByteCount),
            receivedByteCount: nil, milliseconds: nil, outcome: "sent", inputTokens: nil, outputTokens: nil)
        _ = try await database.write { tx in try tx.run(Row.table.insert(row)) }
        return row.id
    }

    func end(_ id: String, receivedByteCount: Int?, took: Duration, outcome: String, tokens: Tokens? = nil) async throws {
        _ = try await database.write { tx in
            try tx.run(
                Self.end(
                    id, received: receivedByteCount.map(Int64.init), milliseconds: took.wholeMilliseconds,
                    outcome: String(outcome.prefix(100)), tokens: tokens))
        }
    }

    /// An account's calls, newest first.
    package func calls(of owner: String, limit: Int) async throws -> [Row] {
        try await database.read { tx in try tx.list(Self.calls(of: owner, limit: limit), Row.init) }
    }

    /// The calls of all accounts, or of one, newest first.
    /// - Parameter owner: `nil` for all accounts.
    package func page(of owner: String?, _ request: PageRequest<TimeKey>) async throws -> Page<Row, TimeKey> {
        let rows = try await database.list(Self.page(of: owner, after: request.after, limit: request.rowLimit), Row.init)
        return Page(rows, limit: request.limit) { TimeKey(at: $0.at, id: $0.id) }
    }

    /// The calls to one model for one purpose on one day.
    package struct Use: Sendable, Equatable {
        /// Days since 1970, in UTC.
        package let day: Int64
        package let engine: String
        package let model: String
        package let purpose: String
        package let requests: Int64
        package let sentByteCount: Int64
        package let receivedByteCount: Int64
        package let inputTokens: Int64
        package let outputTokens: Int64
    }

    /// Sums an account's calls by day, engine, model and purpose; the earliest day first.
    /// - Parameters:
    ///   - from: inclusive.
    ///   - to: exclusive.
    package func use(by owner: String, from: Timestamp, to: Timestamp) async throws -> [Use] {
        try await database.list(Self.use(by: owner, from: from, to: to)) { row in
            Use(
                day: try row.next("day"), engine: try row.next("engine"), model: try row.next("model"), purpose: try row.next("purpose"),
                requests: try row.next("requests"), sentByteCount: try row.next("sent"), receivedByteCount: try row.next("received"),
                inputTokens: try row.next("input"), outputTokens: try row.next("output"))
        }
    }

    /// Deletes rows that are older than `retention`.
    package func sweep() async throws {
        let end = identifiers.clock.now - Self.retention
        try await database.sweep { Self.expired(before: end, limit: $0) }
    }

    // MARK: Statements

    package static func calls(of owner: String, limit: Int) -> SQL {
        "\(sql: Row.table.select) WHERE owner = \(owner) ORDER BY at DESC, id DESC LIMIT \(limit)"
    }

    /// No row is older than 1970, so `at >= 0` excludes none. The condition lets SQLite and PostgreSQL read the index by age from its end.
    package static func page(of owner: String?, after key: TimeKey?, limit: Int) -> SQL {
        let condition: SQL = owner.map { "owner = \($0)" } ?? "at >= 0"
        return "\(sql: Row.table.select) WHERE \(sql: condition)" + newestFirst.page(after: key?.sql, limit: limit)
    }

    private static let newestFirst = Keyset(.descending, "at", "id")

    /// PostgreSQL sums BIGINT as NUMERIC, so the sums are cast.
    package static func use(by owner: String, from: Timestamp, to: Timestamp) -> SQL {
        """
        SELECT at / 86400000000 AS day, engine, model, purpose, COUNT(*) AS requests, CAST(SUM(sent_bytes) AS BIGINT) AS sent,
            CAST(SUM(COALESCE(received_bytes, 0)) AS BIGINT) AS received, CAST(SUM(COALESCE(input_tokens, 0)) AS BIGINT) AS input,
            CAST(SUM(COALESCE(output_tokens, 0)) AS BIGINT) AS output
        FROM engine_call WHERE owner = \(owner) AND at >= \(from) AND at < \(to)
        GROUP BY at / 86400000000, engine, model, purpose ORDER BY day, engine, model, purpose
        """
    }

    package static func end(_ id: String, received: Int64?, milliseconds: Int64, outcome: String, tokens: Tokens? = nil) -> SQL {
        """
        UPDATE engine_call SET received_bytes = \(received), milliseconds = \(milliseconds), outcome = \(outcome),
            input_tokens = \(tokens?.input), output_tokens = \(tokens?.output)
        WHERE id = \(id)
        """
    }

    package static func expired(before end: Timestamp, limit: Int) -> SQL {
        "DELETE FROM engine_call WHERE id IN (SELECT id FROM engine_call WHERE at < \(end) ORDER BY at, id LIMIT \(limit))"
    }
}

extension CallLedger.Row: TableRow {
    package static let table = Table<CallLedger.Row>("engine_call")

    package init(_ row: inout RowReader, writing call: CallLedger.Row?) throws {
        id = try row.next("id", call?.id)
        owner = try row.next("owner", call?.owner)
        at = try row.next("at", call?.at)
        engine = try row.next("engine", call?.engine)
        purpose = try row.next("purpose", call?.purpose)
        model = try row.next("model", call?.model)
        host = try row.next("host", call?.host)
        sentByteCount = try row.next("sent_bytes", call?.sentByteCount)
        receivedByteCount = try row.next("received_bytes", call?.receivedByteCount)
        milliseconds = try row.next("milliseconds", call?.milliseconds)
        outcome = try row.next("outcome", call?.outcome)
        inputTokens = try row.next("input_tokens", call?.inputTokens)
        outputTokens = try row.next("output_tokens", call?.outputTokens)
    }
}

extension CallLedger: TableOwner {
    package static let migrations = [
        Migration(
            "outbound/001-engine-call",
            [
                // owner: NULL for a probe by the operator. at: when the request was sent.
                """
                CREATE TABLE engine_call (
                    id TEXT COLLATE "C" PRIMARY KEY NOT NULL,
                    owner TEXT COLLATE "C",
                    at BIGINT NOT NULL,
                    engine TEXT NOT NULL,
                    purpose TEXT NOT NULL,
                    model TEXT NOT NULL,
                    host TEXT NOT NULL,
                    sent_bytes BIGINT NOT NULL CHECK (sent_bytes >= 0),
                    received_bytes BIGINT CHECK (received_bytes >= 0),
                    milliseconds BIGINT,
                    outcome TEXT NOT NULL CHECK (length(outcome) BETWEEN 1 AND 100)
                )
                """,
                "CREATE INDEX engine_call_owner ON engine_call (owner, at, id)",
                "CREATE INDEX engine_call_by_age ON engine_call (at, id)",
            ]),
        // The numbers of tokens are the engine's own counts; NULL when it does not state them.
        Migration(
            "outbound/002-tokens",
            [
                "ALTER TABLE engine_call ADD COLUMN input_tokens BIGINT",
                "ALTER TABLE engine_call ADD COLUMN output_tokens BIGINT",
            ], release: 2),
    ]

    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "engine_call", owner: .column("owner"), order: ["at", "id"],
                columns: [
                    .plain("id"), .time("at"), .plain("engine"), .plain("purpose"), .plain("model"), .plain("host"), .plain("sent_bytes"),
                    .plain("received_bytes"), .plain("milliseconds"), .plain("outcome"), .plain("input_tokens"), .plain("output_tokens"),
                    .withheld("owner"),
                ],
                ending: .statement)
        ]
    }
}
