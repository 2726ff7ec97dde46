/// The database engines. Every store and feature test runs on each of them; a parameterised test shows the engine in its name.
package enum Engine: String, Sendable, CaseIterable, CustomStringConvertible {
    case sqlite = "SQLite"
    case postgres = "PostgreSQL"

    package var description: String { rawValue }
}
