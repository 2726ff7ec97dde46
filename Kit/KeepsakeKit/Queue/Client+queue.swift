import Foundation
import HTTPTypes
import KeepsakeWire

extension Client {
    /// The server's URL in lower case, without a slash at its end.
    var origin: String { "\(base.scheme ?? "https")://\(base.authority)\(base.pathPrefix)".lowercased() }

    /// Sends a request of the offline queue once. If the server refuses the token, sends it a second time with a new token.
    /// - Parameter folder: the folder with the body.
    /// - Throws: `invalid_response` if the server reports success with a body that is not a JSON object.
    func send(
        _ step: StoredEntry.Step, path: String, in folder: String, sessionID: StoredSession.ID, progress: TransportProgress?
    ) async throws -> TransportResponse {
        guard let method = HTTPRequest.Method(rawValue: step.method), let surface = Surface(rawValue: step.surface) else {
            throw KeepsakeError(.invalidRequest, "The request cannot be sent by this version of the app.")
        }
        var request = HTTPRequest(
            method: method, scheme: base.scheme ?? "https", authority: base.authority, path: base.pathPrefix + path)
        request.headerFields[.accept] = "application/json, */*;q=0.5"
        if let key = step.key { request.headerFields[.idempotencyKey] = key }
        var body = RequestBody.none
        var timeout = retries.deadline
        if let name = step.body {
            let file = "\(folder)/\(name)"
            guard let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber else {
                throw KeepsakeError(.invalidRequest, "The request's body is missing.")
            }
            request.headerFields[.contentType] = step.contentType
            body = .file(URL(fileURLWithPath: file))
            // Allow for slow networks: the time suffices for 16 KB a second.
            timeout = min(max(timeout, retries.fileDeadline), timeout + .milliseconds(size.int64Value / 16))
        }
        let credential = try await session.credential(for: sessionID, through: self)
        let response = try await attempts(
            request, body, nil, credential, Options(partProgress: progress, sessionID: sessionID), mayRepeat: false, surface: surface,
            deadline: clock.uptime() + timeout)
        guard case .object = try? JSONDecoder().decode(JSONValue.self, from: response.body) else {
            throw KeepsakeError(
                .invalidResponse, "The response is not the server's.", status: response.head.status.code,
                requestID: response.head.headerFields[.xRequestID])
        }
        return response
    }
}

extension Captures {
    /// Sends a capture of the offline queue over the socket.
    /// - Parameters:
    ///   - values: the links of its uploaded files.
    ///   - folder: the folder with the capture.
    /// - Returns: the acknowledgement, in the form of a response.
    func send(
        _ step: StoredEntry.Step, _ values: [String: String], in folder: String, sessionID: StoredSession.ID
    ) async throws -> TransportResponse {
        var capture = try step.capture(in: folder)
        capture.photoURL = values["photo"]
        capture.audioURL = values["audio"]
        let receipt = try await send(capture, sessionID)
        return TransportResponse(
            head: HTTPResponse(status: .ok), body: try JSONEncoder().encode(["captureId": receipt.captureId]))
    }
}

extension StoredEntry.Step {
    /// Reads the capture that this step sends.
    /// - Parameter folder: the folder with the capture.
    /// - Throws: `store_unavailable` if the file cannot be read now, for example because the device is locked; `invalid_request` if there
    ///   is not a capture.
    func capture(in folder: String) throws -> CaptureInput {
        let missing = KeepsakeError(.invalidRequest, "The capture is missing.")
        guard method == Self.capture, let body else { throw missing }
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(body)"))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
            throw missing
        } catch {
            throw KeepsakeError(.storeUnavailable, "The capture cannot be read now: \(error.localizedDescription)")
        }
        guard let capture = try? JSONDecoder().decode(CaptureInput.self, from: data) else { throw missing }
        return capture
    }
}
