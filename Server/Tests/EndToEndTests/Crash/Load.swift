import AsyncHTTPClient
import Core
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import TestKit

/// Six clients that upload videos of many sizes, one to three per request, until `stop()` is called or, if `givesUp`, the server no longer
/// responds.
final class Load: Sendable {
    private let url: String
    private let person: (id: String, token: String)
    private let givesUp: Bool
    private let stopped = Mutex(false)
    private let made = Mutex<[(String, String)]>([])

    init(url: String, person: (id: String, token: String), givesUp: Bool = true) {
        self.givesUp = givesUp
        self.url = url
        self.person = person
    }

    /// Path and hash of every file whose upload was answered 200.
    var acknowledged: [(String, String)] { made.withLock { $0 } }

    func stop() { stopped.withLock { $0 = true } }

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    while !self.stopped.withLock({ $0 }) {
                        if (try? await self.uploadOnce()) != nil { continue }
                        if self.givesUp { return }
                        try? await Task.sleep(for: .milliseconds(20))
                    }
                }
            }
        }
    }

    private func uploadOnce() async throws {
        let films = (0..<Int.random(in: 1...3)).map { _ in
            Film.bytes([400, 3_000, 5_000, 70_000, 300_000].randomElement()!, isRandom: true)
        }
        var body = MultipartBody()
        for (index, film) in films.enumerated() { body.add("file", fileName: "\(index).mp4", type: "video/mp4", film) }
        body.close()
        var request = HTTPClientRequest(url: "\(url)/api/users/user/\(person.id)/multimedia/swift")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        request.headers.add(name: "Content-Type", value: body.contentType)
        request.body = .bytes(ByteBuffer(bytes: body.data))
        let response = try await campaignClient.execute(request, timeout: .seconds(20))
        let answer = Data(try await response.body.collect(upTo: 1_048_576).readableBytesView)
        guard response.status == .ok, let json = try JSONSerialization.jsonObject(with: answer) as? [String: Any],
            let files = json["files"] as? [[String: [String: Any]]], files.count == films.count
        else { return }
        let acknowledged = zip(files, films).compactMap { file, film -> (String, String)? in
            guard let id = file["data"]?["fileId"] as? String else { return nil }
            return ("/api/users/user/\(person.id)/multimedia/files/\(id)", Self.hash(film))
        }
        made.withLock { $0 += acknowledged }
    }

    static func get(_ url: String, _ token: String) async throws -> (Int, Data) {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        let response = try await campaignClient.execute(request, timeout: .seconds(30))
        return (Int(response.status.code), Data(try await response.body.collect(upTo: 64 * 1_048_576).readableBytesView))
    }

    static func hash(_ data: Data) -> String { Hex.encode(SHA256.hash(data: data)) }
}
