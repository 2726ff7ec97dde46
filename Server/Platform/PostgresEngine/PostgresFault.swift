internal import Foundation

/// What libpq's messages about connections mean, for the operator.
package enum PostgresFault {
    /// A message has the first meaning whose parts all occur in the message. `PLACE` stands for PostgreSQL's address, and `PASSWORD` for
    /// where a password can be set.
    private static let meanings: [(parts: [String], meaning: String)] = [
        (
            ["could not translate host name", "Temporary failure"],
            "no name server answers for the host PLACE; check the network, and the address of the database"
        ),
        (["could not translate host name"], "no name server knows the host PLACE; correct the address of the database"),
        (["Connection refused"], "nothing listens at PLACE; start PostgreSQL there, or correct the address of the database"),
        (["No such file or directory"], "nothing listens at PLACE; start PostgreSQL there, or correct the address of the database"),
        (["timeout expired"], "nothing answers at PLACE; check the network, and the address of the database"),
        (["timed out"], "nothing answers at PLACE; check the network, and the address of the database"),
        (["No route to host"], "this machine does not reach PLACE; check the network, and the address of the database"),
        (
            ["authentication failed"],
            "the server at PLACE refuses the user or the password; correct them in the address of the database, PASSWORD"
        ),
        (["no password supplied"], "the server at PLACE asks for a password; add it to the address of the database, PASSWORD"),
        (["no pg_hba.conf entry"], "the server at PLACE does not let this user connect from this machine; allow it in its pg_hba.conf"),
        (["too many clients"], "the server at PLACE has no connection left; raise its max_connections"),
        (["connection slots"], "the server at PLACE has no connection left; raise its max_connections"),
        (["starting up"], "the server at PLACE is starting; it accepts connections soon"),
        (["read-only"], "the server at PLACE takes no writes; name the one that does in the address of the database"),
        (
            ["does not support SSL, but SSL was required"],
            """
            the server at PLACE offers no TLS, and the address of the database requires it; set ssl = on and a certificate in its \
            postgresql.conf, or write sslmode=disable into the address if nobody else can read that network
            """
        ),
        (["certificate"], "TLS to PLACE failed; check sslmode and sslrootcert in the address of the database"),
        (["SSL"], "TLS to PLACE failed; check sslmode and sslrootcert in the address of the database"),
        (
            ["role \"", "does not exist"],
            "the server at PLACE does not know the user; create the role, or correct the address of the database"
        ),
        (
            ["database \"", "does not exist"],
            "the server at PLACE has no such database; create it, or correct the address of the database"
        ),
        (["invalid "], "the address of the database cannot be used; correct it"),
    ]

    /// What the message about an attempt says if the address is wrong, or PostgreSQL does not accept it: the same attempt fails again until
    /// somebody changes the address, or the roles and databases of PostgreSQL.
    private static let refusals: [[String]] = [
        // These are the words of the C libraries of Linux and macOS. `Temporary failure in name resolution` is not a refusal.
        ["could not translate host name", "Name or service not known"],
        ["could not translate host name", "No address associated with hostname"],
        ["could not translate host name", "nodename nor servname provided"],
        // Other ways to authenticate, such as LDAP, are left out: they may fail because another server is away.
        ["password authentication failed"], ["Peer authentication failed"], ["no password supplied"], ["no pg_hba.conf entry"],
        ["role \"", "does not exist"], ["role \"", "is not permitted to log in"],
        ["database \"", "does not exist"], ["permission denied for database \""],
        ["does not support SSL, but SSL was required"],
    ]

    /// Beginnings of libpq's messages about addresses that it refuses before it connects.
    private static let syntaxErrors = ["invalid ", "could not match ", "end of string reached", "missing "]

    /// Whether the connection failed because the address is wrong. If the address names several hosts, all of them must have refused it: a
    /// host that is only unreachable may accept it later.
    /// - Parameter message: libpq's message, with a line for each attempt.
    package static func isWrongAddress(_ message: String) -> Bool {
        if syntaxErrors.contains(where: { message.hasPrefix($0) }) { return true }
        // A host may have several addresses, as `localhost` has. The one that answered decides.
        var hosts: [String: Bool] = [:]
        for line in message.split(separator: "\n").map(String.init) where !continuations.contains(where: { line.hasPrefix($0) }) {
            let isRefusal = refusals.contains { parts in parts.allSatisfy { line.contains($0) } }
            let host = place(in: line) ?? line
            hosts[host] = isRefusal || hosts[host] == true
        }
        return !hosts.isEmpty && hosts.values.allSatisfy { $0 }
    }

    /// Beginnings of lines that explain the line before them.
    private static let continuations = ["\t", "DETAIL:", "HINT:"]

    /// - Parameter words: libpq's message in one line. It never contains the password.
    /// - Returns: the meaning, what to do, and then the message in brackets.
    package static func explain(_ words: String) -> String {
        explain(words, variable: ProcessInfo.processInfo.environment["PGPASSWORD"])
    }

    /// - Parameter variable: the value of the variable in which libpq looks for a password if the address has none; `nil` if it is not set.
    package static func explain(_ words: String, variable: String?) -> String {
        let password =
            switch variable {
            case nil: "or set PGPASSWORD"
            case "": "or to PGPASSWORD, which is set and empty"
            default: "or in PGPASSWORD, which is set and used if the address has no password"
            }
        let known = meanings.first { $0.parts.allSatisfy { words.contains($0) } }
        let meaning = known?.meaning ?? "no connection to PLACE"
        let text = meaning.replacing("PASSWORD", with: password).replacing("PLACE", with: place(in: words) ?? "the PostgreSQL server")
        return "\(text) (\(words))"
    }

    /// The first address that the message names: `db.example.org:5432`, or the path of a socket.
    private static func place(in words: String) -> String? {
        if let match = words.firstMatch(of: /server at "([^"]+)"(?: \([^)]*\))?, port ([0-9]+)/) {
            let host = String(match.output.1)
            return "\(host.contains(":") ? "[\(host)]" : host):\(match.output.2)"
        }
        if let match = words.firstMatch(of: /server on socket "([^"]+)"/) { return String(match.output.1) }
        return words.firstMatch(of: /host name "([^"]+)"/).map { String($0.output.1) }
    }
}
