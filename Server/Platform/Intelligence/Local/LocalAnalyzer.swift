internal import Core
internal import Foundation
internal import MediaFrames
package import MediaTools

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Analyses captures by rules and word lists, without network. It states only what its input says; the rest is null.
package struct LocalAnalyzer: Analyzer {
    /// The most characters (Unicode scalars) of a transcription, and of a picture's text, that are analysed: half an hour of speech.
    static let textLength = 32_768

    private let workers: MediaWorkers
    private let work: FairWork
    package let concurrency: Int?

    package init(workers: MediaWorkers) {
        let limits = Self.limits(processors: ProcessInfo.processInfo.activeProcessorCount)
        self.init(workers: workers, work: FairWork(limits), concurrency: limits.permits)
    }

    /// - Parameters:
    ///   - work: limits how many analyses run at a time; accounts take turns.
    ///   - concurrency: how many analyses `work` lets run at a time.
    init(workers: MediaWorkers, work: FairWork, concurrency: Int? = nil) {
        self.workers = workers
        self.work = work
        self.concurrency = concurrency
    }

    /// The rules keep a processor busy for a second with the longest texts. Accounts take turns, and half of the processors stay free.
    static func limits(processors: Int) -> FairSemaphore.Limits {
        FairSemaphore.Limits(permits: max(1, processors / 2), permitsPerKey: 1, waiting: 1_024, waitingPerKey: 64)
    }

    package let name = "local"
    package let isOutside = false

    package func analyse(_ input: CaptureInput) async throws -> CaptureAnalysis {
        let measures = try await self.measures(input)
        let turn: FairSemaphore.Permit
        do {
            turn = try await work.turn(Requester(account: input.owner, network: nil))
        } catch let problem as Problem {
            throw EngineFailure.unavailable("too many captures wait for their analysis", after: problem.retryAfter)
        }
        defer { turn.release() }
        return try await work.compute { [name] in
            var input = input
            input.transcription = input.transcription.map(Self.bounded)
            let imageText = input.imageText
            input.imageText = imageText.map(Self.bounded)
            let spoken = Words(input.transcription ?? "")
            let all = input.imageText.map { Words([input.transcription, $0].compactMap { $0 }.joined(separator: "\n")) } ?? spoken
            let place = measures.flatMap { PictureSummary.place(of: $0) }
            let finder = NameFinder(contacts: input.contacts)
            return CaptureAnalysis(
                imageSummary: measures.map { PictureSummary.text($0) }, themes: Themes.find(all), mood: Moods.find(spoken),
                location: Places.find(spoken) ?? place, detectedFaces: [],
                mentionedNames: finder.names(in: all), keyMoment: KeySentence.of(input, finder), imageText: imageText, engine: name)
        }
    }

    /// The beginning of a text, with a bounded number of combining marks on each letter: transcripts and texts of pictures may have more.
    private static func bounded(_ text: String) -> String {
        CombiningMarks.bounded(TextRules.prefix(text, textLength))
    }

    package func probe() async throws -> String { "names, places, themes and moods by rules; no network" }

    /// - Returns: `nil` when there is no picture, or when it cannot be decoded.
    private func measures(_ input: CaptureInput) async throws -> PictureMeasures? {
        guard let picture = input.picture else { return nil }
        let descriptor = try await picture.open()
        defer { _ = close(descriptor) }
        do {
            // The work is done in the owner's name, because the workers' queue is fair among accounts.
            return try await Requester(account: input.owner, network: nil).run {
                try await workers.measure(descriptor, pixelCount: picture.pixelCount)
            }
        } catch is MediaFailure {
            try Task.checkCancellation()
            return nil
        } catch let problem as Problem {
            throw EngineFailure.unavailable("the picture was not decoded: \(problem.message)", after: problem.retryAfter)
        }
    }
}
