import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Addresses, methods and errors", .blocksThreads)
struct RoutingTests {
    @Test("an unknown address is 404 in the form of its surface")
    func unknown() async throws {
        try await TestServer.run(.sqlite) { server in
            for (path, keys) in [
                ("/api/nothing", ["error", "details", "code"]), ("/api", ["error", "details", "code"]), ("/api/chat/nothing", ["message"]),
                ("/nothing", ["error", "message"]), ("/nothing/at/all", ["error", "message"]),
            ] {
                let answer = try await server.send("GET", path)
                #expect(answer.status == 404, "\(path)")
                #expect(Set(try answer.json().keys) == Set(keys), "\(path)")
                #expect(answer.header("X-Request-Id")?.isEmpty == false, "\(path)")
            }
        }
    }

    @Test("the keys of an error have the same order in every response of a surface")
    func keyOrder() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            for (method, path, text) in [
                ("GET", "/api/nothing", #"{"error":"Not Found","details":"There is nothing at this address.","code":404}"#),
                ("PUT", "/create-cove", #"{"message":"PUT is not allowed here."}"#),
                ("GET", "/api/chat/nothing", #"{"message":"There is nothing at this address."}"#),
                ("PUT", "/captures", #"{"error":"method_not_allowed","message":"PUT is not allowed here."}"#),
                ("PUT", "/upload/x", #"{"status":"error","error":"upload failed: PUT is not allowed here."}"#),
                ("PUT", "/v0/capsules", #"{"error":"method_not_allowed","message":"PUT is not allowed here."}"#),
                ("GET", "/nothing", #"{"error":"not_found","message":"There is nothing at this address."}"#),
            ] {
                let answer = try await server.send(method, path, as: ada)
                #expect(answer.text == text, "\(method) \(path)")
            }
        }
    }

    @Test("a wrong method is 405 and lists the allowed ones")
    func wrongMethod() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            for (method, path, allowed) in [
                ("GET", "/api/users/user/\(ada.id)/multimedia/swift", "POST"),
                ("DELETE", "/api/users/user/\(ada.id)/multimedia", "GET, HEAD"),
                ("POST", "/api/users/user/\(ada.id)/multimedia/x", "DELETE, GET, HEAD, PATCH"), ("PUT", "/auth/refresh", "POST"),
                // PURGE is not a method of HTTP.
                ("PURGE", "/user/me", "GET, HEAD, PATCH"),
            ] {
                let answer = try await server.send(method, path, as: ada)
                #expect(answer.status == 405, "\(method) \(path)")
                #expect(answer.header("Allow") == allowed)
            }
        }
    }

    @Test("a slash at the end of an address makes no difference, and HEAD is GET without the body")
    func slashAtTheEnd() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            for path in ["/user-coves", "/friends", "/api/chat/convos"] {
                let plain = try await server.send("GET", path, as: ada)
                let other = try await server.send("GET", path + "/", as: ada)
                #expect(plain.status == 200 && other.status == 200 && other.body == plain.body, "\(path)")
                let head = try await server.send("HEAD", path, as: ada)
                #expect(head.status == 200 && head.header("Content-Length") == String(plain.body.count), "\(path)")
                let wrong = try await server.send("PUT", path + "/", as: ada)
                #expect(wrong.status == 405 && wrong.header("Allow")?.contains("GET") == true, "\(path)")
            }
        }
    }

    @Test("an id of any form in the path is answered without a server error", arguments: Engine.allCases)
    func awkwardIDs(_ engine: Engine) async throws {
        let ids = [
            "..%2F..%2Fetc%2Fpasswd", "%00", "a%2Fb", "%FF%FE", String(repeating: "x", count: 4_000), "'%20OR%201=1--", "%F0%9F%93%B7",
        ]
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            for path in ids.flatMap({ ["multimedia/\($0)", "multimedia/files/\($0)"] }) {
                // Send the paths unchanged, because HTTP clients normalize them.
                let connection = try RawConnection(port: server.port)
                try connection.send(
                    "GET /api/users/user/\(ada.id)/\(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(ada.token)\r\n\r\n")
                let answer = try connection.answer()
                #expect([400, 404].contains(answer.status), "\(path) \(answer.status)")
            }
        }
    }

    @Test("a head that is too large is 431, and bytes that are not HTTP are 400")
    func badHeads() async throws {
        try await TestServer.run(.sqlite) { server in
            for (text, status) in [
                ("GET /health/live HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n", 431),
                ("GET /health/live HTTP/1.1\r\nHost: a\r\n\((0..<150).map { "X-\($0): y\r\n" }.joined())\r\n", 431),
                ("hello there\r\n\r\n", 400),
                ("POST /auth/refresh HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
                ("POST /auth/refresh HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef", 400),
                ("POST /auth/refresh HTTP/1.1\r\nHost: a\r\nContent-Length: five\r\n\r\nabcde", 400),
            ] {
                let connection = try RawConnection(port: server.port)
                try connection.send(text)
                #expect(try connection.answer().status == status, "\(text.prefix(80))")
                #expect(connection.isClosedByServer())
            }
        }
    }

    @Test("requests on one connection are answered in order", arguments: Engine.allCases)
    func pipelining(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let connection = try RawConnection(port: server.port)
            try connection.send(
                "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\nGET /nothing HTTP/1.1\r\nHost: a\r\n\r\nGET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            )
            #expect(try connection.answer().status == 200)
            #expect(try connection.answer().status == 404)
            #expect(try connection.answer().status == 200)
            #expect(connection.isClosedByServer())
        }
    }
}
