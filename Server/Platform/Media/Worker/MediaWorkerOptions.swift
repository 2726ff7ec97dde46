internal import Core
internal import Foundation
internal import MediaFrames

/// The number of workers, their limits, and when they are replaced.
package struct MediaWorkerOptions: Sendable {
    /// Path of `keepsake-media`.
    package var program: String
    package var ffmpeg = ProgramPath.find("ffmpeg")
    package var ffprobe = ProgramPath.find("ffprobe")
    /// The program's arguments.
    package var arguments = ["work"]
    /// Number of workers, 1 or more. One is kept running; the others start when it is busy, and end after a minute without work. The
    /// default is at least two: long jobs leave one free, so no photo waits for a film.
    package var workers = min(4, max(2, ProcessInfo.processInfo.activeProcessorCount))
    /// Whether the first worker starts with the server. Otherwise it starts with the first job. In both cases it then keeps running.
    package var isKeptWarm = true
    /// Maximum number of waiting jobs: this many inspections of uploads, and as many other jobs. Further ones get 503. Each waiting job
    /// uses a descriptor.
    package var queue = 512
    /// Maximum number of waiting jobs of one account, enough for all thumbnails that one HTTP/2 connection requests at a time. Further ones
    /// get 429.
    package var queuePerRequester = 128
    /// Maximum number of waiting jobs of one network, across its accounts. Further ones get 429.
    package var queuePerNetwork = 256
    /// How long a job whose caller has gone may keep running. A typical photo is done by then; starting a new worker takes about the same
    /// time.
    package var abandonedGrace: Duration = .milliseconds(250)
    /// Copies of pictures with more pixels than this count as long work: a phone's usual photo has 12 million, and a copy of it takes some
    /// 50 ms.
    static let quickPixelCount = 25_000_000
    /// Processor time for decoding a picture as short work, see `quickTimeout`. A copy of a phone's JPEG of 12 megapixels uses some 50 ms,
    /// of a PNG of 25 megapixels some 600 ms.
    package var quickPictureTimeout: Duration = .seconds(1)
    /// A HEIF may use this many nanoseconds more for each pixel, because an ordinary HEIF takes that long, and phones write HEIC by
    /// default.
    static let nanosecondsPerPixelOfHEIF: Int64 = 85
    /// The most processor time for decoding a HEIF as short work. A HEIC of 48 megapixels takes 4.1 s, so a phone's 24 megapixels take two.
    static let mostQuickTimeOfHEIF: Duration = .seconds(3)
    /// Processor time for short work that decodes no picture: reading a header, checking a document, reading its text. It takes
    /// milliseconds for an ordinary file.
    package var quickReadTimeout: Duration = .milliseconds(500)
    /// Documents with more bytes than this count as long work, and so do smaller ones that unpack to more than
    /// `DocumentLimits.quickUnpackedByteCount`.
    static let quickDocumentByteCount = 500_000
    /// Sound with at most this many samples × channels is decoded as short work: almost four minutes of one channel at 44.1 kHz, which
    /// take some 150 ms with the start of ffmpeg.
    static let quickSampleCount = 10_000_000
    /// Counting the samples of a larger file counts as long work. This is the size of `quickSampleCount` samples of 16 bits.
    static let quickSoundByteCount = 2 * quickSampleCount
    /// Wall-clock time for decoding sound as short work. What takes longer, because a file holds more sound than was counted or because
    /// the machine is slow, is decoded again as long work.
    package var quickSoundTimeout: Duration = .seconds(1)
    /// Wall-clock time for one job, without waiting in the queue; after that, the worker is killed.
    package var jobTimeout: Duration = .seconds(10)
    /// Wall-clock time after which a long job is stopped, to run again later, if a job of somebody with little recent long work waits. It
    /// doubles with each stop of the job.
    package var longSlice: Duration = .milliseconds(500)
    /// Wall-clock time for starting a worker.
    package var startTimeout: Duration = .seconds(10)
    /// Whether there is one more worker, the reserve. When all other workers have worked on their jobs for `reserveDelay`, it runs short
    /// jobs that take less than `reserveTimeout`. So a photo's inspection or thumbnail waits for few slow jobs of others. With a single
    /// worker there is no reserve: whoever sets this wants one process.
    var hasReserve: Bool { workers > 1 }
    /// How long the other workers have to be busy before the reserve takes a job. Most short jobs end earlier.
    package var reserveDelay: Duration = .milliseconds(100)
    /// Processor time that a job may use in the reserve. What takes longer is stopped there, and another worker repeats it.
    package var reserveTimeout: Duration = .milliseconds(150)
    /// A worker is replaced after this many jobs, which bounds how long a hostile file's changes to it last.
    package var jobsPerWorker = 200
    /// A worker is replaced when it has more resident bytes than this after a job.
    package var residentBytes: Int64 = 192 << 20
    /// How long a running job may take after the server begins to shut down.
    package var drain: Duration = .seconds(5)
    /// An additional worker ends after this time without work.
    package var spareIdle: Duration = .seconds(60)

    package init(program: String) { self.program = program }

    /// Processor time that a job may use as short work. What takes longer, because of the way in which a file is coded or because the
    /// machine is slow, is stopped and repeated as long work, and further work of the same kind is long work for a while.
    /// - Parameter pixelCount: the picture's number of pixels; 0 when it is unknown, and then it is at most `quickPixelCount`.
    func quickTimeout(of job: MediaJob, pixelCount: Int, isHEIF: Bool) -> Duration {
        guard job.decodesPicture else { return quickReadTimeout }
        guard isHEIF else { return quickPictureTimeout }
        let pixels = Int64(pixelCount > 0 ? pixelCount : Self.quickPixelCount)
        return min(quickPictureTimeout + .nanoseconds(pixels * Self.nanosecondsPerPixelOfHEIF), Self.mostQuickTimeOfHEIF)
    }

    /// Processor time that a job may use if it is short work; `nil` for other work.
    func quickTimeout(of job: WaitingJob) -> Duration? {
        guard job.work.isQuick, case .picture(let work, let size, _) = job.work else { return nil }
        return quickTimeout(of: work, pixelCount: size, isHEIF: job.decodesHEIF)
    }

    /// Uses the `keepsake-media` in the folder of the running program.
    package static var besideThisProgram: MediaWorkerOptions {
        MediaWorkerOptions(program: ProgramPath.folder + "/keepsake-media")
    }
}
