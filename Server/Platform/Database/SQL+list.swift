extension SQL {
    /// What stands in the brackets of `IN (…)`. Filled up with the last value to a few lengths: each length is a statement that an
    /// engine keeps prepared.
    /// - Parameter values: at least one.
    package static func list<Value: SQLConvertible>(_ values: [Value]) -> SQL {
        let length = [1, 4, 21, 64, 256, 500].first { $0 >= values.count } ?? values.count
        var list: SQL = "\(values[0])"
        for index in 1..<length { list = list + ", \(values[min(index, values.count - 1)])" }
        return list
    }
}
