extension SQL {
    /// The list inside `IN (…)`. The last value is repeated to reach one of a few lengths, because the engine caches a prepared statement
    /// for each length.
    /// - Parameter values: may be empty, because another request may have deleted the rows whose ids these are. The list is then `NULL`,
    ///   which equals nothing. So never put it after `NOT IN`.
    package static func list<Value: SQLConvertible>(_ values: [Value]) -> SQL {
        guard let first = values.first else { return "NULL" }
        let length = [1, 4, 21, 64, 256, 500].first { $0 >= values.count } ?? values.count
        var list: SQL = "\(first)"
        for index in 1..<length { list = list + ", \(values[min(index, values.count - 1)])" }
        return list
    }
}
