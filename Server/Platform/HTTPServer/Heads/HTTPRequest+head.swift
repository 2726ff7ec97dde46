import HTTPTypes
import NIOHTTP1
import NIOHTTPTypesHTTP1

extension HTTPRequest {
    /// Converts NIO's head. NIO's own conversion (`HTTP1ToHTTPServerCodec`) parses each target with Foundation's `URLComponents`, which
    /// costs several microseconds and changes only absolute URLs.
    /// - Throws: `HTTP1TypeConversionError` for an invalid method.
    init(_ head: HTTPRequestHead, isSecure: Bool) throws {
        var authority: String?
        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        for (name, value) in head.headers {
            if authority == nil, Self.isHost(name) {
                authority = value
            } else if let name = HTTPField.Name(name) {
                fields.add(HTTPField(name: name, value: value))
            }
        }
        self.init(
            method: try Method(head.method), scheme: isSecure ? "https" : "http", authority: authority,
            path: Self.originForm(head.uri), headerFields: fields)
    }

    private static func isHost(_ name: String) -> Bool {
        name.utf8.count == 4 && name.utf8.elementsEqual("host".utf8) { $0 | 0x20 == $1 }
    }

    /// The path of an absolute URL (RFC 9112 §3.2.2). The gate has checked that its host equals the Host field.
    private static func originForm(_ target: String) -> String {
        guard target.utf8.first != UInt8(ascii: "/"), target != "*", let scheme = target.firstRange(of: "://") else { return target }
        guard let start = target[scheme.upperBound...].firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
        return target[start] == "/" ? String(target[start...]) : "/" + target[start...]
    }
}
