/// A hub's counters, for the metrics page.
package struct HubCounts: Sendable, Hashable {
    /// Open subscriptions now, long polls included.
    package var subscriptions = 0
    /// Accounts with at least one subscription now.
    package var accounts = 0
    /// Subscriptions that have seen all events and wait now.
    package var waiting = 0

    // Totals since the hub was created:

    /// Events read for subscribers.
    package var events = 0
    package var resets = 0
    /// Resets because of a gap that pruning did not cause. Always 0; any other value is a bug.
    package var gaps = 0
    /// Subscriptions refused because their account had too many.
    package var refused = 0
    /// Page reads for subscribers.
    package var reads = 0
    /// Queries for the numbers of the newest events, each for up to 500 accounts.
    package var looks = 0
    /// Subscriptions that such a query woke because a notification had been lost.
    package var found = 0
}
