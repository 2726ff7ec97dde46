import CMedia
import MediaFrames

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The media worker: the only program that decodes users' files. The server starts it with a socket as file descriptor 3. The worker enters
/// its sandbox, reports that it is ready, and then runs one job after the other until the socket closes.
///
/// Exit codes: 0 the server closed the socket, 64 not started by the server, 69 the sandbox could not be set up, 70 internal error.
@main
enum KeepsakeMedia {
    static let limits = media_limits(
        // A picture of 48 megapixels decodes within this limit in any format. One of 100 megapixels in the most expensive format does not,
        // so its job ends with a refusal or a crash.
        data: 768 << 20,
        // The data above, the libraries (600 MB of addresses), and the file itself (512 MB).
        address_space: 1920 << 20,
        file_size: UInt64(PictureLimits.variantByteCount),
        // This limit holds for the whole life of the worker, 200 jobs; the server limits each job separately.
        processor_seconds: 3600,
        descriptors: 64)

    static func main() {
        switch CommandLine.arguments.dropFirst().first {
        case "tool": Tool.run(Array(CommandLine.arguments.dropFirst(2)))
        case "work": work(isProbing: false)
        case "probe-tool": Tool.probe(Array(CommandLine.arguments.dropFirst(2)))
        case "probe": work(isProbing: true)
        default: exit(64)
        }
    }

    /// - Parameter isProbing: for tests: tries what the sandbox must refuse, on the process and the file that the arguments name, and
    ///   reports what succeeded.
    private static func work(isProbing: Bool) {
        guard fcntl(3, F_GETFL) >= 0 else { exit(64) }
        guard media_die_with_parent() == 0 else { exit(69) }
        guard Decoder.start() else { exit(70) }
        media_give_back_memory(1)
        var limits = limits
        // The libraries are loaded, so the worker need not open any file from here on.
        _ = media_drop_capabilities()
        guard media_limit(&limits) == 0, media_confine(nil, nil) == 0, media_seal_decoder() == 0 else { exit(69) }
        let channel = FrameChannel(socket: 3)
        do throws(FrameError) {
            if isProbing {
                let arguments = CommandLine.arguments.dropFirst(2)
                guard let victim = arguments.first.flatMap({ pid_t($0) }), let file = arguments.dropFirst().first else { exit(64) }
                try channel.send(FlatJSON(["got": .number(Int(media_probe_sandbox(victim, file, 1)))]))
                exit(0)
            }
            try channel.send(MediaAnswer.ready.frame)
            while true { try serve(channel) }
        } catch {
            exit(error == .ended ? 0 : 70)
        }
    }

    private static func serve(_ channel: FrameChannel) throws(FrameError) {
        let (frame, descriptor) = try channel.receive()
        guard let job = MediaJob(frame), let descriptor else { throw .garbage }
        let isQuick = MediaJob.isQuick(frame)
        var result: CInt = -1
        let answer: MediaAnswer
        do throws(MediaRefused) {
            let file = try Self.file(descriptor, for: job)
            // Keep the file mapped until the job is done.
            defer { withExtendedLifetime(file) {} }
            switch job {
            case .inspect: answer = .facts(try Picture(file.bytes).facts)
            case .film: answer = .film(try VideoHeader(file.bytes).facts)
            case .sound: answer = .sound(most: try AudioHeader(file.bytes).most)
            case .strip:
                result = try Picture(file.bytes).strip()
                answer = .stripped
            case .measure: answer = .measures(try Picture(file.bytes, isQuick: isQuick).measures())
            case .document: answer = .document(try Document.kind(of: file.bytes, isQuick: isQuick))
            case .text(let kind):
                result = try Document.text(of: file.bytes, kind, isQuick: isQuick)
                answer = .text
            case .variant(let request):
                let variant = try Picture(file.bytes, isQuick: isQuick).variant(request)
                result = variant.descriptor
                answer = .variant(width: variant.width, height: variant.height)
            }
        } catch {
            answer = .refused(error.reason)
        }
        defer { if result >= 0 { _ = close(result) } }
        // This must precede the response, because the server measures the worker's memory when it receives the response.
        media_give_back_memory(0)
        try channel.send(answer.frame, descriptor: result >= 0 ? result : nil)
    }

    private static func file(_ descriptor: CInt, for job: MediaJob) throws(MediaRefused) -> MappedFile {
        switch job {
        // These jobs read only the boxes or headers, so most of the file is not read.
        case .film, .sound: try MappedFile(takingOver: descriptor, limit: PictureLimits.filmByteCount, isReadWhole: false)
        // These jobs read the file piece by piece, so that a large file does not take its size in memory.
        case .document, .text: try MappedFile(takingOver: descriptor, limit: DocumentLimits.byteCount, isReadWhole: false)
        case .inspect, .variant, .strip, .measure: try MappedFile(takingOver: descriptor)
        }
    }
}
