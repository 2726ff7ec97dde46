internal import Core
internal import MediaFrames
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Remembers the requesters for one of whose pictures short work took too long. Copies and analyses count separately from work that reads
/// only a header: an ordinary HEIC takes seconds to decode on a slow machine, but no ordinary header takes long. So the uploads of an
/// account with such pictures do not wait for long work.
///
/// It does not remember the network of an account: an ordinary picture that is slow on a slow machine must not delay the thumbnails of all
/// other accounts of its network.
final class SlowPictures: Sendable {
    private let copies = Mutex(SlowRequesters(includesNetworks: false))
    private let headers = Mutex(SlowRequesters(includesNetworks: false))

    /// Whether work of this kind is long work for the requester.
    func contains(_ requester: Requester, for job: MediaJob, at now: ContinuousClock.Instant) -> Bool {
        job.readsHeaderOnly
            ? headers.withLock { $0.contains(requester, at: now) } : copies.withLock { $0.contains(requester, at: now) }
    }

    func add(_ requester: Requester, for job: MediaJob, at now: ContinuousClock.Instant) {
        if job.readsHeaderOnly {
            headers.withLock { $0.add(requester, at: now) }
        } else {
            copies.withLock { $0.add(requester, at: now) }
        }
    }

    /// Adds the owner of the file, or the requester, of a short job that used more processor time than an ordinary picture. This includes a
    /// job that failed, or whose caller has gone.
    /// - Parameter time: the processor time that the job used.
    func note(_ job: WaitingJob, used time: Duration, _ options: MediaWorkerOptions) {
        guard job.work.isQuickPicture, case .picture(let work, let pixelCount, _) = job.work,
            time >= options.slowTime(of: work, pixelCount: pixelCount, isHEIF: false),
            time >= options.slowTime(of: work, pixelCount: pixelCount, isHEIF: Self.isHEIF(job.descriptor))
        else { return }
        add(job.file?.requester ?? job.requester, for: work, at: .now)
    }

    /// Whether the file begins like a HEIF: with a box `ftyp`.
    private static func isHEIF(_ descriptor: CInt) -> Bool {
        var head = [UInt8](repeating: 0, count: 8)
        return pread(descriptor, &head, 8, 0) == 8 && head[4...].elementsEqual("ftyp".utf8)
    }
}
