import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import TestKit

/// One person's requests to a running server.
struct CoveClient: Sendable {
    let port: Int
    let person: CampaignPerson

    struct Refused: Error { let status: Int, path: String, text: String }

    /// - Parameter body: sent as JSON; `nil` for none.
    /// - Throws: `Refused` for every status except 200.
    @discardableResult
    func send(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws -> [String: Any] {
        let data = try await bytes(method, path, body)
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    func bytes(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws -> Data {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = HTTPMethod(rawValue: method)
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body)))
        }
        let response = try await campaignClient.execute(request, timeout: .seconds(60))
        let answer = try await response.body.collect(upTo: 64 * 1_048_576)
        guard response.status == .ok else {
            throw Refused(status: Int(response.status.code), path: path, text: String(buffer: answer))
        }
        return Data(buffer: answer)
    }

    /// - Returns: the id.
    func createCove(_ name: String) async throws -> String {
        let made = try await send("POST", "/create-cove", ["name": name, "location": "Here"])
        return (made["cove"] as? [String: Any])?["id"] as? String ?? ""
    }

    /// - Returns: the id.
    func createEvent(_ name: String, in cove: String, date: String = "2030-06-24T18:00:00Z") async throws -> String {
        let made = try await send(
            "POST", "/create-event", ["coveId": cove, "name": name, "description": name, "location": name, "date": date])
        return (made["event"] as? [String: Any])?["id"] as? String ?? ""
    }
}
