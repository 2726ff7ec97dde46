import Hummingbird
import HummingbirdCore
import NIOCore

/// The steps around every route. They are one middleware, because each middleware costs every request copies of the request and of its
/// context, and several switches of its task.
///
/// Runs on the event loop of the connection. No step waits for anything but a free slot.
struct RequestSteps: RouterMiddleware {
    typealias Context = WebContext
    let address: ClientAddress
    let origins: CrossOrigin
    let log: RequestLog
    let errors: ErrorBoundary
    let admission: AdmissionGate

    func handle(_ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response) async throws -> Response {
        var context = context
        address.locate(request, &context)
        let start = NIODeadline.now()
        var response: Response
        do {
            response = try await admission.handle(request, context, next)
        } catch {
            response = await errors.response(to: error, request, context)
        }
        log.note(&response, to: request, context, since: start)
        guard response.status != .switchingProtocols else { return response }
        SecurityHeaders.add(to: &response, context)
        origins.add(to: &response, request)
        return response
    }
}
