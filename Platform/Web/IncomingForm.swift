package import Blobs
import Core
import HTTPTypes
import Hummingbird
import NIOCore

/// A multipart/form-data body that is about to arrive.
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

    /// Reads the parts as they arrive into `session`, and answers once every kept file is on disk under its final key.
    /// Whatever goes wrong, nothing stays behind.
    package func receive(into session: UploadSession) async throws -> ReceivedUpload {
        do {
            try session.announce(byteCount: request.headers[.contentLength].flatMap { Int64($0) })
            try await context.continueIfExpected(request)
            try await read(into: session)
            return try await session.finish()
        } catch {
            await session.abort()
            if let error = error as? MultipartError { throw Problem(.invalid, error.message) }
            throw error
        }
    }

    /// Reads the form only to tell whether it is one that was sent before; keeps nothing of it.
    /// - Throws: `.tooLarge` beyond 2 GB, more than any form that could have been answered.
    func fingerprint() async throws -> RequestFingerprint {
        try await context.continueIfExpected(request)
        var form = RequestFingerprint.Form(path: request.uri.path)
        do {
            try await steps(
                arrived: { total in guard total <= 2_147_483_648 else { throw Problem(.tooLarge, "The body is too large.") } },
                { form.add($0) })
        } catch let error as MultipartError {
            throw Problem(.invalid, error.message)
        }
        return form.finish()
    }

    private func read(into session: UploadSession) async throws {
        var form = context.once.isHeld ? RequestFingerprint.Form(path: request.uri.path) : nil
        var counted = 0
        try await steps(
            arrived: { total in
                try session.count(arrived: total - counted)
                counted = total
            },
            { step in
                form?.add(step)
                try await session.take(step)
            })
        if let form { context.once.identify(form.finish()) }
    }

    /// Parses the body as it arrives.
    /// - Parameter arrived: hears the bytes of the body so far, before they are parsed.
    private func steps(arrived: (_ total: Int) throws -> Void, _ take: (FormSteps.Step) async throws -> Void) async throws {
        var form = FormSteps(boundary: boundary)
        var total = 0
        for try await chunk in request.body {
            total += chunk.readableBytes
            try arrived(total)
            for step in try form.steps(in: chunk) { try await take(step) }
        }
        try form.finish()
    }
}
