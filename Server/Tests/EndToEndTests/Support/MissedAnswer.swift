import AsyncHTTPClient
import Foundation
import NIOCore

/// A refusal may come, and the connection end, before the body has been sent. Then this client sometimes reports its own closed channel
/// instead of the answer that it has. What a socket really gets is shown by `EarlyAnswerTests`.
enum MissedAnswer {
    /// - Returns: `nil` when the client missed the answer.
    static func unless<Answer>(_ body: () async throws -> Answer) async throws -> Answer? {
        do {
            return try await body()
        } catch ChannelError.ioOnClosedChannel {
            return nil
        } catch let error as HTTPClientError where error == .remoteConnectionClosed {
            return nil
        } catch let error as IOError where [EPIPE, ECONNRESET].contains(error.errnoCode) {
            return nil
        }
    }
}
