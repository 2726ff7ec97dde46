/// Texts for logs and checks. None contains a bound value.
extension DatabaseError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .uniqueViolation(let constraint): "a row has this value already: \(constraint)"
        case .foreignKeyViolation: "a row refers to one that does not exist, or others refer to a row that was deleted"
        case .checkViolation(let constraint): "a value is not allowed: \(constraint)"
        case .full: "the disk of the database is full"
        case .busy: "the database is busy"
        case .unavailable(let reason): "the database is not available: \(reason)"
        case .wrongAddress(let reason): "the database cannot be used: \(reason)"
        case .unclear: "the connection to the database was lost while it committed: the write may or may not have happened"
        case .migrationChanged(let name): "the database has another migration \(name) than this program"
        case .migrationUnknown(let name): "the database has the migration \(name), which this program does not know"
        case .schemaTooNew(let schema, let program): "the database is of release \(schema), and this program of release \(program)"
        case .notDurable(let reason): "the database would lose writes in a crash: \(reason)"
        case .cannotCreate(let path, let reason): "the database \(path) cannot be created: \(reason)"
        case .column(let name): "the column \(name) is missing, NULL or of another type than expected"
        case .closed: "the database is closed"
        case .nulInText: "a text contains U+0000, which the database does not store"
        case .engine(let code, let message): "the database failed: \(message) (code \(code))"
        }
    }
}
