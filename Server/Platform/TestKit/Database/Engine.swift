/// The engines every store and feature is tested on. A test that takes one as its argument has the engine in its name.
package enum Engine: String, Sendable, CaseIterable, CustomStringConvertible {
    case sqlite = "SQLite"
    case postgres = "PostgreSQL"

    package var description: String { rawValue }
}
