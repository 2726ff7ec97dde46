internal import Core
internal import Foundation
package import MediaFrames

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Work on films and audio for which the boxes of the file do not suffice. ffmpeg or ffprobe (LGPL or GPL, separate programs) runs once for
/// each file, sandboxed by `keepsake-media`, in the same queue and with the same timeout as the work on pictures. The program may read
/// files, but not use the network, start programs, or write anything but its output.
extension MediaWorkers {
    /// Reads the properties of MP4, MOV and M4V files, including audio in such a file, from their boxes. A film that was written while it
    /// was recorded has no duration in its boxes; for it, ffprobe runs, which takes twenty times as long.
    /// - Throws: as `inspect`.
    package func videoFacts(_ fileDescriptor: CInt) async throws -> VideoFacts {
        guard case .answer(.film(var facts), _) = try await shortFirst(.film, fileDescriptor, .inspection) else {
            throw MediaFailure.crashed
        }
        guard facts.milliseconds == nil, facts.width != nil else { return facts }
        let probed = try await probe(fileDescriptor)
        (facts.width, facts.height, facts.milliseconds) = (probed.width, probed.height, probed.milliseconds)
        return facts
    }

    private func probe(_ fileDescriptor: CInt) async throws -> VideoFacts {
        let output = try await tool(
            options.ffprobe,
            ["-select_streams", "v:0", "-show_entries", "stream=width,height:stream_side_data=rotation:format=duration"]
                + ["-of", "default=noprint_wrappers=1", "-i", "/dev/fd/0"], fileDescriptor, .inspection, outputByteCount: 64 * 1024)
        guard let facts = VideoFacts(output) else { throw MediaFailure.refused(.unreadable) }
        return facts
    }

    /// A smaller copy of the film's first frame.
    /// - Parameters:
    ///   - mayBeLarge: as for the other `variant`.
    ///   - file: as for the other `variant`.
    /// - Throws: as `inspect`.
    package func variant(
        ofFilm fileDescriptor: CInt, _ request: VariantRequest, mayBeLarge: Bool = false, of file: OwnedFile? = nil
    ) async throws -> ImageVariant {
        try Self.check(request)
        let work = WaitingJob.Work.film(
            [options.ffmpeg] + Self.fences + Self.firstFrameDecoding, outputByteCount: Self.firstFrameByteCount, request)
        guard
            case .answer(.variant(let width, let height), let content) = try await perform(
                work, fileDescriptor, .later, mayBeLarge: mayBeLarge, of: file)
        else { throw MediaFailure.crashed }
        return ImageVariant(content: content, format: request.format, width: width, height: height)
    }

    /// The longest side of a film's first frame, in pixels.
    package static let firstFrameSide = 2_048

    /// Arguments to output the first frame as a JPEG, upright.
    private static let firstFrameDecoding =
        ["-nostdin", "-threads", "1", "-i", "/dev/fd/0", "-map", "0:v:0", "-frames:v", "1"]
        + ["-vf", "scale='min(\(firstFrameSide),iw)':'min(\(firstFrameSide),ih)':force_original_aspect_ratio=decrease"]
        + ["-map_metadata", "-1", "-threads", "1", "-c:v", "mjpeg", "-q:v", "3", "-pix_fmt", "yuvj420p", "-f", "image2pipe", "pipe:1"]

    private static let firstFrameByteCount = 16 << 20

    /// Decodes MP3, M4A, WAV, or a film's audio; at most two hours. The worker checks how much sound the file declares before anything is
    /// decoded.
    /// - Throws: as `inspect`; `.refused(.unknownSound)` when the file may decode to far more than it declares;
    ///   `.refused(.tooManyBytes)` when it decodes to more than two hours.
    package func audioFacts(_ fileDescriptor: CInt) async throws -> AudioFacts {
        guard
            case .answer(.sound(let most), _) = try await shortFirst(
                .sound, fileDescriptor, .inspection, size: Self.byteCount(fileDescriptor))
        else { throw MediaFailure.crashed }
        let peaks = try await peaks(fileDescriptor, most: most)
        guard let facts = AudioFacts(peaks) else { throw MediaFailure.refused(.unreadable) }
        return facts
    }

    /// Decodes a recording with few samples as short work, so that a voice note does not wait for other people's long recordings. The
    /// number of samples comes from the file, which may lie, so short work ends after a second in any case.
    private func peaks(_ fileDescriptor: CInt, most: Int) async throws -> SoundPeaks {
        let quickTimeout = min(options.quickSoundTimeout, options.jobTimeout)
        // 0 means that no sample was found. A decoder might still find some, so such a recording does not count as short.
        let isLittle = (1...MediaWorkerOptions.quickSampleCount).contains(most)
        let requester = Requester.current
        if isLittle, !slowWork.contains(requester, of: .decodedSound, at: .now) {
            do {
                return try await peaks(fileDescriptor, timeout: quickTimeout, isShort: true, most: most)
            } catch MediaFailure.timedOut {
                slowWork.add(requester, of: .decodedSound, at: .now)
            }
        }
        return try await peaks(fileDescriptor, timeout: options.jobTimeout + Self.patience(fileDescriptor), isShort: false, most: most)
    }

    private func peaks(_ fileDescriptor: CInt, timeout: Duration, isShort: Bool, most: Int) async throws -> SoundPeaks {
        let work = WaitingJob.Work.tool(
            [options.ffmpeg] + Self.fences + Self.peaksDecoding, outputByteCount: Self.soundByteCount, timeout: timeout,
            findsPeaks: true, isShort: isShort, sampleCount: most)
        guard case .peaks(let peaks) = try await perform(work, fileDescriptor, .inspection) else { throw MediaFailure.crashed }
        return peaks
    }

    /// Audio for a transcriber: 16,000 samples a second, 16 bits little-endian, one channel; at most half an hour.
    /// - Parameters:
    ///   - start: audio before it is left out, but still decoded, because seeking in an MP3 is not exact.
    ///   - length: audio after it is left out.
    /// - Throws: as `inspect`.
    package func speech(_ fileDescriptor: CInt, from start: Duration = .zero, lasting length: Duration? = nil) async throws -> [UInt8] {
        func seconds(_ time: Duration) -> String { String(format: "%.3f", time / .seconds(1)) }
        var part: [String] = start > .zero ? ["-ss", seconds(start)] : []
        if let length { part += ["-t", seconds(length)] }
        return try await tool(
            options.ffmpeg, Self.decoding(rate: 16_000, part), fileDescriptor, .later, outputByteCount: Self.soundByteCount,
            timeout: options.jobTimeout + Self.patience(fileDescriptor))
    }

    /// Maximum number of bytes of decoded sound.
    private static let soundByteCount = 60 << 20

    /// Arguments to decode sound for its peaks. A resampling filter of a quarter of the usual length suffices for them.
    static var peaksDecoding: [String] {
        let filter = ["-af", "aresample=\(AudioFacts.rate):filter_size=8"]
        return decoding(rate: AudioFacts.rate, codecs: ["-codec_whitelist", countedCodecs], filter)
    }

    /// Arguments to decode the first track of sound: 16 bits, little-endian, one channel. Without `-flush_packets 0`, ffmpeg would write to
    /// the pipe after each frame, 37,500 times for a quarter of an hour.
    private static func decoding(rate: Int, codecs: [String] = [], _ part: [String] = []) -> [String] {
        ["-nostdin", "-threads", "1"] + codecs + ["-i", "/dev/fd/0"] + part
            + ["-map", "0:a:0", "-ac", "1", "-ar", "\(rate)", "-flush_packets", "0", "-f", "s16le", "pipe:1"]
    }

    /// The decoders of the codecs whose sound the worker counts before they run.
    private static let countedCodecs =
        "aac,aac_fixed,alac,flac,opus,libopus,mp1float,mp1,mp2float,mp2,mp3float,mp3,ac3,ac3_fixed,eac3,adpcm_ms,adpcm_ima_wav,gsm_ms,"
        + "libgsm_ms,pcm_alaw,pcm_mulaw,pcm_s8,pcm_u8,pcm_s16be,pcm_s16le,pcm_u16be,pcm_u16le,pcm_s24be,pcm_s24le,pcm_s32be,pcm_s32le,"
        + "pcm_s64be,pcm_s64le,pcm_f32be,pcm_f32le,pcm_f64be,pcm_f64le"

    /// Additional time for a long recording: a second for each 4 MB.
    private static func patience(_ fileDescriptor: CInt) -> Duration {
        var status = stat()
        return fstat(fileDescriptor, &status) == 0 ? .seconds(Int64(status.st_size) >> 22) : .zero
    }

    /// - Parameter arguments: added after the arguments that restrict ffmpeg to allowed protocols and containers.
    private func tool(
        _ program: String, _ arguments: [String], _ fileDescriptor: CInt, _ jobClass: WorkerQueue.Turns.Class,
        outputByteCount: Int, timeout: Duration? = nil
    ) async throws -> [UInt8] {
        let work = WaitingJob.Work.tool([program] + Self.fences + arguments, outputByteCount: outputByteCount, timeout: timeout)
        guard case .output(let bytes) = try await perform(work, fileDescriptor, jobClass) else { throw MediaFailure.crashed }
        return bytes
    }

    /// The arguments that restrict ffmpeg and ffprobe to allowed protocols and containers.
    static let fences =
        ["-v", "quiet", "-protocol_whitelist", "file,pipe,fd", "-format_whitelist", "mov,mp4,m4a,mp3,wav"]
        // This also limits cover pictures in audio files.
        + ["-max_pixels", "\(PictureLimits.filmPixels)"]
}
