internal import Database

/// Whether the role of the address may do what Keepsake needs in its database. Each error contains the statement that repairs it, because a
/// restart would not help.
struct PostgresRights {
    /// Runs a statement that returns one text.
    let text: (SQL) throws -> String?

    /// - Throws: `DatabaseError.wrongAddress` unless the database's encoding can store any text.
    func requireEncoding() throws {
        guard let encoding = try text("SELECT current_setting('server_encoding') AS value"), encoding != "UTF8" else { return }
        throw Self.wrongEncoding(
            encoding, database: try text("SELECT current_database()") ?? "", role: try text("SELECT current_user") ?? "")
    }

    static func wrongEncoding(_ encoding: String, database: String, role: String) -> DatabaseError {
        .wrongAddress(
            """
            the database \(database) has the encoding \(encoding), and Keepsake needs UTF8, which cannot be changed later; create another \
            database (createdb -O \(role) -E UTF8 -T template0 NAME), and name it in the address
            """)
    }

    /// - Returns: the schema of our tables.
    /// - Throws: `DatabaseError.wrongAddress` if there is no schema, or the role may not create tables in it or does not own its tables.
    func schema() throws -> String {
        let role = try text("SELECT quote_ident(current_user)") ?? ""
        guard let schema = try text("SELECT current_schema()") else { throw try missingSchema(role) }
        guard try text("SELECT CASE WHEN has_schema_privilege(current_schema(), 'CREATE') THEN 'yes' ELSE 'no' END") == "yes" else {
            throw DatabaseError.wrongAddress(
                """
                the role \(role) may not create tables in the schema \(schema); run this in psql as a superuser: GRANT CREATE ON \
                SCHEMA \(try quoted(schema)) TO \(role)
                """)
        }
        // A member of the owner counts as the owner. Other programs have no table of this name.
        let owner = try text(
            """
            SELECT quote_ident(pg_get_userbyid(c.relowner)) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relkind = 'r' AND NOT pg_has_role(c.relowner, 'USAGE')
                AND c.relname = 'schema_release'
            LIMIT 1
            """)
        guard let owner else { return schema }
        throw DatabaseError.wrongAddress(
            """
            the tables in the schema \(schema) belong to the role \(owner), and the address names \(role), who may not change them; name \
            \(owner) in the address, or run this in psql as a superuser: GRANT \(owner) TO \(role)
            """)
    }

    /// Why PostgreSQL finds no schema.
    private func missingSchema(_ role: String) throws -> DatabaseError {
        let path = try text("SELECT current_setting('search_path')") ?? ""
        let names = path.split(separator: ",").map { $0.trimmingPrefix(" ").trimmingPrefix("\"") }
            .map { $0.hasSuffix("\"") ? String($0.dropLast()) : String($0) }
        guard let name = names.first(where: { $0 != "$user" }) else { return .wrongAddress("the search_path \(path) names no schema") }
        let quoted = try quoted(name)
        let isThere = try text("SELECT CAST(nspname AS TEXT) FROM pg_namespace WHERE nspname = \(name)") != nil
        let (fault, statement) =
            isThere
            ? ("the role \(role) may not use the schema \(name)", "GRANT USAGE, CREATE ON SCHEMA \(quoted) TO \(role)")
            : ("there is no schema \(name), which the address selects", "CREATE SCHEMA \(quoted) AUTHORIZATION \(role)")
        return .wrongAddress("\(fault); run this in psql as a superuser: \(statement)")
    }

    private func quoted(_ name: String) throws -> String { try text("SELECT quote_ident(\(name))") ?? name }
}
