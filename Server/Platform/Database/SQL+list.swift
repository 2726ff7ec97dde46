extension SQL {
    /// The list inside `IN (…)`. The last value is repeated to reach one of a few lengths, because the engine caches a prepared statement
    /// for each length.
    /// - Parameter values: at least one.
    package static func list<Value: SQLConvertible>(_ values: [Value]) -> SQL {
        let length = [1, 4, 21, 64, 256, 500].first { $0 >= values.count } ?? values.count
        var list: SQL = "\(values[0])"
        for index in 1..<length { list = list + ", \(values[min(index, values.count - 1)])" }
        return list
    }
}
