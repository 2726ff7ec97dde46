internal import CPostgres
package import Core

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// How to connect to PostgreSQL: libpq's connection URL, with everything libpq understands (`sslmode`, `sslrootcert`, several hosts,
/// `options=-csearch_path%3Dname` for a separate schema, …).
package struct PostgresAddress: Sendable {
    /// The application name of servers.
    package static let serverName = "keepsake"

    private let url: Secret<String>
    let applicationName: String

    /// - Parameters:
    ///   - url: `postgres://user:password@host:5432/name?sslmode=verify-full`
    ///   - applicationName: shown in `pg_stat_activity`, followed by a colon and the schema.
    package init(_ url: Secret<String>, applicationName: String = serverName) {
        self.url = url
        self.applicationName = applicationName
    }

    package func named(_ applicationName: String) -> PostgresAddress { PostgresAddress(url, applicationName: applicationName) }

    /// Later entries win. The entries before the URL are defaults that it may override.
    private var keywords: [(String, String)] {
        [
            ("fallback_application_name", applicationName), ("connect_timeout", "5"),
            // Detects a dead peer within half a minute, even while no query is running.
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "4"), ("tcp_user_timeout", "20000"),
            // If the address names several hosts, connect to the one that accepts writes. After a failover, this is another host than
            // before.
            ("target_session_attrs", "read-write"),
            ("dbname", url.exposed), ("client_encoding", "UTF8"),
        ]
    }

    /// Connects. The returned connection may have failed; `nil` when there is no memory for one.
    func connect() -> OpaquePointer? {
        let settings = keywords
        let names = settings.map { strdup($0.0) }
        let values = settings.map { strdup($0.1) }
        defer { for pointer in names + values { free(pointer) } }
        let connection = PQconnectdbParams(names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
        // Discard notices: libpq would print them to standard error.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        return connection
    }
}
