import Core
import KeepsakeWire
import NIOCore
import Testing

@testable import Web

@Suite("Errors in inputs")
struct InputDecoderTests {
    private func problem<Input: Decodable>(_ type: Input.Type, _ parameters: [String: String] = [:], _ json: String? = nil) -> Problem? {
        do {
            _ = try InputDecoder.decode(
                type, parameters: parameters, json: json.map { ByteBuffer(string: $0) }, surface: .coves)
            return nil
        } catch {
            return error as? Problem
        }
    }

    @Test("a value outside a closed set is answered with the set, in a body and in a query")
    func closedSets() {
        #expect(
            problem(ReportInput.self, [:], #"{"kind":"person","id":"a","reason":"b"}"#)
                == Problem(.invalid, "kind must be one of user, cove, event, photo.", field: "kind"))
        #expect(
            problem(EditCoveInput.self, [:], #"{"coveId":"a","joining":"everybody"}"#)
                == Problem(.invalid, "joining must be one of id, invite.", field: "joining"))
        #expect(
            problem(ListAdminJobsInput.self, ["state": "lost"])
                == Problem(.invalid, "state must be one of ready, running, parked.", field: "state"))
        #expect(problem(ListAdminJobsInput.self, ["state": "parked"]) == nil)
    }

    @Test("a date in another form is answered with the form, also where it may be cleared")
    func dates() {
        let expected = Problem(
            .invalid, "date must be a date and time in ISO 8601, for example 2026-12-31T20:00:00Z.", field: "date")
        #expect(problem(CreateCoveEventInput.self, [:], #"{"coveId":"a","name":"b","date":"tomorrow","location":"c"}"#) == expected)
        #expect(problem(EditCoveEventInput.self, [:], #"{"eventId":"a","date":"31.12.2026"}"#) == expected)
        #expect(problem(EditCoveEventInput.self, [:], #"{"eventId":"a","date":5}"#)?.message == "date must be a string.")
    }

    @Test("another error names the field, too")
    func others() {
        #expect(problem(ReportInput.self, [:], #"{"kind":"user","id":"a"}"#)?.message == "reason is missing.")
        #expect(problem(ReportInput.self, [:], #"{"kind":5,"id":"a","reason":"b"}"#)?.message == "kind must be a string.")
        #expect(problem(ReportInput.self, [:], "{")?.message == "The body is not JSON.")
    }

    @Test("a name or a text with more than 30 combining marks in a row is refused before the body is decoded, escaped or not")
    func marks() {
        let refusal = Problem(.invalid, "A text has more than 30 combining marks in a row.")
        for mark in ["\u{301}", #"\u0301"#] {
            // 16,000 bytes or more, whose hash would take a tenth of a second.
            let marks = String(repeating: mark, count: 8_000)
            #expect(problem(ReportInput.self, [:], #"{"kind":"user","id":"a","reason":"b","\#(marks)":1}"#) == refusal)
            #expect(problem(ReportInput.self, [:], #"{"kind":"user","id":"a","reason":"\#(marks)"}"#) == refusal)
            let few = String(repeating: mark, count: 30)
            #expect(problem(ReportInput.self, [:], #"{"kind":"user","id":"a","reason":"b\#(few)","\#(few)":1}"#) == nil)
        }
        // A report in UTF-16, which the decoder would read. It passes as UTF-8, because all its bytes are ASCII.
        let wide = #"{"kind":"user","id":"a","reason":"b"}"#.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        #expect(problem(ReportInput.self, [:], String(decoding: wide, as: UTF8.self))?.message == "The JSON must be UTF-8.")
    }
}
