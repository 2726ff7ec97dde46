/// What a hub does, for the page of metrics.
package struct HubCounts: Sendable, Hashable {
    /// Open now, long polls included.
    package var subscriptions = 0
    /// With at least one subscription now.
    package var accounts = 0
    /// Of the subscriptions, those that have seen everything.
    package var waiting = 0

    // Since the hub was made:

    /// Read for a subscriber.
    package var events = 0
    package var resets = 0
    /// Of the resets, those for a hole that no pruning made. Always 0; anything else is a fault to look into.
    package var gaps = 0
    /// Subscriptions refused because their account had enough.
    package var refused = 0
    /// Reads of somebody's page.
    package var reads = 0
    /// Batched looks at heads, up to 500 accounts each.
    package var looks = 0
    /// Subscriptions such a look woke, which no wake had reached.
    package var found = 0
}
