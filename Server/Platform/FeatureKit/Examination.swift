/// One check of `keepsake doctor`: it proves by doing that something the server needs works.
package struct Examination: Sendable {
    package let name: String
    /// Returns what was proved. Throws when it does not work; the error's text is shown to the person who runs the server.
    package let run: @Sendable () async throws -> String

    package init(name: String, run: @escaping @Sendable () async throws -> String) {
        self.name = name
        self.run = run
    }
}
