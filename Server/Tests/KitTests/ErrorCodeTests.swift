import Core
import Foundation
import HTTPTypes
import KeepsakeKit
import Testing

@testable import KeepsakeWire
@testable import Web

/// The error code that the client gives a refusal whose body has no code.
@Suite("KeepsakeKit's error codes")
struct ErrorCodeTests {
    @Test("a refusal has the server's code in each surface, also without a body", arguments: Problem.Kind.allCases)
    func serverCodes(_ kind: Problem.Kind) {
        #expect(StatusTitle.of(kind.rawValue) == kind.title)
        for surface in Surface.allCases {
            let error = KeepsakeError(HTTPResponse(status: .init(code: kind.rawValue)), body: Data(), surface: surface)
            #expect(error.code.rawValue == kind.code && error.message == kind.title && error.status == kind.rawValue)
        }
    }

    @Test("a code in the header is more specific than the body's", arguments: Surface.allCases)
    func specialCodes(_ surface: Surface) throws {
        var response = HTTPResponse(status: .contentTooLarge)
        let body = Data(#"{"error":"Payload Too Large","details":"d","message":"m","code":413}"#.utf8)
        #expect(KeepsakeError(response, body: body, surface: surface).code != .quotaExceeded)
        response.headerFields[try #require(HTTPField.Name(ErrorField.codeHeaderName))] = "quota_exceeded"
        #expect(KeepsakeError(response, body: body, surface: surface).code == .quotaExceeded)
    }

    @Test("a proxy's refusal has the code of its status")
    func proxyCodes() {
        func code(_ status: Int) -> String {
            KeepsakeError(HTTPResponse(status: .init(code: status)), body: Data("<html>".utf8), surface: .coves).code.rawValue
        }
        #expect(code(504) == "gateway_timeout" && code(407) == "proxy_authentication_required" && code(299) == "status_299")
    }

    @Test("a refusal names the field if its header does", arguments: Surface.allCases)
    func fields(_ surface: Surface) throws {
        let body = Data(#"{"error":"bad_request","message":"limit must be 1 to 100."}"#.utf8)
        var response = HTTPResponse(status: .badRequest)
        #expect(KeepsakeError(response, body: body, surface: surface).field == nil)
        response.headerFields[try #require(HTTPField.Name(ErrorField.headerName))] = "limit"
        #expect(KeepsakeError(response, body: body, surface: surface).field == "limit")
    }
}
