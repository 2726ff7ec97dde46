import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestKit

/// One upload to a campaign's server.
enum CampaignUpload {
    /// - Returns: the status, or 0 if the client missed the response three times because it came early; see `MissedAnswer`.
    static func send(_ body: MultipartBody, _ port: Int, _ person: CampaignPerson) async throws -> Int {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(person.library)/swift")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        request.headers.add(name: "Content-Type", value: body.contentType)
        request.body = .bytes(ByteBuffer(bytes: body.data))
        for _ in 0..<3 {
            let status = try await MissedAnswer.unless { try await HTTPClient.shared.execute(request, timeout: .seconds(60)).status.code }
            if let status { return Int(status) }
        }
        return 0
    }
}
