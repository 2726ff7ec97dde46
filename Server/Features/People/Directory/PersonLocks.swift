package import Database

/// Locks of people, for writes that check what there is between two of them and then change it.
///
/// Such a write locks both people. So of all writes about one pair, one runs at a time, and none of them runs while one of the two is being
/// hidden or shown, which also changes counters of the other one.
package enum PersonLocks {
    /// Take them first in the write, all in one call: the fixed order prevents deadlocks.
    /// - Parameter people: accounts, in any order; one may occur twice.
    package static func take(_ people: [String], _ tx: WriteTransaction) throws {
        for person in Set(people).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) { try tx.lock("person " + person) }
    }
}
