internal import Core
internal import MediaFrames
internal import Synchronization

/// Remembers the requesters that have had a file whose short work took too long. Each kind of work counts separately: an ordinary HEIC
/// takes seconds to decode on a slow machine, but no ordinary header or document takes long to read. So the uploads of an account with
/// such pictures do not wait for long work.
final class SlowWork: Sendable {
    enum Kind {
        /// Copies and analyses of pictures.
        case copies
        /// Inspections of pictures, and copies without metadata.
        case pictureHeaders
        /// Checks of documents.
        case documents
        case texts
        case filmHeaders
        /// Counting the samples of sound.
        case soundHeaders
        /// Decoding sound, which another program does.
        case decodedSound

        init(_ job: MediaJob) {
            switch job {
            case .variant, .measure: self = .copies
            case .inspect, .strip: self = .pictureHeaders
            case .document: self = .documents
            case .text: self = .texts
            case .film: self = .filmHeaders
            case .sound: self = .soundHeaders
            }
        }

        /// Whether the network of an account is remembered too. An ordinary picture that is slow on a slow machine must not delay the
        /// thumbnails of all other accounts of its network.
        fileprivate var includesNetworks: Bool { self == .decodedSound }
    }

    private let requesters = Mutex<[Kind: SlowRequesters]>([:])

    /// Whether work of this kind is long work for the requester.
    func contains(_ requester: Requester, of kind: Kind, at now: ContinuousClock.Instant) -> Bool {
        requesters.withLock { $0[kind]?.contains(requester, at: now) ?? false }
    }

    /// Whether work of the job's kind is long work for the requester.
    func contains(_ requester: Requester, for job: MediaJob, at now: ContinuousClock.Instant) -> Bool {
        contains(requester, of: Kind(job), at: now)
    }

    func add(_ requester: Requester, of kind: Kind, at now: ContinuousClock.Instant) {
        requesters.withLock { $0[kind, default: SlowRequesters(includesNetworks: kind.includesNetworks)].add(requester, at: now) }
    }

    /// If a short job used more processor time than short work may, adds the owner of its file, or the requester if the job names no file.
    /// This includes a job that failed, or whose caller has gone.
    /// - Parameters:
    ///   - time: the processor time that the job used.
    ///   - limit: as `MediaWorkerOptions.quickTimeout`.
    func note(_ job: WaitingJob, used time: Duration, limit: Duration?) {
        guard let limit, time >= limit, case .picture(let work, _, _) = job.work else { return }
        add(job.file?.requester ?? job.requester, of: Kind(work), at: .now)
    }
}
