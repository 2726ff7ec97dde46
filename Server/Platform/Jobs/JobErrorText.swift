internal import Core
internal import Database

/// The text of an error that is stored with a job: its type and its own description. Without a description it is only the type and, for an
/// enum, the name of the case: associated values may contain personal data.
enum JobErrorText {
    static func of(_ error: any Error) -> String {
        switch error {
        case let problem as Problem: bounded("Problem \(problem.kind): \(problem.message)")
        // Its reason is a text for the operator.
        case DatabaseError.unavailable(let reason): bounded("the database is not available: \(reason)")
        // Its text contains only codes and schema names.
        case let error as DatabaseError: bounded("DatabaseError: \(error)")
        case let error as DecodingError: bounded("DecodingError: \(of(decoding: error))")
        case let error as any CustomStringConvertible: bounded("\(type(of: error)): \(error.description)")
        default: bounded(name(of: error))
        }
    }

    /// At most 2,000 Unicode scalars. NUL is replaced, since no engine stores it.
    static func bounded(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(JobLimits.errorLength) { kept.append(scalar == "\0" ? "\u{FFFD}" : scalar) }
        return String(kept)
    }

    private static func name(of error: any Error) -> String {
        let mirror = Mirror(reflecting: error)
        let type = "\(Swift.type(of: error))"
        guard mirror.displayStyle == .enum else { return type }
        // For a case with associated values, use only its name; the text of a case without any is its name.
        return "\(type).\(mirror.children.first.map { $0.label ?? "" } ?? "\(error)")"
    }

    /// The coding path in the payload, without its values.
    private static func of(decoding error: DecodingError) -> String {
        let (what, path) =
            switch error {
            case .typeMismatch(_, let context): ("unexpected type", context.codingPath)
            case .valueNotFound(_, let context): ("missing value", context.codingPath)
            case .keyNotFound(let key, let context): ("missing key", context.codingPath + [key])
            case .dataCorrupted(let context): ("unreadable", context.codingPath)
            @unknown default: ("unreadable", [])
            }
        return "\(what) at /\(path.map(\.stringValue).joined(separator: "/"))"
    }
}
