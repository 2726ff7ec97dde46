package import Database

/// Locks for writes that read and then change the relation of two people, such as a friendship or a block.
///
/// Such a write locks both people, so writes about the same two people run one after the other. None of them runs while one of the two is
/// being hidden or shown, because that also changes counters of the other.
package enum PersonLocks {
    /// Call it first in the write, once for all people. It takes the locks in a fixed order, which prevents deadlocks.
    /// - Parameter people: ids of accounts, in any order, duplicates allowed.
    package static func take(_ people: [String], _ tx: WriteTransaction) throws {
        for person in Set(people).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) { try tx.lock("person " + person) }
    }
}
