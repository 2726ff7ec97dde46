package import Blobs
import Core
import HTTPTypes
import Hummingbird
import NIOCore

/// A form that the server has not read yet: multipart/form-data or, where a route accepts it, plain fields.
package struct IncomingForm {
    private enum Encoding {
        case multipart(boundary: String)
        case plain(PlainFields)
        /// The type is neither of these, or a multipart type that is malformed. Only the route knows which types the error has to name.
        case refused(MultipartError)
    }

    private let request: Request
    private let context: WebContext
    private let encoding: Encoding

    init(request: Request, context: WebContext) throws {
        self.request = request
        self.context = context
        guard let contentType = request.headers[.contentType] else {
            encoding = .plain(.unstated)
            return
        }
        do {
            encoding = .multipart(boundary: try MultipartBoundary.parse(contentType: contentType))
        } catch let error as MultipartError {
            if let fields = PlainFields(contentType: contentType) {
                encoding = .plain(fields)
            } else {
                encoding = .refused(error)
            }
        }
    }

    /// Reads the parts into `session` as they arrive. Returns once every file is on disk under its final key. After an error no file
    /// remains.
    /// - Parameter plain: the types of the fields, if a form without files may also be URL-encoded or a JSON object.
    package func receive(into session: UploadSession, plain types: PlainFieldTypes? = nil) async throws -> ReceivedUpload {
        switch encoding {
        case .multipart(let boundary): return try await receive(into: session, boundary: boundary)
        case .plain(let fields):
            guard let types else {
                var message = MultipartError.notFormData.message
                if case .unstated = fields { message = "Content-Type is missing; send multipart/form-data." }
                throw Problem(.invalid, message, field: "Content-Type")
            }
            return try await receive(into: session, fields, types)
        case .refused(.notFormData) where types != nil:
            throw Problem(.invalid, "The Content-Type must be \(PlainFields.acceptedTypes).", field: "Content-Type")
        case .refused(let error): throw Problem(.invalid, error.message, field: "Content-Type")
        }
    }

    private func receive(into session: UploadSession, boundary: String) async throws -> ReceivedUpload {
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

    private func receive(into session: UploadSession, _ fields: PlainFields, _ types: PlainFieldTypes) async throws -> ReceivedUpload {
        var body = ByteBuffer()
        var beginning = JSONBeginning(of: fields)
        return try await session.receive(request, context, kept: { body.readableBytes }) { chunk in
            guard body.readableBytes + chunk.readableBytes <= PlainFields.maxByteCount else { throw Self.tooManyFields }
            try beginning.take(chunk)
            body.writeImmutableBuffer(chunk)
        } end: {
            try beginning.finish()
            for (name, text) in try fields.fields(in: body, named: session.rules.textFields, types) {
                try await session.take(.begin(PartHeaders(name: name)))
                try await session.take(.append(ByteBuffer(string: text)))
                try await session.take(.end)
            }
            if context.idempotency.isHeld {
                var fingerprint = RequestFingerprint.JSON(path: request.uri.path)
                fingerprint.add(body)
                context.idempotency.identify(fingerprint.finish())
            }
        }
    }

    private static let tooManyFields = Problem(.tooLarge, "A form without files has at most \(PlainFields.maxByteCount / 1_024) KB.")

    /// Reads the form and computes only its fingerprint, to compare it with an earlier request; stores nothing.
    /// - Throws: `.tooLarge` beyond 6 GiB. No route accepts a larger form, because the operator can allow at most ten files of 512 MB.
    func fingerprint() async throws -> RequestFingerprint {
        let boundary: String
        switch encoding {
        case .multipart(let text): boundary = text
        case .plain: return try await IncomingJSON.fingerprint(of: request, context, upTo: PlainFields.maxByteCount)
        case .refused(let error): throw Problem(.invalid, error.message, field: "Content-Type")
        }
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
    /// - Throws: `.tooLarge` when the body has more than `limit` bytes; the errors of `beginUpload`, `take` and `withoutSlot`.
    func readUpload(_ request: Request, upTo limit: Int, _ take: (ByteBuffer) throws -> Void) async throws {
        let body = try beginUpload()
        defer { body?.end() }
        try await continueIfExpected(request)
        var total = 0
        try await withoutSlot {
            for try await chunk in request.body {
                total += chunk.readableBytes
                guard total <= limit else { throw Problem(.tooLarge, "The body is too large.") }
                try take(chunk)
            }
        }
    }
}
