/// The error when a disk is so full that an installation cannot be opened, or a command cannot finish.
struct FullDisk: Error, CustomStringConvertible {
    /// Which disk is full, and how much is free there.
    let reason: String
    /// What the operator can do.
    let advice: String

    var description: String { "\(reason); \(advice)" }
}
