import Core
import Foundation
import NIOCore
import NIOHTTP1
import Outbound
import TestKit
import Testing

@testable import Intelligence

@Suite("Transcriber responses")
struct TranscriberTests {
    @Test("pocketsphinx: the words with their times, without markers for pauses, noises and pronunciations")
    func sphinx() {
        let segment = PocketSphinxTranscriber.segment(
            """
            the water was cold
            <s> 0.000 0.120 1.000200
            the 0.130 0.320 1.000200
            water 0.330 0.690 0.882837
            <sil> 0.690 0.700 0.5
            was(2) 0.700 0.890 0.953128
            [NOISE] 0.900 0.990 1.000300
            cold 1.000 1.350 -0.1
            </s> 8.210 8.390 1.000000

            yes
            ++COUGH++ 9.000 9.100 0.3
            yes 9.200 9.400 0.25
            """)
        #expect(segment.text == "the water was cold\nyes" && segment.language == "en")
        #expect(segment.words.map(\.text) == ["the", "water", "was", "cold", "yes"])
        #expect(segment.words.map(\.confidence) == [1, 0.883, 0.953, 0, 0.25])
        #expect(segment.words[4].start == 9.2 && segment.words[4].end == 9.4)
        #expect(PocketSphinxTranscriber.segment("") == SegmentTranscript(text: "", language: "en", words: []))
        #expect(PocketSphinxTranscriber.segment("\n<s> nan inf 1\n").words == [])
    }

    private let speech = Speech(samples: [UInt8](repeating: 0, count: 64_000))

    @Test("openai: the words of the response or of its segments, with times within the segment")
    func words() throws {
        let whole = ByteBuffer(
            string: #"""
                {"task":"transcribe","language":"english","duration":2.0,"text":" It was cold. ",
                 "words":[{"word":" It","start":-0.1,"end":0.2},{"word":"was","start":0.2,"end":0.5},{"word":"cold.","start":0.5,"end":9}]}
                """#)
        let segment = try OpenAITranscriber.segment(whole, of: speech)
        #expect(segment.text == "It was cold." && segment.language == "english")
        #expect(segment.words.map(\.text) == ["It", "was", "cold."] && segment.words.map(\.confidence) == [nil, nil, nil])
        #expect(segment.words[0].start == 0 && segment.words[2].end == 2)
        let parts = ByteBuffer(
            string: #"{"text":"hi","segments":[{"words":[{"word":"hi","start":0,"end":1,"probability":0.9,"tokens":[1]}]}]}"#)
        #expect(try OpenAITranscriber.segment(parts, of: speech).words == [.init(text: "hi", start: 0, end: 1, confidence: 0.9)])
        #expect(try OpenAITranscriber.segment(ByteBuffer(string: #"{"text":""}"#), of: speech).words == [])
        for garbage in ["", "<html>", "[]", #"{"words":[]}"#, #"{"text":7}"#, "\u{0}"] {
            #expect(throws: TranscriberFailure.self) { try OpenAITranscriber.segment(ByteBuffer(string: garbage), of: speech) }
        }
    }

    @Test("openai: a response has at most 16 MB, also without Content-Length; a longer one is a failure that may be retried")
    func bounded() async throws {
        let answer = #"{"text":"It was cold."}"#
        let limit = 16 << 20
        let longest = answer + String(repeating: " ", count: limit - answer.utf8.count)
        let tooLong = longest + " "
        try await ModelStandIn.run { server in
            let address = OpenAITranscriber.address(base: server.url, key: nil, model: "m-1", timeout: .seconds(60))
            let transcriber = OpenAITranscriber(
                ProviderClient(address, outbound: OutboundHTTP(.production), ledger: nil, clock: .system, permits: { _ in true }))
            for reply in [ModelStandIn.Reply.says(longest), .saysInChunks(longest)] {
                server.reply([reply])
                let segment = try await transcriber.transcribe(speech)
                #expect(segment.text == "It was cold.")
            }
            // The excess byte is a space, so without the limit the first two replies would be valid responses.
            for reply in [ModelStandIn.Reply.says(tooLong), .saysInChunks(tooLong), .refuses(500, body: tooLong)] {
                server.reply([reply])
                await #expect(throws: TranscriberFailure.unavailable("the answer of openai exceeds 16 MB", after: nil)) {
                    _ = try await transcriber.transcribe(speech)
                }
            }
        }
    }

    @Test("a summary consists of sentences of the text, and topics are its words")
    func extract() {
        let text = """
            We went to the lake on Saturday. The lake was cold and the sailing boats were gone. I had bread. My sister swam across the lake. \
            Then it rained.
            """
        let extract = Extract(text)
        #expect(extract.topics.first == "lake" && extract.topics.count <= 8 && !extract.topics.contains("were"))
        let summary = extract.summary ?? ""
        #expect(summary.contains("lake") && summary.count <= 500)
        for sentence in summary.split(separator: ".") { #expect(text.contains(sentence.trimmingCharacters(in: .whitespaces))) }
        #expect(Extract("") == Extract(" \n… ") && Extract("").summary == nil && Extract("").topics == [])
        let endless = Extract(String(repeating: "word ", count: 1_000))
        #expect(endless.summary?.count == 500 && endless.topics == ["word"])
        #expect(Extract("one line\nanother line").summary == "one line another line")
    }
}
