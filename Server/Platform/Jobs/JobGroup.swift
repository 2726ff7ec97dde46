/// The properties by which jobs take turns. Jobs with equal groups take their turns together.
package struct JobGroup: Sendable, Hashable {
    package let kind: String
    /// `nil` for jobs that belong to no account.
    package let owner: String?
    package let turn: JobTurnKey?

    package init(kind: String, owner: String? = nil, turn: JobTurnKey? = nil) {
        self.kind = kind
        self.owner = owner
        self.turn = turn
    }
}
