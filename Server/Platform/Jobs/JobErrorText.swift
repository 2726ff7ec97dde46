internal import Core
internal import Database

/// What is kept of an error beside a job: its type and the words it has for itself. An error without words of its own is known by its
/// type, and a case by its name: what it carries may be somebody's data.
enum JobErrorText {
    static func of(_ error: any Error) -> String {
        switch error {
        case let problem as Problem: bounded("Problem \(problem.kind): \(problem.message)")
        // Made of codes and of the schema's names.
        case let error as DatabaseError: bounded("DatabaseError: \(error)")
        case let error as DecodingError: bounded("DecodingError: \(of(decoding: error))")
        case let error as any CustomStringConvertible: bounded("\(type(of: error)): \(error.description)")
        default: bounded(name(of: error))
        }
    }

    /// At most 2,000 characters, and no NUL, which no engine stores.
    static func bounded(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(JobLimits.errorLength) { kept.append(scalar == "\0" ? "\u{FFFD}" : scalar) }
        return String(kept)
    }

    private static func name(of error: any Error) -> String {
        let mirror = Mirror(reflecting: error)
        let type = "\(Swift.type(of: error))"
        guard mirror.displayStyle == .enum else { return type }
        // Of a case that carries something, only the name; of one that carries nothing, its text is its name.
        return "\(type).\(mirror.children.first.map { $0.label ?? "" } ?? "\(error)")"
    }

    /// Where in the payload, and not what was there.
    private static func of(decoding error: DecodingError) -> String {
        let (what, path) =
            switch error {
            case .typeMismatch(_, let context): ("another type than expected", context.codingPath)
            case .valueNotFound(_, let context): ("nothing where a value is expected", context.codingPath)
            case .keyNotFound(let key, let context): ("no such key", context.codingPath + [key])
            case .dataCorrupted(let context): ("unreadable", context.codingPath)
            @unknown default: ("unreadable", [])
            }
        return "\(what) at /\(path.map(\.stringValue).joined(separator: "/"))"
    }
}
