import Connections
import Foundation
import Logging
import MediaTools
import NIOCore
import PostgresEngine
import TestKit
import Testing

@Suite("Errors of connections, as operators read them")
struct ConnectionFaultTests {
    private struct Odd: Error {}

    @Test("the text says what the error means, what to do, and then the system's words")
    func texts() {
        for (error, text) in [
            (IOError(errnoCode: ECONNREFUSED, reason: ""), "nothing listens there; start it (Connection refused)"),
            (IOError(errnoCode: ENOENT, reason: ""), "there is no such socket; start it (No such file or directory)"),
            (IOError(errnoCode: EACCES, reason: ""), "the user who runs Keepsake may not connect to it; start it (Permission denied)"),
            (ChannelError.connectTimeout(.seconds(1)), "nothing answers there; start it (timed out)"),
            (Odd(), "it failed; start it (Odd())"),
        ] as [(any Error, String)] {
            #expect(ConnectionFault(error).text(advice: "start it") == text)
        }
    }

    @Test("a clamd that is not there is named with its address, for each kind of address")
    func clamd() async throws {
        let folder = try TemporaryFolder()
        let socket = folder.path + "/clamd.ctl"
        let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        for (address, start) in [
            ("tcp:127.0.0.1:1", "no connection to tcp:127.0.0.1:1: nothing listens there; check that clamd runs, and its "),
            ("unix:\(socket)", "no connection to unix:\(socket): there is no such socket; check that clamd runs, and its "),
        ] {
            let scanner = ClamdScanner(try #require(ClamdAddress(address)), logger: silent)
            do {
                _ = try await scanner.version(within: .seconds(5))
                Issue.record("\(address) answered")
            } catch {
                #expect("\(error)".hasPrefix("the virus scanner is not available: \(start)") && !"\(error)".contains("\n"), "\(error)")
            }
        }
    }

    @Test("libpq's messages about connections begin with their meaning and name the server")
    func postgres() {
        let server = #"connection to server at "db.example.org" (192.0.2.7), port 5432 failed: "#
        for (words, start) in [
            (server + "Connection refused; Is the server running?", "nothing listens at db.example.org:5432; start PostgreSQL there, or "),
            (server + "timeout expired", "nothing answers at db.example.org:5432; check "),
            (server + #"FATAL:  password authentication failed for user "ada""#, "the server at db.example.org:5432 refuses the user or "),
            (server + #"FATAL:  role "ada" does not exist"#, "the server at db.example.org:5432 does not know the user; create "),
            (server + #"FATAL:  database "none" does not exist"#, "the server at db.example.org:5432 has no such database; create "),
            (server + #"FATAL:  permission denied for database "none""#, "no connection to db.example.org:5432 (connection to server at "),
            (
                #"connection to server at "::1", port 5433 failed: FATAL:  sorry, too many clients already"#,
                "the server at [::1]:5433 has no connection left; "
            ),
            (
                #"connection to server on socket "/run/postgresql/.s.PGSQL.5432" failed: No such file or directory"#,
                "nothing listens at /run/postgresql/.s.PGSQL.5432; "
            ),
            (#"could not translate host name "nowhere.example" to address: unknown"#, "no name server knows the host nowhere.example; "),
            (
                #"could not translate host name "db.example" to address: Temporary failure in name resolution"#,
                "no name server answers for the host db.example; check the network"
            ),
            (#"invalid URI query parameter: "nonsense""#, "the address of the database cannot be used; correct it (invalid URI "),
            (
                server + "server does not support SSL, but SSL was required",
                "the server at db.example.org:5432 offers no TLS, and the address of the database requires it; set ssl = on "
            ),
            ("something new", "no connection to the PostgreSQL server (something new)"),
        ] {
            let text = PostgresFault.explain(words)
            #expect(text.hasPrefix(start) && text.hasSuffix("(\(words))"), "\(text)")
        }
    }

    @Test("a message about the password says where it can be set, and whether PGPASSWORD is set", arguments: [nil, "", "canary"])
    func password(_ variable: String?) {
        for words in [#"FATAL:  password authentication failed for user "ada""#, "fe_sendauth: no password supplied"] {
            let text = PostgresFault.explain(words, variable: variable)
            let place =
                switch variable {
                case nil: "in the address of the database, or set PGPASSWORD ("
                case "": "PGPASSWORD, which is set and empty ("
                default: "or in PGPASSWORD, which is set and used if the address has no password ("
                }
            #expect(text.contains(words.hasPrefix("fe_") ? place.replacing("in the address", with: "to the address") : place), "\(text)")
            #expect(!text.contains("canary") && !text.contains("PASSWORD;"), "\(text)")
        }
    }

    @Test("a name, password, role or database that is refused makes an address wrong; a server that is away, busy or starting does not")
    func wrongAddresses() {
        func failed(_ host: String, _ words: String) -> String { #"connection to server at "\#(host)", port 5432 failed: \#(words)"# }
        func lines(_ lines: String...) -> String { lines.joined(separator: "\n") }
        let unknownHost = #"could not translate host name "nowhere.example" to address: Name or service not known"#
        let hint = "\tIs the server running on that host and accepting TCP/IP connections?"
        let away = lines(failed("db.example.org", "Connection refused"), hint)
        let wrongPassword = failed("db.example.org", #"FATAL:  password authentication failed for user "ada""#)
        let unknownRole = #"FATAL:  role "ada" does not exist"#
        let wrong: [String] = [
            unknownHost,
            #"could not translate host name "nowhere.example" to address: No address associated with hostname"#,
            wrongPassword,
            // libpq tries with TLS first, and then without TLS.
            lines(wrongPassword, failed("db.example.org", #"FATAL:  no pg_hba.conf entry for host "192.0.2.1", no encryption"#)),
            failed("db.example.org", "fe_sendauth: no password supplied"),
            failed("db.example.org", #"FATAL:  Peer authentication failed for user "ada""#),
            failed("db.example.org", unknownRole),
            failed("db.example.org", #"FATAL:  role "ada" is not permitted to log in"#),
            lines(failed("db.example.org", #"FATAL:  database "none" does not exist"#), "DETAIL:  It seems to have just been dropped."),
            lines(failed("db.example.org", #"FATAL:  permission denied for database "none""#), "DETAIL:  User does not have CONNECT."),
            // The host has two addresses. No server listens at the first one.
            lines(
                #"connection to server at "localhost" (::1), port 5432 failed: Connection refused"#, hint,
                #"connection to server at "localhost" (127.0.0.1), port 5432 failed: \#(unknownRole)"#),
            lines(unknownHost, wrongPassword),
            failed("db.example.org", "server does not support SSL, but SSL was required"),
            #"invalid URI query parameter: "nonsense""#,
        ]
        for message in wrong { #expect(PostgresFault.isWrongAddress(message + "\n"), "\(message)") }
        let unavailable: [String] = [
            #"could not translate host name "db.example.org" to address: Temporary failure in name resolution"#,
            away,
            failed("db.example.org", "timeout expired"),
            failed("db.example.org", "FATAL:  the database system is starting up"),
            failed("db.example.org", "FATAL:  sorry, too many clients already"),
            failed("db.example.org", "session is read-only"),
            failed("db.example.org", #"FATAL:  LDAP authentication failed for user "ada""#),
            failed("db.example.org", #"FATAL:  database "none" is not currently accepting connections"#),
            // The address names two hosts, and one of them is only unreachable at the moment.
            lines(unknownHost, away),
            lines(away, failed("db2.example.org", unknownRole)),
            "",
        ]
        for message in unavailable { #expect(!PostgresFault.isWrongAddress(message + "\n"), "\(message)") }
    }
}
