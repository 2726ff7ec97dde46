import Foundation
import KeepsakeWire
import NIOCore
import WireJSON

/// A response that consists mainly of a list, and that Foundation's encoder encodes. For a long list, that encoder needs five times as much
/// memory as the JSON.
protocol ListResponse: Encodable {
    var elements: [any Encodable] { get }
    /// The same response with an empty list, which stands before all other lists in its JSON.
    var withoutElements: any Encodable { get }
}

extension ListResponse {
    /// Encodes one element after the other. The result is the same as that of the encoder for the whole response.
    /// - Parameter most: maximum length of the JSON in bytes.
    /// - Throws: `JSONWriter.TooLong`, with an estimate of the length; the errors of the encoder.
    func json(_ encoder: JSONEncoder, most: Int) throws -> ByteBuffer {
        let frame = try encoder.encode(withoutElements)
        guard let list = frame.range(of: Data("[]".utf8)) else { return ByteBuffer(bytes: try encoder.encode(self)) }
        let end = list.lowerBound + 1
        var buffer = ByteBuffer(bytes: frame[..<end])
        for (number, element) in elements.enumerated() {
            let json = try encoder.encode(element)
            let byteCount = buffer.readableBytes + 1 + json.count + frame.count - end
            guard byteCount <= most else { throw JSONWriter.TooLong(byteCount: byteCount / (number + 1) * elements.count) }
            if number > 0 { buffer.writeInteger(UInt8(ascii: ",")) }
            buffer.writeBytes(json)
        }
        buffer.writeBytes(frame[end...])
        return buffer
    }
}

extension ItemPage: ListResponse {
    var elements: [any Encodable] { items }
    var withoutElements: any Encodable { ItemPage(items: [], nextCursor: nextCursor) }
}

extension ChatSearchPage: ListResponse {
    var elements: [any Encodable] { messages }
    var withoutElements: any Encodable { ChatSearchPage(messages: [], nextCursor: nextCursor) }
}

extension [ChatMessage]: ListResponse {
    var elements: [any Encodable] { self }
    var withoutElements: any Encodable { [ChatMessage]() }
}
