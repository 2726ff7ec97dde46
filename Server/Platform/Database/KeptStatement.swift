/// A prepared statement that a connection keeps.
package protocol KeptStatement {
    /// When the statement was last used: the connection counts the uses of its statements.
    var lastUse: UInt64 { get }
}

extension Dictionary where Value: KeptStatement {
    /// Makes room for a new statement. At the limit, it removes the least recently used statement. Otherwise statements with many forms,
    /// such as lists of all lengths, would occupy every place for good, and frequent statements would be parsed at each use.
    /// - Parameter limit: 1 or more.
    /// - Returns: the statement that is no longer kept, if any.
    package mutating func makeRoom(limit: Int) -> Value? {
        guard count >= limit, let oldest = self.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return nil }
        return removeValue(forKey: oldest.key)
    }
}
