import Core
import Hummingbird
import WireJSON

extension WebContext {
    /// Waits until the caller's account and network have a turn (`LongWork`) to make a long response. The turn ends when the response is
    /// made, before it is sent.
    /// - Throws: as `LongWork.turn`.
    package func waitForTurn() async throws {
        guard let longWork else { return }
        let turn = try await withoutSlot { try await longWork.turn(requester) }
        record.update { $0.turn = turn }
    }

    /// Waits as `waitForTurn()` does, then takes the response's slot and its share of the memory for responses. So a response that exceeds
    /// the share of its account or network is refused before it is made. If only the memory of all responses together is used up, the
    /// response is made all the same. If there is still no room then, `AnswersInFlight.sent` writes it to the disk.
    /// - Parameter byteCount: the length of the response, or the most that it may be. `AnswersInFlight.sent` corrects it.
    /// - Throws: as `LongWork.turn` and `AnswersInFlight.enter`.
    package func waitForTurn(toMake byteCount: Int64) async throws {
        try await waitForTurn()
        guard let answers else { return }
        let answer = try answers.enter(requester)
        _ = try answers.hold(Int(clamping: byteCount), in: answer)
        record.update { $0.answer = answer }
    }

    /// Makes a response. If it shows a page (`PageSize.note`) whose JSON is longer than what an account may hold in memory, makes it again
    /// with a shorter page, once or twice. The cursor of the shorter page continues after its last row.
    ///
    /// A list limits the texts of a page before it reads them, so it does not know how many characters need escapes in JSON. A page
    /// of ordinary text is made again only if a response contains each text twice.
    /// - Parameter make: makes the response. It must not change anything.
    /// - Throws: the errors of `make`.
    func shorteningPage(_ make: () async throws -> Response) async throws -> Response {
        guard let most = answers?.mostOfAccount else { return try await make() }
        record.update { $0.mostJSONByteCount = most }
        while true {
            do {
                let response = try await make()
                guard let byteCount = response.body.contentLength, byteCount > most,
                    record.shortenPage(jsonByteCount: byteCount, most: most)
                else { return response }
            } catch let error as JSONWriter.TooLong {
                guard record.shortenPage(jsonByteCount: error.byteCount, most: most) else { throw error }
            }
        }
    }

    /// Waits for a turn of `LongWork`, and runs `work` in it.
    /// - Throws: the errors of `work` and of `LongWork.turn`.
    package func inTurn<T>(_ work: () async throws -> T) async throws -> T {
        guard let longWork else { return try await work() }
        // The work needs no slot, since it has a turn. Afterwards the request waits for a slot without the turn.
        return try await withoutSlot {
            let turn = try await longWork.turn(requester)
            defer { turn.release() }
            // The work may change something.
            try await requireLiveSession()
            return try await work()
        }
    }

    /// Counts the memory that the words of long texts use, until the response has been made.
    /// - Parameter byteCount: the bytes of the texts.
    /// - Throws: `.tooManyRequests` when the account or its network holds too many bytes of unfinished requests, `.unavailable` when all
    ///   together do.
    package func countWords(ofTexts byteCount: Int) throws {
        guard let bodies, byteCount > Self.shortTextByteCount else { return }
        let share = try bodies.count(Self.bytesPerTextByte * byteCount, of: requester)
        record.update { $0.texts = share }
    }

    /// The texts, in bytes, whose words do not count.
    private static let shortTextByteCount = 4_096
    /// The memory that a handler uses for a byte of text: for the text, and for its words.
    private static let bytesPerTextByte = 8
}
