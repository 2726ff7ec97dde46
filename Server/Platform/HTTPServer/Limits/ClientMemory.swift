package import Core

/// The memory that all clients together can use. Budgets for single purposes, such as bodies or messages of sockets, are parts of one of
/// these two. Each part has limits of its own, but a few networks that use up all parts would hold more than the server may use.
package struct ClientMemory: Sendable {
    /// The budget for bytes from clients.
    package let received: SharedBudget
    /// The budget for bytes to clients.
    package let unsent: SharedBudget

    package init(_ limits: ChannelLimits = ChannelLimits()) {
        received = SharedBudget(limits.receivedBytes)
        unsent = SharedBudget(limits.unsentBytes)
    }
}
