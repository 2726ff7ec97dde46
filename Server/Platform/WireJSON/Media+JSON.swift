package import KeepsakeWire

extension FileData: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("url", url)
        json.field("key", key)
        json.field("appUrl", appUrl)
        json.field("name", name)
        json.field("size", size)
        json.field("type", type)
        json.field("fileId", fileId)
        json.field("width", width)
        json.field("height", height)
        json.field("duration", duration)
        json.field("takenAt", takenAt)
        json.field("category", category)
        json.field("title", title)
        json.field("description", description)
        json.field("tags", tags)
        json.field("groupId", groupId)
        json.field("createdAt", createdAt)
    }
}

extension UploadedFile: JSONWritable {
    package func write(to json: inout JSONWriter) { json.field("data", data) }
}

extension UploadResponse: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("success", success)
        json.field("files", files)
        json.field("errors", orNull: errors)
        json.field("groupId", orNull: groupId)
        json.field("count", count)
        if let refused { json.field("refused", refused) }
    }
}

extension RefusedFile: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("index", index)
        json.field("name", name)
        json.field("field", field)
        json.field("error", error)
        json.field("details", details)
        json.field("code", code)
    }
}

extension MediaItem: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("url", url)
        json.field("key", key)
        json.field("appUrl", appUrl)
        json.field("name", name)
        json.field("size", size)
        json.field("type", type)
        json.field("fileId", fileId)
        json.field("width", width)
        json.field("height", height)
        json.field("duration", duration)
        json.field("takenAt", takenAt)
        json.field("category", category)
        json.field("title", title)
        json.field("description", description)
        json.field("tags", tags)
        json.field("groupId", groupId)
        json.field("createdAt", createdAt)
    }
}

extension MediaResponse: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("success", success)
        json.field("file", file)
    }
}

extension MediaListResponse: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("success", success)
        json.field("files", files)
        json.field("pagination", pagination)
    }
}
