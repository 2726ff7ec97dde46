import Hummingbird
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Web

@Suite("Dialects", .blocksThreads)
struct DialectTests {
    @Test("a value that cannot be encoded causes a 500 in the surface's format, and its cause is logged as an error")
    func unencodable() async throws {
        #expect(throws: EncodingError.self) { try Dialect.of(.capsules).json(["value": Double.nan]) }
        try await ChannelServer.run(routes: { router in
            router.get("/broken") { _, _ in try Dialect.of(.capsules).json(["value": Double.nan]) }
        }) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send("GET /broken HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try connection.answer()
            #expect(answer.status == 500)
            #expect(answer.text.contains("internal_server_error") && answer.text.contains("X-Request-Id"))
        }
    }
}
