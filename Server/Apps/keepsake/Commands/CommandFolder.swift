import Transfer

/// The folder in which a command keeps rows while it runs. `--work` names another one.
struct CommandFolder {
    let path: String

    /// Runs the command, and explains an error about a full disk.
    /// - Parameter settings: the settings of the installation that the command opens; `nil` when it opens none.
    /// - Throws: when a disk is full, `FullDisk`, which names the folder and advises `--work`; otherwise the errors of `body`.
    func explainingFullDisk<Value>(of settings: Settings? = nil, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let failure as TransferFailure {
            guard let full = failure.fullPath, full == path || full.hasPrefix(path + "/") else { throw failure }
            throw FullDisk(
                reason: "no space is left in \(path), where the command keeps all rows while it runs",
                advice: "free some there, or name a folder on another disk with --work")
        } catch {
            guard let full = (settings?.explainingFull(error) ?? error) as? FullDisk else { throw error }
            throw FullDisk(
                reason: full.reason,
                advice: """
                    free a few MB there and run the command again; if all rows do not fit into \(path), name a folder on another disk with \
                    --work
                    """)
        }
    }
}
