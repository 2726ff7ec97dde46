package import Blobs
import Core
import HTTPTypes
import Hummingbird
import NIOCore

/// A multipart/form-data body that the server has not read yet.
package struct IncomingForm {
    private let request: Request
    private let context: WebContext
    private let boundary: String

    init(request: Request, context: WebContext) throws {
        self.request = request
        self.context = context
        guard let contentType = request.headers[.contentType] else {
            throw Problem(.invalid, "Content-Type is missing; send multipart/form-data.", field: "Content-Type")
        }
        do {
            boundary = try MultipartBoundary.parse(contentType: contentType)
        } catch let error as MultipartError {
            throw Problem(.invalid, error.message, field: "Content-Type")
        }
    }

    /// Reads the parts into `session` as they arrive. Returns once every file is on disk under its final key. After an error no file
    /// remains.
    package func receive(into session: UploadSession) async throws -> ReceivedUpload {
        var form = FormSteps(boundary: boundary)
        var fingerprint = context.idempotency.isHeld ? RequestFingerprint.Form(path: request.uri.path) : nil
        do {
            return try await session.receive(request, context) { chunk in
                for step in try form.steps(in: chunk) {
                    fingerprint?.add(step)
                    try await session.take(step)
                }
            } end: {
                try form.finish()
                if let fingerprint { context.idempotency.identify(fingerprint.finish()) }
            }
        } catch let error as MultipartError {
            throw Problem(.invalid, error.message)
        }
    }

    /// Reads the form and computes only its fingerprint, to compare it with an earlier request; stores nothing.
    /// - Throws: `.tooLarge` beyond 6 GiB. No route accepts a larger form: the operator can allow ten files of 512 MB.
    func fingerprint() async throws -> RequestFingerprint {
        var form = FormSteps(boundary: boundary)
        var fingerprint = RequestFingerprint.Form(path: request.uri.path)
        do {
            try await context.readUpload(request, upTo: 6_442_450_944) { chunk in
                for step in try form.steps(in: chunk) { fingerprint.add(step) }
            }
            try form.finish()
        } catch let error as MultipartError {
            throw Problem(.invalid, error.message)
        }
        return fingerprint.finish()
    }
}

extension WebContext {
    /// Passes a large body to `take` in chunks, without storing it.
    /// - Throws: `.tooLarge` when the body has more than `limit` bytes; the errors of `beginUpload` and `take`.
    func readUpload(_ request: Request, upTo limit: Int, _ take: (ByteBuffer) throws -> Void) async throws {
        let body = try beginUpload()
        defer { body?.end() }
        try await continueIfExpected(request)
        var total = 0
        try await withoutPlace {
            for try await chunk in request.body {
                total += chunk.readableBytes
                guard total <= limit else { throw Problem(.tooLarge, "The body is too large.") }
                try take(chunk)
            }
        }
    }
}
