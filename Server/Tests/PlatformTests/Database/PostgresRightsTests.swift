import Core
import Database
import Foundation
import TestKit
import Testing

@testable import PostgresEngine

@Suite("The rights of a role in PostgreSQL")
struct PostgresRightsTests {
    /// Runs statements as a superuser. Their text is not known at compile time, so they run as migrations.
    private actor Superuser {
        let database: PostgresDatabase
        private var migrations: [Migration] = []

        init(_ address: String) async throws { database = try await PostgresDatabase.open(PostgresAddress(Secret(address))) }

        func run(_ statement: String) async throws {
            migrations.append(Migration("rights/\(migrations.count)", [statement]))
            try await database.migrate(migrations)
        }
    }

    /// - Returns: why the database cannot be opened; `nil` if it can.
    private func refusal(_ role: String, _ schema: String) async throws -> String? {
        let address = TestSchema.server.replacing("postgres@", with: role + "@") + "?options=-csearch_path%3D" + schema
        do {
            try await PostgresDatabase.open(PostgresAddress(Secret(address))).close()
            return nil
        } catch DatabaseError.wrongAddress(let reason) {
            return reason
        }
    }

    @Test("a missing schema, and a role that lacks a right or owns no table, is a wrong address; the line has the remedy")
    func statements() async throws {
        let schema = try TestSchema()
        let role = "rights_" + Hex.encode(Entropy.system.bytes(6))
        let superuser = try await Superuser(schema.address)
        try await superuser.run("CREATE ROLE \(role) LOGIN")
        do {
            try await examine(role, schema.name, superuser)
        } catch {
            Issue.record(error)
        }
        try await superuser.run("DROP OWNED BY \(role)")
        try await superuser.run("DROP ROLE \(role)")
        try await superuser.database.close()
        withExtendedLifetime(schema) {}
    }

    private func examine(_ role: String, _ schema: String, _ superuser: Superuser) async throws {
        let missing = "none_\(role)"
        let create = try #require(try await refusal(role, missing))
        #expect(create.contains("there is no schema \(missing), "), "\(create)")
        #expect(create.hasSuffix(": CREATE SCHEMA \(missing) AUTHORIZATION \(role)"), "\(create)")
        let use = try #require(try await refusal(role, schema))
        #expect(use.contains("may not use the schema") && use.hasSuffix(": GRANT USAGE, CREATE ON SCHEMA \(schema) TO \(role)"), "\(use)")
        try await superuser.run("GRANT USAGE ON SCHEMA \(schema) TO \(role)")
        let grant = try #require(try await refusal(role, schema))
        #expect(grant.contains("may not create tables in") && grant.hasSuffix(": GRANT CREATE ON SCHEMA \(schema) TO \(role)"), "\(grant)")
        try await superuser.run("GRANT CREATE ON SCHEMA \(schema) TO \(role)")
        // The superuser's migrations have made tables.
        let owner = try #require(try await refusal(role, schema))
        #expect(owner.contains("belong to the role postgres, ") && owner.hasSuffix(": GRANT postgres TO \(role)"), "\(owner)")
        // Runs the statement that the error recommends.
        try await superuser.run("GRANT postgres TO \(role)")
        #expect(try await refusal(role, schema) == nil)
    }

    @Test("a database of another encoding is a wrong address; the line has the command that makes one")
    func encoding() throws {
        var answers = ["keepsake", "keepsake", "LATIN1"]
        let rights = PostgresRights { _ in answers.popLast() }
        var line = ""
        do {
            try rights.requireEncoding()
        } catch DatabaseError.wrongAddress(let reason) {
            line = reason
        }
        #expect(line.contains("the database keepsake has the encoding LATIN1"), "\(line)")
        #expect(line.contains("(createdb -O keepsake -E UTF8 -T template0 NAME)"), "\(line)")
    }
}
