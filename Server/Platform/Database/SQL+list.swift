extension SQL {
    /// The list inside `IN (…)`, `padded`.
    /// - Parameter values: may be empty, because another request may have deleted the rows whose ids these are. The list is then `NULL`,
    ///   which equals nothing. So never put it after `NOT IN`.
    package static func list<Value: SQLConvertible>(_ values: [Value]) -> SQL {
        let values = padded(values)
        guard let first = values.first else { return "NULL" }
        var list: SQL = "\(first)"
        for value in values.dropFirst() { list = list + ", \(value)" }
        return list
    }

    /// The values, the last of them repeated to reach one of a few lengths, because the engine caches a prepared statement for each length.
    package static func padded<Value>(_ values: [Value]) -> [Value] {
        guard let last = values.last else { return [] }
        let length = [1, 4, 21, 64, 256, 500].first { $0 >= values.count } ?? values.count
        return values + Array(repeating: last, count: length - values.count)
    }
}
