import Foundation
import Logging
import Testing
import Web

@testable import keepsake

@Suite("The lines of the log")
struct LineLogHandlerTests {
    private static func line(
        _ message: Logger.Message, _ metadata: Logger.Metadata?, own: Logger.Metadata = [:], seconds: Int64 = 1_798_761_600,
        milliseconds: Int = 7
    ) -> String {
        let event = LogEvent(
            level: .info, message: message, metadata: metadata, source: nil, file: #fileID, function: #function, line: #line)
        return String(decoding: LineLogHandler.line(event, own, seconds: seconds, milliseconds: milliseconds), as: UTF8.self)
    }

    @Test("a line is JSON with its time, level, message and fields in the order of their names")
    func form() {
        let own: Logger.Metadata = ["status": "100", "node": "a", "hb.request.id": "1"]
        #expect(
            Self.line("request", ["status": "200", "method": "GET", "ms": .stringConvertible(12)], own: own)
                == #"{"time":"2027-01-01T00:00:00.007Z","level":"info","message":"request","method":"GET","ms":12,"node":"a","status":"200"}"#
                + "\n")
        #expect(
            Self.line("stopped", nil, seconds: -1, milliseconds: 999)
                == #"{"time":"1969-12-31T23:59:59.999Z","level":"info","message":"stopped"}"# + "\n")
        #expect(Self.line("stopped", nil, milliseconds: 120).contains("00:00:00.120Z"))
    }

    @Test("numbers and Booleans are not strings in the line; what JSON has no number for is one")
    func numbers() {
        let metadata: Logger.Metadata = [
            "a": .stringConvertible(-3), "b": .stringConvertible(Int64.max), "c": .stringConvertible(2.5), "d": .stringConvertible(true),
            "e": .stringConvertible(Double.nan), "f": "7",
        ]
        #expect(
            Self.line("x", metadata).hasSuffix(
                #""a":-3,"b":9223372036854775807,"c":2.5,"d":true,"e":"nan","f":"7"}"# + "\n"))
    }

    @Test("a line names settings as the operator wrote them, also in the error of a job; a value that is only a variable's name stays")
    func names() {
        let names = Settings.Source.Origins()
        names.setFile("/etc/keepsake/keepsake.yaml", lines: ["smtp": 7])
        names.note("smtp", .file)
        names.note("port", .flag)
        let event = LogEvent(
            level: .warning, message: "set KEEPSAKE_PORT",
            metadata: [
                "error": "no connection: check the address in KEEPSAKE_SMTP (refused)",
                "reason": .stringConvertible(Settings.Wrong(description: "wrong KEEPSAKE_SMTP")), "variable": "KEEPSAKE_PORT",
            ], source: nil, file: #fileID, function: #function, line: #line)
        let line = String(
            decoding: LineLogHandler.line(event, [:], seconds: 1_798_761_600, milliseconds: 7, names: names), as: UTF8.self)
        let setting = "smtp in /etc/keepsake/keepsake.yaml:7"
        #expect(line.contains(#""message":"set --port","#), "\(line)")
        #expect(line.contains("\"error\":\"no connection: check the address in \(setting) (refused)\","), "\(line)")
        #expect(line.contains("\"reason\":\"wrong \(setting)\",\"variable\":\"KEEPSAKE_PORT\"}"), "\(line)")
    }

    @Test("a request's line is the same as with its fields as metadata", arguments: [nil, "an \"odd\" fault"] as [String?])
    func request(_ text: String?) {
        let line = RequestLine(
            account: text.map { _ in "a1" }, fault: text, method: "GET", milliseconds: 12, requestID: "0123456789abcdef", route: "/a/{id}",
            status: 500)
        let metadata = Logger.Metadata(uniqueKeysWithValues: line.fields.map { ($0.name, $0.value.metadata) })
        let written = String(
            decoding: LineLogHandler.line(line, .info, seconds: 1_798_761_600, milliseconds: 7), as: UTF8.self)
        #expect(written == Self.line("request", metadata))
        #expect(written.contains(#","ms":12,"#) && written.contains(#","status":500}"#))
        #expect(metadata["fault"] == text.map { Logger.MetadataValue.string($0) })
    }

    @Test(
        "any text becomes a JSON string without control characters, which decodes to the same text",
        arguments: [
            "", "plain /text?a=b&c", "a \"quoted\" \\ backslash", "line\nfeed\r\ttab", "\u{0}\u{1B}[31mred\u{7F}\u{85}\u{9F}",
            "Größe 🌊 é e\u{301}",
        ])
    func escapes(_ text: String) throws {
        let line = Self.line("\(text)", ["\(text)": "\(text)"])
        let bytes = Array(line.utf8.dropLast())
        #expect(line.unicodeScalars.dropLast().allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F ~= $0.value) })
        let fields = try JSONDecoder().decode([String: String].self, from: Data(bytes))
        #expect(fields["message"] == text && fields[text] == text && fields.count == 4)
    }
}
