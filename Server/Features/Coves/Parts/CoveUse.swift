import Database

/// What a part of the feature does when a membership or a cove ends. The folder Membership does not know the other parts; it calls these
/// closures. All of them run in the write that ends the membership or the cove, under the cove's lock.
struct CoveUse: Sendable {
    /// The account is no longer a member of the coves: it left or was removed from one, or it is being closed and leaves all of its coves.
    var memberLeft: @Sendable (_ account: String, _ coves: [String], _ tx: WriteTransaction) throws -> Void = { _, _, _ in }
    /// Coves that the part changes when the account is closed, whether or not it is a member. All coves of such a write are locked in a
    /// fixed order.
    var changedCoves: @Sendable (_ account: String, _ tx: ReadTransaction) throws -> [String] = { _, _ in [] }
    /// The cove has ended. The part may have any number of rows of this cove, so leave them to `removeSome`; lists no longer show them.
    var coveEnded: @Sendable (_ cove: String, _ tx: WriteTransaction) throws -> Void = { _, _ in }
    /// The kind of what the part's routes create in a cove (`CreatedResource.kind`), and a SELECT of the columns `account` and `id`. The
    /// routes store responses about these resources, which are deleted when the cove ends.
    var answered: (kind: String, resources: @Sendable (_ cove: String) -> SQL)?
    /// Whether the part still has rows of a cove that ended which requests about other coves read, too. A job then calls `removeSome` soon
    /// after the cove has ended, and not only when the cove's own row is deleted.
    var hasSharedRows: @Sendable (_ cove: String, _ tx: ReadTransaction) throws -> Bool = { _, _ in false }
    /// Deletes some of the part's rows of a cove that ended, before the cove's own row is deleted.
    /// - Returns: how many rows were deleted, at most about `limit`; 0 when none is left.
    var removeSome: @Sendable (_ cove: String, _ limit: Int, _ tx: WriteTransaction) throws -> Int = { _, _, _ in 0 }
}
