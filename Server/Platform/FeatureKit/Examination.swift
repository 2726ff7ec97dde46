/// One check of `keepsake doctor`. It uses something that the server needs, for example the database, and so proves that it works.
package struct Examination: Sendable {
    /// Thrown for something that works, but needs the operator's attention soon. `keepsake doctor` prints it as a warning and succeeds.
    package struct Warning: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    package let name: String
    /// Returns what was proved. Throws a `Warning`, or another error when it does not work; the error's text is shown to the person who
    /// runs the server.
    package let run: @Sendable () async throws -> String

    package init(name: String, run: @escaping @Sendable () async throws -> String) {
        self.name = name
        self.run = run
    }
}
