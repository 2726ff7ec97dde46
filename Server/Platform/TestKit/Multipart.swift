package import Foundation

/// A multipart/form-data body in the format of the existing apps.
package struct MultipartBody {
    package let boundary: String
    package private(set) var data = Data()

    package init(boundary: String = UUID().uuidString) { self.boundary = boundary }

    package var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    package mutating func add(_ field: String, _ value: String) {
        data.append(Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field)\"\r\n\r\n\(value)\r\n".utf8))
    }

    package mutating func add(_ field: String, fileName: String, type: String = "image/jpeg", _ content: Data) {
        // The name is encoded as browsers do it (WHATWG, multipart/form-data encoding algorithm).
        let label = fileName.replacing("\"", with: "%22")
        data.append(
            Data(
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(field)\"; filename=\"\(label)\"\r\nContent-Type: \(type)\r\n\r\n"
                    .utf8))
        data.append(content)
        data.append(Data("\r\n".utf8))
    }

    package mutating func close() { data.append(Data("--\(boundary)--\r\n".utf8)) }

    /// A complete body with one file in the field `file`.
    package static func file(_ name: String, _ content: Data) -> MultipartBody {
        var body = MultipartBody()
        body.add("file", fileName: name, content)
        body.close()
        return body
    }
}
