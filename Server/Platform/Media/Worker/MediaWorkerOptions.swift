internal import Foundation

/// How many workers, and when they are replaced.
package struct MediaWorkerOptions: Sendable {
    /// Path of `keepsake-media`.
    package var program: String
    package var ffmpeg = ProgramPath.find("ffmpeg")
    package var ffprobe = ProgramPath.find("ffprobe")
    /// What it is told to be.
    package var arguments = ["work"]
    /// 1 or more. One is kept warm; the others start when it is busy, and end after a minute without work. At least two by default: one
    /// account may occupy all but one, so with two nobody waits for another account's film.
    package var workers = min(4, max(2, ProcessInfo.processInfo.activeProcessorCount))
    /// Whether the first one starts with the server. Otherwise it starts with the first job, and is kept from then on.
    package var isKeptWarm = true
    /// Jobs that may wait: so many inspections of uploads, and as many others. The next is answered 503. Each holds a descriptor.
    package var queue = 512
    /// Of these, of one account: all the thumbnails that one HTTP/2 connection can ask for at a time. The next is answered 429.
    package var queuePerRequester = 128
    /// Of these, of one network, whatever its accounts. The next is answered 429.
    package var queuePerNetwork = 256
    /// How long a job goes on that nobody waits for any more. A usual photo is done by then; a new worker takes about as long to start.
    package var abandonedGrace: Duration = .milliseconds(250)
    /// Wall clock of one job, without its waiting; then the worker is killed.
    package var jobTimeout: Duration = .seconds(10)
    /// Wall clock of a worker's start.
    package var startTimeout: Duration = .seconds(10)
    /// After which a worker is replaced: what a hostile file has changed in it does not outlive them.
    package var jobsPerWorker = 200
    /// Resident bytes after a job, above which a worker is replaced.
    package var residentBytes: Int64 = 192 << 20
    /// How long a job under way may take once the server shuts down.
    package var drain: Duration = .seconds(5)
    /// A spare worker without work ends after this.
    package var spareIdle: Duration = .seconds(60)

    package init(program: String) { self.program = program }

    /// With the `keepsake-media` that lies beside the running program.
    package static var besideThisProgram: MediaWorkerOptions {
        MediaWorkerOptions(program: ProgramPath.folder + "/keepsake-media")
    }
}
