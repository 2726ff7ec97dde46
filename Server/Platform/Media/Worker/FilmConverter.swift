internal import Core
internal import Foundation
package import MediaFrames
internal import Synchronization

/// Makes copies of films that every browser plays: H.264 of at most 1080p and 30 frames a second with AAC, in MP4 with its index first,
/// upright, in standard dynamic range, and without metadata. ffmpeg makes them in the sandbox, at the lowest priority.
///
/// Callers limit how many films are converted at a time.
package final class FilmConverter: Sendable {
    package struct Limits: Sendable {
        /// Wall-clock time for one film.
        package var time: Duration = .minutes(30)
        /// The most bytes of a copy. ffmpeg keeps the copy in memory until the film ends, because the sandbox lets it write only to a
        /// socket, and the index, which comes first, is known at the end.
        package var byteCount = 256 << 20

        package init() {}
    }

    /// The most pixels of a copy's longer and shorter edge, and its bit rate.
    struct Frame: Equatable {
        let long: Int
        let short: Int
        /// The most bits a second for the pictures.
        let rate: Int
    }

    private let options: MediaWorkerOptions
    private let limits: Limits
    private let tool: SandboxedTool
    /// Number of threads of the decoder. The encoder has as many.
    private let threadCount = min(4, ProcessInfo.processInfo.activeProcessorCount)
    /// Whether ffmpeg maps a high dynamic range to the standard one; `nil` until it was asked.
    private let mapsTones = Mutex<Bool?>(nil)

    /// Memory for the decoded frames of a 4K film and for the encoder's frames, in addition to the copy itself.
    private static let memoryByteCount = 1_280 << 20
    private static let soundRate = 128_000

    package init(_ options: MediaWorkerOptions, _ limits: Limits = Limits()) {
        self.options = options
        self.limits = limits
        tool = SandboxedTool(options)
    }

    /// - Parameters:
    ///   - facts: the properties of the film, from `MediaWorkers.videoFacts`.
    ///   - output: an empty file. It belongs to the caller.
    /// - Throws: `MediaFailure`: `.timedOut` and `.refused(.tooManyBytes)` when the limits do not suffice, `.outputLost` when the file
    ///   cannot be written; also when the task was cancelled, which ends ffmpeg.
    package func convert(_ film: CInt, _ facts: VideoFacts, to output: CInt) async throws {
        var mapsTones = false
        if facts.range != .standard { mapsTones = try await hasToneMapping() }
        let frame = Self.frame(milliseconds: facts.milliseconds, byteCount: limits.byteCount)
        try await tool.run(
            [options.ffmpeg] + Self.arguments(facts, frame, mapsTones: mapsTones, threadCount: threadCount), descriptor: film, to: output,
            outputByteCount: limits.byteCount, processorTime: limits.time * threadCount,
            memoryByteCount: Self.memoryByteCount + limits.byteCount, timeout: limits.time)
        try FilmIndex.denyFragments(in: output)
    }

    /// Checks that ffmpeg has what a conversion needs.
    /// - Returns: what it does, for the operator.
    /// - Throws: `MediaProbeError`.
    package func probe() async throws -> String {
        let encoders = try await list("-encoders")
        for encoder in ["libx264", "aac"] where !encoders.contains(encoder) {
            throw MediaProbeError("ffmpeg (\(options.ffmpeg)) has no encoder \(encoder)")
        }
        return try await hasToneMapping()
            ? "films that browsers do not play get a copy in H.264"
            : "films that browsers do not play get a copy in H.264; films with a high dynamic range look pale, because ffmpeg has no zscale"
    }

    private func hasToneMapping() async throws -> Bool {
        if let known = mapsTones.withLock({ $0 }) { return known }
        let filters = try await list("-filters")
        let found = filters.contains("zscale") && filters.contains("tonemap")
        mapsTones.withLock { $0 = found }
        return found
    }

    /// Runs ffmpeg with a flag that prints a list, such as `-encoders`.
    /// - Returns: the list's second column, which contains the names.
    private func list(_ flag: String) async throws -> Set<String> {
        let output = try await tool.run(
            [options.ffmpeg, "-v", "quiet", flag], input: [0], outputByteCount: 1 << 20, timeout: options.jobTimeout)
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        return Set(lines.compactMap { $0.split(separator: " ").dropFirst().first.map(String.init) })
    }

    /// A long film gets fewer bits a second, so that its copy is within the limit, and then fewer pixels too.
    static func frame(milliseconds: Int?, byteCount: Int) -> Frame {
        // A film that does not state its length is assumed to be short. If it is not, the limit on bytes ends the conversion.
        let seconds = max(1, (milliseconds ?? 0) / 1_000)
        // One in ten bytes is left for the index and for the encoder's imprecision.
        let rate = min(8_000_000, max(100_000, byteCount / 10 * 9 * 8 / seconds - soundRate))
        switch rate {
        case 1_500_000...: return Frame(long: 1_920, short: 1_080, rate: rate)
        case 700_000...: return Frame(long: 1_280, short: 720, rate: rate)
        default: return Frame(long: 854, short: 480, rate: rate)
        }
    }

    static func arguments(_ facts: VideoFacts, _ frame: Frame, mapsTones: Bool, threadCount: Int) -> [String] {
        let (long, short) = (frame.long, frame.short)
        // ffmpeg rotates the pictures before these filters. Both sides become even, which 4:2:0 needs.
        var filters = [
            "scale=w='if(gte(iw,ih),min(iw,\(long)),min(iw,\(short)))':h='if(gte(iw,ih),min(ih,\(short)),min(ih,\(long)))'"
                + ":force_original_aspect_ratio=decrease:force_divisible_by=2",
            "fps=fps='min(30,source_fps)'",
        ]
        if mapsTones {
            let transfer = facts.range == .pq ? "smpte2084" : "arib-std-b67"
            filters += [
                // The film's boxes may state these properties where the encoded stream itself does not.
                "setparams=color_primaries=bt2020:color_trc=\(transfer):colorspace=bt2020nc", "zscale=t=linear:npl=100",
                "format=gbrpf32le", "zscale=p=bt709", "tonemap=tonemap=hable:desat=0", "zscale=t=bt709:m=bt709:r=tv",
            ]
        }
        filters.append("format=yuv420p")
        let threads = ["-threads", "\(threadCount)"]
        // Takes one stream of pictures and one of sound, and no metadata.
        return ["-nostdin"] + MediaWorkers.fences + threads + ["-i", "/dev/fd/0", "-map", "0:v:0", "-map", "0:a:0?", "-sn", "-dn"]
            + ["-map_metadata", "-1", "-map_metadata:s:v", "-1", "-map_metadata:s:a", "-1", "-map_chapters", "-1"]
            + ["-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact"]
            + ["-vf", filters.joined(separator: ",")] + threads
            + ["-c:v", "libx264", "-preset", "veryfast", "-profile:v", "high", "-crf", "23"]
            + ["-maxrate", "\(frame.rate)", "-bufsize", "\(2 * frame.rate)"]
            + ["-c:a", "aac", "-ac", "2", "-ar", "48000", "-b:a", "\(soundRate)"]
            // Makes one fragment, which ffmpeg keeps until the end, so that the index comes first although the output is a socket.
            + ["-movflags", "frag_custom+skip_trailer", "-f", "mp4", "pipe:1"]
    }
}
