package import KeepsakeWire

extension TimelineItem: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("kind", kind)
        json.field("at", at)
        json.field("mood", mood)
        json.field("memory", memory)
        json.field("event", event)
        json.field("file", file)
        json.field("capsule", capsule)
        if let other { json.field(named: kind, other) }
    }
}

extension TimelineResponse: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("success", success)
        json.field("items", items)
        json.field("pagination", pagination)
    }
}

extension SearchItem.Snippet: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("field", field)
        json.field("text", text)
        json.field("marks", marks)
    }
}

extension SearchItem: JSONWritable {
    package func write(to json: inout JSONWriter) {
        item.write(to: &json)
        json.field("snippets", snippets)
    }
}

extension SearchResponse: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("success", success)
        json.field("items", items)
        json.field("pagination", pagination)
    }
}
