/// One check of `keepsake doctor`. It uses something that the server needs, for example the database, and so proves that it works.
package struct Examination: Sendable {
    package let name: String
    /// Returns what was proved. Throws when it does not work; the error's text is shown to the person who runs the server.
    package let run: @Sendable () async throws -> String

    package init(name: String, run: @escaping @Sendable () async throws -> String) {
        self.name = name
        self.run = run
    }
}
