internal import CPostgres
package import Core

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where the server is and how to get in: libpq's own connection URL, with everything it understands (`sslmode`, `sslrootcert`,
/// several hosts, `options=-csearch_path%3Dname` for a schema of one's own, …).
package struct PostgresAddress: Sendable {
    private let url: Secret<String>

    /// - Parameter url: `postgres://user:password@host:5432/name?sslmode=verify-full`
    package init(_ url: Secret<String>) { self.url = url }

    /// The later wins. What stands before the URL are defaults that it may change.
    private var keywords: [(String, String)] {
        [
            ("fallback_application_name", "keepsake"), ("connect_timeout", "5"),
            // A peer that is gone is noticed in half a minute, also while nothing is asked.
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "4"), ("tcp_user_timeout", "20000"),
            // Of several hosts, the one that takes writes: after a failover that is another one.
            ("target_session_attrs", "read-write"),
            ("dbname", url.exposed), ("client_encoding", "UTF8"),
        ]
    }

    /// A connection, which may have failed; `nil` when there is no memory for one.
    func connect() -> OpaquePointer? {
        let settings = keywords
        let names = settings.map { strdup($0.0) }
        let values = settings.map { strdup($0.1) }
        defer { for pointer in names + values { free(pointer) } }
        let connection = PQconnectdbParams(names.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
        // Notices would go to standard error.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        return connection
    }
}
