package import KeepsakeWire

extension MultimediaErrorBody: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("error", error)
        json.field("details", details)
        json.field("code", code)
        if let refused { json.field("refused", refused) }
    }
}

extension MessageErrorBody: JSONWritable {
    package func write(to json: inout JSONWriter) { json.field("message", message) }
}

extension CodedErrorBody: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("error", error)
        json.field("message", message)
    }
}

extension UploadErrorBody: JSONWritable {
    package func write(to json: inout JSONWriter) {
        json.field("status", status)
        json.field("error", error)
    }
}
