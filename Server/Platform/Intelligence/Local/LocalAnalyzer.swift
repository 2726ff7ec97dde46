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
    private let workers: MediaWorkers

    package init(workers: MediaWorkers) { self.workers = workers }

    package let name = "local"
    package let isOutside = false

    package func analyse(_ input: CaptureInput) async throws -> CaptureAnalysis {
        let measures = try await self.measures(input)
        let said = [input.transcription, input.imageText].compactMap { $0 }.joined(separator: "\n")
        let transcription = input.transcription ?? ""
        let place = measures.flatMap { PictureSummary.place(of: $0) }
        return CaptureAnalysis(
            imageSummary: measures.map { PictureSummary.text($0) }, themes: Themes.find(in: said), mood: Moods.find(transcription),
            location: Places.find(in: transcription) ?? place, detectedFaces: [],
            mentionedNames: NameFinder(contacts: input.contacts).names(in: said), keyMoment: KeySentence.of(input),
            imageText: input.imageText, engine: name)
    }

    package func probe() async throws -> String { "names, places, themes and moods by rules; no network" }

    /// - Returns: `nil` when there is no picture, or when nobody can decode it.
    private func measures(_ input: CaptureInput) async throws -> PictureMeasures? {
        guard let picture = input.picture else { return nil }
        let descriptor = try await picture.open()
        defer { _ = close(descriptor) }
        do {
            // In the owner's name, because the workers' queue is fair among accounts.
            return try await Requester(account: input.owner, network: nil).run { try await workers.measure(descriptor) }
        } catch is MediaFailure {
            try Task.checkCancellation()
            return nil
        } catch let problem as Problem {
            throw EngineFailure.unavailable("the picture was not decoded: \(problem.message)", after: problem.retryAfter)
        }
    }
}
