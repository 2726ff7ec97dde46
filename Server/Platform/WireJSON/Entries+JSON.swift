package import KeepsakeWire

extension Pagination: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("hasMore", hasMore)
        json.field("nextCursor", orNull: nextCursor)
    }
}

extension SuccessResponse: JSONWritable {
    package func write(to json: inout JSONWriter) { json.field("success", success) }
}
