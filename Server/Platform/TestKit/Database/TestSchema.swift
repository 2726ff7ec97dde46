internal import CPostgres
internal import Foundation
internal import Synchronization

/// A schema for one test in the PostgreSQL server on loopback.
///
/// Deinitialization drops it with all its contents. After `keepTables` it only empties the tables, and a later `init(tables:)` reuses them,
/// because making a server's tables takes longer than most tests.
package final class TestSchema: Sendable {
    /// The connection URL of the server that `make services` starts, unless the environment sets another.
    package static let server =
        ServicesScript.environment("KEEPSAKE_TEST_POSTGRES")
        ?? "postgres://postgres@127.0.0.1:\(ServicesScript.environment("KEEPSAKE_POSTGRES_PORT") ?? "15432")/postgres"

    /// The server's port on loopback.
    package static let port = URLComponents(string: server)?.port ?? 5432

    package let name: String
    package var address: String { Self.server + "?options=-csearch_path%3D" + name }

    /// The name of tables for tests of query plans that insert no rows. PostgreSQL's planner finds them as if they were new.
    package static let newTables = "new"

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Tables with the rows that migrations put there.
    private struct Tables {
        /// The name under which they are kept; only an `init(tables:)` with the same name reuses them.
        let kind: String
        let schema: String
        /// A hash of their definitions and statistics, from when they were new.
        let fingerprint: String
        /// Statements that insert the rows of migrations again.
        let rows: String

        /// Tables that have grown larger than this number of pages are not used again. Without statistics, the planner estimates ten pages
        /// for each table that has at most ten. Only tests of query plans need the estimates of new tables.
        static func mostPages(_ kind: String) -> Int { kind == TestSchema.newTables ? 10 : 64 }
        /// Indexes larger than this are made new. An index that was never used has one page. Making indexes takes most of the time that
        /// emptying the tables takes.
        static func mostIndexPages(_ kind: String) -> Int { kind == TestSchema.newTables ? 1 : 32 }
    }

    private static let spare = Spare()
    private static let idle = Idle()
    private let kind: String?
    private let kept: Mutex<Tables?>

    /// - Parameter kind: the name under which `keepTables` keeps the tables for later tests. If a test has kept tables under this name, the
    ///   schema has them from the start, and their only rows are those that migrations insert.
    package init(tables kind: String? = nil) throws {
        self.kind = kind
        let tables = kind.flatMap(Self.spare.take)
        kept = Mutex(tables)
        name = tables?.schema ?? "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        if tables == nil { try Self.Connection().perform("CREATE SCHEMA \(name)") }
    }

    /// Lets later tests reuse the tables, unless this test changes their definitions or statistics. Call it when all migrations have run.
    /// - Parameter started: tables whose rows each start of a server inserts; the next test gets them empty.
    package func keepTables(except started: [String]) throws {
        guard let kind else { return }
        try kept.withLock { [name] kept in
            guard kept == nil else { return }
            let connection = try Self.Connection()
            kept = Tables(
                kind: kind, schema: name, fingerprint: try connection.value(Self.fingerprint(of: name, kind)),
                rows: try connection.value(Self.insertions(into: name, except: started)))
        }
    }

    deinit {
        if let tables = kept.withLock({ $0 }), (try? Self.emptied(tables)) == true { return Self.spare.put(tables) }
        Self.drop(name)
    }

    /// Empties the tables for the next test.
    /// - Returns: `false` when the test has changed tables, gathered statistics about them or made one too large.
    private static func emptied(_ tables: Tables) throws -> Bool {
        let connection = try Connection()
        guard try connection.value(fingerprint(of: tables.schema, tables.kind)) == tables.fingerprint else { return false }
        // TRUNCATE takes longer: because of foreign keys, it has to truncate nearly every table. DELETE leaves tables and indexes their
        // pages.
        try connection.perform(
            """
            SET client_min_messages = error; SET lock_timeout = '2s'; SET search_path = \(tables.schema);
            SET session_replication_role = replica;
            BEGIN;
            DO $$
            DECLARE relation record;
            BEGIN
                FOR relation IN SELECT oid, oid::regclass AS name, relkind FROM pg_class
                    WHERE relnamespace = '\(tables.schema)'::regnamespace AND relkind IN ('r', 'S')
                    AND relname NOT IN ('schema_migration', 'schema_release')
                LOOP
                    IF relation.relkind = 'S' THEN PERFORM setval(relation.name, 1, false);
                    ELSIF pg_relation_size(relation.oid) > 0 THEN
                        EXECUTE format('DELETE FROM %s', relation.name);
                        IF EXISTS (
                            SELECT FROM pg_index JOIN pg_class AS index ON index.oid = indexrelid
                            WHERE indrelid = relation.oid AND pg_relation_size(index.oid) > \(8192 * Tables.mostIndexPages(tables.kind)))
                        THEN EXECUTE format('REINDEX TABLE %s', relation.name);
                        END IF;
                    END IF;
                END LOOP;
            END $$;
            \(tables.rows)
            COMMIT
            """)
        return true
    }

    /// A query for a hash of the definitions and statistics of a schema's tables.
    private static func fingerprint(of schema: String, _ kind: String) -> String {
        """
        SELECT md5(string_agg(line, ' ' ORDER BY line)) FROM (
            SELECT concat_ws(
                ',', relname, relkind, CASE WHEN relkind = 'r' THEN reltuples END, reloptions::text,
                relkind = 'r' AND pg_relation_size(pg_class.oid) > \(8192 * Tables.mostPages(kind)),
                (SELECT indisvalid FROM pg_index WHERE indexrelid = pg_class.oid),
                (SELECT string_agg(concat_ws(':', attname, atttypid, attnotnull, atthasdef, attisdropped), ';' ORDER BY attnum)
                    FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0),
                (SELECT string_agg(conname || convalidated, ';' ORDER BY conname) FROM pg_constraint WHERE conrelid = pg_class.oid),
                (SELECT count(*) FROM pg_trigger WHERE tgrelid = pg_class.oid)) AS line
            FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace
        ) AS lines
        """
    }

    /// A query for the statements that insert the rows of a schema's tables again.
    private static func insertions(into schema: String, except others: [String]) -> String {
        let others = (others + ["schema_migration", "schema_release"]).map { "'\($0)'" }.joined(separator: ", ")
        return """
            SELECT coalesce(string_agg(format(
                'INSERT INTO %1$I SELECT * FROM json_populate_recordset(NULL::%1$I, convert_from(decode(%2$L, ''hex''), ''UTF8'')::json);', relname,
                (xpath('/row/rows/text()', query_to_xml(
                    format('SELECT encode(convert_to(json_agg(t)::text, ''UTF8''), ''hex'') AS rows FROM \(schema).%I AS t', relname),
                    false, true, '')))[1]::text), ' '), '')
            FROM pg_class
            WHERE relnamespace = '\(schema)'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0 AND relname NOT IN (\(others))
            """
    }

    private static func drop(_ name: String) {
        try? Connection().perform(dropping(name))
    }

    private static func dropping(_ name: String) -> String {
        "SET lock_timeout = '2s'; SET client_min_messages = error; DROP SCHEMA IF EXISTS \(name) CASCADE"
    }

    /// The kept schemas that no test uses now. They are dropped when the process exits.
    private final class Spare: Sendable {
        private let tables = Mutex<[Tables]>([])

        init() {
            atexit { TestSchema.spare.dropAll() }
        }

        func take(_ kind: String) -> Tables? {
            tables.withLock { tables in tables.lastIndex { $0.kind == kind }.map { tables.remove(at: $0) } }
        }

        func put(_ new: Tables) { tables.withLock { $0.append(new) } }

        func dropAll() {
            var rest = tables.withLock { $0 }.map(\.schema)[...]
            // Dropping mostly waits for the disk, so four are dropped at a time. Each takes the locks of some thousand tables and indexes,
            // of which PostgreSQL holds a limited number.
            while !rest.isEmpty {
                let connections = rest.prefix(4).map { schema -> OpaquePointer? in
                    let connection = PQconnectdb(TestSchema.server)
                    _ = PQsendQuery(connection, TestSchema.dropping(schema))
                    return connection
                }
                rest = rest.dropFirst(4)
                for connection in connections {
                    while let result = PQgetResult(connection) { PQclear(result) }
                    PQfinish(connection)
                }
            }
        }
    }

    /// Connections that nothing uses at the moment. PostgreSQL takes longer to open one than to run most of the statements here.
    private final class Idle: Sendable {
        /// Any thread may use a connection, one at a time.
        private struct Item: @unchecked Sendable { let connection: OpaquePointer }

        private let items = Mutex<[Item]>([])

        func take() -> OpaquePointer? {
            while let item = items.withLock({ $0.popLast() }) {
                // A test may have ended the connection.
                let result = PQexec(item.connection, "RESET ALL")
                let isReset = PQresultStatus(result) == PGRES_COMMAND_OK
                PQclear(result)
                if isReset { return item.connection }
                PQfinish(item.connection)
            }
            return nil
        }

        /// - Returns: `false` when there are enough, or the connection is lost or in a failed transaction.
        func keep(_ connection: OpaquePointer?) -> Bool {
            guard let connection, PQstatus(connection) == CONNECTION_OK, PQtransactionStatus(connection) == PQTRANS_IDLE else {
                return false
            }
            let item = Item(connection: connection)
            return items.withLock { items in
                guard items.count < 4 else { return false }
                items.append(item)
                return true
            }
        }
    }

    private struct Connection: ~Copyable {
        private let connection: OpaquePointer? = TestSchema.idle.take() ?? PQconnectdb(TestSchema.server)

        init() throws {
            guard PQstatus(connection) == CONNECTION_OK else { throw failure }
        }

        deinit { if !TestSchema.idle.keep(connection) { PQfinish(connection) } }

        private var failure: Failure {
            Failure(
                description: """
                    PostgreSQL for tests (\(TestSchema.server)); start it with `make services`: \(String(cString: PQerrorMessage(connection)))
                    """)
        }

        func perform(_ text: String) throws {
            let result = PQexec(connection, text)
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure }
        }

        /// The first value of the first row that the query returns.
        func value(_ query: String) throws -> String {
            let result = PQexec(connection, query)
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_TUPLES_OK, let text = PQgetvalue(result, 0, 0) else { throw failure }
            return String(cString: text)
        }
    }
}
